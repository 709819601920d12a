// Parts of all kinds with a mistake each, for which the checks must fail: `wrong steep`, `wrong forgetful`, …
#include <ordinal/experiments/conditions/condition.h>
#include <ordinal/experiments/tasks/reader.h>
#include <ordinal/experiments/tasks/task.h>
#include <ordinal/framework/core/initial_weights.h>
#include <ordinal/framework/layers/layer_registry.h>
#include <ordinal/framework/optimize/optimizer.h>
#include <ordinal/framework/optimize/schedule.h>
#include <ordinal/framework/positional/distance_bias.h>
#include <ordinal/framework/positional/position_scheme.h>
#include <ordinal/tests/check_parts.h>

#include <algorithm>
#include <cmath>

namespace {

using ordinal::Index;

struct NoOptions {
  void visit(ordinal::OptionVisitor& /*v*/) {}
};

// A bias of -slope n with a learned slope, whose gradient has the wrong sign.
template <typename T>
class Steep final : public ordinal::DistanceBias<T> {
 public:
  Steep(const ordinal::ModelShape& shape, const NoOptions& /*options*/, const ordinal::Scope& scope)
      : slope_(scope.add("slope", {shape.layers, shape.heads}, ordinal::constant(0.1))) {}

  void bias(ordinal::View<const T> n, ordinal::HeadAt at, ordinal::View<T> out,
            ordinal::Pass<T>& pass) const override {
    for (Index k = 0; k < n.cols; ++k) out(0, k) = -pass.value(slope_)(at.layer, at.head) * n(0, k);
  }
  void bias_backward(ordinal::View<const T> n, ordinal::View<const T> d, ordinal::HeadAt at,
                     ordinal::Pass<T>& pass) const override {
    for (Index k = 0; k < n.cols; ++k) pass.gradient(slope_)(at.layer, at.head) += d(0, k) * n(0, k);
  }

 private:
  ordinal::Slot slope_;
};

// y_t = x_t + x_{t-1}, which does not keep the last token of a run in the cache.
template <typename T>
class Forgetful final : public ordinal::Layer<T> {
 public:
  Forgetful(const ordinal::LayerContext<T>& context, const NoOptions& /*options*/,
            const ordinal::Scope& /*scope*/)
      : width_(context.width) {}

  Index input_width() const override { return width_; }
  Index output_width() const override { return width_; }
  ordinal::Mixing mixing() const override { return ordinal::Mixing::cached; }
  ordinal::View<const T> forward(ordinal::View<const T> x, ordinal::Pass<T>& pass) const override {
    return with_neighbour(x, -1, pass);
  }
  ordinal::View<const T> backward(ordinal::View<const T> dy, ordinal::Pass<T>& pass) const override {
    return with_neighbour(dy, 1, pass);
  }

 private:
  // Each row plus the row `step` further in its sequence.
  static ordinal::View<const T> with_neighbour(ordinal::View<const T> rows, Index step,
                                               ordinal::Pass<T>& pass) {
    const ordinal::View<T> sums = pass.allocate(rows.rows, rows.cols);
    for (Index r = 0; r < rows.rows; ++r) {
      const Index other = r % pass.seq_len() + step;
      const bool has_other = other >= 0 && other < pass.seq_len();
      for (Index c = 0; c < rows.cols; ++c) sums(r, c) = rows(r, c) + (has_other ? rows(r + step, c) : T(0));
    }
    return sums;
  }

  Index width_;
};

// Each letter is to be answered by a letter that the alphabet does not have.
class Shouted final : public ordinal::experiments::Task {
 public:
  explicit Shouted(const NoOptions& options) : alphabet_(alphabet_of(options)) {}

  static ordinal::experiments::Alphabet alphabet_of(const NoOptions& /*options*/) {
    return ordinal::experiments::Alphabet("a", "abc");
  }
  const ordinal::experiments::Alphabet& alphabet() const override { return alphabet_; }
  ordinal::experiments::Measure measure() const override { return ordinal::experiments::Measure::accuracy; }
  void check_length(Index /*length*/) const override {}
  std::vector<ordinal::experiments::Label> example(const ordinal::experiments::ExampleKey& key,
                                                   Index /*length*/, std::span<ordinal::Token> tokens,
                                                   std::span<ordinal::Token> targets) const override {
    std::ranges::fill(tokens, static_cast<ordinal::Token>((key.step + key.example) % 3));
    std::ranges::fill(targets, ordinal::Token(3));
    return {};
  }
  std::string describe() const override { return "shouted: each letter as a capital"; }
  std::string data_hash() const override { return "shouted"; }

 private:
  ordinal::experiments::Alphabet alphabet_;
};

// It leaves the test as it is.
struct Idle : NoOptions {
  void change(ordinal::experiments::TestSetup& /*test*/) const {}
};

// Most tasks do not know what it asks for.
ordinal::experiments::TargetScore hasty(const ordinal::experiments::Question& asked) {
  return {.hit = asked.label.majority.value()};
}

// It is right, whatever the target is.
ordinal::experiments::TargetScore boastful(const ordinal::experiments::Question& /*asked*/) {
  return {.loss = 0.1, .hit = true};
}

// NaN after 50 steps.
double sinking(const ordinal::ScheduleOptions& /*options*/, double s, double /*r*/) {
  return std::sqrt(1.0 - s / 50.0);
}

// It counts for itself.
double tiring(const ordinal::ScheduleOptions& /*options*/, double /*s*/, double /*r*/) {
  static double calls = 0.0;
  return 1.0 / ++calls;
}

// It depends on the last step, and does not say so.
double hurried(const ordinal::ScheduleOptions& /*options*/, double /*s*/, double r) { return 1.0 - r; }

// Momentum that is in no checkpoint.
template <typename T>
class Volatile final : public ordinal::Optimizer<T> {
 public:
  Volatile(const NoOptions& /*options*/, const ordinal::ParameterLayout& layout) : velocity_(layout) {}

  void step(ordinal::Parameters<T>& values, const ordinal::Parameters<T>& gradients, double gradient_scale,
            double learning_rate, Index /*step*/, ordinal::Threads& /*threads*/) override {
    ordinal::check_layout(velocity_, values, gradients);
    for (std::size_t i = 0; i < values.flat().size(); ++i) {
      T& velocity = velocity_.flat()[i];
      velocity = T(0.5) * velocity + static_cast<T>(gradient_scale) * gradients.flat()[i];
      values.flat()[i] -= static_cast<T>(learning_rate) * velocity;
    }
  }
  std::vector<typename ordinal::Optimizer<T>::State> state() override { return {}; }

 private:
  ordinal::Parameters<T> velocity_;
};

// … 2, 1, 0.
class Falling final : public ordinal::SchemeRule {
 public:
  double place(const ordinal::PositionScheme& /*scheme*/, Index t, Index seq_len) const override {
    return static_cast<double>(seq_len - 1 - t);
  }
};

// Of models without branches.
ordinal::InitialWeights shrunk(const ordinal::Part& /*part*/, Index branches) {
  return {.sd = 0.02, .last_sd = 0.02 / static_cast<double>(branches - 1)};
}

void register_more() {
  using namespace ordinal::experiments;
  conditions().add(describe_condition<Idle>({.name = "idle", .summary = "as in training"}));
  readers().add({"hasty", Knows::counts, always(hasty)});
  readers().add({"boastful", Knows::counts, always(boastful)});
  ordinal::schedules().add({"sinking", "to 0 in 50 steps", sinking});
  ordinal::schedules().add({"tiring", "less each time", tiring});
  ordinal::schedules().add({"hurried", "to 0 in all steps", hurried});
  ordinal::optimizers().add(
      ordinal::describe_optimizer<Volatile, NoOptions>({.name = "volatile", .summary = "momentum"}));
  ordinal::position_schemes().add(
      ordinal::describe_scheme<Falling>({.name = "falling", .summary = "backwards"}));
  ordinal::initial_weights().add(
      {.name = "shrunk", .summary = "N(0, sd²), less in many branches", .make = shrunk});
}

}  // namespace

int main(int argc, char** argv) {
  register_more();
  ordinal::encodings().add(ordinal::describe_encoding<Steep, NoOptions>({.name = "steep",
                                                                         .formula = "- slope n",
                                                                         .beyond = "runs",
                                                                         .source = "this file",
                                                                         .shift_invariant = true}));
  ordinal::layers(ordinal::LayerKind::branch)
      .add(ordinal::describe_layer<Forgetful, NoOptions>(
          {.name = "forgetful", .kind = ordinal::LayerKind::branch, .summary = "x_t + x_{t-1}"}));
  ordinal::experiments::tasks().add(ordinal::experiments::describe_task<Shouted, NoOptions>(
      {.name = "shouted", .summary = "each letter as a capital"}));
  return ordinal::check_part(argc, argv);
}

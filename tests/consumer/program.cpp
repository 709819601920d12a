// The program `extrapolation` with a user-defined encoding, position scheme and task, in one file outside of the project:
// `program` runs an experiment, `program encoding` shows what encodings do, `program check NAME` checks a part.
#include <ordinal/experiments/programs/driver.h>
#include <ordinal/experiments/tasks/task.h>
#include <ordinal/framework/core/random.h>
#include <ordinal/framework/positional/distance_bias.h>
#include <ordinal/framework/positional/position_scheme.h>
#include <ordinal/tests/check_parts.h>

#include <cmath>

namespace {

struct RecencyOptions {
  double reach = 8.0;
  void visit(ordinal::OptionVisitor& v) {
    v.number("reach", reach, ordinal::above(0), "distance at which the bonus has fallen to 1/e");
  }
};

template <typename T>
class Recency final : public ordinal::DistanceBias<T> {
 public:
  Recency(const ordinal::ModelShape& /*shape*/, const RecencyOptions& options,
          const ordinal::Scope& /*scope*/)
      : reach_(static_cast<T>(options.reach)) {}

  bool learns() const override { return false; }
  void bias(ordinal::View<const T> n, ordinal::HeadAt /*at*/, ordinal::View<T> out,
            ordinal::Pass<T>& /*pass*/) const override {
    for (ordinal::Index k = 0; k < n.cols; ++k) out(0, k) = std::exp(-std::abs(n(0, k)) / reach_);
  }

 private:
  T reach_;
};

// 0, stride, 2 · stride, …
class Strided final : public ordinal::SchemeRule {
 public:
  void visit(ordinal::PositionScheme& /*scheme*/, ordinal::OptionVisitor& v) override {
    v.number("stride", stride_, ordinal::above(0), "from one token to the next", ordinal::Binds::training);
  }
  double place(const ordinal::PositionScheme& /*scheme*/, ordinal::Index t,
               ordinal::Index /*seq_len*/) const override {
    return static_cast<double>(t) * stride_;
  }

 private:
  double stride_ = 2.0;
};

struct EchoOptions {
  ordinal::Index letters = 4;
  void visit(ordinal::OptionVisitor& v) {
    v.integer("letters", letters, ordinal::between(2, 26), "different letters");
  }
};

// Repeat each letter one token later.
class Echo final : public ordinal::experiments::Task {
 public:
  explicit Echo(const EchoOptions& options)
      : letters_(static_cast<std::uint32_t>(options.letters)), alphabet_(alphabet_of(options)) {}

  static ordinal::experiments::Alphabet alphabet_of(const EchoOptions& options) {
    const std::string all = "abcdefghijklmnopqrstuvwxyz";
    return ordinal::experiments::Alphabet("a", all.substr(0, static_cast<std::size_t>(options.letters)));
  }
  const ordinal::experiments::Alphabet& alphabet() const override { return alphabet_; }
  ordinal::experiments::Measure measure() const override { return ordinal::experiments::Measure::accuracy; }
  void check_length(ordinal::Index /*length*/) const override {}
  std::vector<ordinal::experiments::Label> example(const ordinal::experiments::ExampleKey& key,
                                                   ordinal::Index /*length*/,
                                                   std::span<ordinal::Token> tokens,
                                                   std::span<ordinal::Token> targets) const override {
    const bool training = key.split == ordinal::experiments::Split::training;
    ordinal::Random random({key.seed, ordinal::hash_name(training ? "echo.training" : "echo.validation"),
                            key.step, key.example});
    for (ordinal::Token& token : tokens) token = static_cast<ordinal::Token>(random.below(letters_));
    targets[0] = ordinal::ignore_index;
    for (std::size_t t = 1; t < tokens.size(); ++t) targets[t] = tokens[t - 1];
    return {};
  }
  std::string describe() const override { return "echo: each letter again, one token later"; }
  std::string data_hash() const override { return "echo"; }

 private:
  std::uint32_t letters_;
  ordinal::experiments::Alphabet alphabet_;
};

}  // namespace

int main(int argc, char** argv) {
  ordinal::encodings().add(
      ordinal::describe_encoding<Recency, RecencyOptions>({.name = "recency",
                                                           .formula = "+ exp(-|i - j| / reach)",
                                                           .beyond = "runs",
                                                           .source = "this file",
                                                           .shift_invariant = true}));
  ordinal::position_schemes().add(ordinal::describe_scheme<Strided>(
      {.name = "strided", .summary = "every few positions", .definition = "p_t = stride · t"}));
  ordinal::experiments::tasks().add(ordinal::experiments::describe_task<Echo, EchoOptions>(
      {.name = "echo", .summary = "each letter again, one token later"}));
  using namespace ordinal::experiments;
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "check") return ordinal::check_part(argc - 1, argv + 1);
  if (command == "encoding") return run_driver(argc - 1, argv + 1, encoding_driver);
  return run_driver(argc, argv, extrapolation_driver);
}

// The contract of every branch of a block. Iterates over the registry, so a new branch is tested without
// being named here; then each of conv, lstm and gated_linear against its definition and against PyTorch.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/decode_cache.h"
#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/layers/cross_entropy.h"
#include "framework/layers/gradient_check.h"
#include "framework/layers/registry.h"
#include "framework/storage/safetensors.h"
#include "models/transformer.h"
#include "tests/framework/largest_difference.h"

namespace ordinal {
namespace {

using testing::largest_difference;

constexpr Index width = 8;
constexpr Index batch = 2;
constexpr Index seq_len = 15;

/// A branch and the model around it.
struct Case {
  std::string branch;
  bool causal = true;
  bool bias = true;
  Index d_model = width;

  ModelShape shape() const {
    return {.d_model = d_model, .heads = 4, .n_kv_heads = 2, .layers = 1, .causal = causal};
  }
};

std::vector<Case> cases(bool causal_only = false) {
  std::vector<std::string> branches = layers(LayerKind::branch).names();
  const std::vector<std::string> variants = {"conv(kernel=1)",
                                             "conv(kernel=2)",
                                             "conv(kernel=4)",
                                             "conv(kernel=20)",  // longer than the sequence
                                             "lstm(hidden=5)",
                                             "gated_linear(activation=relu, ff=6)",
                                             "gated_linear(activation=gelu, ff=6)",
                                             "feed_forward(activation=swiglu, ff=6)"};
  branches.insert(branches.end(), variants.begin(), variants.end());
  std::vector<Case> all;
  for (const std::string& branch : branches) {
    for (const bool bias : {true, false}) {
      all.push_back({branch, true, bias});
      if (!causal_only) all.push_back({branch, false, bias});
    }
  }
  return all;
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.branch + (info.param.causal ? "_causal" : "_bidirectional") +
                     (info.param.bias ? "" : "_without_bias");
  std::erase_if(name, [](char c) { return c == ' ' || c == ')'; });
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

/// A branch with the encoding that it may use, which begins each run as a model does.
template <typename T>
class Specimen final : public Layer<T> {
 public:
  Specimen(const Case& what, const Scope& scope)
      : encoding_(make_positional_encoding<T>("none", what.shape(), scope.nested("positional"))),
        branch_(make_layer<T>(
            LayerKind::branch, what.branch,
            {.width = what.d_model, .shape = what.shape(), .bias = what.bias, .encoding = encoding_.get()},
            scope)) {}

  Index input_width() const override { return branch_->input_width(); }
  Index output_width() const override { return branch_->output_width(); }
  Mixing mixing() const override { return branch_->mixing(); }
  Cost cost(Index length) const override { return branch_->cost(length); }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    encoding_->begin_run(pass);
    return branch_->forward(x, pass);
  }
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    return branch_->backward(dy, pass);
  }

 private:
  std::unique_ptr<PositionalEncoding<T>> encoding_;
  std::unique_ptr<Layer<T>> branch_;
};

template <typename T>
Tensor<T> copy_of(View<const T> view) {
  Tensor<T> tensor({view.rows, view.cols});
  for (Index r = 0; r < view.rows; ++r) std::copy_n(view.row(r), view.cols, tensor.view().row(r));
  return tensor;
}

template <typename T>
Tensor<T> random_rows(Index rows, Index cols, std::uint64_t seed) {
  Tensor<T> x({rows, cols});
  Random random({.seed = seed});
  for (T& value : x.span()) value = static_cast<T>(static_cast<float>(random.normal()));
  return x;
}

/// A branch with parameters away from their initial values, so that none is zero.
template <typename T>
struct Setting {
  explicit Setting(const Case& what)
      : layer(what, Scope(layout, "layer")), values(layout), gradients(layout) {
    initialize(values, 1);
    Random random({.seed = 4});
    for (const ParameterSpec& spec : layout.specs()) {
      T* value = values[spec.slot].data;
      for (Index i = 0; i < spec.size(); ++i) value[i] += static_cast<T>(0.3 * random.normal());
    }
  }

  Tensor<T> forward(const Tensor<T>& x, Index sequences = batch) const {
    Pass<T> pass(values);
    pass.begin({.positions = Positions::contiguous(sequences, x.view().rows / sequences)});
    return copy_of(layer.forward(x.view(), pass));
  }

  struct Results {
    Tensor<T> y;
    Tensor<T> dx;
  };
  Results forward_and_backward(const Tensor<T>& x, const Tensor<T>& dy, Index sequences = batch) {
    Pass<T> pass(values, &gradients);
    pass.begin({.positions = Positions::contiguous(sequences, x.view().rows / sequences), .record = true});
    Tensor<T> y = copy_of(layer.forward(x.view(), pass));
    Tensor<T> dx = copy_of(layer.backward(dy.view(), pass));
    pass.finish();
    return {std::move(y), std::move(dx)};
  }

  ParameterLayout layout;
  Specimen<T> layer;
  Parameters<T> values;
  Parameters<T> gradients;
};

bool same_row(const Tensor<double>& a, const Tensor<double>& b, Index row) {
  return std::equal(a.view().row(row), a.view().row(row) + a.view().cols, b.view().row(row));
}

// ---- Every branch ----

class EveryBranch : public ::testing::TestWithParam<Case> {};

TEST_P(EveryBranch, BackwardIsTheGradient) {
  for (const Index length : {1, 5}) {
    const GradientReport report =
        check_layer([](const Scope& scope) { return std::make_unique<Specimen<double>>(GetParam(), scope); },
                    {.seq_len = length});
    EXPECT_TRUE(report.ok()) << report.text() << "at length " << length;
  }
}

TEST_P(EveryBranch, FloatFollowsDouble) {
  Setting<float> in_float(GetParam());
  Setting<double> in_double(GetParam());
  std::ranges::copy(in_float.values.flat(), in_double.values.flat().begin());
  const auto y = in_float.forward_and_backward(random_rows<float>(batch * seq_len, width, 2),
                                               random_rows<float>(batch * seq_len, width, 3));
  const auto exact = in_double.forward_and_backward(random_rows<double>(batch * seq_len, width, 2),
                                                    random_rows<double>(batch * seq_len, width, 3));
  EXPECT_LT(largest_difference(y.y.span(), exact.y.span()), 2e-5);
  EXPECT_LT(largest_difference(y.dx.span(), exact.dx.span()), 5e-5);
}

TEST_P(EveryBranch, SequencesOfABatchDoNotMeet) {
  const Setting<double> setting(GetParam());
  const Tensor<double> x = random_rows<double>(batch * seq_len, width, 2);
  Tensor<double> changed = x;
  for (Index c = 0; c < width; ++c) changed(seq_len, c) += 1.0;
  const Tensor<double> y = setting.forward(x);
  const Tensor<double> changed_y = setting.forward(changed);
  for (Index t = 0; t < seq_len; ++t) EXPECT_TRUE(same_row(y, changed_y, t)) << t;
  bool changes = false;
  for (Index t = seq_len; t < 2 * seq_len; ++t) changes = changes || !same_row(y, changed_y, t);
  EXPECT_TRUE(changes) << "the branch does not depend on its input";
}

TEST_P(EveryBranch, MixesRowsIfItSaysSoAndOnlyThen) {
  const Setting<double> setting(GetParam());
  const Tensor<double> x = random_rows<double>(seq_len, width, 2);
  const Tensor<double> y = setting.forward(x, 1);
  bool mixes = false;
  bool changes = false;
  for (Index t = 0; t < seq_len; ++t) {
    Tensor<double> changed = x;
    for (Index c = 0; c < width; ++c) changed(t, c) += 1.0;
    const Tensor<double> changed_y = setting.forward(changed, 1);
    changes = changes || !same_row(y, changed_y, t);
    for (Index other = 0; other < seq_len; ++other) {
      mixes = mixes || (other != t && !same_row(y, changed_y, other));
    }
  }
  EXPECT_EQ(mixes, setting.layer.mixing() != Mixing::none);
  EXPECT_TRUE(changes || mixes) << "the branch does not depend on its input";
}

TEST_P(EveryBranch, CostsSomething) {
  const Setting<double> setting(GetParam());
  EXPECT_GT(setting.layer.cost(seq_len).flops, 0.0);
  EXPECT_GE(setting.layer.cost(seq_len).activations, static_cast<double>(width));
}

// The rows of each sequence at [first, first + count).
template <typename T>
Tensor<T> part_of(const Tensor<T>& x, Index first, Index count) {
  Tensor<T> part({batch * count, x.view().cols});
  for (Index b = 0; b < batch; ++b) {
    for (Index t = 0; t < count; ++t)
      std::copy_n(x.view().row(b * seq_len + first + t), x.view().cols, part.view().row(b * count + t));
  }
  return part;
}

template <typename T>
double difference_in_parts(const Case& what, const std::vector<Index>& steps) {
  const Setting<T> setting(what);
  const Tensor<T> x = random_rows<T>(batch * seq_len, width, 2);
  const Tensor<T> whole = setting.forward(x);
  DecodeCache<T> cache(setting.layout, batch, seq_len);
  Pass<T> pass(setting.values);
  double largest = 0.0;
  Index first = 0;
  for (std::size_t n = 0; first < seq_len; ++n) {
    const Index step = std::min(steps[n % steps.size()], seq_len - first);
    const Tensor<T> part = part_of(x, first, step);
    const auto positions = Positions::contiguous(batch, step, static_cast<double>(first));
    pass.begin({.positions = positions, .cache = &cache});
    cache.begin_run(positions);
    const Tensor<T> y = copy_of(setting.layer.forward(part.view(), pass));
    cache.end_run();
    largest = std::max(largest, largest_difference(y.span(), part_of(whole, first, step).span()));
    first += step;
  }
  return largest;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryBranch, ::testing::ValuesIn(cases()), name_of);

class EveryBranchThatContinues : public ::testing::TestWithParam<Case> {};

TEST_P(EveryBranchThatContinues, RunsOverPartsEqualOneRun) {
  for (const std::vector<Index>& steps :
       std::vector<std::vector<Index>>{{1}, {3}, {5}, {2, 1, 7}, {seq_len}}) {
    EXPECT_LT(difference_in_parts<double>(GetParam(), steps), 1e-12) << "in runs of " << steps.front();
    EXPECT_LT(difference_in_parts<float>(GetParam(), steps), 1e-4) << "in runs of " << steps.front();
  }
}

std::vector<Case> cases_that_continue() {
  std::vector<Case> all = cases();
  std::erase_if(all, [](const Case& one) { return Setting<double>(one).layer.mixing() == Mixing::uncached; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryBranchThatContinues, ::testing::ValuesIn(cases_that_continue()),
                         name_of);

class EveryCausalBranch : public ::testing::TestWithParam<Case> {};

TEST_P(EveryCausalBranch, ALaterTokenChangesNoEarlierRow) {
  const Setting<double> setting(GetParam());
  const Tensor<double> x = random_rows<double>(seq_len, width, 2);
  const Tensor<double> y = setting.forward(x, 1);
  for (Index t = 0; t < seq_len; ++t) {
    Tensor<double> changed = x;
    for (Index c = 0; c < width; ++c) changed(t, c) += 1.0;
    const Tensor<double> changed_y = setting.forward(changed, 1);
    for (Index earlier = 0; earlier < t; ++earlier) EXPECT_TRUE(same_row(y, changed_y, earlier));
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCausalBranch, ::testing::ValuesIn(cases(true)), name_of);

// ---- By their definitions ----

// Row t of sequence b; zeros outside of the sequence.
double element(const Tensor<double>& x, Index b, Index t, Index c) {
  return t < 0 || t >= seq_len ? 0.0 : x(b * seq_len + t, c);
}

void expect_conv(Index kernel, bool causal, Index first_offset) {
  const Setting<double> setting({"conv(kernel=" + std::to_string(kernel) + ")", causal});
  const Tensor<double> x = random_rows<double>(batch * seq_len, width, 2);
  const Tensor<double> y = setting.forward(x);
  const View<const double> weight = setting.values["layer.weight"];
  const View<const double> bias = setting.values["layer.bias"];
  for (Index b = 0; b < batch; ++b) {
    for (Index t = 0; t < seq_len; ++t) {
      for (Index c = 0; c < width; ++c) {
        double expected = bias(0, c);
        for (Index i = 0; i < kernel; ++i) expected += weight(i, c) * element(x, b, t + first_offset - i, c);
        EXPECT_NEAR(y(b * seq_len + t, c), expected, 1e-13);
      }
    }
  }
}

TEST(Conv, IsAWeightedSumOfTheTokenAndThoseBeforeIt) {
  for (const Index kernel : {1, 2, 3, 4, 20}) expect_conv(kernel, true, 0);
}

TEST(Conv, IsCentredInABidirectionalModel) {
  expect_conv(1, false, 0);
  expect_conv(2, false, 0);
  expect_conv(3, false, 1);
  expect_conv(4, false, 1);
  expect_conv(5, false, 2);
}

TEST(Conv, HasAStateOnlyIfItLooksBackAndNotAhead) {
  const auto mixing = [](const Case& what) { return Setting<double>(what).layer.mixing(); };
  EXPECT_EQ(mixing({"conv(kernel=1)", true}), Mixing::none);
  EXPECT_EQ(mixing({"conv(kernel=1)", false}), Mixing::none);
  EXPECT_EQ(mixing({"conv(kernel=3)", true}), Mixing::cached);
  EXPECT_EQ(mixing({"conv(kernel=3)", false}), Mixing::uncached);
  EXPECT_TRUE(Setting<double>({"conv(kernel=1)"}).layout.states().empty());
  EXPECT_TRUE(Setting<double>({"conv(kernel=3)", false}).layout.states().empty());
  ASSERT_EQ(Setting<double>({"conv(kernel=4)"}).layout.states().size(), 1U);
  EXPECT_EQ(Setting<double>({"conv(kernel=4)"}).layout.states()[0].rows, 3);
}

double sigma(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// Row `row` of a matrix, times v.
double product(View<const double> weight, Index row, const std::vector<double>& v) {
  double sum = 0.0;
  for (std::size_t k = 0; k < v.size(); ++k) sum += weight(row, static_cast<Index>(k)) * v[k];
  return sum;
}

TEST(Lstm, FollowsItsRecurrence) {
  for (const Index hidden : {5, 8, 11}) {
    const double forget_bias = hidden == 5 ? 0.0 : 1.5;
    const Setting<double> setting({fmt::format("lstm(hidden={}, forget_bias={})", hidden, forget_bias)});
    const auto value = [&](const char* name) { return setting.values[std::string("layer.") + name]; };
    const Tensor<double> x = random_rows<double>(batch * seq_len, width, 2);
    const Tensor<double> y = setting.forward(x);
    for (Index b = 0; b < batch; ++b) {
      std::vector<double> h(static_cast<std::size_t>(hidden), 0.0);
      std::vector<double> c = h;
      for (Index t = 0; t < seq_len; ++t) {
        const double* row = x.view().row(b * seq_len + t);
        const std::vector<double> in(row, row + width);
        const std::vector<double> before = h;
        for (Index k = 0; k < hidden; ++k) {
          const auto z = [&](Index gate) {
            const Index at = gate * hidden + k;
            return product(value("input.weight"), at, in) + value("input.bias")(0, at) +
                   product(value("recurrent.weight"), at, before);
          };
          double& cell = c[static_cast<std::size_t>(k)];
          cell = sigma(z(1) + forget_bias) * cell + sigma(z(0)) * std::tanh(z(2));
          h[static_cast<std::size_t>(k)] = sigma(z(3)) * std::tanh(cell);
        }
        for (Index k = 0; k < width; ++k) {
          const double expected = product(value("output.weight"), k, h) + value("output.bias")(0, k);
          EXPECT_NEAR(y(b * seq_len + t, k), expected, 1e-12);
        }
      }
    }
  }
}

TEST(Lstm, ReadsFromLeftToRightInAnEncoderToo) {
  const Tensor<double> x = random_rows<double>(batch * seq_len, width, 2);
  const Tensor<double> causal = Setting<double>({"lstm", true}).forward(x);
  const Tensor<double> bidirectional = Setting<double>({"lstm", false}).forward(x);
  EXPECT_TRUE(std::ranges::equal(causal.span(), bidirectional.span()));
}

TEST(Lstm, StaysFiniteFarFromZero) {
  Setting<float> setting({"lstm"});
  for (float& value : setting.values.flat()) value *= 1000.0F;
  const auto results = setting.forward_and_backward(random_rows<float>(batch * seq_len, width, 2),
                                                    random_rows<float>(batch * seq_len, width, 3));
  for (const float value : results.y.span()) ASSERT_TRUE(std::isfinite(value));
  for (const float value : results.dx.span()) ASSERT_TRUE(std::isfinite(value));
}

template <typename T>
void expect_swiglu(bool bias) {
  Setting<T> gated({"gated_linear(activation=silu, ff=12)", true, bias});
  Setting<T> feed_forward({"feed_forward(activation=swiglu, ff=12)", true, bias});
  ASSERT_TRUE(std::ranges::equal(gated.values.flat(), feed_forward.values.flat()));
  const Tensor<T> x = random_rows<T>(batch * seq_len, width, 2);
  const Tensor<T> dy = random_rows<T>(batch * seq_len, width, 3);
  const auto a = gated.forward_and_backward(x, dy);
  const auto b = feed_forward.forward_and_backward(x, dy);
  EXPECT_TRUE(std::ranges::equal(a.y.span(), b.y.span()));
  EXPECT_TRUE(std::ranges::equal(a.dx.span(), b.dx.span()));
  EXPECT_TRUE(std::ranges::equal(gated.gradients.flat(), feed_forward.gradients.flat()));
}

TEST(GatedLinear, WithSiluIsFeedForwardWithSwigluToTheBit) {
  for (const bool bias : {true, false}) {
    expect_swiglu<float>(bias);
    expect_swiglu<double>(bias);
  }
}

TEST(GatedLinear, RefusesAGatedActivation) {
  try {
    const Setting<double> setting({"gated_linear(activation=swiglu)"});
    FAIL() << "a gated activation was taken";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("gated_linear.activation: got 'swiglu'"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("elementwise"));
  }
}

TEST(GatedLinear, HasFourTimesTheWidthOfTheModelByDefault) {
  EXPECT_EQ(Setting<double>({"gated_linear"}).layout.find("layer.down.weight").shape,
            (Shape{width, 4 * width}));
  EXPECT_EQ(Setting<double>({"gated_linear"}).layout.find("layer.up.weight").shape,
            (Shape{8 * width, width}));
}

// ---- Against PyTorch ----

std::vector<std::string> fixtures() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(ORDINAL_TEST_DATA_DIR "/branches")) {
    if (entry.path().extension() == ".safetensors") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class BranchFixture : public ::testing::TestWithParam<std::string> {};

TEST_P(BranchFixture, GivesWhatPyTorchGives) {
  const SafetensorsFile file(std::string(ORDINAL_TEST_DATA_DIR "/branches/") + GetParam() + ".safetensors");
  const Shape shape = file.shape("x");  // (batch, length, width)
  Setting<double> setting(
      {file.metadata().at("branch"), file.metadata().at("causal") == "true", true, shape[2]});
  const std::string prefix = "layer.";
  for (const ParameterSpec& spec : setting.layout.specs()) {
    const std::string name = spec.name.substr(prefix.size());
    ASSERT_EQ(file.shape(name), spec.shape) << name;
    file.read(name, std::span(setting.values[spec.slot].data, static_cast<std::size_t>(spec.size())));
  }
  EXPECT_EQ(file.names().size(), 4 + 2 * setting.layout.specs().size());
  const auto tensor = [&](const char* name) { return Tensor<double>(shape, file.values<double>(name)); };
  const auto results = setting.forward_and_backward(tensor("x"), tensor("dy"), shape[0]);
  EXPECT_LT(largest_difference(results.y.span(), file.values<double>("y")), 1e-9);
  EXPECT_LT(largest_difference(results.dx.span(), file.values<double>("dx")), 1e-9);
  for (const ParameterSpec& spec : setting.layout.specs()) {
    const std::string name = spec.name.substr(prefix.size());
    const double* gradient = setting.gradients[spec.slot].data;
    EXPECT_LT(largest_difference(std::vector<double>(gradient, gradient + spec.size()),
                                 file.values<double>("grad." + name)),
              1e-9)
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, BranchFixture, ::testing::ValuesIn(fixtures()),
                         [](const auto& info) { return info.param; });

// ---- In a model ----

constexpr Index vocab_size = 7;

ModelConfig model_of_all_branches() {
  ModelConfig config;
  config.vocab_size = vocab_size;
  config.d_model = 16;
  config.layers = 2;
  config.block = "conv(kernel=3), lstm, attention, gated_linear";
  return config;
}

struct Whole {
  Whole() : model(model_of_all_branches()), values(model.layout()) {
    initialize(values, 1);
    Random random({.seed = 4});
    for (double& value : values.flat()) value += 0.2 * random.normal();
  }

  std::vector<double> logits(std::span<const Token> tokens, Run<double> run) const {
    Pass<double> pass(values);
    pass.begin(std::move(run));
    const View<const double> z = model.logits(model.hidden(tokens, pass), pass);
    return {z.data, z.data + z.size()};
  }

  Transformer<double> model;
  Parameters<double> values;
};

std::vector<Token> some_tokens(std::uint32_t purpose, Index count) {
  std::vector<Token> tokens;
  Random random({.seed = 3, .purpose = purpose});
  for (Index i = 0; i < count; ++i) tokens.push_back(static_cast<Token>(random.below(vocab_size)));
  return tokens;
}

TEST(AModelOfAllBranches, BackwardIsTheGradient) {
  Whole whole;
  constexpr Index length = 9;
  constexpr double weight = 1.0 / static_cast<double>(batch * length);
  const std::vector<Token> tokens = some_tokens(1, batch * length);
  const std::vector<Token> targets = some_tokens(2, batch * length);
  const auto loss = [&](const Parameters<double>& values) {
    Pass<double> pass(values);
    pass.begin({.positions = Positions::contiguous(batch, length)});
    std::vector<double> losses(targets.size());
    cross_entropy(whole.model.logits(whole.model.hidden(tokens, pass), pass), targets, losses);
    double total = 0.0;
    for (const double one : losses) total += one * weight;
    return total;
  };
  const auto gradient = [&](const Parameters<double>& values, Parameters<double>& gradients) {
    Pass<double> pass(values, &gradients);
    pass.begin({.positions = Positions::contiguous(batch, length), .record = true});
    const View<const double> logits = whole.model.logits(whole.model.hidden(tokens, pass), pass);
    const View<double> d_logits = pass.allocate(logits.rows, logits.cols);
    cross_entropy_backward(logits, targets, weight, d_logits);
    whole.model.backward(tokens, d_logits, pass);
    pass.finish();
  };
  const GradientReport report = check_parameters(whole.values, loss, gradient);
  EXPECT_TRUE(report.ok()) << report.text();
}

TEST(AModelOfAllBranches, CannotContinueIfAConvolutionLooksAhead) {
  ModelConfig config = model_of_all_branches();
  config.causal = false;
  EXPECT_FALSE(Transformer<double>(config).can_continue());
}

}  // namespace
}  // namespace ordinal

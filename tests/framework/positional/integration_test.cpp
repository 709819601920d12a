// Encodings together with attention, and with each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "framework/attention/attention.h"
#include "framework/core/random.h"
#include "framework/positional/encodings/sinusoidal.h"
#include "models/transformer.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/positional/rig.h"

namespace ordinal {
namespace {

using testing::largest_difference;

constexpr Index length = 12;
constexpr Index d_model = 16;

Tensor<double> normal_input() { return testing::normal_tensor({1, length, d_model}); }

Tensor<double> reversed(const Tensor<double>& x) {
  Tensor<double> result(x.shape());
  for (Index r = 0; r < length; ++r) std::copy_n(x.view().row(length - 1 - r), d_model, result.view().row(r));
  return result;
}

// Bidirectional self-attention of the input, plus PE or not.
class Attention {
 public:
  Attention()
      : none_(make_positional_encoding<double>("none", {}, Scope(layout_, "positional"))),
        attention_({.shape = {.d_model = d_model, .causal = false}}, *none_, Scope(layout_, "attention")),
        values_(layout_) {
    Random random({.seed = 7});
    for (double& value : values_.flat()) value = 0.5 * random.normal();
  }

  Tensor<double> operator()(const Tensor<double>& x) const {
    Pass<double> pass(values_);
    pass.begin({.positions = Positions::contiguous(1, length)});
    const View<const double> y = attention_.forward(x.view(), pass);
    return Tensor<double>(x.shape(), {y.data, static_cast<std::size_t>(y.size())});
  }

 private:
  ParameterLayout layout_;
  std::unique_ptr<PositionalEncoding<double>> none_;
  SelfAttention<double> attention_;
  Parameters<double> values_;
};

double row_difference(const Tensor<double>& a, const Tensor<double>& b, Index row) {
  const auto row_of = [&](const Tensor<double>& x) { return std::span(x.view().row(row), d_model); };
  return largest_difference(row_of(a), row_of(b));
}

// The documents say "invariant" and "insensitive"; attention without positions is equivariant: permuted
// inputs give the same outputs, permuted.
TEST(Integration, WithoutAnEncodingPermutedInputsGivePermutedOutputs) {
  const Attention attention;
  const Tensor<double> x = normal_input();
  EXPECT_LT(largest_difference(attention(reversed(x)), reversed(attention(x))), 1e-12);
  EXPECT_GT(largest_difference(attention(x), reversed(attention(x))),
            0.1);  // each token has a different output
}

TEST(Integration, WithAnEncodingPermutedInputsGiveOtherOutputs) {
  const Attention attention;
  const SinusoidalPositionalEncoding<double> encoding(length, d_model);
  const Tensor<double> x = normal_input();
  const Tensor<double> of_reversed = attention(encoding.forward(reversed(x)));
  EXPECT_GT(largest_difference(of_reversed, reversed(attention(encoding.forward(x)))), 0.1);
}

// Tokens 2 and 9 change places. Token 5 stays: its output tells only if it sees where the others are.
TEST(Integration, AttentionNoticesTheOrderOfOtherTokensOnlyWithAnEncoding) {
  const Attention attention;
  const SinusoidalPositionalEncoding<double> encoding(length, d_model);
  const Tensor<double> x = normal_input();
  Tensor<double> swapped = x;
  std::swap_ranges(swapped.view().row(2), swapped.view().row(2) + d_model, swapped.view().row(9));
  EXPECT_LT(row_difference(attention(x), attention(swapped), 5), 1e-12);
  EXPECT_GT(row_difference(attention(encoding.forward(x)), attention(encoding.forward(swapped)), 5), 0.01);
}

// The hidden states of a model with this encoding. If its branches are `mute`, they are only the norm of the
// input, since no branch adds anything.
std::vector<double> encoded(const std::string& name, double dropout = 0.0, bool training = false,
                            bool mute = false, std::uint64_t seed = 2) {
  ModelConfig config;
  config.vocab_size = 5;
  config.d_model = d_model;
  config.layers = 1;
  config.positional_dropout = dropout;
  config.encoding = name;
  config.train_length = length;
  const Transformer<double> model(config);
  Parameters<double> values(model.layout());
  initialize(values, 1);
  for (const char* last : {"block.0.attention.output.weight", "block.0.feed_forward.down.weight"}) {
    const View<double> weight = values[last];
    if (mute) std::fill_n(weight.data, weight.size(), 0.0);
  }
  Pass<double> pass(values);
  pass.begin({.positions = Positions::contiguous(1, length), .training = training, .random = {.seed = seed}});
  const std::vector<Token> tokens(length, 3);
  const View<const double> hidden = model.hidden(tokens, pass);
  return {hidden.data, hidden.data + hidden.size()};
}

TEST(Composition, WithNoneIsTheOtherPart) {
  EXPECT_EQ(encoded("sinusoidal+none"), encoded("sinusoidal"));
  EXPECT_EQ(encoded("none+sinusoidal"), encoded("sinusoidal"));
  EXPECT_GT(largest_difference(encoded("sinusoidal"), encoded("none")), 0.1);
}

TEST(Composition, OfTwoInputsAddsBoth) {
  testing::Rig<> both("sinusoidal+learned",
                      {.d_model = d_model, .train_length = length, .positions = length});
  const Tensor<double> x = normal_input();
  const Tensor<double> y = both.over(length).input(x);
  const Tensor<double> pe = sinusoidal_positional_encoding(length, d_model);
  for (Index r = 0; r < length; ++r) {
    for (Index c = 0; c < d_model; ++c)
      EXPECT_NEAR(y(r, c), x(r, c) + pe(r, c) + both.value("learned.table")(r, c), 1e-14);
  }
}

TEST(Composition, GivesEachPartItsOwnOptions) {
  const testing::Rig<> both("learned(max_seq_len=70)+t5(buckets=16)", {.d_model = d_model});
  EXPECT_EQ(both.layout().find("positional.learned.table").shape, (Shape{70, d_model}));
  EXPECT_EQ(both.layout().find("positional.t5.bias").shape, (Shape{16, 4}));
}

// Queries and keys after the encoding, and keys below queries, of a layer's input.
Tensor<double> queries_and_keys(const std::string& encoding, const Tensor<double>& before) {
  testing::Rig<> rig(encoding, {.d_model = d_model});
  rig.over(length);
  rig->encode_layer(testing::normal_tensor({length, d_model}, 3).view(), 0, rig.pass());
  Tensor<double> after = before;
  const View<double> both = after.view();
  rig->encode_query_key(both.row_range(0, length), both.row_range(length, length), {}, rig.pass());
  return after;
}

// Two rotations of different pairs of dimensions do not commute.
TEST(Composition, ActsInTheOrderWritten) {
  std::vector<std::string> rotating = {"xpos(pairing=half)"};
  for (const EncodingEntry& entry : encodings().entries())
    if (acts_on(entry.name, Place::query_key)) rotating.push_back(entry.name);
  const Tensor<double> before = testing::normal_tensor({2 * length, d_model});
  for (const std::string& a : rotating) {
    for (const std::string& b : rotating) {
      if (parse_part(a).name == parse_part(b).name) continue;
      EXPECT_EQ(largest_difference(queries_and_keys(a + "+" + b, before),
                                   queries_and_keys(b, queries_and_keys(a, before))),
                0.0)
          << a << " " << b;
    }
  }
  for (const std::string other : {"selective_rope", "xpos(pairing=half)"}) {
    EXPECT_GT(largest_difference(queries_and_keys("rope+" + other, before),
                                 queries_and_keys(other + "+rope", before)),
              0.1)
        << other;
  }
}

// What an encoding adds to scores of given queries and keys, of a layer's input.
Tensor<double> terms(const std::string& encoding) {
  testing::Rig<> rig(encoding, {.d_model = d_model});
  rig.over(length);
  rig->encode_layer(testing::normal_tensor({length, d_model}, 3).view(), 0, rig.pass());
  rig.query = testing::normal_tensor({length, d_model / 4}, 4);
  rig.key = testing::normal_tensor({length, d_model / 4}, 5);
  return rig.scores({.scale = 0.5});
}

// CoPE's gates do not see the matrices of PaTH, and the gates of forgetting are not divided by √d_h beside it.
TEST(Composition, OfTermsOfScoresIsTheirSum) {
  for (const auto& [a, b] :
       {std::pair<std::string, std::string>{"path", "cope"}, {"path", "forgetting"}, {"cope", "alibi"}}) {
    const Tensor<double> both = terms(a + "+" + b);
    const Tensor<double> first = terms(a);
    const Tensor<double> second = terms(b);
    for (Index i = 0; i < length; ++i) {
      for (Index j = 0; j <= i; ++j)
        EXPECT_NEAR(both(i, j), first(i, j) + second(i, j), 1e-12) << a << " " << b;
    }
  }
}

TEST(PositionalDropout, ActsInTrainingOnlyAndDependsOnTheSeed) {
  EXPECT_EQ(encoded("sinusoidal", 0.5, false), encoded("sinusoidal"));
  EXPECT_EQ(encoded("sinusoidal", 0.0, true), encoded("sinusoidal"));
  EXPECT_GT(largest_difference(encoded("sinusoidal", 0.5, true), encoded("sinusoidal")), 0.1);
  EXPECT_EQ(encoded("sinusoidal", 0.5, true), encoded("sinusoidal", 0.5, true));
  EXPECT_NE(encoded("sinusoidal", 0.5, true, false, 3), encoded("sinusoidal", 0.5, true));
}

// The value that occurs most often.
double commonest(std::span<const double> values) {
  return *std::ranges::max_element(values, {},
                                   [&](double value) { return std::ranges::count(values, value); });
}

// The norm that follows is an affine map of each row. So all elements that dropout zeroed are equal, and those
// that it kept are an affine map of the row without dropout.
TEST(PositionalDropout, ZeroesElementsOfTheInputPlusEncoding) {
  const std::vector<double> plain = encoded("sinusoidal", 0.0, true, true);
  const std::vector<double> dropped = encoded("sinusoidal", 0.5, true, true);
  std::size_t zeroed = 0;
  for (std::size_t row = 0; row < length; ++row) {
    const std::span<const double> x = std::span(plain).subspan(row * d_model, d_model);
    const std::span<const double> y = std::span(dropped).subspan(row * d_model, d_model);
    const double zero = commonest(y);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < d_model; ++i) {
      if (y[i] != zero) kept.push_back(i);
    }
    zeroed += d_model - kept.size();
    ASSERT_GE(kept.size(), 2U);
    const auto [low, high] = std::ranges::minmax(kept, {}, [&](std::size_t i) { return x[i]; });
    const double slope = (y[high] - y[low]) / (x[high] - x[low]);
    for (const std::size_t i : kept)
      EXPECT_NEAR(y[i], y[low] + slope * (x[i] - x[low]), 1e-9) << row << " " << i;
  }
  EXPECT_NEAR(static_cast<double>(zeroed) / (length * d_model), 0.5, 0.12);
}

TEST(Registry, EveryEncodingSaysWhatItIs) {
  for (const EncodingEntry& entry : encodings().entries()) {
    EXPECT_EQ(entry.acts_on.empty(), entry.name == "none") << entry.name;
    EXPECT_FALSE(places_text(entry.acts_on).empty()) << entry.name;
    EXPECT_FALSE(entry.formula.empty()) << entry.name;
    EXPECT_FALSE(entry.beyond.empty()) << entry.name;
    EXPECT_FALSE(entry.source.empty()) << entry.name;
    EXPECT_EQ(find_encodings(entry.name).front().name, entry.name);
  }
}

TEST(Registry, EveryOptionOfAnEncodingSaysWhatItIsAndTakesItsOwnDefault) {
  for (const EncodingEntry& entry : encodings().entries()) {
    for (const OptionSpec& spec : entry.options) {
      EXPECT_FALSE(spec.help.empty()) << entry.name << " " << spec.name;
      EXPECT_EQ(complaint(spec, spec.value), "") << entry.name << " " << spec.name;
    }
    std::vector<std::string> resolved;
    for (const OptionSpec& spec : entry.resolve({entry.name}, {})) resolved.push_back(spec.name);
    std::vector<std::string> declared;
    for (const OptionSpec& spec : entry.options) declared.push_back(spec.name);
    EXPECT_EQ(resolved, declared) << entry.name;
  }
}

TEST(Registry, SaysWhereAnEncodingActs) {
  EXPECT_TRUE(acts_on("sinusoidal+t5(buckets=16)", Place::input));
  EXPECT_TRUE(acts_on("sinusoidal+t5(buckets=16)", Place::scores));
  EXPECT_FALSE(acts_on("sinusoidal+t5(buckets=16)", Place::query_key));
  EXPECT_FALSE(acts_on("none", Place::input));
  EXPECT_EQ(places_text({Place::query_key, Place::scores}), "query, key, scores");
  EXPECT_EQ(places_text({}), "nothing");
}

}  // namespace
}  // namespace ordinal

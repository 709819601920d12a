// Variants of the sinusoidal encoding: one function, halves, bands of frequencies, a PE that replaces features.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/positional/sinusoidal.h"
#include "framework/positional/sinusoidal_options.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr Index length = 6;
constexpr Index kept_rows = 4;  // of the table: positions 4 and 5 are computed

SinusoidalOptions options_of(Index d_model, const OptionValues& values) {
  return resolved_options<SinusoidalOptions>("sinusoidal", values, {.d_model = d_model});
}

// An encoding for a model of width d_model, and what it does to inputs at positions 0 … length - 1.
class Variant {
 public:
  Variant(Index d_model, const OptionValues& values)
      : d_model_(d_model),
        encoding_({.d_model = d_model, .positions = kept_rows}, options_of(d_model, values), Scope(layout_)),
        none_(layout_) {}

  const SinusoidalPositionalEncoding<double>& encoding() const { return encoding_; }

  Tensor<double> applied(const Tensor<double>& x, bool training = false) const {
    Pass<double> pass(none_);
    pass.begin({.positions = Positions::contiguous(1, length), .training = training, .random = {.seed = 3}});
    const View<const double> y = encoding_.encode_input(x.view(), pass);
    return Tensor<double>(x.shape(), {y.data, static_cast<std::size_t>(y.size())});
  }

  Tensor<double> pe(bool training = false) const {
    return applied(Tensor<double>({length, d_model_}), training);
  }

 private:
  Index d_model_;
  ParameterLayout layout_;
  SinusoidalPositionalEncoding<double> encoding_;
  Parameters<double> none_;
};

Tensor<double> normal_input(Index d_model) {
  Tensor<double> x({length, d_model});
  Random random({.seed = 1});
  for (double& value : x.span()) value = random.normal();
  return x;
}

bool same(const Tensor<double>& a, const Tensor<double>& b) {
  return a.shape() == b.shape() && std::ranges::equal(a.span(), b.span());
}

TEST(SinusoidalFunctions, OneAloneHasAFrequencyForEachColumn) {
  for (const Index width : {8, 7}) {
    const Tensor<double> sines = Variant(width, {{"functions", "sine"}, {"base", "100"}}).pe();
    const Tensor<double> cosines = Variant(width, {{"functions", "cosine"}, {"base", "100"}}).pe();
    for (Index p = 0; p < length; ++p) {
      for (Index c = 0; c < width; ++c) {
        const double share = static_cast<double>(c) / static_cast<double>(width);
        const double angle = static_cast<double>(p) * std::pow(100.0, -share);
        EXPECT_NEAR(sines(p, c), std::sin(angle), 1e-14) << p << " " << c;
        EXPECT_NEAR(cosines(p, c), std::cos(angle), 1e-14) << p << " " << c;
      }
    }
  }
}

// Every second frequency is one of the pairs'.
TEST(SinusoidalFunctions, SinesAloneHoldThoseOfThePairs) {
  const Tensor<double> sines = Variant(8, {{"functions", "sine"}}).pe();
  const Tensor<double> pairs = Variant(8, {}).pe();
  for (Index p = 0; p < length; ++p) {
    for (Index i = 0; i < 4; ++i) EXPECT_EQ(sines(p, 2 * i), pairs(p, 2 * i));
  }
}

TEST(SinusoidalFunctions, OfRoundedTablesAreRounded) {
  const Tensor<double> exact = Variant(8, {{"functions", "sine"}}).pe();
  const Tensor<double> half = Variant(8, {{"functions", "sine"}, {"precision", "half"}}).pe();
  double largest = 0.0;
  for (std::size_t i = 0; i < exact.span().size(); ++i) {
    largest = std::max(largest, std::abs(exact.span()[i] - half.span()[i]));
  }
  EXPECT_GT(largest, 0x1p-14);
  EXPECT_LE(largest, 0x1p-12);
}

// Column c of halves is column 2c of pairs in the first half, column 2(c - n) + 1 in the second.
TEST(SinusoidalLayout, HalvesAreInterleavedColumnsInAnotherOrder) {
  const std::vector<OptionValues> cases = {
      {},
      {{"precision", "bfloat16"}},
      {{"band_from", "0.3"}, {"test_band_to", "0.8"}},
      {{"dropout_high", "0.9"}, {"dropout_low", "0.1"}},
  };
  for (const OptionValues& values : cases) {
    for (const Index width : {8, 7}) {
      OptionValues interleaved = values;
      interleaved["pad_odd"] = "true";
      OptionValues halves = interleaved;
      halves["layout"] = "halves";
      const Tensor<double> of_pairs = Variant(width, interleaved).pe();
      const Tensor<double> of_halves = Variant(width, halves).pe();
      const SinusoidalColumns pair_columns = columns_of({.d_model = width}, options_of(width, interleaved));
      const SinusoidalColumns half_columns = columns_of({.d_model = width}, options_of(width, halves));
      for (Index c = 0; c < width; ++c) {
        const Index there = c < 4 ? 2 * c : 2 * (c - 4) + 1;
        for (Index p = 0; p < length; ++p) EXPECT_EQ(of_halves(p, c), of_pairs(p, there)) << p << " " << c;
        if (half_columns.dropout.empty()) continue;
        EXPECT_EQ(half_columns.dropout[static_cast<std::size_t>(c)],
                  pair_columns.dropout[static_cast<std::size_t>(there)]);
      }
    }
  }
}

TEST(SinusoidalBand, KeepsItsFrequenciesAndZeroesTheOthers) {
  const Tensor<double> whole = Variant(8, {}).pe();
  const Variant some(8, {{"band_from", "0.25"}, {"band_to", "0.75"}});
  for (const bool training : {false, true}) {
    const Tensor<double> band = some.pe(training);
    for (Index p = 0; p < length; ++p) {
      for (Index c = 0; c < 8; ++c) EXPECT_EQ(band(p, c), c >= 2 && c < 6 ? whole(p, c) : 0.0) << c;
    }
  }
  const std::vector<double> all = sinusoidal_frequencies(8);
  EXPECT_THAT(some.encoding().input_frequencies(), ::testing::ElementsAre(0.0, all[1], all[2], 0.0));
  EXPECT_TRUE(same(some.encoding().get_encoding(length), some.pe()));
}

TEST(SinusoidalBand, OfOneFunctionCountsColumns) {
  const Tensor<double> band = Variant(8, {{"functions", "cosine"}, {"band_to", "0.375"}}).pe();
  for (Index c = 0; c < 8; ++c) EXPECT_EQ(band(0, c), c < 3 ? 1.0 : 0.0) << c;
}

TEST(SinusoidalBand, OfTestsLeavesTrainingAsItIs) {
  const Variant whole(8, {});
  const Variant tested(8, {{"test_band_to", "0.5"}});
  EXPECT_TRUE(same(tested.pe(true), whole.pe(true)));
  EXPECT_TRUE(same(tested.pe(false), Variant(8, {{"band_to", "0.5"}}).pe()));
  EXPECT_FALSE(same(tested.pe(false), whole.pe(false)));
}

TEST(SinusoidalBand, OfTestsIsTakenFromThatOfTraining) {
  const Variant both(8, {{"band_to", "0.75"}, {"test_band_from", "0.25"}});
  EXPECT_TRUE(same(both.pe(true), Variant(8, {{"band_to", "0.75"}}).pe()));
  EXPECT_TRUE(same(both.pe(false), Variant(8, {{"band_from", "0.25"}, {"band_to", "0.75"}}).pe()));
}

// A run whose rows share one training finds it by the options that bind training.
TEST(SinusoidalBand, OfTestsDoesNotBindTraining) {
  for (const OptionSpec& spec : encodings().find("sinusoidal").options) {
    EXPECT_EQ(spec.binds == Binds::test, spec.name.starts_with("test_")) << spec.name;
  }
}

TEST(SinusoidalConcatenated, ReplacesTheLastFeaturesByAnEncodingOfTheirWidth) {
  const Tensor<double> x = normal_input(10);
  for (const Index width : {4, 1, 9}) {
    const Variant variant(
        10, {{"concatenated", std::to_string(width)}, {"scale_pe", "0.5"}, {"pad_odd", "true"}});
    const Tensor<double> y = variant.applied(x);
    const Tensor<double> pe = sinusoidal_positional_encoding(length, width + width % 2);
    for (Index p = 0; p < length; ++p) {
      for (Index c = 0; c < 10; ++c) {
        const Index column = c - (10 - width);
        EXPECT_EQ(y(p, c), column < 0 ? x(p, c) : 0.5 * pe(p, column)) << p << " " << c;
      }
    }
    EXPECT_EQ(variant.encoding().get_encoding(3).shape(), (Shape{3, width}));
  }
}

TEST(SinusoidalConcatenated, PassesNoGradientToTheFeaturesThatItReplaces) {
  ParameterLayout layout;
  const SinusoidalPositionalEncoding<double> encoding({.d_model = 10},
                                                      options_of(10, {{"concatenated", "4"}}), Scope(layout));
  const Tensor<double> upstream = normal_input(10);
  const Parameters<double> none(layout);
  Pass<double> pass(none);
  const View<const double> dx = encoding.encode_input_backward(upstream.view(), pass);
  for (Index p = 0; p < length; ++p) {
    for (Index c = 0; c < 10; ++c) EXPECT_EQ(dx(p, c), c < 6 ? upstream(p, c) : 0.0) << p << " " << c;
  }
}

// As framework/README.md defines it ("What a training draws", Dropout).
TEST(SinusoidalDropout, HasTheDocumentedPurposeAndDraws) {
  ParameterLayout layout;
  const auto encoding =
      make_positional_encoding<double>("sinusoidal(dropout_high=0.7,dropout_low=0.2)",
                                       {.d_model = 10, .positions = length}, Scope(layout, "positional"));
  const Tensor<double> pe = sinusoidal_positional_encoding(length, 10);
  const Parameters<double> none(layout);
  Pass<double> pass(none);
  pass.begin({.positions = Positions::contiguous(2, length),
              .training = true,
              .random = {.seed = 3, .step = 5, .example = 8}});
  const Tensor<double> zeros({2 * length, 10});
  const View<const double> y = encoding->encode_input(zeros.view(), pass);
  for (Index example = 0; example < 2; ++example) {
    Random random(
        {3, hash_name("positional.sinusoidal.dropout"), 5, static_cast<std::uint32_t>(8 + example)});
    for (Index c = 0; c < 10; ++c) {
      const double p = 0.7 - 0.5 * static_cast<double>(c) / 9.0;
      const double factor = random.uniform() >= p ? 1.0 / (1.0 - p) : 0.0;
      for (Index t = 0; t < length; ++t) EXPECT_DOUBLE_EQ(y(example * length + t, c), factor * pe(t, c)) << c;
    }
  }
}

// What the other encoding adds comes after the replacement, so both features and gradients of its last columns count.
TEST(SinusoidalConcatenated, IsCombinedWithAnotherEncodingInEitherOrder) {
  const Tensor<double> x = normal_input(10);
  const Tensor<double> alone = Variant(10, {{"concatenated", "4"}}).applied(x);
  for (const char* name : {"learned+sinusoidal(concatenated=4)", "sinusoidal(concatenated=4)+learned"}) {
    ParameterLayout layout;
    const auto encoding =
        make_positional_encoding<double>(name, {.d_model = 10, .positions = length}, Scope(layout));
    Parameters<double> values(layout);
    Parameters<double> gradients(layout);
    initialize(values, 1);
    Pass<double> pass(values, &gradients);
    pass.begin({.positions = Positions::contiguous(1, length), .record = true});
    const View<const double> y = encoding->encode_input(x.view(), pass);
    encoding->encode_input_backward(x.view(), pass);
    const View<const double> table = values["learned.table"];
    for (Index p = 0; p < length; ++p) {
      for (Index c = 0; c < 10; ++c) {
        EXPECT_EQ(y(p, c), alone(p, c) + table(p, c)) << name << " " << p << " " << c;
        EXPECT_EQ(gradients["learned.table"](p, c), x(p, c)) << name;
      }
    }
  }
}

TEST(SinusoidalConcatenated, DropsColumnsOfTheEncodingOnly) {
  const Tensor<double> x = normal_input(10);
  const Variant variant(10, {{"concatenated", "4"}, {"dropout_high", "0.5"}, {"dropout_low", "0.5"}});
  const Tensor<double> plain = variant.applied(x);
  const Tensor<double> dropped = variant.applied(x, true);
  for (Index p = 0; p < length; ++p) {
    for (Index c = 0; c < 10; ++c) {
      const double value = dropped(p, c);
      const double kept = c < 6 ? x(p, c) : 2.0 * plain(p, c);
      EXPECT_EQ(value, c >= 6 && value == 0.0 ? 0.0 : kept) << p << " " << c;
    }
  }
  EXPECT_FALSE(same(plain, dropped));
}

// A dry run prints it: options may come from keys, which labels do not show.
TEST(SinusoidalVariants, NameWhatDiffersFromTheDefault) {
  EXPECT_EQ(Variant(8, {}).encoding().constants(), "base 10000, table of 256 bytes");
  EXPECT_EQ(
      Variant(8, {{"base", "100"}, {"concatenated", "4"}, {"test_band_to", "0.5"}}).encoding().constants(),
      "base 100, concatenated 4, test_band_to 0.5, table of 128 bytes");
}

TEST(SinusoidalVariants, OfAnOddWidthNameTheWayOut) {
  const auto refused = [](Index d_model, const OptionValues& values, const std::string& why) {
    EXPECT_THAT([&] { Variant(d_model, values); }, ThrowsMessage<ConfigError>(HasSubstr(why)));
  };
  const std::string odd = "(set pad_odd = true to pad it by one, functions = sine or cosine, or use another ";
  refused(7, {}, "sinusoidal: needs an even width, got 7 " + odd + "d_model)");
  refused(7, {{"layout", "halves"}}, "got 7 " + odd + "d_model)");
  refused(7, {{"band_to", "0.5"}}, "got 7 " + odd + "d_model)");
  refused(8, {{"concatenated", "3"}}, "got 3 " + odd + "concatenated)");
  for (const OptionValues& values : std::vector<OptionValues>{{{"layout", "halves"}, {"pad_odd", "true"}},
                                                              {{"band_to", "0.5"}, {"pad_odd", "true"}},
                                                              {{"concatenated", "3"}, {"pad_odd", "true"}},
                                                              {{"functions", "sine"}},
                                                              {{"concatenated", "4"}}}) {
    EXPECT_NO_THROW(Variant(7, values).pe());
  }
}

TEST(SinusoidalVariants, ThatContradictThemselvesAreRefused) {
  const auto refused = [](const OptionValues& values, const std::string& why) {
    EXPECT_THAT([&] { Variant(8, values); }, ThrowsMessage<ConfigError>(HasSubstr(why)));
  };
  refused({{"layout", "halves"}, {"functions", "sine"}},
          "layout = halves orders pairs, and functions = sine has none (set functions = both)");
  refused({{"concatenated", "8"}}, "concatenated = 8 leaves no feature of 8 to tokens, expected at most 7");
  refused({{"band_from", "0.5"}, {"band_to", "0.5"}},
          "band_from = 0.5 and band_to = 0.5 keep none of 4 frequencies, expected at least one");
  refused({{"band_to", "0.5"}, {"test_band_from", "0.5"}},
          "test_band_from = 0.5 and test_band_to = 1 keep none of 4 frequencies, expected at least one");
  refused({{"band_from", "1.5"}}, "band_from: got 1.5, expected a number from 0 to 1");
}

}  // namespace
}  // namespace ordinal

// Variants of the sinusoidal encoding: one function, halves, bands of frequencies, a PE that replaces features.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "framework/positional/encodings/sinusoidal.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/positional/rig.h"

namespace ordinal {
namespace {

using testing::normal_tensor;

constexpr Index table_length = 6;
constexpr Index kept_rows = 4;  // of the table: positions 4 and 5 are computed

ModelShape shape_of(Index d_model) { return {.d_model = d_model, .positions = kept_rows}; }

std::string text_of(const std::string& options) {
  return options.empty() ? "sinusoidal" : "sinusoidal(" + options + ")";
}

// What an encoding with these options does to inputs of width d_model at positions 0 … table_length - 1.
Tensor<double> applied(const std::string& options, const Tensor<double>& x, bool training = false) {
  testing::Rig<> rig(text_of(options), shape_of(x.view().cols));
  rig.run({.positions = Positions::contiguous(1, table_length), .training = training, .random = {.seed = 3}});
  return rig.input(x);
}

Tensor<double> pe(Index d_model, const std::string& options, bool training = false) {
  return applied(options, Tensor<double>({table_length, d_model}), training);
}

SinusoidalOptions options_of(Index d_model, const std::string& options) {
  return resolved_options<SinusoidalOptions>("sinusoidal", parse_part(text_of(options)).options,
                                             shape_of(d_model));
}

SinusoidalPositionalEncoding<double> encoding_of(Index d_model, const std::string& options) {
  ParameterLayout layout;
  return {shape_of(d_model), options_of(d_model, options), Scope(layout)};
}

bool same(const Tensor<double>& a, const Tensor<double>& b) {
  return testing::largest_difference(a, b) == 0.0;
}

TEST(SinusoidalFunctions, OneAloneHasAFrequencyForEachColumn) {
  for (const Index width : {8, 7}) {
    const Tensor<double> sines = pe(width, "functions=sine, base=100");
    const Tensor<double> cosines = pe(width, "functions=cosine, base=100");
    for (Index p = 0; p < table_length; ++p) {
      for (Index c = 0; c < width; ++c) {
        const double share = static_cast<double>(c) / static_cast<double>(width);
        const double angle = static_cast<double>(p) * std::pow(100.0, -share);
        EXPECT_NEAR(sines(p, c), std::sin(angle), 1e-14) << p << " " << c;
        EXPECT_NEAR(cosines(p, c), std::cos(angle), 1e-14) << p << " " << c;
      }
    }
  }
}

// Column c of halves is column 2c of pairs in the first half, column 2(c - n) + 1 in the second.
TEST(SinusoidalLayout, HalvesAreInterleavedColumnsInAnotherOrder) {
  for (const std::string options : {"", ", precision=bfloat16", ", band_from=0.3, test_band_to=0.8",
                                    ", dropout_high=0.9, dropout_low=0.1"}) {
    for (const Index width : {8, 7}) {
      const std::string interleaved = "pad_odd=true" + options;
      const std::string halves = interleaved + ", layout=halves";
      const Tensor<double> of_pairs = pe(width, interleaved);
      const Tensor<double> of_halves = pe(width, halves);
      const SinusoidalColumns pair_columns = columns_of(shape_of(width), options_of(width, interleaved));
      const SinusoidalColumns half_columns = columns_of(shape_of(width), options_of(width, halves));
      for (Index c = 0; c < width; ++c) {
        const Index there = c < 4 ? 2 * c : 2 * (c - 4) + 1;
        for (Index p = 0; p < table_length; ++p)
          EXPECT_EQ(of_halves(p, c), of_pairs(p, there)) << p << " " << c;
        EXPECT_EQ(half_columns.dropout[static_cast<std::size_t>(c)],
                  pair_columns.dropout[static_cast<std::size_t>(there)]);
      }
    }
  }
}

TEST(SinusoidalBand, KeepsItsFrequenciesAndZeroesTheOthers) {
  const std::string some = "band_from=0.25, band_to=0.75";
  const Tensor<double> whole = pe(8, "");
  for (const bool training : {false, true}) {
    const Tensor<double> band = pe(8, some, training);
    for (Index p = 0; p < table_length; ++p) {
      for (Index c = 0; c < 8; ++c) EXPECT_EQ(band(p, c), c >= 2 && c < 6 ? whole(p, c) : 0.0) << c;
    }
  }
  const std::vector<double> all = sinusoidal_frequencies(8);
  EXPECT_THAT(encoding_of(8, some).input_frequencies(), ::testing::ElementsAre(0.0, all[1], all[2], 0.0));
  EXPECT_TRUE(same(encoding_of(8, some).get_encoding(table_length), pe(8, some)));
}

TEST(SinusoidalBand, OfOneFunctionCountsColumns) {
  const Tensor<double> band = pe(8, "functions=cosine, band_to=0.375");
  for (Index c = 0; c < 8; ++c) EXPECT_EQ(band(0, c), c < 3 ? 1.0 : 0.0) << c;
}

// 0.145 · 100 is 14.499999999999998 in doubles.
TEST(SinusoidalBand, EndsAtTheNearestFrequencyAHalfUp) {
  const std::vector<double> kept = encoding_of(200, "band_to=0.145").input_frequencies();
  EXPECT_EQ(std::ranges::count_if(kept, [](double frequency) { return frequency > 0.0; }), 15);
}

// What is left out is taken from the band of training.
TEST(SinusoidalBand, OfTestsLeavesTrainingAsItIs) {
  struct Band {
    std::string both, training, test;
  };
  for (const auto& [both, training, test] :
       {Band{"test_band_to=0.5", "", "band_to=0.5"},
        Band{"band_to=0.75, test_band_from=0.25", "band_to=0.75", "band_from=0.25, band_to=0.75"}}) {
    EXPECT_TRUE(same(pe(8, both, true), pe(8, training, true))) << both;
    EXPECT_TRUE(same(pe(8, both, false), pe(8, test, false))) << both;
    EXPECT_FALSE(same(pe(8, both, false), pe(8, training, false))) << both;
  }
}

// A run whose rows share one training finds it by the options that bind training.
TEST(SinusoidalBand, OfTestsDoesNotBindTraining) {
  for (const OptionSpec& spec : encodings().find("sinusoidal").options) {
    EXPECT_EQ(spec.binds == Binds::test, spec.name.starts_with("test_")) << spec.name;
  }
}

TEST(SinusoidalConcatenated, ReplacesTheLastFeaturesByAnEncodingOfTheirWidth) {
  const Tensor<double> x = normal_tensor({table_length, 10});
  for (const Index width : {4, 1, 9}) {
    const std::string options = "concatenated=" + std::to_string(width) + ", scale_pe=0.5, pad_odd=true";
    const Tensor<double> y = applied(options, x);
    const Tensor<double> added = sinusoidal_positional_encoding(table_length, width + width % 2);
    for (Index p = 0; p < table_length; ++p) {
      for (Index c = 0; c < 10; ++c) {
        const Index column = c - (10 - width);
        EXPECT_EQ(y(p, c), column < 0 ? x(p, c) : 0.5 * added(p, column)) << p << " " << c;
      }
    }
    EXPECT_EQ(encoding_of(10, options).get_encoding(3).shape(), (Shape{3, width}));
  }
}

// As framework/README.md defines it ("What a training draws", Dropout).
TEST(SinusoidalDropout, HasTheDocumentedPurposeAndDraws) {
  testing::Rig<> rig("sinusoidal(dropout_high=0.7,dropout_low=0.2)", shape_of(10));
  const Tensor<double> added = sinusoidal_positional_encoding(table_length, 10);
  rig.run({.positions = Positions::contiguous(2, table_length),
           .training = true,
           .random = {.seed = 3, .step = 5, .example = 8}});
  const Tensor<double> y = rig.input(Tensor<double>({2 * table_length, 10}));
  for (Index example = 0; example < 2; ++example) {
    Random random(
        {3, hash_name("positional.sinusoidal.dropout"), 5, static_cast<std::uint32_t>(8 + example)});
    for (Index c = 0; c < 10; ++c) {
      const double p = 0.7 - 0.5 * static_cast<double>(c) / 9.0;
      const double factor = random.uniform() >= p ? 1.0 / (1.0 - p) : 0.0;
      for (Index t = 0; t < table_length; ++t)
        EXPECT_DOUBLE_EQ(y(example * table_length + t, c), factor * added(t, c)) << c;
    }
  }
}

// What the other encoding adds comes after the replacement, so both features and gradients of its last columns count.
TEST(SinusoidalConcatenated, IsCombinedWithAnotherEncodingInEitherOrder) {
  const Tensor<double> x = normal_tensor({table_length, 10});
  const Tensor<double> alone = applied("concatenated=4", x);
  for (const char* name : {"learned+sinusoidal(concatenated=4)", "sinusoidal(concatenated=4)+learned"}) {
    testing::Rig<> both(name, {.d_model = 10, .train_length = table_length, .positions = table_length});
    const Tensor<double> y = both.over(table_length).input(x);
    both.input_backward(x);
    for (Index p = 0; p < table_length; ++p) {
      for (Index c = 0; c < 10; ++c) {
        EXPECT_EQ(y(p, c), alone(p, c) + both.value("learned.table")(p, c)) << name << " " << p << " " << c;
        EXPECT_EQ(both.gradient("learned.table")(p, c), x(p, c)) << name;
      }
    }
  }
}

TEST(SinusoidalConcatenated, DropsColumnsOfTheEncodingOnly) {
  const Tensor<double> x = normal_tensor({table_length, 10});
  const std::string options = "concatenated=4, dropout_high=0.5, dropout_low=0.5";
  const Tensor<double> plain = applied(options, x);
  const Tensor<double> dropped = applied(options, x, true);
  for (Index p = 0; p < table_length; ++p) {
    for (Index c = 0; c < 10; ++c) {
      const double value = dropped(p, c);
      const double kept = c < 6 ? x(p, c) : 2.0 * plain(p, c);
      EXPECT_EQ(value, c >= 6 && value == 0.0 ? 0.0 : kept) << p << " " << c;
    }
  }
  EXPECT_FALSE(same(plain, dropped));
}

}  // namespace
}  // namespace ordinal

// What the page of the program `encoding` holds of every encoding of the registry.
#include "experiments/encoding/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/encoding/panels.h"
#include "framework/positional/position_scheme.h"
#include "tests/experiments/encoding/built.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Index length = 12;

ModelShape shape_of(bool causal = true, Index train_length = 24) {
  return {.d_model = 16,
          .heads = 4,
          .n_kv_heads = 2,
          .layers = 2,
          .causal = causal,
          .train_length = train_length,
          .positions = 2048};
}

class Drawn {
 public:
  explicit Drawn(const std::string& text, const ModelShape& shape = shape_of(),
                 Positions positions = Positions::contiguous(1, length))
      : built_(text, shape), positions_(std::move(positions)) {}

  Effect<double> effect() const { return built_.at(positions_); }
  EncodingNumbers numbers() const { return encoding_numbers(effect()); }
  ExplorerSection section() const { return encoding_section(numbers()); }

 private:
  testing::Built built_;
  Positions positions_;
};

double value_of(const PairFunction& f, Index i, Index j, Index head, bool causal) {
  const Index h = f.same_heads ? 0 : head;
  if (!f.distances.empty()) return f.curves(h, i - j + (causal ? 0 : length - 1));
  return f.matrices(h * length + i, j);
}

std::vector<std::string> every_encoding() { return encodings().names(); }

class EveryPage : public ::testing::TestWithParam<std::string> {
 protected:
  static std::vector<bool> directions() {
    if (encodings().find(GetParam()).causal_only) return {true};
    return {true, false};
  }
};

// Products and what is added make up the score that attention has, whichever way they are stored.
TEST_P(EveryPage, HasTheScoresOfQueriesAndKeysOfOnes) {
  for (const bool causal : directions()) {
    const Drawn drawn(GetParam(), shape_of(causal));
    const EncodingNumbers n = drawn.numbers();
    Content ones = random_content(shape_of(causal), length, 1);
    std::ranges::fill(ones.query.span(), 1.0);
    std::ranges::fill(ones.key.span(), 1.0);
    const Tensor<double> scores = drawn.effect().scores(ones);
    const double root = std::sqrt(static_cast<double>(n.d_head));
    for (Index row = 0; row < scores.view().rows; ++row) {
      const Index head = row / length;
      const Index i = row % length;
      for (Index j = 0; j < (causal ? i + 1 : length); ++j) {
        const double product = n.products.empty() ? root * root : value_of(n.products, i, j, head, causal);
        const double added = n.bias.empty() ? 0.0 : value_of(n.bias, i, j, head, causal);
        ASSERT_NEAR(product / root + added, scores(row, j), 1e-8) << i << ", " << j;
      }
    }
  }
}

TEST_P(EveryPage, HasPartsWhereTheEncodingActs) {
  const EncodingNumbers n = Drawn(GetParam()).numbers();
  EXPECT_EQ(n.input.size() > 0, acts_on(GetParam(), Place::input));
  EXPECT_EQ(!n.products.empty(), acts_on(GetParam(), Place::query_key));
  EXPECT_EQ(!n.bias.empty(), acts_on(GetParam(), Place::scores));
  EXPECT_EQ(!n.bias_of_zeros.empty(), n.reads_content);
  EXPECT_EQ(n.name, GetParam());
}

TEST_P(EveryPage, IsExplainedInWords) {
  for (const bool causal : directions()) {
    const ExplorerSection section = Drawn(GetParam(), shape_of(causal)).section();
    EXPECT_EQ(section.formulas, std::vector{encodings().find(GetParam()).formula});
    EXPECT_FALSE(section.words.empty());
    EXPECT_FALSE(section.definition.empty());
    ASSERT_FALSE(section.panels.empty());
    EXPECT_EQ(section.panels.back().kind, "attention");
    for (const ExplorerPanel& panel : section.panels) EXPECT_THAT(panel.words, ::testing::EndsWith("."));
  }
}

TEST_P(EveryPage, IsWrittenAsJson) {
  std::vector<EncodingNumbers> numbers;
  numbers.push_back(Drawn(GetParam()).numbers());
  const EncodingNumbers& n = numbers.front();
  const auto json = nlohmann::json::parse(explorer_data(numbers)).at(0);
  EXPECT_EQ(json.at("name"), GetParam());
  EXPECT_EQ(json.at("positions").size(), static_cast<std::size_t>(length));
  EXPECT_EQ(json.contains("input"), n.input.size() > 0);
  for (const char* name : {"products", "bias"}) {
    const PairFunction& f = std::string(name) == "bias" ? n.bias : n.products;
    EXPECT_EQ(json.contains(name), !f.empty());
    if (f.empty()) continue;
    const auto& values = json[name].contains("curves") ? json[name]["curves"] : json[name]["matrices"];
    EXPECT_EQ(std::ssize(values), f.heads());
    if (json[name].contains("curves")) continue;
    EXPECT_EQ(values[0][3].size(), 4U) << "keys that query 3 sees";
  }
  EXPECT_THAT(json.dump(), Not(HasSubstr("null")));
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryPage, ::testing::ValuesIn(every_encoding()),
                         [](const auto& test) { return test.param; });

TEST(EncodingNumbers, NameTheFormulaOfSinesOnlyWhereItHolds) {
  EXPECT_EQ(Drawn("sinusoidal").numbers().input_base, 10000.0);
  EXPECT_EQ(Drawn("sinusoidal(base=500)+t5").numbers().input_base, 500.0);
  EXPECT_FALSE(Drawn("sinusoidal(layout=halves)").numbers().input_base);
  EXPECT_FALSE(Drawn("sinusoidal(scale_pe=0.5)").numbers().input_base);
  EXPECT_FALSE(Drawn("sinusoidal(precision=half)").numbers().input_base);
  EXPECT_FALSE(Drawn("learned").numbers().input_base);
}

TEST(EncodingNumbers, NameTheFormulaOfRotationsOnlyWhereItHolds) {
  const auto rope = Drawn("rope(base=500, rotary_fraction=0.5)").numbers().rotary;
  ASSERT_TRUE(rope);
  EXPECT_EQ(rope->base, 500.0);
  EXPECT_EQ(rope->width, 2);
  EXPECT_EQ(rope->rest, 2);
  EXPECT_EQ(rope->scale, 0.0);
  const auto xpos = Drawn("xpos(pairing=half)").numbers().rotary;
  ASSERT_TRUE(xpos);
  EXPECT_EQ(xpos->gamma, 0.4);
  EXPECT_EQ(xpos->scale, 12.0);
  EXPECT_FALSE(Drawn("rope(turning=0.5)").numbers().rotary);
  EXPECT_FALSE(Drawn("rope(precision=half)").numbers().rotary);
  EXPECT_FALSE(Drawn("rope+ssmax").numbers().rotary);
  PositionScheme yarn = make_position_scheme("yarn(scale=4)");
  yarn.resolve(24, length);
  EXPECT_FALSE(Drawn("rope", shape_of(), make_positions(yarn, 1, length)).numbers().rotary);
}

TEST(EncodingNumbers, AreCurvesWhereTheyDependOnTheDistanceAlone) {
  const EncodingNumbers alibi = Drawn("alibi").numbers();
  EXPECT_EQ(alibi.bias.distances.size(), static_cast<std::size_t>(length));
  EXPECT_DOUBLE_EQ(alibi.bias.curves(1, 3), -3.0 / 16.0);
  EXPECT_FALSE(alibi.bias.same_heads);
  EXPECT_TRUE(Drawn("rope").numbers().products.same_heads);
  const EncodingNumbers both_ways = Drawn("alibi", shape_of(false)).numbers();
  EXPECT_EQ(both_ways.bias.distances.front(), 1.0 - length);
  EXPECT_DOUBLE_EQ(both_ways.bias.curves(1, 0), -(length - 1.0) / 16.0);
  const EncodingNumbers far = Drawn("alibi", shape_of(), Positions::shared(1, {1, 2, 4, 8})).numbers();
  EXPECT_TRUE(far.bias.distances.empty()) << "no even steps";
  EXPECT_DOUBLE_EQ(far.bias.matrices(4 + 3, 1), -6.0 / 16.0);
}

// Within the training length its distances are shares of L, and past it of the position of the query.
TEST(EncodingNumbers, OfFireAreMatricesPastTheTrainingLength) {
  EXPECT_FALSE(Drawn("fire").numbers().bias.distances.empty());
  EXPECT_TRUE(Drawn("fire", shape_of(true, 4)).numbers().bias.distances.empty());
}

TEST(EncodingNumbers, SayWhichEncodingsReadContent) {
  std::vector<std::string> readers;
  for (const std::string& name : every_encoding())
    if (Drawn(name).numbers().reads_content) readers.push_back(name);
  EXPECT_THAT(readers, ElementsAre("shaw", "transformer_xl", "cope", "forgetting"));
}

TEST(EncodingNumbers, AreFewerTokensOfLongMatrices) {
  constexpr Index many = 400;
  const EncodingNumbers n =
      Drawn("tupe(embedding=sinusoidal)", shape_of(), Positions::contiguous(1, many)).numbers();
  ASSERT_LT(n.bias.drawn.size(), static_cast<std::size_t>(many));
  EXPECT_GT(n.bias.drawn.size(), 100U);
  EXPECT_EQ(n.bias.drawn.front(), 0);
  EXPECT_EQ(n.bias.drawn.back(), many - 1);
  EXPECT_TRUE(std::ranges::is_sorted(n.bias.drawn, std::less_equal{}));
}

TEST(EncodingNumbers, AreThoseOfASinglePosition) {
  for (const char* name : {"alibi", "rope", "tupe", "sinusoidal", "none"}) {
    const Drawn drawn(name, shape_of(), Positions::contiguous(1, 1));
    EXPECT_EQ(drawn.numbers().positions.size(), 1U);
    EXPECT_NO_THROW(drawn.section()) << name;
  }
}

TEST(EncodingNumbers, HoldTheFirstOfManyHeads) {
  ModelShape shape = shape_of();
  shape.d_model = 64;
  shape.heads = shape.n_kv_heads = 32;
  EXPECT_EQ(Drawn("alibi", shape).numbers().bias.heads(), most_page_heads);
  EXPECT_THAT(Drawn("alibi", shape).section().panels.front().words,
              HasSubstr("Of 32 heads the first 16 are drawn."));
}

TEST(EncodingSection, SaysWhatOneSees) {
  EXPECT_THAT(Drawn("none").section().words, HasSubstr("Nothing is added anywhere"));
  EXPECT_THAT(Drawn("none").section().panels.front().words, HasSubstr("can count"));
  EXPECT_THAT(Drawn("none", shape_of(false)).section().panels.front().words, Not(HasSubstr("can count")));
  EXPECT_THAT(Drawn("cope").section().words, HasSubstr("depends on the content of tokens"));
  EXPECT_THAT(Drawn("ssmax").section().panels.front().words, HasSubstr("depends on the query alone"));
  EXPECT_THAT(Drawn("learned").section().panels.front().words, HasSubstr("Before training, rows are random"));
  EXPECT_THAT(Drawn("tupe").section().panels.at(1).words, HasSubstr("more than the distance of the two"));
  const ExplorerSection far = Drawn("alibi", shape_of(), Positions::shared(1, {1, 2, 4, 8})).section();
  EXPECT_THAT(far.panels.front().words, HasSubstr("positions are not evenly spaced"));
  const ExplorerSection sines = Drawn("sinusoidal", shape_of(), Positions::shared(1, {5, 7, 17})).section();
  EXPECT_THAT(sines.panels.at(1).words,
              HasSubstr("1 of 8 pairs turn at least once within positions 5 to 17"));
  const ExplorerSection both = Drawn("sinusoidal+t5").section();
  EXPECT_EQ(both.formulas.size(), 2U);
  EXPECT_EQ(both.facts.front().second, "sinusoidal: input; t5: scores");
}

}  // namespace
}  // namespace ordinal::experiments

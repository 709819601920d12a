// What the page of the program `encoding` holds of every encoding of the registry.
#include "experiments/encoding/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/encoding/page.h"
#include "framework/positional/position_scheme.h"
#include "tests/experiments/encoding/built.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
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
      : text_(text), built_(text, shape), positions_(std::move(positions)) {}

  Effect<double> effect() const { return built_.at(positions_); }
  EncodingNumbers numbers() const { return encoding_numbers(effect(), text_, false); }
  std::string introduction() const { return experiments::introduction(numbers()); }
  std::vector<PagePanel> panels() const { return panels_of(numbers()); }
  /// The words of a panel.
  std::string words(std::size_t panel = 0) const { return panels().at(panel).words; }

 private:
  std::string text_;
  testing::Built built_;
  Positions positions_;
};

double value_of(const EncodingNumbers& f, Index i, Index j, Index head, bool causal) {
  const auto at = [](const nlohmann::ordered_json& list, Index k) {
    return list[static_cast<std::size_t>(k)];
  };
  const Index h = f["same_heads"] ? 0 : head;
  if (f.contains("curves")) return at(at(f["curves"], h), i - j + (causal ? 0 : length - 1));
  return at(at(at(f["matrices"], h), i), j);
}

class EveryPage : public ::testing::TestWithParam<std::string> {};

// Products and what is added make up the score that attention has, whichever way they are stored.
TEST_P(EveryPage, HasTheScoresOfQueriesAndKeysOfOnes) {
  for (const bool causal : testing::directions(GetParam())) {
    const Drawn drawn(GetParam(), shape_of(causal));
    const EncodingNumbers n = drawn.numbers();
    Content ones = random_content(shape_of(causal), length, 1);
    std::ranges::fill(ones.query.span(), 1.0);
    std::ranges::fill(ones.key.span(), 1.0);
    const Tensor<double> scores = drawn.effect().scores(ones);
    const double root = std::sqrt(n["d_head"].get<double>());
    for (Index row = 0; row < scores.view().rows; ++row) {
      const Index head = row / length;
      const Index i = row % length;
      for (Index j = 0; j < (causal ? i + 1 : length); ++j) {
        const double product =
            n.contains("products") ? value_of(n["products"], i, j, head, causal) : root * root;
        const double added = n.contains("bias") ? value_of(n["bias"], i, j, head, causal) : 0.0;
        ASSERT_NEAR(product / root + added, scores(row, j), 1e-8) << i << ", " << j;
      }
    }
  }
}

TEST_P(EveryPage, HasPartsWhereTheEncodingActs) {
  const EncodingNumbers n = Drawn(GetParam()).numbers();
  EXPECT_EQ(n.contains("input"), acts_on(GetParam(), Place::input));
  EXPECT_EQ(n.contains("products"), acts_on(GetParam(), Place::query_key));
  EXPECT_EQ(n.contains("bias"), acts_on(GetParam(), Place::scores));
  EXPECT_EQ(n.contains("bias_of_zeros"), n["reads_content"].get<bool>());
  EXPECT_EQ(n["name"], GetParam());
}

TEST_P(EveryPage, IsExplainedInWords) {
  for (const bool causal : testing::directions(GetParam())) {
    const Drawn drawn(GetParam(), shape_of(causal));
    EXPECT_THAT(drawn.introduction(), EndsWith("."));
    const std::vector<PagePanel> panels = drawn.panels();
    ASSERT_FALSE(panels.empty());
    EXPECT_EQ(panels.back().kind, "attention");
    for (const PagePanel& panel : panels) EXPECT_THAT(panel.words, EndsWith("."));
  }
}

TEST_P(EveryPage, IsWrittenAsJson) {
  const EncodingNumbers n = Drawn(GetParam()).numbers();
  const auto json = EncodingNumbers::parse(inside_page(EncodingNumbers::array({n}))).at(0);
  EXPECT_EQ(json.at("name"), GetParam());
  EXPECT_EQ(json.at("positions").size(), static_cast<std::size_t>(length));
  for (const char* name : {"products", "bias"}) {
    ASSERT_EQ(json.contains(name), n.contains(name));
    if (!n.contains(name)) continue;
    const std::size_t heads = n[name]["same_heads"] ? 1 : 4;
    EXPECT_EQ(json[name][json[name].contains("curves") ? "curves" : "matrices"].size(), heads);
    if (json[name].contains("curves")) continue;
    EXPECT_EQ(json[name]["matrices"][0][3].size(), 4U) << "keys that query 3 sees";
  }
  EXPECT_THAT(json.dump(), Not(HasSubstr("null")));
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryPage, ::testing::ValuesIn(encodings().names()),
                         [](const auto& test) { return test.param; });

TEST(EncodingNumbers, NameTheFormulaOfSinesOnlyWhereItHolds) {
  EXPECT_EQ(Drawn("sinusoidal").numbers()["input_base"], 10000.0);
  EXPECT_EQ(Drawn("sinusoidal(base=500)+t5").numbers()["input_base"], 500.0);
  EXPECT_FALSE(Drawn("sinusoidal(layout=halves)").numbers().contains("input_base"));
  EXPECT_FALSE(Drawn("sinusoidal(scale_pe=0.5)").numbers().contains("input_base"));
  EXPECT_FALSE(Drawn("sinusoidal(precision=half)").numbers().contains("input_base"));
  EXPECT_FALSE(Drawn("learned").numbers().contains("input_base"));
}

TEST(EncodingNumbers, NameTheFormulaOfRotationsOnlyWhereItHolds) {
  const EncodingNumbers rope = Drawn("rope(base=500, rotary_fraction=0.5)").numbers().at("rotary");
  EXPECT_EQ(rope["base"], 500.0);
  EXPECT_EQ(rope["width"], 2);
  EXPECT_EQ(rope["rest"], 2);
  EXPECT_EQ(rope["scale"], 0.0);
  const EncodingNumbers xpos = Drawn("xpos(pairing=half)").numbers().at("rotary");
  EXPECT_EQ(xpos["gamma"], 0.4);
  EXPECT_EQ(xpos["scale"], 12.0);
  EXPECT_FALSE(Drawn("rope(turning=0.5)").numbers().contains("rotary"));
  EXPECT_FALSE(Drawn("rope(precision=half)").numbers().contains("rotary"));
  EXPECT_FALSE(Drawn("rope+ssmax").numbers().contains("rotary"));
  PositionScheme yarn = make_position_scheme("yarn(scale=4)");
  yarn.resolve(24, length);
  EXPECT_FALSE(Drawn("rope", shape_of(), make_positions(yarn, 1, length)).numbers().contains("rotary"));
}

TEST(EncodingNumbers, AreCurvesWhereTheyDependOnTheDistanceAlone) {
  const EncodingNumbers alibi = Drawn("alibi").numbers()["bias"];
  EXPECT_EQ(alibi["distances"].size(), static_cast<std::size_t>(length));
  EXPECT_DOUBLE_EQ(alibi["curves"][1][3], -3.0 / 16.0);
  EXPECT_EQ(alibi["same_heads"], false);
  EXPECT_EQ(Drawn("rope").numbers()["products"]["same_heads"], true);
  const EncodingNumbers both_ways = Drawn("alibi", shape_of(false)).numbers()["bias"];
  EXPECT_EQ(both_ways["distances"].front(), 1.0 - length);
  EXPECT_DOUBLE_EQ(both_ways["curves"][1][0], -(length - 1.0) / 16.0);
  const EncodingNumbers far =
      Drawn("alibi", shape_of(), Positions::shared(1, {1, 2, 4, 8})).numbers()["bias"];
  EXPECT_FALSE(far.contains("distances")) << "no even steps";
  EXPECT_DOUBLE_EQ(far["matrices"][1][3][1], -6.0 / 16.0);
}

// Within the training length its distances are shares of L, and past it of the position of the query.
TEST(EncodingNumbers, OfFireAreMatricesPastTheTrainingLength) {
  EXPECT_TRUE(Drawn("fire").numbers()["bias"].contains("distances"));
  EXPECT_FALSE(Drawn("fire", shape_of(true, 4)).numbers()["bias"].contains("distances"));
}

TEST(EncodingNumbers, SayWhichEncodingsReadContent) {
  std::vector<std::string> readers;
  for (const std::string& name : encodings().names())
    if (Drawn(name).numbers()["reads_content"]) readers.push_back(name);
  EXPECT_THAT(readers, ElementsAre("shaw", "transformer_xl", "cope", "forgetting", "path"));
}

TEST(EncodingNumbers, AreFewerTokensOfLongMatrices) {
  constexpr Index many = 400;
  const EncodingNumbers n =
      Drawn("tupe(embedding=sinusoidal)", shape_of(), Positions::contiguous(1, many)).numbers();
  const auto drawn = n["bias"]["drawn"].get<std::vector<Index>>();
  ASSERT_LT(drawn.size(), static_cast<std::size_t>(many));
  EXPECT_GT(drawn.size(), 100U);
  EXPECT_EQ(drawn.front(), 0);
  EXPECT_EQ(drawn.back(), many - 1);
  EXPECT_TRUE(std::ranges::is_sorted(drawn, std::less_equal{}));
  EXPECT_EQ(n["bias"]["matrices"][0].size(), drawn.size());
  EXPECT_EQ(n["bias"]["matrices"][0].back().size(), drawn.size());
}

TEST(EncodingNumbers, AreThoseOfASinglePosition) {
  for (const char* name : {"alibi", "rope", "tupe", "sinusoidal", "none"}) {
    const Drawn drawn(name, shape_of(), Positions::contiguous(1, 1));
    EXPECT_EQ(drawn.numbers()["positions"].size(), 1U);
    EXPECT_NO_THROW(drawn.panels()) << name;
  }
}

TEST(EncodingNumbers, HoldTheFirstOfManyHeads) {
  ModelShape shape = shape_of();
  shape.d_model = 64;
  shape.heads = shape.n_kv_heads = 32;
  EXPECT_EQ(Drawn("alibi", shape).numbers()["bias"]["curves"].size(), most_page_heads);
  EXPECT_THAT(Drawn("alibi", shape).words(), HasSubstr("Of 32 heads the first 16 are drawn."));
}

TEST(Panels, SayWhatOneSees) {
  EXPECT_THAT(Drawn("none").introduction(), HasSubstr("Nothing is added anywhere"));
  EXPECT_THAT(Drawn("none").words(), HasSubstr("can count"));
  EXPECT_THAT(Drawn("none", shape_of(false)).words(), Not(HasSubstr("can count")));
  EXPECT_THAT(Drawn("cope").introduction(), HasSubstr("depends on the content of tokens"));
  EXPECT_THAT(Drawn("ssmax").words(), HasSubstr("depends on the query alone"));
  EXPECT_THAT(Drawn("learned").words(), HasSubstr("Before training, rows are random"));
  EXPECT_THAT(Drawn("tupe").words(1), HasSubstr("more than the distance of the two"));
  EXPECT_THAT(Drawn("alibi", shape_of(), Positions::shared(1, {1, 2, 4, 8})).words(),
              HasSubstr("positions are not evenly spaced"));
  EXPECT_THAT(Drawn("sinusoidal", shape_of(), Positions::shared(1, {5, 7, 17})).words(1),
              HasSubstr("1 of 8 pairs turn at least once within positions 5 to 17"));
}

}  // namespace
}  // namespace ordinal::experiments

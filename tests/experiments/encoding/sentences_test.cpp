// What attention makes of the order of words.
#include "experiments/encoding/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/storage/scratch_folder.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const TwoOrders cat_and_mouse = two_orders("the cat ate the mouse", "the mouse ate the cat").value();
constexpr Index cat = 1;
constexpr Index mouse = 4;

ModelShape small() { return {.d_model = 16, .heads = 2, .n_kv_heads = 2, .layers = 1}; }

double difference(const OrderComparison& one) { return std::ranges::max(one.differences); }

std::string error_of(const std::string& sentence, const std::string& reordered) {
  return message_of<ConfigError>([&] { two_orders(sentence, reordered); });
}

TEST(TwoOrders, PairOccurrencesOfAWordInTurn) {
  EXPECT_THAT(cat_and_mouse.partner, ElementsAre(0, 4, 2, 3, 1));
  EXPECT_THAT(two_orders("a b a a", "b a a a")->partner, ElementsAre(1, 0, 2, 3));
  EXPECT_EQ(cat_and_mouse.label(3), "the (2)");
  EXPECT_EQ(cat_and_mouse.label(cat), "cat");
  EXPECT_THAT(cat_and_mouse.moved(), ElementsAre(cat, mouse));
}

TEST(TwoOrders, AreOfTheSameWords) {
  EXPECT_THAT(error_of("cat", "cat"), HasSubstr("got 'cat', expected at least two words"));
  EXPECT_THAT(error_of("a b", "b c"), HasSubstr("('a' is missing)"));
  EXPECT_THAT(error_of("a b", "b b a"), HasSubstr("('b' is too many)"));
  EXPECT_THAT(error_of("a b a", "a  b a "), HasSubstr("got the order of encoding.sentence"));
}

TEST(TwoOrders, AreBothGivenOrNeither) {
  EXPECT_FALSE(two_orders("", ""));
  EXPECT_THAT(error_of("a b", ""), HasSubstr("encoding.sentence needs encoding.reordered"));
  EXPECT_THAT(error_of("", "b a"), HasSubstr("encoding.reordered needs encoding.sentence"));
}

TEST(Orders, AreTheSameToABidirectionalModelWithoutAnEncoding) {
  const OrderComparison one = compare_orders(cat_and_mouse, "none", small(), 1).at(0);
  ASSERT_FALSE(one.causal);
  EXPECT_LT(ordinal::testing::largest_difference(one.attention, one.reordered), 1e-12);
  EXPECT_LT(difference(one), 1e-12);
  const auto [least, most] = std::ranges::minmax(one.attention.span());
  EXPECT_GT(most - least, 0.05);  // words do differ
}

TEST(Orders, DifferToACausalModelWithoutAnEncoding) {
  const OrderComparison one = compare_orders(cat_and_mouse, "none", small(), 1).at(1);
  ASSERT_TRUE(one.causal);
  EXPECT_EQ(one.attention(cat, mouse), 0.0);   // comes later
  EXPECT_GT(one.reordered(cat, mouse), 0.01);  // comes earlier
  EXPECT_GT(difference(one), 0.1);
}

TEST(Orders, DifferWithEachEncoding) {
  for (const EncodingEntry& entry : encodings().entries()) {
    if (entry.acts_on.empty()) continue;
    const auto all = compare_orders(cat_and_mouse, entry.name, small(), 1);
    ASSERT_EQ(all.size(), entry.causal_only ? 3U : 4U) << entry.name;
    for (std::size_t i = 2; i < all.size(); ++i) {
      EXPECT_EQ(all[i].encoding, entry.name);
      const bool counts_keys_alone = entry.name == "ssmax" && !all[i].causal;  // the same for every query
      EXPECT_EQ(difference(all[i]) > 1e-3, !counts_keys_alone) << entry.name;
    }
  }
}

TEST(Orders, GiveAttentionThatSumsToOne) {
  for (const OrderComparison& one : compare_orders(cat_and_mouse, "rope", small(), 1)) {
    for (const Tensor<double>* map : {&one.attention, &one.reordered}) {
      for (Index i = 0; i < cat_and_mouse.size(); ++i) {
        double sum = 0.0;
        for (Index j = 0; j < cat_and_mouse.size(); ++j) sum += (*map)(i, j);
        EXPECT_NEAR(sum, 1.0, 1e-12);
      }
    }
  }
}

TEST(SentenceStudy, WritesBothMapsAndATableWithALineForEachModel) {
  const auto out = std::filesystem::path(::testing::TempDir()) / "sentence_study_test";
  std::filesystem::remove_all(out);
  const auto comparisons = compare_orders(cat_and_mouse, "rope(base=500)", small(), 1);
  StudyFiles study{out};
  study_sentences(cat_and_mouse, comparisons, study);
  for (const auto& file : study.written) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_THAT(study.text, HasSubstr("attention of 'cat' on 'mouse'"));
  EXPECT_EQ(std::ranges::count(study.text, '\n'), 4 + 4);
  const std::string csv = read_file(out / "sentences.csv");
  EXPECT_THAT(csv, HasSubstr("none,causal,cat,mouse,0,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 4 * 25);
  EXPECT_THAT(read_file(out / "sentence_outputs.csv"), HasSubstr("\nnone,causal,the (1),0\n"));
  EXPECT_THAT(read_file(out / "sentence-rope-causal.svg"), HasSubstr("mouse"));
}

}  // namespace
}  // namespace ordinal::experiments

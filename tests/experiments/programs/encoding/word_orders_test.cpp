// What attention makes of the order of words.
#include "experiments/programs/encoding/word_orders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "framework/core/errors.h"
#include "framework/core/text.h"
#include "framework/positional/positional_encoding.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;

WordOrders orders(const std::string& encoding, const std::string& sentence = "dog bites man",
                  const std::string& reordered = "man bites dog") {
  return compare_word_orders(sentence, reordered, encoding, {.d_model = 16, .heads = 2, .n_kv_heads = 2}, 1);
}

// The columns of the line of a model: attention in both orders, and the largest change.
std::vector<double> line_of(const Grid& table, const std::string& model) {
  const auto line = std::ranges::find_if(table.lines, [&](const auto& one) { return one[0].text == model; });
  EXPECT_NE(line, table.lines.end()) << model;
  std::vector<double> numbers;
  for (std::size_t c = 1; c < line->size(); ++c) numbers.push_back(parse_real((*line)[c].text).value());
  return numbers;
}

double change(const std::string& encoding, const std::string& model, const std::string& sentence,
              const std::string& reordered) {
  return line_of(orders(encoding, sentence, reordered).table, encoding + model)[2];
}

TEST(WordOrders, AreTheSameToABidirectionalModelWithoutAnEncoding) {
  const std::vector<double> line = line_of(orders("none").table, "none, bidirectional");
  EXPECT_EQ(line[0], line[1]);
  EXPECT_GT(line[0], 0.01);
  EXPECT_LT(line[2], 1e-12);
}

TEST(WordOrders, DifferToACausalModelWithoutAnEncoding) {
  const std::vector<double> line = line_of(orders("none").table, "none, causal");
  EXPECT_EQ(line[0], 0.0);   // "man" comes later
  EXPECT_GT(line[1], 0.01);  // and earlier
  EXPECT_GT(line[2], 0.1);
}

TEST(WordOrders, DifferWithEachEncoding) {
  for (const EncodingEntry& entry : encodings().entries()) {
    if (entry.acts_on.empty()) continue;
    EXPECT_GT(change(entry.name, ", causal", "dog bites man", "man bites dog"), 1e-3) << entry.name;
    if (entry.causal_only) continue;
    const bool counts_keys_alone = entry.name == "ssmax";  // the same for every query
    const double seen = change(entry.name, ", bidirectional", "dogs bite old men", "old men bite dogs");
    EXPECT_EQ(seen > 1e-3, !counts_keys_alone) << entry.name;
  }
}

// Distances without a direction are the same in both.
TEST(WordOrders, OfASentenceAndItsMirrorImageAreTheSameToASymmetricBias) {
  EXPECT_LT(change("alibi", ", bidirectional", "dog bites man", "man bites dog"), 1e-12);
  EXPECT_GT(change("rope", ", bidirectional", "dog bites man", "man bites dog"), 1e-3);
}

TEST(WordOrders, AreDrawnWithoutAndWithTheEncodingInTheOrderOfTheSentence) {
  const WordOrders both = orders("rope");
  EXPECT_EQ(both.table.lines.size(), 4U);
  EXPECT_EQ(both.table.headings[2], "man bites dog");
  const auto& cells = both.picture.cells;
  ASSERT_EQ(cells.size(), 7U);  // three words, a gap, three words
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(cells[i][j], cells[i][j + 4]) << "without an encoding";
  }
  EXPECT_EQ(both.picture.options.y_ticks[6 - 1].text, "man");
  EXPECT_EQ(orders("none").picture.cells.size(), 3U);
  EXPECT_EQ(orders("xpos").table.lines.size(), 3U) << "it needs a causal model";
}

// Each "the" is compared with that of the same rank; in the middle, nothing moves.
TEST(WordOrders, PairOccurrencesOfAWordInTurn) {
  const WordOrders cat = orders("none", "the cat ate the mouse", "the mouse ate the cat");
  EXPECT_THAT(cat.table.title, HasSubstr("Attention of “cat” on “mouse”"));
  EXPECT_LT(line_of(cat.table, "none, bidirectional")[2], 1e-12);
}

TEST(WordOrders, NeedTheSameWordsInDifferentOrders) {
  for (const auto& [sentence, reordered] : {std::pair{"a b", "b c"},
                                            {"a b", "b b a"},
                                            {"a a b", "b a"},
                                            {"a b a", "a  b a "},
                                            {"a", "a"},
                                            {"", ""},
                                            {"a b", ""}}) {
    EXPECT_THAT(message_of<ConfigError>([a = sentence, b = reordered] { orders("rope", a, b); }),
                HasSubstr(std::string("encoding.reordered: got '") + reordered +
                          "', expected the words of encoding.sentence = " + sentence + " in another order"));
  }
}

}  // namespace
}  // namespace ordinal::experiments

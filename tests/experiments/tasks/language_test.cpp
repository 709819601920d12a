// The built-in language: its documents are consistent, and the task's labels are exact.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/experiments/tasks/examples.h"
#include "tests/experiments/tasks/language_reader.h"

namespace ordinal::experiments::testing {
namespace {

struct Document {
  std::string text;           // tokens, and the last target
  std::vector<Label> labels;  // of each symbol but the first
};

Document document(const Task& task, const ExampleKey& key, Index length) {
  auto [tokens, targets] = example(task, key, length);
  tokens.push_back(targets.back());
  return {task.alphabet().decode(tokens), labels(task, key, length)};
}

// The letters that follow each letter, counted and sorted: the predictor does not take them from the
// generator.
std::map<char, std::string> counted_orders(const Task& task) {
  std::map<char, std::map<char, int>> followers;
  for (std::uint32_t example = 0; example < 40; ++example) {
    const Document one = document(task, {Split::training, 3, 0, example}, 20'000);
    for (std::size_t i = 1; i < one.text.size(); ++i) {
      if (one.labels[i - 1].token_class == 0 && one.text[i] != ' ') ++followers[one.text[i - 1]][one.text[i]];
    }
  }
  std::map<char, std::string> orders;
  for (const auto& entry : followers) {
    const std::map<char, int>& counts = entry.second;
    const auto count = [&](char c) { return counts.contains(c) ? counts.at(c) : 0; };
    std::string order = "abcdefghijklmnop";
    std::ranges::stable_sort(order, [&](char a, char b) { return count(a) > count(b); });
    orders[entry.first] = order;
  }
  return orders;
}

struct Grammar {
  int names;
  std::size_t values;
  double definitions;
};

class Language : public ::testing::TestWithParam<Grammar> {
 protected:
  std::unique_ptr<Task> task_ =
      make_task(fmt::format("language(names={}, values={}, definitions={})", GetParam().names,
                            GetParam().values, GetParam().definitions));
};

// The oracle's bits equal those of a predictor written from the grammar only. Ranks of very rare letters
// cannot be counted and are not tested.
TEST_P(Language, TheOracleIsAReaderWhoKnowsTheGrammar) {
  const auto orders = counted_orders(*task_);
  Index compared = 0;
  for (std::uint32_t example = 0; example < 20; ++example) {
    const Document one = document(*task_, {Split::validation, 5, 0, example}, 1000);
    LanguageReader reader(GetParam().names, GetParam().values, GetParam().definitions, orders);
    reader.read(one.text[0]);
    for (std::size_t i = 1; i < one.text.size(); ++i) {
      const auto p = reader.next();
      double all = 0.0;
      for (const auto& [symbol, share] : p) all += share;
      ASSERT_NEAR(all, 1.0, 1e-12);
      ASSERT_TRUE(p.contains(one.text[i])) << one.text.substr(0, i + 1);
      const Label& label = one.labels[i - 1];
      EXPECT_EQ(label.token_class == 0, reader.in_word());
      EXPECT_EQ(label.token_class == 1, reader.recalls());
      EXPECT_EQ(label.conflict == Conflict::contested, reader.contested()) << one.text.substr(0, i + 1);
      EXPECT_EQ(label.source, reader.source());
      EXPECT_EQ(label.majority.has_value(), reader.recalls());
      EXPECT_TRUE(!label.majority.value_or(false) || reader.seen().at(one.text[i]) == reader.most());
      if (!reader.in_word() || p.at(one.text[i]) > 0.01) {
        EXPECT_NEAR(label.oracle_bits, -std::log2(p.at(one.text[i])), 1e-9) << one.text.substr(0, i + 1);
        ++compared;
      }
      reader.read(one.text[i]);
    }
  }
  EXPECT_GT(compared, 19'000);
}

// With several values, a reader that ignores order is right in no more than its share of contested recalls.
class LanguageOfSeveralValues : public Language {};

TEST_P(LanguageOfSeveralValues, HidesContestedRecallsFromReadersWithoutOrder) {
  const double share = 1.0 / static_cast<double>(GetParam().values);
  for (const Index length : {64, 256, 1024}) {
    double contested = 0.0;
    double majority = 0.0;
    double draw = 0.0;
    for (std::uint32_t example = 0; example < 200'000 / length; ++example) {
      for (const Label& label : document(*task_, {Split::validation, 9, 0, example}, length).labels) {
        if (label.conflict != Conflict::contested) continue;
        contested += 1.0;
        majority += label.majority.value() ? 1.0 : 0.0;
        draw += label.draw.value() ? 1.0 : 0.0;
      }
    }
    ASSERT_GT(contested, 1000) << length;
    const double most = share + 3.0 * std::sqrt(share * (1.0 - share) / contested);
    EXPECT_LT(majority / contested, most) << length;
    EXPECT_LT(draw / contested, most) << length;
  }
}

const std::vector<Grammar> several_values = {{2, 5, 0.3}, {12, 5, 0.1}, {26, 3, 0.15}};
INSTANTIATE_TEST_SUITE_P(OneValue, Language,
                         ::testing::Values(Grammar{2, 1, 0.15}, Grammar{8, 1, 0.15}, Grammar{26, 1, 0.15}));
INSTANTIATE_TEST_SUITE_P(SeveralValues, Language, ::testing::ValuesIn(several_values));
INSTANTIATE_TEST_SUITE_P(All, LanguageOfSeveralValues, ::testing::ValuesIn(several_values));

// The share of recalls for which `counts` is true.
template <typename Counts>
double share_of_recalls(const std::string& language, Index length, Counts counts) {
  const auto task = make_task(language);
  double counted = 0.0;
  double recalled = 0.0;
  for (std::uint32_t example = 0; example < 64'000 / length; ++example) {
    for (const Label& label : document(*task, {Split::validation, 1, 0, example}, length).labels) {
      recalled += label.token_class == 1 ? 1.0 : 0.0;
      counted += counts(label) ? 1.0 : 0.0;
    }
  }
  return counted / recalled;
}

// At 8x some names must be recalled from further away than the training length.
TEST(LanguageTask, LongerDocumentsAskForWhatIsFurtherAway) {
  EXPECT_GT(share_of_recalls("language", 512, [](const Label& label) { return label.source > 64; }), 0.04);
}

// With one value few recalls of short documents are contested, with several many at every length.
TEST(LanguageTask, ContestsRecallsAtEveryLength) {
  const auto share = [](const std::string& language, Index length) {
    return share_of_recalls(language, length,
                            [](const Label& label) { return label.conflict == Conflict::contested; });
  };
  const std::string one = "language(names=26, values=1, definitions=0.15)";
  EXPECT_LT(share(one, 64), 0.02);
  EXPECT_GT(share(one, 512), 0.05);
  EXPECT_NEAR(share("language", 64), 0.21, 0.03);
  EXPECT_NEAR(share("language", 512), 0.12, 0.03);
}

}  // namespace
}  // namespace ordinal::experiments::testing

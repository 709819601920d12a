// What an experiment compares: from [compare] and [row NAME] to labelled settings.
#include "experiments/settings/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/settings/command.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Pair;

const DriverDescription driver{.name = "extrapolation",
                               .summary = "",
                               .sections = {"experiment", "task", "model", "train", "finetune", "evaluate"},
                               .builds = Builds::rows};

Settings rows_of_words(const std::vector<std::string>& words) { return parsed(driver, words).settings; }

// The settings that a config file with this text gives.
Settings settings_from(const std::string& text) { return rows_of_words({"--config", config("a.cfg", text)}); }

std::string problems_of_rows(const std::vector<std::string>& words) {
  return joined(refusals(driver, words), "\n");
}
std::string problems_of_text(const std::string& text) {
  return problems_of_rows({"--config", config("wrong.cfg", text)});
}

std::vector<std::string> labels(const std::vector<Row>& rows) {
  std::vector<std::string> labels;
  for (const Row& row : rows) labels.push_back(row.label);
  return labels;
}
std::vector<std::string> labels(const Settings& settings) { return labels(rows_of(settings)); }

std::vector<std::string> folders(const Settings& settings) {
  std::vector<std::string> folders;
  for (const Row& row : rows_of(settings)) folders.push_back(row.folder);
  return folders;
}

std::vector<std::string> values(const Settings& settings, const std::string& key) {
  std::vector<std::string> values;
  for (const Row& row : rows_of(settings)) values.push_back(row.settings.text(key));
  return values;
}

TEST(Rows, AreAllCombinationsThenThoseThatAreWrittenOut) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"", {"sinusoidal"}},
           {"[model]\nencoding = rope(base=500)@contiguous:yarn\n", {"rope(base=500)@contiguous:yarn"}},
           {"[compare]\ntask.name = copy(symbols=5), copy(symbols=9)\nmodel.encoding = rope\n",
            {"name = copy(symbols=5), rope", "name = copy(symbols=9), rope"}},
           // The last factor is the fastest.
           {"[compare]\nmodel.encoding = rope, rope(base=500, pairing=half)\nmodel.d_model = 32, 64\n",
            {"rope, d_model = 32", "rope, d_model = 64", "rope(base=500, pairing=half), d_model = 32",
             "rope(base=500, pairing=half), d_model = 64"}},
           {"[row big]\nmodel.d_model = 128\n[compare]\nmodel.d_model = 32, 64\n",
            {"d_model = 32", "d_model = 64", "big"}},
           {"[compare]\nmodel.encoding = rope, none\n[row big]\nmodel.d_model = 128\n",
            {"rope", "none", "big"}},
           // What is tuned makes no rows.
           {"[compare]\nmodel.encoding = rope, none\n[compare]\ntune.train.learning_rate = 1e-3, 3e-3\n",
            {"rope", "none"}},
           {"[compare]\ntune.train.learning_rate = 1e-3, 3e-3\n", {"sinusoidal"}}})
    EXPECT_EQ(labels(settings_from(text)), expected) << text;
}

TEST(Rows, OfOneFactorDifferInItsKeyAloneAndCompareNothingThemselves) {
  const Settings settings = settings_from("[compare]\nmodel.d_model = 32, 64, 128\n[train]\nbatch = 4\n");
  const std::vector<Row> rows = rows_of(settings);
  EXPECT_THAT(values(settings, "model.d_model"), ElementsAre("32", "64", "128"));
  EXPECT_THAT(rows[2].factors, ElementsAre(Pair("model.d_model", "128")));
  for (Row row : rows) {
    EXPECT_FALSE(row.settings.has_rows());
    row.settings.reset("model.d_model");
    Settings plain = settings;
    plain.forget_comparison();
    EXPECT_EQ(row.settings.print_config(), plain.print_config());
  }
  EXPECT_THAT(rows_of(Settings())[0].factors, ElementsAre(Pair("model.encoding", "sinusoidal")));
}

TEST(Rows, OfALaterSourceWinInTheOrderInWhichFactorsWereFirstGiven) {
  const std::string path =
      config("order.cfg", "[compare]\nmodel.d_model = 32, 64\nmodel.encoding = rope, none\n");
  EXPECT_THAT(
      labels(rows_of_words({"--config", path, "--compare.model.d_model=16,8"})),
      ElementsAre("d_model = 16, rope", "d_model = 16, none", "d_model = 8, rope", "d_model = 8, none"));
  const std::string other = config("other.cfg", "[compare]\nmodel.encoding = alibi, t5\n");
  EXPECT_THAT(labels(rows_of_words({"--config", path, "--config", other, "--compare.model.d_model=8"})),
              ElementsAre("d_model = 8, alibi", "d_model = 8, t5"));
}

// So that a later file can compare something else.
TEST(Rows, OfEarlierFilesAreRemovedByAnEmptyValue) {
  const std::string rows =
      config("rows.cfg",
             "[compare]\nmodel.encoding = rope, none\nmodel.layers = 1, 2\n[row t5]\nmodel.encoding = t5\n");
  const std::string empty = config("b.cfg", "[compare]\nmodel.encoding =\n[model]\nencoding = alibi\n");
  const Settings settings = rows_of_words({"--config", rows, "--config", empty});
  EXPECT_THAT(labels(settings), ElementsAre("layers = 1", "layers = 2"));
  EXPECT_THAT(values(settings, "model.encoding"), ElementsAre("alibi", "alibi"));
  EXPECT_EQ(labels(settings_from(settings.resolved_config())), labels(settings));
  EXPECT_THAT(labels(rows_of_words({"--config", rows, "--config", empty, "--compare.model.layers="})),
              ElementsAre("alibi"));
}

TEST(Rows, ThatAreWrittenOutHaveTheirNameAndNoFactors) {
  const Settings settings = settings_from(
      "[model]\nencoding = rope\n"
      "[row squeezed and fine-tuned]\nmodel.encoding = rope@contiguous:interpolated\nfinetune.steps = 200\n"
      "[row as it is]\n");
  EXPECT_THAT(labels(settings), ElementsAre("squeezed and fine-tuned", "as it is"));
  for (const Row& row : rows_of(settings)) EXPECT_THAT(row.factors, IsEmpty());
  EXPECT_THAT(values(settings, "model.encoding"), ElementsAre("rope@contiguous:interpolated", "rope"));
  EXPECT_THAT(values(settings, "finetune.steps"), ElementsAre("200", "0"));
}

// Sections of the same name are one row, in several files as in one; the later value wins.
TEST(Rows, OfTheSameNameInSeveralFilesAreOne) {
  const std::string first = config("first.cfg", "[row a]\nmodel.d_model = 32\nmodel.layers = 1\n");
  const std::string second = config("second.cfg", "[row b]\n[row a]\nmodel.d_model = 16\n");
  const Settings settings = rows_of_words({"--config", first, "--config", second});
  EXPECT_THAT(labels(settings), ElementsAre("a", "b"));
  EXPECT_THAT(values(settings, "model.d_model"), ElementsAre("16", "64"));
  EXPECT_THAT(values(settings, "model.layers"), ElementsAre("1", "2"));
}

TEST(Rows, MayHaveSeveralFiles) {
  const Settings settings = settings_from(
      "[task]\nname = text\nfile = x.txt\n[row two]\ntask.file = a b.txt\ntask.file = c.txt\n[row one]\n");
  for (const Settings& one : {settings, settings_from(settings.resolved_config())})
    EXPECT_THAT(values(one, "task.file"), ElementsAre("a b.txt\nc.txt", "x.txt"));
}

// Brackets and spaces would need quotes in a shell. A folder holds results: other rows, or another order, must not move it.
TEST(Rows, HaveFoldersOfTheirOwnThatNeedNoQuotes) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"[compare]\nmodel.encoding = none, sinusoidal+alibi, rope@contiguous:yarn, "
            "rope(base=500, pairing=half)\n",
            {"none", "sinusoidal+alibi", "rope@contiguous:yarn", "rope_base=500_pairing=half"}},
           {"[compare]\nmodel.d_model = 32, 64\n", {"d_model=32", "d_model=64"}},
           {"[row ../up & 'away' $x]\n[row .]\n[row ü]\n", {"row.._up--away-x", "row.", "ü"}},
           {"[row a b]\n[row ab]\n[row ab_2]\n", {"a-b", "ab", "ab_2"}}})
    EXPECT_EQ(folders(settings_from(text)), expected) << text;
  EXPECT_THAT(message_of<ConfigError>([] { folders(settings_from("[row ab]\n[row a!b]\n[row c]\n")); }),
              "[row a!b]: its folder, ab, is that of [row ab]; rename one of them");
}

// File systems take 255 bytes, and pictures append to the name.
TEST(Rows, HaveFoldersWithNamesOfBoundedLength) {
  const std::string most(220, 'x');
  EXPECT_EQ(folder_of(most), most);
  EXPECT_THAT(folder_of(most + "y"), MatchesRegex(std::string(211, 'x') + "\\.[0-9a-f]+"));
  EXPECT_NE(folder_of(most + "y"), folder_of(most + "z"));
  EXPECT_LE(folder_of(most + "y").size(), 220U);
}

TEST(Rows, ThatCannotBeAreRefused) {
  for (const auto& [text, problem] : std::vector<std::pair<std::string, std::string>>{
           {"[compare]\nmodel.encoding = rope, none, rope\n",
            "[row rope]: it is listed more than once, expected values in [compare] and names of rows that "
            "differ"},
           {"[compare]\nmodel.encoding = rope, none\n[row rope]\nmodel.d_model = 32\n",
            "[row rope]: it is listed more than once, expected values"},
           {"[compare]\nmodel.encoding = rope(base=500, pairing=half), rope( base=500,pairing = half )\n",
            "[row rope( base=500,pairing = half )]: it is listed more than once, expected values"},
           {"[compare]\ntrain.learning_rate = 3e-3, 0.003\n",
            "[row learning_rate = 0.003]: it is listed more than once, expected values"},
           {"[compare]\nmodel.d_model = 32, x\n",
            "wrong.cfg:2: compare.model.d_model: got 'x', expected a whole number"},
           {"[row a]\nmodel.d_model = x\n",
            "wrong.cfg:2: [row a] model.d_model: got 'x', expected a whole number"},
           {"[compare]\nmodel.d_model =\n", "got none, expected at least one value"},
           {"[compare]\nmodel.encoding = rope(bas=500), none\n",
            "rope has no option bas (did you mean base?), expected one of"}})
    EXPECT_THAT(problems_of_text(text), HasSubstr(problem)) << text;
}

// The same lengths, batches and seeds for all rows; otherwise they would not be comparable.
TEST(Rows, DifferOnlyInWhatMakesAModel) {
  const std::string refusal = ": rows cannot differ in it, expected a key of task, model, train or finetune";
  for (const std::string key :
       {"evaluate.batches", "experiment.seeds", "benchmark.steps", "train.seed", "train.log_every"}) {
    EXPECT_THAT(problems_of_text("[compare]\n" + key + " = 1, 2\n"),
                HasSubstr("wrong.cfg:2: compare." + key + refusal));
    EXPECT_THAT(problems_of_text("[row a]\n" + key + " = 1\n"),
                HasSubstr("wrong.cfg:2: [row a] " + key + refusal));
    EXPECT_EQ(problems_of_rows({"--compare." + key + "=1"}), "command line: compare." + key + refusal);
  }
}

TEST(ResolvedConfig, OfAComparisonGivesTheSameRows) {
  const Settings given = settings_from(
      "[compare]\nmodel.encoding = rope(base=500, pairing=half), sinusoidal+t5(buckets=8), "
      "rope@contiguous:yarn\n"
      "[compare]\nmodel.layers = 1, 2\ntune.train.learning_rate = 1e-3, 3e-3\n"
      "[row wide, slow]\nmodel.d_model = 128\ntrain.learning_rate = 1e-4\n"
      "[row several branches]\nmodel.block = conv(kernel=3), attention, feed_forward(activation=relu)\n"
      "[row as it is]\n"
      "[row a.b (c = d)]\nfinetune.steps = 20\n"
      "[train]\nsteps = 50\n");
  const Settings again = settings_from(given.resolved_config());
  const std::vector<Row> before = rows_of(given);
  const std::vector<Row> after = rows_of(again);
  ASSERT_EQ(before.size(), 10U);
  EXPECT_EQ(labels(after), labels(before));
  EXPECT_EQ(folders(again), folders(given));
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    EXPECT_EQ(after[i].factors, before[i].factors);
    EXPECT_EQ(after[i].settings.resolved_config(), before[i].settings.resolved_config());
  }
  EXPECT_EQ(again.resolved_config(), given.resolved_config());
  ASSERT_EQ(again.tuned().size(), 1U);
  EXPECT_EQ(again.tuned()[0].key, "train.learning_rate");
  EXPECT_THAT(again.tuned()[0].values, ElementsAre("1e-3", "3e-3"));
}

TEST(PrintConfig, IsAConfigWithOrigins) {
  const std::string path = config(
      "print.cfg", "[compare]\nmodel.d_model = 32, 64\ntune.train.batch = 4, 8\n[row a]\nmodel.layers = 1\n");
  const Settings given = rows_of_words({"--config", path, "--train.steps=7"});
  for (const std::string& line : std::vector<std::string>{
           "steps = 7 +# command line", "heads = 4 +# default", "model.d_model = 32, 64 +# " + path + ":2",
           "tune.train.batch = 4, 8 +# " + path + ":3", "\\[row a\\]\nmodel.layers = 1 +# " + path + ":5"})
    EXPECT_THAT(given.print_config(), ContainsRegex("\n" + line + "\n"));
  EXPECT_EQ(settings_from(given.print_config()).resolved_config(), given.resolved_config());
}

}  // namespace
}  // namespace ordinal::experiments

#include "experiments/settings/settings.h"
#include "experiments/settings/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "experiments/experiment/cell.h"
#include "framework/core/errors.h"
#include "tests/experiments/with.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// What building all rows says; empty if they can be built.
std::string problem_of(const Settings& settings) {
  return message_of<std::exception>([&] {
    Entrants makers;
    for (const Row& row : rows_of(settings)) makers.make(row);
  });
}

// The same for the defaults with these values, each of which its key may have to reject.
std::string problem_of(const Values& values) {
  for (const auto& [key, value] : values) {
    const std::string problem = complaint(*find_key(key), value);
    if (!problem.empty()) return problem;
  }
  return problem_of(with(values, command_line_origin));
}

TEST(Settings, FromAMapTakesKeysAndPassesOverNamesOutsideTheSections) {
  const Settings settings = read_values({{"model.heads", "8"}, {"step", "100"}}, "file");
  EXPECT_EQ(settings->model.config.heads, 8);
  EXPECT_EQ(settings.origin("model.heads"), "file");
  EXPECT_THAT(message_of<ConfigError>([] {
                read_values({{"model.heads", "many"}}, "file");
              }),
              HasSubstr("file: model.heads: got 'many'"));
}

TEST(Seeds, ANumberCountsAndAListNames) {
  EXPECT_THAT(seeds(with({{"experiment.seeds", "3"}})), ElementsAre(1U, 2U, 3U));
  EXPECT_THAT(seeds(with({{"experiment.seeds", "7,0, 2"}})), ElementsAre(7U, 0U, 2U));
  EXPECT_THAT(seeds(with({{"experiment.seeds", "5,"}})), ElementsAre(5U));
  const auto refusal = [](const std::string& wrong) {
    return message_of<ConfigError>([&] { seeds(with({{"experiment.seeds", wrong}})); });
  };
  for (const std::string wrong : {"0", "-1", "x", "1,1", "1,-1", "", ",", "1001", "5..10"})
    EXPECT_EQ(refusal(wrong), "experiment.seeds: got '" + wrong +
                                  "', expected a number of seeds from 1 to 1000 (3: seeds 1 to 3), or a "
                                  "list of different seeds such as 1,2,7 (7,: seed 7 alone)");
}

TEST(EvaluationLengths, AreAbsoluteOrMultiplesInAscendingOrder) {
  EXPECT_THAT(evaluation_lengths(with({{"evaluate.lengths", "4x, 100, 1x, 1.5x, 64"}})),
              ElementsAre(64, 96, 100, 256));
  for (const std::string wrong : {"0", "0x", "x", "-3", "4y", "1e99x"}) {
    EXPECT_THROW(evaluation_lengths(with({{"evaluate.lengths", wrong}})), ConfigError) << wrong;
  }
}

TEST(EvaluationLengths, ThatAreTooLargeAreNotMalformed) {
  for (const std::string large : {"100000001", "100000000x", "1e99x", "99999999999999999999"})
    EXPECT_EQ(message_of<ConfigError>([&] {
                evaluation_lengths(with({{"evaluate.lengths", large}}));
              }),
              "evaluate.lengths: got '" + large + "', which is too large, expected at most 100000000 tokens");
}

// "128 window(size=4)".
std::vector<std::string> tests_with(const std::string& conditions) {
  std::vector<std::string> texts;
  for (const auto& [length, condition] : tests_of(with({{"evaluate.conditions", conditions}})))
    texts.push_back(std::to_string(length) + " " + condition);
  return texts;
}

TEST(Tests, AreOfEachConditionAtAllLengthsOrThoseBehindIt) {
  EXPECT_THAT(tests_with("trained"), ElementsAre("64 trained", "128 trained", "256 trained", "512 trained"));
  const std::string conditions = "trained, window(size=4)@8x+2x, shifted@64";
  EXPECT_THAT(tests_with(conditions),
              ElementsAre("64 trained", "64 shifted", "128 trained", "128 window(size=4)", "256 trained",
                          "512 trained", "512 window(size=4)"));
  const Settings settings = with({{"evaluate.conditions", conditions}});
  EXPECT_EQ(conditions_text(settings), "trained, window(size=4)@128+512, shifted@64");
  EXPECT_EQ(conditions_text(with({{"evaluate.conditions", "trained,window@1x+2x+4x+8x"}})), "trained, window")
      << "as if no length were named";
}

TEST(Tests, RefuseLengthsThatThereAreNot) {
  for (const auto& [conditions, problem] :
       {std::pair("trained, window@16x",
                  "evaluate.conditions: window@16x: got 16x, expected one of evaluate.lengths = 1x, 2x, 4x, "
                  "8x (add it there, or leave it out here)"),
        std::pair("trained, window@much", "evaluate.conditions: got 'much', expected a length such as 256"),
        std::pair("window(size=4)@8x, trained",
                  "evaluate.conditions: window(size=4)@8x: got some lengths, expected all for the first "
                  "condition, that of the main tables (write window(size=4), or another first)"),
        std::pair("trained, window@8x, window@4x", "window is listed more than once"),
        std::pair("trained, windw@8x", "got 'windw' (did you mean window?), expected one of trained"),
        std::pair("trained, window@8x(a=1)",
                  "evaluate.conditions: got '8x(a=1)', expected a length such as 256"),
        std::pair("trained, window@8x@4x", "@8x@4x', expected a condition, or condition@8x")})
    EXPECT_THAT(problem_of({{"evaluate.conditions", conditions}}), HasSubstr(problem));
}

// 2, 4, 8x: the first two were meant as multiples.
TEST(EvaluationLengths, ThatMayBeMeantAsMultiplesAreSaid) {
  EXPECT_EQ(doubtful_lengths(with({{"evaluate.lengths", "2, 4, 8x, 100"}})),
            "warning: evaluate.lengths has 2, 4, below the training length, 64 (2x: twice as long)\n");
  for (const std::string clear : {"2, 4, 100", "0.5x, 1x, 2x", "1x, 64, 100"})
    EXPECT_EQ(doubtful_lengths(with({{"evaluate.lengths", clear}})), "") << clear;
}

// 0.145 · 100 is 14.499999999999998 in doubles.
TEST(EvaluationLengths, AreTheNearestToAMultipleAHalfUp) {
  EXPECT_THAT(
      evaluation_lengths(with({{"task.train_length", "100"}, {"evaluate.lengths", "0.145x, 1.005x"}})),
      ElementsAre(15, 101));
}

TEST(Contradictions, AreFoundWhereRowsAreBuilt) {
  for (const auto& [values, problem] : std::vector<std::pair<Values, std::string>>{
           {{{"model.d_model", "9"}, {"model.heads", "3"}}, "sinusoidal: needs an even width"},
           {{{"model.encoding", "rope(rotary_fraction=0.2)"}}, "expected an even number of at least 2"},
           {{{"model.encoding", "grape_m"}, {"model.d_model", "12"}},
            "expected an even number of at least 2"},
           {{{"model.encoding", "none@contiguous:spaced"}},
            "positions = spaced would change nothing: none takes no positions"},
           {{{"model.encoding", "rope@yarn(yarn_beta=1)"}}, "yarn_alpha = 1 is not below yarn_beta = 1"},
           {{{"model.encoding", "cope"}, {"task.name", "reverse_string"}}, "cope"},
           {{{"model.n_kv_heads", "3"}},
            "heads 4 is not divisible by n_kv_heads 3 (change model.heads or model.n_kv_heads)"},
           // A block without attention has no heads.
           {{{"model.block", "conv, attention"}, {"model.heads", "5"}, {"model.n_kv_heads", "3"}},
            "d_model 64 is not divisible by heads 5 (change model.d_model or model.heads)"},
           {{{"train.shards", "6"}}, "got 6, expected a power of two, or 0 for automatic"},
           {{{"train.shards", "64"}}, "exceeds train.batch = 32"},
           {{{"train.warmup", "2000"}},
            "train.warmup = 2000 exceeds train.steps = 1000; lower train.warmup or raise train.steps"},
           {{{"task.name", "text"}}, "set task.file"},
           {{{"experiment.name", "../up"}},
            "got '../up', expected a folder name of letters, digits and .+-_@:= without . in front, such as "
            "extrapolation"},
           {{{"experiment.name", ""}}, "got '', expected a folder name of"},
           {{{"evaluate.conditions", "trained, trained"}}, "trained is listed more than once"},
           {{{"finetune.length", "y"}, {"finetune.steps", "5"}}, "finetune.length: got 'y'"}})
    EXPECT_THAT(problem_of(values), HasSubstr(problem)) << problem;
  for (const Values& fine : std::vector<Values>{
           {{"model.d_model", "9"}, {"model.heads", "3"}, {"model.encoding", "sinusoidal(pad_odd=true)"}},
           {{"model.encoding", "rope@contiguous:yarn"}},
           {{"model.block", "conv, feed_forward"}, {"model.heads", "5"}, {"model.n_kv_heads", "3"}}})
    EXPECT_EQ(problem_of(fine), "");
}

// A decoder that sees what it is to predict has nothing to learn, and one that cannot see the input cannot answer.
TEST(Contradictions, IncludeAModelThatSeesTooMuchOrTooLittleForItsTask) {
  for (const auto& [task, right, wrong, problem] : std::vector<std::array<std::string, 4>>{
           {"language", "true", "false", "needs a causal model: a bidirectional one sees the answer"},
           {"sort", "true", "false", "needs a causal model: a bidirectional one sees the answer"},
           {"parity", "true", "false", "needs a causal model: a bidirectional one sees the answer"},
           {"bucket_sort", "false", "true", "needs a bidirectional model"}}) {
    EXPECT_EQ(problem_of({{"task.name", task}}), "") << task;
    EXPECT_EQ(problem_of({{"task.name", task}, {"model.causal", right}}), "") << task;
    EXPECT_THAT(
        problem_of({{"task.name", task}, {"model.causal", wrong}}),
        AllOf(HasSubstr("model.causal = " + wrong + " (command line), but task " + task + " " + problem),
              HasSubstr("expected " + right + " or auto")));
  }
}

TEST(Contradictions, NameTheirRow) {
  Settings settings;
  settings.add_to_section("row", "narrow", "model.heads", "5", "test");
  EXPECT_THAT(problem_of(settings), StartsWith("[row narrow] "));
}

}  // namespace
}  // namespace ordinal::experiments

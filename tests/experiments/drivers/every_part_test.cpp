// Every part of every registry at work: trained by an experiment, scored from its checkpoints, and every encoding and position
// scheme asked for text and drawn.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "experiments/conditions/condition.h"
#include "experiments/tasks/task.h"
#include "tests/experiments/drivers/experiment.h"
#include "tests/experiments/with.h"

namespace ordinal::experiments::testing {
namespace {

const std::string smallest = steps + "--model.d_model=8 --task.train_length=8 --train.batch=2 ";

Values task_values(const std::string& name) {
  const std::string task = name == "latest" ? "latest(names=2, letters=2, octaves=1)" : name;  // asks soon
  Values values = {{"task.name", task}, {"model.encoding", "none"}};
  if (!lacks_file({name})) return values;
  write("text.txt", std::string(2000, 'a'));
  values.emplace_back("task.file", (own_folder() / "text.txt").string());
  return values;
}

// What chooses a part of that kind, for a model that has nothing else than it needs.
Values choice_of(const PartKind& kind, const std::string& name) {
  if (kind.title == "tasks") return task_values(name);
  const auto setting = setting_of(kind, name);
  Values values = {{"task.name", name == "task" ? "copy" : "language"}};  // which gives positions
  if (setting.first != encoding_key) values.emplace_back(encoding_key, "none");
  values.push_back(setting);
  return values;
}

std::string metrics_of(const Values& values) {
  std::vector<std::string> ids;
  for (const MetricSpec& metric : task_of(with(values))->metrics()) ids.push_back(metric.id);
  return joined(ids);
}

// Both combined, and positions of training with other ones of the test.
const std::vector<std::string> mixed = {"learned@interpolated", "learned@contiguous:interpolated",
                                        "learned@random_float", "learned@randomized:spaced",
                                        "alibi@random_float",   "t5@randomized:contiguous",
                                        "sinusoidal+t5",        "sinusoidal+rope@contiguous:yarn"};

// Rows of an experiment by what they are scored by, since others cannot be compared: one for each part.
std::map<std::string, std::string> rows_by_metrics() {
  std::map<std::string, std::string> rows;
  for (const PartKind& kind : part_kinds()) {
    if (kind.title == "conditions") continue;  // all at once, below
    for (const PartInfo& part : kind.parts) {
      const Values values = choice_of(kind, part.name);
      std::string& of_metrics = rows[metrics_of(values)];
      of_metrics += fmt::format("[row {} {}]\n", kind.title, part.name);
      for (const auto& [key, value] : values) of_metrics += fmt::format("{} = {}\n", key, value);
    }
  }
  for (const std::string& encoding : mixed)
    rows[metrics_of({})] += fmt::format("[row mixed {}]\nmodel.encoding = {}\n", encoding, encoding);
  return rows;
}

// The weights of each model of a folder, and its first score.
std::set<std::pair<std::string, double>> weights_and_scores(const std::string& out) {
  std::set<std::pair<std::string, double>> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(own_folder() / out)) {
    if (entry.path().filename() != "result.json") continue;
    const CellResult result = cell_from_json(read_file(entry.path()));
    EXPECT_EQ(result.scores.front().why, "") << entry.path();
    all.emplace(result.weights_hash, wholes(result).front().value);
    EXPECT_TRUE(std::isfinite(wholes(result).front().value)) << entry.path();
  }
  return all;
}

// From a checkpoint in the folder of a row.
void expect_text_and_pictures(const std::filesystem::path& cell) {
  const std::string row = cell.parent_path().filename().string();
  const std::string model = "--quiet --model '" + (cell / "checkpoint.safetensors").string() + "' ";
  const bool table_ends = row.ends_with("-learned") || row.ends_with("-tupe");  // after 8 tokens
  const std::vector<Whole> scores = wholes(cell_from_json(read_file(cell / "result.json")));
  EXPECT_EQ(scores.at(conditions().names().size()).failed, table_ends)
      << row;  // as trained, at twice the length
  const Outcome text = run_program("generate", model + "--generate.length=" + (table_ends ? "7" : "30"));
  const Outcome drawn = run_program("encoding", model + "--encoding.seq_len=8 --out drawn");
  const int code = row == "positions-task" ? 2 : 0;  // nothing says which positions the tokens of a text have
  EXPECT_EQ(text.exit_code, code) << row << text.err;
  EXPECT_EQ(drawn.exit_code, code) << row << drawn.err;
  EXPECT_THAT(text.err,
              ::testing::HasSubstr(code == 0 ? "" : "positions = task: there is no example of a task"));
}

TEST(EveryPart, IsTrainedByAnExperimentAndScoredFromItsCheckpoints) {
  const std::string scored = " --evaluate.lengths=1x,2x --evaluate.batches=2 --evaluate.conditions='" +
                             joined(conditions().names()) + "' ";
  for (const auto& [metrics, rows] : rows_by_metrics()) {
    write("rows.cfg", rows);
    std::filesystem::remove_all(own_folder() / "run");
    std::filesystem::remove_all(own_folder() / "again");
    extrapolate(smallest + scored + "--experiment.seeds=1 --config rows.cfg --out run");
    const Outcome again = run_well(
        "evaluate", "--quiet --model run/cells/*/seed-1/checkpoint.safetensors --out again" + scored);
    EXPECT_EQ(weights_and_scores("again"), weights_and_scores("run")) << metrics;
    for (const std::string& cell : names_in("run/cells")) {
      if (cell.starts_with("positional-encodings-") || cell.starts_with("positions-") ||
          cell.starts_with("mixed-"))
        expect_text_and_pictures(own_folder() / "run/cells" / cell / "seed-1");
    }
  }
}

}  // namespace
}  // namespace ordinal::experiments::testing

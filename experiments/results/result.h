// The results of an experiment as plain structs: the driver fills them in, the report reads them. A
// CellResult (one row, one seed) is also a file, result.json. Read report.h next.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/results/statistics.h"
#include "experiments/tasks/metric.h"
#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// The condition under which models are tested as they were trained; for others see conditions/condition.h.
inline const std::string trained_condition = "trained";

/// One number, with all that says what it means: how well a row does that was trained with a seed, in one metric, at one length,
/// under one condition; or the score of a reader (tasks/reader.h). It goes from the scorer to tables and claims; seeds.csv has a line
/// for each.
struct Score {
  std::string row = {};  // its label; the name of a reader
  bool of_reader = false;
  std::uint64_t seed = 0;  // not of a reader
  Index length = 0;
  std::string condition = trained_condition;
  MetricSpec metric = {};            // one without targets at this length has no score
  double value = not_a_number;       // NaN or infinite if the model diverged
  double error = not_a_number;       // standard error of `value` from the choice of examples
  Index tokens = 0;                  // targets that belong to the metric; 0 if nothing was scored
  bool failed = false;               // the model cannot run there
  std::string why = {};              // why nothing was scored, in one line
  std::optional<bool> learned = {};  // whether the model learned its task; nothing: unknown
};

/// The score at a length under a condition, or null.
const Score* score_at(const std::vector<Score>& scores, const std::string& metric, Index length,
                      const std::string& condition = trained_condition);

/// The mean loss in bits at each position of a length; NaN where nothing is scored.
struct PositionLosses {
  Index length = 0;
  std::string condition = trained_condition;
  std::vector<double> bits = {};
};

/// One cell of the experiment: one row trained with one seed.
struct CellResult {
  std::string row;
  std::uint64_t seed = 0;
  Index parameters = 0;
  Index train_length = 0;     // of the first stage of training
  std::string note;           // shown in legends, such as "overflow = clamp"; may be empty
  std::vector<Score> scores;  // by length, then condition, then metric
  std::vector<PositionLosses> by_position;
  std::vector<std::pair<Index, double>> training_curve;  // (step, training loss in bits per token)
  double final_train_loss = not_a_number;                // bits per token
  double seconds = not_a_number;
  std::string weights_hash;
  std::string builds = {};    // all builds that trained it: "1.0.0 with portable products"
  std::string settings = {};  // all that it depends on, a line for each setting
};

/// The criterion for having learned the task, at the training length.
struct LearningGate {
  MetricSpec metric = {};
  double threshold = not_a_number;
  std::string text;  // "accuracy of recall of at least 0.95 at the training length"
};

/// One row of the comparison.
struct RowInfo {
  std::string label;
  std::vector<std::pair<std::string, std::string>> factors;  // (key, value), none for a written row
  std::vector<std::string> notes;         // what a reader of its scores must know, one line each
  std::string task = {};                  // on which it is tested, with its options
  std::string encoding = {};              // with its positions
  std::optional<LearningGate> gate = {};  // none if there is nothing to learn
};

/// How many seeds every row has, and how many it will have.
struct SeedsSoFar {
  Index done = 0;
  Index all = 0;
};

struct ExperimentResult {
  std::string name;
  std::string question;                 // one sentence
  std::vector<MetricSpec> metrics;      // headlines first; never empty
  std::string task;                     // one line: what is learned and how it is scored
  Index train_length = 0;               // of the first stage of training; 0 if rows differ in it
  std::vector<Index> lengths;           // columns of the table, ascending
  std::vector<std::string> conditions;  // at least one; the first is that of the main table
  std::map<std::string, std::set<Index>> limited =
      {};                     // lengths of conditions that are not tested at all lengths
  std::vector<RowInfo> rows;  // in the order of the table and of colours
  std::vector<CellResult> cells;
  std::optional<SeedsSoFar> so_far;  // of a run that goes on
  std::vector<Score> references;     // of baselines: n-grams, readers that ignore order, the oracle
  bool can_add_seeds = true;         // false: the seeds are those of given checkpoints
  std::string settings;              // resolved.cfg, verbatim
  std::string command;               // the command that reruns it
  std::vector<std::pair<std::string, std::string>> manifest;
};

/// The lengths at which models are tested under a condition, ascending.
std::vector<Index> lengths_under(const ExperimentResult& result, const std::string& condition);

/// Says of all scores whether their models learned, by the gate of their row: yes if the score at the training length reaches it,
/// unknown if there is no such score. Without a gate every model has.
void set_learned(ExperimentResult& result);

/// All scores, those of readers last.
std::vector<Score> all_scores(const ExperimentResult& result);

/// A line of metrics.jsonl. The loss and norm of a step that was not taken are NaN; so is the loss of one without a target.
struct LoggedStep {
  Index step = 0;
  double bits_per_token = not_a_number;
  double gradient_norm = not_a_number;
  double learning_rate = 0.0;
  double seconds = 0.0;  // of training up to it; last, because it differs from run to run
};

std::string to_json(const LoggedStep& step);
/// Inverse of to_json; nothing for any other text.
std::optional<LoggedStep> logged_step(const std::string& line);

/// manifest.json: what scripts must know about an experiment besides its scores.
std::string manifest_json(const ExperimentResult& result);

/// result.json: one JSON object. NaN is written as null, infinities as "inf" and "-inf". Its last value is a hash of the
/// others.
std::string to_json(CellResult cell);

/// Inverse of to_json. Throws DataError for any other text.
CellResult cell_from_json(const std::string& text, const std::vector<MetricSpec>& metrics = {});

}  // namespace ordinal::experiments

// The results of an experiment as plain structs: the driver fills them in, the report reads them. A
// CellResult (one row, one seed) is also a file, result.json. Read report.h next.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/results/statistics.h"
#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// The condition under which models are tested as they were trained; for others see conditions/condition.h.
inline const std::string trained_condition = "trained";

/// One metric of one model: a mean over the targets that belong to it.
struct Measurement {
  std::string metric;                    // MetricInfo::id
  double value = not_a_number;           // NaN or infinite if the model diverged
  double sampling_error = not_a_number;  // standard error of `value` from the choice of examples
  Index tokens = 0;                      // targets that belong to it; never 0
};

/// The score of one trained model at one length, under one condition.
struct LengthScore {
  Index length = 0;
  std::string condition = trained_condition;
  bool failed = false;                    // the model cannot run at this length; `why` says why
  std::string why = {};                   // one line, empty unless failed
  std::vector<Measurement> metrics = {};  // those that have targets at this length; none if failed
  std::vector<double> by_position = {};   // mean loss in bits at each position; NaN where nothing is scored

  /// The measurement of a metric, or null if no target belongs to it.
  const Measurement* find(const std::string& metric) const;
};

/// The score at a length under a condition, or null.
const LengthScore* score_at(const std::vector<LengthScore>& scores, Index length,
                            const std::string& condition = trained_condition);

/// What a result depends on, by key: the settings of each stage of training, and those of the test.
struct CellSettings {
  std::vector<std::map<std::string, std::string>> stages = {};
  std::map<std::string, std::string> evaluation = {};
};

/// One cell of the experiment: one row trained with one seed.
struct CellResult {
  std::string row;
  std::uint64_t seed = 0;
  Index parameters = 0;
  Index train_length = 0;  // of the first stage of training
  std::string note;        // shown in legends, such as "overflow = clamp"; may be empty
  std::vector<LengthScore> scores;
  std::vector<std::pair<Index, double>> training_curve;  // (step, training loss in bits per token)
  double final_train_loss = not_a_number;                // bits per token
  double seconds = not_a_number;
  double gradient_norm = not_a_number;  // mean over the logged steps, before clipping
  std::string weights_hash;
  std::string builds = {};  // that it was trained on in turn: "0.10.0 with portable products"
  CellSettings settings = {};
};

/// What the numbers in a table measure.
struct MetricInfo {
  std::string id = "bits";
  std::string name = "bits per token";
  std::string unit = "bits";  // empty for a plain fraction
  bool lower_is_better = true;

  bool is_fraction() const { return !lower_is_better && unit.empty(); }
  Range range() const {
    return is_fraction() ? Range::fraction : lower_is_better ? Range::positive : Range::any;
  }
  bool reached(double value, double threshold) const {
    return lower_is_better ? value <= threshold : value >= threshold;
  }
};

/// A baseline that is not a model: uniform guessing, an n-gram, or the oracle, which knows how the document
/// was generated.
struct Reference {
  std::string label;
  std::vector<LengthScore> scores;  // at every length
};

/// The criterion for having learned the task. Cells that do not reach it at the training length are not
/// ranked.
struct LearningGate {
  std::string metric;  // MetricInfo::id
  double threshold = not_a_number;
  std::string text;  // "accuracy of recall of at least 0.95 at the training length"
};

/// One row of the comparison.
struct RowInfo {
  std::string label;
  std::vector<std::pair<std::string, std::string>> factors;  // (key, value), none for a written row
  std::vector<std::string> notes;  // what a reader of its scores must know, one line each
};

struct ExperimentResult {
  Index looks =
      1;  // maximum number of looks at the results to give rows more seeds; all tests are corrected for it
  std::string name;
  std::string question;                 // one sentence
  std::vector<MetricInfo> metrics;      // the first one is the headline; never empty
  std::string task;                     // one line: what is learned and how it is scored
  Index train_length = 0;               // of the first stage of training; 0 if rows differ in it
  std::string mixture;                  // other training lengths: "and 256 in 5 % of the batches"
  Index longest_trained = 0;            // of the second stages of all rows
  std::vector<Index> lengths;           // columns of the table, ascending
  std::vector<std::string> conditions;  // the first one is that of the main table; none: trained
  std::vector<RowInfo> rows;            // in the order of the table and of colours
  std::vector<CellResult> cells;
  Index missing = 0;  // trainings that are not finished yet
  std::vector<Reference> references;
  std::optional<LearningGate> gate;
  std::string settings;  // resolved.cfg, verbatim
  std::string command;   // the command that reruns it
  std::vector<std::pair<std::string, std::string>> manifest;
};

/// Adds the metric perplexity, 2^bits, after bits to scores that have bits, with the error propagated from theirs. Does
/// nothing where it already exists.
void add_perplexity(ExperimentResult& result);

/// The metric with this id; there must be one.
const MetricInfo& metric_of(const ExperimentResult& result, const std::string& id);

/// The score that decides whether a cell passes the gate; null if there is none.
const Measurement* gate_score(const ExperimentResult& result, const CellResult& cell);

/// Whether a cell passed the gate; nothing if there is no gate, or no score at the training length.
std::optional<bool> has_learned(const ExperimentResult& result, const CellResult& cell);

/// result.json: one JSON object. NaN is written as null, infinities as "inf" and "-inf". Its last value is a hash of the
/// others.
std::string to_json(CellResult cell);

/// Inverse of to_json. Throws DataError if the text is not a complete cell result, or does not match the hash that it
/// contains.
CellResult cell_from_json(const std::string& text);

}  // namespace ordinal::experiments

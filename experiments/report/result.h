// What an experiment leaves behind, as plain structs: the driver fills them, the report reads them. A
// CellResult (one row, one seed) is also a file, result.json. Read report.h next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/report/statistics.h"
#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// The condition under which models are tested as they were trained; for others see settings/condition.h.
inline const std::string trained_condition = "trained";

/// How one trained model does at one length, under one condition.
struct LengthScore {
  Index length = 0;
  std::string condition = trained_condition;
  double value = not_a_number;          // the experiment's metric, mean over all scored positions
  bool failed = false;                  // the model cannot run at this length; `why` says why
  std::string why;                      // one line, empty unless failed
  std::vector<double> by_position;      // mean loss in bits at each position; NaN where nothing is scored
  double past_training = not_a_number;  // the metric over positions past the training length; NaN if none
  Index tokens = 0;                     // scored positions behind `value`
};

/// One cell of the experiment: one row trained with one seed.
struct CellResult {
  std::string row;
  std::uint64_t seed = 0;
  Index parameters = 0;
  Index train_length = 0;  // of the first stage of training
  std::string note;        // what a legend must say, such as "overflow = clamp"; may be empty
  std::vector<LengthScore> scores;
  std::vector<std::pair<Index, double>> training_curve;  // (step, training loss in bits per token)
  double final_train_loss = not_a_number;                // bits per token
  double seconds = not_a_number;
  std::string weights_hash;
};

/// What the number in the table is.
struct MetricInfo {
  std::string name = "bits per token";
  std::string unit = "bits";  // empty for a plain fraction
  bool lower_is_better = true;
};

/// A level to hold the numbers against, such as the score of guessing.
struct ReferenceLine {
  std::string label;
  double value = not_a_number;
};

/// One row of the comparison.
struct RowInfo {
  std::string label;
  std::vector<std::pair<std::string, std::string>> factors;  // (key, value), none for a written row
  std::string tuned;  // what was chosen for it on another seed, one line; empty if nothing
};

struct ExperimentResult {
  std::string name;
  std::string question;  // one sentence
  MetricInfo metric;
  std::string task;                     // one line: what is learned and how it is scored
  Index train_length = 0;               // of the first stage of training; 0 if rows differ in it
  std::vector<Index> lengths;           // columns of the table, ascending
  std::vector<std::string> conditions;  // the first one is that of the main table; none: trained
  std::vector<RowInfo> rows;            // in the order of the table and of colours
  std::vector<CellResult> cells;
  std::optional<ReferenceLine> reference;
  std::string settings;  // resolved.cfg, word for word
  std::string command;   // what to type to run it again
  std::vector<std::pair<std::string, std::string>> manifest;
};

/// result.json: one JSON object. NaN is written as null, infinities as "inf" and "-inf".
std::string to_json(const CellResult& cell);

/// Inverse of to_json. Throws DataError if the text is not a complete cell result.
CellResult cell_from_json(const std::string& text);

}  // namespace ordinal::experiments

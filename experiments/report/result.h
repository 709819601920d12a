// What an experiment leaves behind, as plain structs: the driver fills them, the report reads them. A
// CellResult (one encoding, one seed) is also a file, result.json. Read report.h next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/report/statistics.h"
#include "framework/core/tensor.h"

namespace ordinal {

/// How one trained model does at one length.
struct LengthScore {
  Index length = 0;
  double value = not_a_number;          // the experiment's metric, mean over all scored positions
  bool failed = false;                  // the encoding cannot run at this length; `why` says why
  std::string why;                      // one line, empty unless failed
  std::vector<double> by_position;      // mean loss in bits at each position; NaN where nothing is scored
  double past_training = not_a_number;  // the metric over positions past the training length; NaN if none
  Index tokens = 0;                     // scored positions behind `value`
};

/// One cell of the experiment: one encoding trained with one seed.
struct CellResult {
  std::string encoding;
  std::uint64_t seed = 0;
  Index parameters = 0;
  std::string positional_note;  // such as "learned, clamp"; empty if there is nothing to add
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

struct ExperimentResult {
  std::string name;
  std::string question;  // one sentence
  MetricInfo metric;
  std::string task;  // one line: what is learned and how it is scored
  Index train_length = 0;
  std::vector<Index> lengths;     // columns of the table, ascending
  std::vector<CellResult> cells;  // encodings appear in the table in the order of their first cell
  std::optional<ReferenceLine> reference;
  std::string settings;  // resolved.cfg, word for word
  std::string command;   // what to type to run it again
  std::vector<std::pair<std::string, std::string>> manifest;
};

/// result.json: one JSON object. NaN is written as null, infinities as "inf" and "-inf".
std::string to_json(const CellResult& cell);

/// Inverse of to_json. Throws DataError if the text is not a complete cell result.
CellResult cell_from_json(const std::string& text);

}  // namespace ordinal

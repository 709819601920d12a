// A small experiment with known numbers, shared by the tests of the report. Lengths 4, 8 and 16, trained
// at 4.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "experiments/report/grid.h"
#include "experiments/report/plots.h"
#include "experiments/results/result.h"

namespace ordinal::experiments::report_test {

inline const char* const failure_reason =
    "LearnedPositionalEncoding: sequence length 8 exceeds max_seq_len 4";
inline const char* const failure_text = "sequence length 8 exceeds max_seq_len 4";  // as a report has it

inline const std::vector<MetricSpec> bits_metrics = {
    {.id = "bits", .name = "bits per token"}, {.id = "bits.past", .name = "bits per token", .past = true}};

/// The scores of a model at a length, under a condition.
struct Tested {
  Index length = 0;
  std::vector<Score> scores = {};
  std::vector<double> bits = {};  // by position
  std::string condition = trained_condition;
};

/// `past`: bits past the training length; NaN for a length that has none.
inline Tested score(Index length, double value, double past = not_a_number) {
  Tested tested{length};
  tested.scores.push_back({.metric = bits_metrics[0], .value = value, .error = 0.01, .tokens = 100 * length});
  if (!std::isnan(past))
    tested.scores.push_back({.metric = bits_metrics[1], .value = past, .error = 0.02, .tokens = 50 * length});
  for (Index i = 0; i < length; ++i) tested.bits.push_back(value + 1.0 / static_cast<double>(i + 1));
  return tested;
}

inline Tested failure(Index length) {
  Tested tested{length};
  for (const MetricSpec& metric : bits_metrics)
    tested.scores.push_back({.metric = metric, .failed = true, .why = failure_reason});
  return tested;
}

inline void add(CellResult& cell, const Tested& tested) {
  for (Score score : tested.scores) {
    score.row = cell.row;
    score.seed = cell.seed;
    score.length = tested.length;
    score.condition = tested.condition;
    score.learned = true;
    cell.scores.push_back(score);
  }
  if (!tested.bits.empty()) cell.by_position.push_back({tested.length, tested.condition, tested.bits});
}

inline Tested under(const std::string& condition, Tested tested) {
  tested.condition = condition;
  return tested;
}

/// The value of an existing score, to be read or changed.
inline double& value(CellResult& cell, Index length, const std::string& metric = "bits") {
  const auto is_meant = [&](const Score& score) {
    return score.length == length && score.metric.id == metric;
  };
  return std::ranges::find_if(cell.scores, is_meant)->value;
}

/// All rows must have at most so many bits at the training length.
inline void gate(ExperimentResult& result, double bits, const std::string& text) {
  for (RowInfo& row : result.rows) row.gate = LearningGate{bits_metrics[0], bits, text};
  set_learned(result);
}

/// The scores of a baseline.
inline std::vector<Score> baseline(const std::string& name, const std::vector<Tested>& tests) {
  CellResult cell;
  cell.row = name;
  for (const Tested& tested : tests) add(cell, tested);
  for (Score& score : cell.scores) score.of_reader = true;
  return cell.scores;
}

inline std::vector<std::string> texts(const std::vector<GridCell>& line) {
  std::vector<std::string> all;
  for (const GridCell& cell : line) all.push_back(cell.text);
  return all;
}

inline CellResult cell(const std::string& row, std::uint64_t seed, const std::vector<Tested>& tests) {
  CellResult result;
  result.row = row;
  result.seed = seed;
  result.parameters = 12345;
  result.train_length = 4;
  for (const Tested& tested : tests) add(result, tested);
  for (Index step = 0; step < 50; ++step)
    result.training_curve.emplace_back(step, 3.0 - 0.02 * static_cast<double>(step));
  result.final_train_loss = 2.0;
  result.seconds = 1.5;
  result.weights_hash = "00c0ffee";
  return result;
}

/// A row of a comparison of encodings only.
inline RowInfo encoding_row(const std::string& name) { return {name, {{"model.encoding", name}}, {}}; }

/// sinusoidal: 1.0, 1.1, 1.2 at 1x and two bits more at 4x. learned: fails past 4. none: 1.1, 1.0, 1.3
/// everywhere.
inline ExperimentResult sample_result(std::uint64_t seeds = 3) {
  ExperimentResult result;
  result.name = "extrapolation";
  result.question = "Does <b> & \"it\" extrapolate?";
  result.metrics = bits_metrics;
  result.task = "copy: the tokens again";
  result.train_length = 4;
  result.lengths = {4, 8, 16};
  result.conditions = {trained_condition};
  result.rows = {encoding_row("sinusoidal"), encoding_row("learned"), encoding_row("none")};
  result.settings = "[task]\nname = copy\n";
  result.command = "./experiments/run results/extrapolation/resolved.cfg";
  result.manifest = {{"compiler", "GCC <12>"}};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const double base = 0.9 + 0.1 * static_cast<double>(seed);
    result.cells.push_back(cell("sinusoidal", seed,
                                {score(4, base), score(8, base + 1.0, base + 2.0),
                                 score(16, base + 2.0 + 0.01 * static_cast<double>(seed), base + 3.0)}));
  }
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    result.cells.push_back(cell("learned", seed, {score(4, 1.0), failure(8), failure(16)}));
  }
  const double none[] = {1.1, 1.0, 1.3};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const double value = none[(seed - 1) % 3];
    result.cells.push_back(
        cell("none", seed, {score(4, value), score(8, value, value), score(16, value, value)}));
  }
  return result;
}

/// Rows of two factors, at lengths 4 and 8: rope and alibi by d_model 64 and 128, values 1, 2, 3, 4 at length
/// 4 (plus 0.1 for seed 2) and one more at 8. Under window(size=4) all but alibi, d_model = 128 is scored at
/// 8: ten more than trained. From three seeds on, they differ by a little more in each row.
inline ExperimentResult two_factors(std::uint64_t seeds = 2) {
  ExperimentResult result = sample_result(0);
  result.lengths = {4, 8};
  result.conditions = {trained_condition, "window(size=4)"};
  result.rows.clear();
  for (const std::string encoding : {"rope", "alibi"}) {
    for (const std::string width : {"64", "128"}) {
      const double base = static_cast<double>(result.rows.size() + 1);
      const std::string label = encoding + ", d_model = " + width;
      result.rows.push_back({label, {{"model.encoding", encoding}, {"model.d_model", width}}, {}});
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const double value = base + (seeds > 2 ? 0.1 + 0.001 * base : 0.1) * static_cast<double>(seed - 1);
        CellResult trained = cell(label, seed, {score(4, value), score(8, value + 1, value + 1)});
        if (base < 4) add(trained, under("window(size=4)", score(8, value + 10, value + 10)));
        result.cells.push_back(trained);
      }
    }
  }
  return result;
}

/// The curves of a metric under a condition, by their places.
inline Chart curves(const ExperimentResult& result, std::size_t metric = 0, std::size_t condition = 0) {
  return length_curves(result, result.metrics[metric], result.conditions[condition]);
}

/// The sample with rows that also differ in the training length.
inline ExperimentResult mixed_training() {
  ExperimentResult result = sample_result();
  result.train_length = 0;
  result.rows[2] = {"none", {{"model.encoding", "none"}, {"task.train_length", "8"}}, {}};
  for (CellResult& cell : result.cells) {
    if (cell.row == "none") cell.train_length = 8;
  }
  return result;
}

/// Gives every row, with its cells, the label that `rename` makes of its old one.
template <typename Rename>
void relabel(ExperimentResult& result, const Rename& rename) {
  for (RowInfo& row : result.rows) {
    row.label = rename(row.label);
    for (auto& [key, value] : row.factors) value = rename(value);
  }
  for (CellResult& cell : result.cells) {
    cell.row = rename(cell.row);
    for (Score& score : cell.scores) score.row = cell.row;
  }
}

}  // namespace ordinal::experiments::report_test

// A small experiment with known numbers, shared by the tests of the report. Lengths 4, 8 and 16, trained
// at 4.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "experiments/report/result.h"

namespace ordinal::report_test {

inline const char* const failure_reason =
    "LearnedPositionalEncoding: sequence length 8 exceeds max_seq_len 4";

inline LengthScore score(Index length, double value, double past_training) {
  LengthScore result{length, value, false, "", {}, past_training, 100 * length};
  for (Index i = 0; i < length; ++i) result.by_position.push_back(value + 1.0 / static_cast<double>(i + 1));
  return result;
}

inline LengthScore failure(Index length) {
  LengthScore result;
  result.length = length;
  result.failed = true;
  result.why = failure_reason;
  return result;
}

inline CellResult cell(const std::string& encoding, std::uint64_t seed,
                       const std::vector<LengthScore>& scores) {
  CellResult result;
  result.encoding = encoding;
  result.seed = seed;
  result.parameters = 12345;
  result.scores = scores;
  for (Index step = 0; step < 50; ++step)
    result.training_curve.emplace_back(step, 3.0 - 0.02 * static_cast<double>(step));
  result.final_train_loss = 2.0;
  result.seconds = 1.5;
  result.weights_hash = "00c0ffee";
  return result;
}

/// sinusoidal: 1.0, 1.1, 1.2 at 1x and two bits more at 4x. learned: fails past 4. none: 1.1, 1.0, 1.3
/// everywhere.
inline ExperimentResult sample_result(std::uint64_t seeds = 3) {
  ExperimentResult result;
  result.name = "extrapolation";
  result.question = "Does <b> & \"it\" extrapolate?";
  result.task = "copy: the tokens again";
  result.train_length = 4;
  result.lengths = {4, 8, 16};
  result.settings = "[task]\nname = copy\n";
  result.command = "./experiments/run results/extrapolation/resolved.cfg";
  result.manifest = {{"compiler", "GCC <12>"}};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const double base = 0.9 + 0.1 * static_cast<double>(seed);
    result.cells.push_back(cell("sinusoidal", seed,
                                {score(4, base, not_a_number), score(8, base + 1.0, base + 2.0),
                                 score(16, base + 2.0 + 0.01 * static_cast<double>(seed), base + 3.0)}));
  }
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    result.cells.push_back(cell("learned", seed, {score(4, 1.0, not_a_number), failure(8), failure(16)}));
  }
  const double none[] = {1.1, 1.0, 1.3};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const double value = none[(seed - 1) % 3];
    result.cells.push_back(
        cell("none", seed, {score(4, value, not_a_number), score(8, value, value), score(16, value, value)}));
  }
  return result;
}

}  // namespace ordinal::report_test

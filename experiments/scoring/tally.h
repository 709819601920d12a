// Computes the metrics of a task from the scores of its targets.
#pragma once

#include <span>
#include <vector>

#include "experiments/results/result.h"
#include "experiments/tasks/task.h"
#include "framework/training/evaluation.h"

namespace ordinal::experiments {

/// Collects the scores of examples of one length.
class Tally {
 public:
  /// `train_tokens`: tokens of a training sequence; later positions are unseen in training.
  Tally(std::vector<MetricSpec> metrics, Index seq_len, Index train_tokens);

  /// `labels` holds one label for each target of the batch, or nothing for a task without classes.
  void add(const Batch& batch, const TokenScores& scores, std::span<const Label> labels);

  /// Every metric that has targets, with its standard error. Examples are independent; targets within one
  /// example are not. With s_i the sum and n_i the number of targets of example i, N examples and
  /// m = Σ s_i / Σ n_i, the error is √(N/(N-1) Σ (s_i - m n_i)²) / Σ n_i.
  /// Each score has row, seed, length and condition of `test`.
  std::vector<Score> scores(const Score& test) const;
  /// The mean loss in bits at each position; NaN where nothing is scored.
  std::vector<double> by_position() const;

 private:
  struct Sum {
    double total = 0.0;
    double count = 0.0;
  };

  /// The mean over the targets of all examples, with its standard error.
  static Score mean_of(const std::vector<Sum>& examples, Score score);
  static void add_target(Measure measure, double bits, bool hit, Sum& example);

  std::vector<MetricSpec> metrics_;
  Index train_tokens_;
  std::vector<std::vector<Sum>> by_metric_;  // metric, example
  std::vector<Sum> by_position_;             // bits
};

}  // namespace ordinal::experiments

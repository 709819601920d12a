// Computes the metrics of a task from the scores of its targets.
#pragma once

#include <span>
#include <vector>

#include "experiments/results/result.h"
#include "experiments/tasks/task.h"
#include "framework/training/evaluation.h"

namespace ordinal::experiments {

/// In TokenScores::hits, of a reader that cannot say: every metric of hits becomes NaN.
inline constexpr char unknown_hit = 2;

/// Collects the scores of examples of one length.
class Tally {
 public:
  /// `train_tokens`: tokens of a training sequence; later positions are unseen in training.
  Tally(std::vector<MetricSpec> metrics, Index seq_len, Index train_tokens);

  /// `labels` holds one label for each target of the batch, or nothing.
  void add(const Batch& batch, const TokenScores& scores, std::span<const Label> labels);

  /// `test` with every metric that has targets. Examples are independent; targets within one are not. With s_i the sum and n_i
  /// the number of targets of example i, N examples and m = Σ s_i / Σ n_i, the standard error is
  /// √(N/(N-1) Σ (s_i - m n_i)²) / Σ n_i.
  std::vector<Score> scores(const Score& test) const;
  /// The mean loss in bits at each position; NaN where nothing is scored.
  std::vector<double> by_position() const;

 private:
  struct Sum {
    double total = 0.0;
    double count = 0.0;
  };

  std::vector<MetricSpec> metrics_;
  Index train_tokens_;
  std::vector<std::vector<Sum>> by_metric_;  // metric, example
  std::vector<Sum> by_position_;             // bits
};

}  // namespace ordinal::experiments

#include "experiments/scoring/tally.h"

#include <cmath>
#include <numbers>

namespace ordinal::experiments {

// Adds a target of an example. A NaN loss makes every metric NaN: if a model gives NaN, its likeliest token says
// nothing.
void Tally::add_target(Measure measure, double bits, bool hit, Sum& example) {
  if (std::isnan(bits)) example.total = bits;
  if (measure == Measure::exact) {  // one number for the whole example
    if (!std::isnan(example.total)) {
      example.total = hit && (example.count == 0.0 || example.total > 0.0) ? 1.0 : 0.0;
    }
    example.count = 1.0;
    return;
  }
  example.total += measure == Measure::bits ? bits : static_cast<double>(hit);
  example.count += 1.0;
}

Tally::Tally(std::vector<MetricSpec> metrics, Index seq_len, Index train_tokens)
    : metrics_(std::move(metrics)),
      train_tokens_(train_tokens),
      by_metric_(metrics_.size()),
      by_position_(static_cast<std::size_t>(seq_len)) {}

void Tally::add(const Batch& batch, const TokenScores& scores, std::span<const Label> labels) {
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    const std::size_t position = i % static_cast<std::size_t>(batch.seq_len);
    if (position == 0) {
      for (std::vector<Sum>& examples : by_metric_) examples.emplace_back();
    }
    if (batch.targets[i] == ignore_index) continue;
    const double bits = scores.losses[i] / std::numbers::ln2;
    by_position_[position].total += bits;
    by_position_[position].count += 1.0;
    const Label label = labels.empty() ? Label{} : labels[i];
    for (std::size_t m = 0; m < metrics_.size(); ++m) {
      if (!metrics_[m].counts(label, static_cast<Index>(position), batch.seq_len, train_tokens_)) continue;
      const double known = metrics_[m].excess ? label.oracle_bits : 0.0;
      add_target(metrics_[m].measure, bits - known, scores.hits[i] != 0, by_metric_[m].back());
    }
  }
}

LengthScore Tally::score(Index length) const {
  LengthScore score;
  score.length = length;
  for (std::size_t m = 0; m < metrics_.size(); ++m) {
    Sum all;
    for (const Sum& example : by_metric_[m]) {
      all.total += example.total;
      all.count += example.count;
    }
    if (all.count == 0.0) continue;
    Measurement measured{metrics_[m].id, all.total / all.count, not_a_number, static_cast<Index>(all.count)};
    double squares = 0.0;
    for (const Sum& example : by_metric_[m]) {
      const double residual = example.total - measured.value * example.count;
      squares += residual * residual;
    }
    const auto examples = static_cast<double>(by_metric_[m].size());
    if (examples > 1.0) {
      measured.sampling_error = std::sqrt(examples / (examples - 1.0) * squares) / all.count;
    }
    score.metrics.push_back(measured);
  }
  for (const Sum& position : by_position_) {
    score.by_position.push_back(position.count > 0.0 ? position.total / position.count : not_a_number);
  }
  return score;
}

}  // namespace ordinal::experiments

#include "experiments/scoring/tally.h"

#include <cmath>
#include <numbers>

namespace ordinal::experiments {

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
      const MetricSpec& metric = metrics_[m];
      if (!metric.counts(label, static_cast<Index>(position), batch.seq_len, train_tokens_)) continue;
      double value = bits - (metric.excess ? label.oracle_bits : 0.0);
      // A NaN loss makes every metric NaN: if a model gives NaN, its likeliest token says nothing.
      if (!metric.lower_is_better() && !std::isnan(bits))
        value = scores.hits[i] == unknown_hit ? not_a_number : static_cast<double>(scores.hits[i]);
      Sum& example = by_metric_[m].back();
      const bool all = metric.measure == Measure::exact;  // one number for the whole example
      example.total = all && example.count > 0.0 ? example.total * value : example.total + value;
      example.count = all ? 1.0 : example.count + 1.0;
    }
  }
}

std::vector<Score> Tally::scores(const Score& test) const {
  std::vector<Score> scores;
  for (std::size_t m = 0; m < metrics_.size(); ++m) {
    Sum all;
    for (const Sum& example : by_metric_[m]) {
      all.total += example.total;
      all.count += example.count;
    }
    if (all.count == 0.0) continue;
    Score& score = scores.emplace_back(test);
    score.metric = metrics_[m];
    score.tokens = static_cast<Index>(all.count);
    score.value = all.total / all.count;
    double squares = 0.0;
    for (const Sum& example : by_metric_[m]) {
      const double residual = example.total - score.value * example.count;
      squares += residual * residual;
    }
    const auto count = static_cast<double>(by_metric_[m].size());
    if (count > 1.0) score.error = std::sqrt(count / (count - 1.0) * squares) / all.count;
    if (metrics_[m].measure == Measure::perplexity) {
      score.value = std::exp2(score.value);
      score.error = score.value * std::numbers::ln2 * score.error;
    }
  }
  return scores;
}

std::vector<double> Tally::by_position() const {
  std::vector<double> bits;
  for (const Sum& position : by_position_)
    bits.push_back(position.count > 0.0 ? position.total / position.count : not_a_number);
  return bits;
}

}  // namespace ordinal::experiments

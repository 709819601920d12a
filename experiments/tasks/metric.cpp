#include "experiments/tasks/metric.h"

#include <algorithm>
#include <iterator>

namespace ordinal::experiments {

bool MetricSpec::counts(const Label& label, Index position, Index seq_len, Index train_tokens) const {
  if (token_class >= 0 && label.token_class != token_class) return false;
  if (conflict != Conflict::any && label.conflict != conflict) return false;
  if (past && seq_len > train_tokens && position < train_tokens) return false;
  const Index nearest = band_from * train_tokens;
  if (band_from > 0 && (label.source <= nearest || label.source > 2 * nearest)) return false;
  if (sources == SourceRange::within) return label.source <= train_tokens;
  return sources == SourceRange::any || label.source > train_tokens;
}

std::string MetricSpec::title(bool is_past_training) const {
  std::string text = name;
  if (sources == SourceRange::within) text = "near " + text;
  if (sources == SourceRange::beyond) text = "far " + text;
  if (past && is_past_training) text += " past the training length";
  if (!band.empty()) text += " (" + band + ")";
  return text;
}

std::vector<MetricSpec> headlines(const std::vector<MetricSpec>& metrics) {
  std::vector<MetricSpec> headlines;
  std::ranges::copy_if(metrics, std::back_inserter(headlines), &MetricSpec::headline);
  if (headlines.empty()) headlines.push_back(metrics.front());
  return headlines;
}

std::vector<MetricSpec> other_metrics(const std::vector<MetricSpec>& metrics) {
  std::vector<MetricSpec> others = metrics;
  const std::vector<MetricSpec> compared = headlines(metrics);
  std::erase_if(others, [&](const MetricSpec& metric) {
    return !metric.band_of.empty() || std::ranges::count(compared, metric.id, &MetricSpec::id) > 0;
  });
  return others;
}

std::vector<std::string> ids_of(const std::vector<MetricSpec>& metrics) {
  std::vector<std::string> ids;
  for (const MetricSpec& metric : metrics) ids.push_back(metric.id);
  return ids;
}

std::vector<MetricSpec> plain_metrics(Measure measure) {
  if (measure == Measure::bits) {
    return {{.id = "bits", .name = "bits per token"},
            {.id = "perplexity", .name = "perplexity", .measure = Measure::perplexity},
            {.id = "bits.past", .name = "bits per token", .past = true}};
  }
  return {{.id = "accuracy", .name = "accuracy", .measure = Measure::accuracy},
          {.id = "accuracy.past", .name = "accuracy", .measure = Measure::accuracy, .past = true},
          {.id = "exact", .name = "exact match of all targets", .measure = Measure::exact}};
}

}  // namespace ordinal::experiments

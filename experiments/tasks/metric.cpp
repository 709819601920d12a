#include "experiments/tasks/metric.h"

namespace ordinal::experiments {

bool MetricSpec::counts(const Label& label, Index position, Index seq_len, Index train_tokens) const {
  if (token_class >= 0 && label.token_class != token_class) return false;
  if (conflict != Conflict::any && label.conflict != conflict) return false;
  if (past && seq_len > train_tokens && position < train_tokens) return false;
  if (sources == SourceRange::within) return label.source <= train_tokens;
  return sources == SourceRange::any || label.source > train_tokens;
}

std::string name_within_training(std::string name) {
  const std::string later = " past the training length";
  if (const std::size_t at = name.find(later); at != std::string::npos) name.erase(at, later.size());
  return name;
}

std::vector<MetricSpec> plain_metrics(Measure measure) {
  const bool bits = measure == Measure::bits;
  const std::string id = bits ? "bits" : "accuracy";
  const std::string name = bits ? "bits per token" : "accuracy";
  std::vector<MetricSpec> metrics = {
      {.id = id, .name = name, .measure = measure},
      {.id = id + ".past", .name = name + " past the training length", .measure = measure, .past = true}};
  if (!bits)
    metrics.push_back({.id = "exact", .name = "exact match of all targets", .measure = Measure::exact});
  return metrics;
}

}  // namespace ordinal::experiments

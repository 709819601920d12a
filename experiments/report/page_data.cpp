#include "experiments/report/page_data.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/report/comparison.h"
#include "experiments/report/html.h"
#include "experiments/report/plots.h"

namespace ordinal::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::stod(fmt::format("{:.7g}", value));
}

Json entry_json(const Entry& entry, const std::vector<std::uint64_t>& seeds) {
  Json json = Json::object();
  for (const auto& [name, value] : {std::pair{"mean", entry.summary.mean},
                                    {"sd", entry.summary.sd},
                                    {"low", entry.summary.low},
                                    {"high", entry.summary.high}}) {
    if (std::isfinite(value)) json[name] = rounded(value);
  }
  for (const std::uint64_t seed : seeds) {
    const auto at = std::ranges::find(entry.seeds, seed);
    if (entry.seeds.empty()) break;
    json["values"].push_back(at == entry.seeds.end()
                                 ? Json()
                                 : rounded(entry.values[static_cast<std::size_t>(at - entry.seeds.begin())]));
  }
  for (const auto& [name, count] : {std::pair{"failed", entry.failed},
                                    {"diverged", entry.diverged},
                                    {"not_learned", entry.not_learned}}) {
    if (count > 0) json[name] = count;
  }
  return json;
}

/// The rows that compare() shows, which are the same for every metric and condition.
Json rows_json(const ExperimentResult& result) {
  Json rows = Json::array();
  for (const ComparisonRow& row : compare(result).rows) {
    rows.push_back({{"label", row.label}, {"learned", row.learned()}, {"scores", Json::array()}});
  }
  const std::vector<std::uint64_t> seeds = seeds_of(result);
  for (const MetricInfo& metric : result.metrics) {
    for (Json& row : rows) row["scores"].push_back(Json::array());
    for (const std::string& condition : conditions_of(result)) {
      const Comparison comparison = compare(result, metric.id, condition);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        Json entries = Json::array();
        for (const Entry& entry : comparison.rows[r].entries) entries.push_back(entry_json(entry, seeds));
        rows[r]["scores"].back().push_back(std::move(entries));
      }
    }
  }
  return rows;
}

Json references_json(const ExperimentResult& result) {
  Json references = Json::array();
  for (const Reference& reference : result.references) {
    Json scores = Json::array();
    for (const MetricInfo& metric : result.metrics) {
      scores.push_back(Json::array());
      for (const Index length : result.lengths) {
        const auto score = std::ranges::find(reference.scores, length, &LengthScore::length);
        const Measurement* measured = score == reference.scores.end() ? nullptr : score->find(metric.id);
        scores.back().push_back(measured == nullptr ? Json() : rounded(measured->value));
      }
    }
    references.push_back({{"label", reference.label}, {"scores", std::move(scores)}});
  }
  return references;
}

}  // namespace

std::string page_data(const ExperimentResult& result, const std::vector<Figure>& figures) {
  Json metrics = Json::array();
  for (const MetricInfo& metric : result.metrics) {
    metrics.push_back({{"id", metric.id},
                       {"name", metric.name},
                       {"lower", metric.lower_is_better},
                       {"fraction", metric.is_fraction()}});
  }
  Json data = {{"seeds", seeds_of(result)},
               {"lengths", result.lengths},
               {"train_length", result.train_length},
               {"conditions", conditions_of(result)},
               {"metrics", std::move(metrics)},
               {"rows", rows_json(result)},
               {"references", references_json(result)}};
  data["pictures"] = {{"training", numbers(training_curves(result))},
                      {"by_position", numbers(position_curves(result))}};
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::string name = std::to_string(i);
    if (const auto* chart = std::get_if<Chart>(&figures[i].picture)) data["pictures"][name] = numbers(*chart);
    if (const auto* map = std::get_if<Heatmap>(&figures[i].picture)) data["pictures"][name] = numbers(*map);
  }
  return inside_script(data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace ordinal::experiments

#include "experiments/report/page_data.h"

#include <nlohmann/json.hpp>

#include "experiments/report/comparison.h"
#include "experiments/report/plots.h"

namespace ordinal::experiments {

std::string page_data(const ExperimentResult& result, const std::vector<Figure>& figures) {
  using Json = nlohmann::ordered_json;
  const std::vector<std::string> conditions = conditions_of(result);
  Json data = {
      {"seeds", seeds_of(result)}, {"lengths", result.lengths}, {"train_length", result.train_length},
      {"conditions", conditions},  {"metrics", Json::array()},  {"rows", Json::array()}};
  for (const ComparisonRow& row : compare(result).rows) data["rows"].push_back(row.label);
  Json& pictures = data["pictures"];
  for (const MetricInfo& metric : result.metrics) {
    data["metrics"].push_back(metric.name);
    Json& main = pictures["main"].emplace_back();
    for (const std::string& condition : conditions)
      main.push_back(numbers(length_curves(result, metric.id, condition)));
  }
  pictures["training"] = numbers(training_curves(result));
  pictures["by_position"] = numbers(position_curves(result));
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::string name = std::to_string(i);
    if (const auto* chart = std::get_if<Chart>(&figures[i].picture)) pictures[name] = numbers(*chart);
    if (const auto* map = std::get_if<Heatmap>(&figures[i].picture)) pictures[name] = numbers(*map);
  }
  return inside_script(data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace ordinal::experiments

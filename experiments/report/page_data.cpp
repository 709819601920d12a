// The numbers in report.html for page.js: the data of its curves and of all tables except the first ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/report/html.h"
#include "experiments/report/plots.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

using Json = nlohmann::ordered_json;

/// As many decimals as the tables show; for numbers below 0.01 that are not fractions, enough for three digits.
int decimals_of(double mean, const MetricInfo& metric) {
  const double size = std::abs(mean);
  return size > 0.0 && size < 0.01 && !metric.is_fraction()
             ? std::min(9, 2 - static_cast<int>(std::floor(std::log10(size))))
             : shown_decimals(mean);
}

/// The value as a multiple of `unit`; null if it is not finite.
Json shown(double value, int decimals, double unit) {
  if (!std::isfinite(value)) return nullptr;
  const double number = parse_real(fmt::format("{:.{}f}", value, decimals)).value() / unit;
  const bool is_whole = unit < 1.0 && std::abs(number) < 1e15;
  return is_whole ? Json(std::llround(number)) : Json(number);
}

/// The scores of a metric under a condition.
Json scores_json(const Comparison& comparison, const std::vector<std::uint64_t>& seeds) {
  int most = 0;
  for (const ComparisonRow& row : comparison.rows) {
    for (const Entry& entry : row.entries)
      if (entry.has_number()) most = std::max(most, decimals_of(entry.summary.mean, comparison.metric));
  }
  const double unit = std::pow(10.0, -most);
  Json json = {{"n", comparison.seeds}, {"unit", unit}, {"best", Json::array()}, {"rows", Json::array()}};
  for (const ComparisonRow& row : comparison.rows) {
    json["rows"].push_back(Json::array());
    if (const std::string note = failure(row, comparison.lengths); !note.empty())
      json["notes"][row.label] = note;
  }
  for (std::size_t c = 0; c < comparison.lengths.size(); ++c) {
    const std::vector<GridCell> cells = score_column(comparison, c);
    Json best = Json::array();
    for (std::size_t r = 0; r < cells.size(); ++r) {
      const Entry& entry = comparison.rows[r].entries[c];
      if (cells[r].best) best.push_back(r);
      if (!entry.has_number()) {
        json["rows"][r].push_back(cells[r].text);
        continue;
      }
      const int decimals = decimals_of(entry.summary.mean, comparison.metric);
      Json numbers = Json::array();
      const auto add = [&](double value) { numbers.push_back(shown(value, decimals, unit)); };
      for (const double value : {entry.summary.mean, entry.summary.sd, entry.summary.low, entry.summary.high})
        add(value);
      for (const std::uint64_t seed : seeds) add(entry.value_of(seed));
      json["rows"][r].push_back(std::move(numbers));
    }
    json["best"].push_back(std::move(best));
  }
  return json;
}

Json metric_json(const ExperimentResult& result, const MetricInfo& metric) {
  Json json = {{"name", metric.name},
               {"title", table_title(result, compare(result, metric.id))},
               {"better", metric.lower_is_better ? "lower" : "higher"},
               {"fraction", metric.is_fraction()}};
  for (const std::string& condition : conditions_of(result))
    json["scores"].push_back(scores_json(compare(result, metric.id, condition), seeds_of(result)));
  for (const Reference& reference : result.references) {
    Json values = Json::array();
    for (const Index length : result.lengths) {
      const LengthScore* score = score_at(reference.scores, length);
      const Measurement* found = score == nullptr ? nullptr : score->find(metric.id);
      values.push_back(found == nullptr ? Json()
                                        : shown(found->value, decimals_of(found->value, metric), 1.0));
    }
    json["references"].push_back({{"name", reference.label}, {"values", values}});
  }
  return json;
}

/// A chart for page.js, with each x replaced by its index in `all_x`.
Json chart_json(const Chart& chart, Json& all_x) {
  Json json = numbers(chart);
  for (Json& line : json["series"]) {
    if (!line.contains("x")) continue;
    const auto at = std::ranges::find(all_x, line["x"]) - all_x.begin();
    if (at == std::ssize(all_x)) all_x.push_back(line["x"]);
    line["x"] = at;
  }
  return json;
}

}  // namespace

std::string page_data(const ExperimentResult& result, const std::vector<Figure>& figures) {
  Json data = {{"seeds", seeds_of(result)},
               {"lengths", result.lengths},
               {"train_length", result.train_length},
               {"conditions", conditions_of(result)},
               {"rows", Json::array()}};
  for (const ComparisonRow& row : compare(result).rows)
    data["rows"].push_back(
        {{"name", row.label}, {"ranked", row.learned()}, {"not_learned", row.not_learned}});
  for (std::size_t c = 0; c < result.lengths.size(); ++c) data["titles"].push_back(title_at(result, c));
  for (const MetricInfo& metric : result.metrics) data["metrics"].push_back(metric_json(result, metric));
  Json all_x = Json::array();
  Json& pictures = data["pictures"];
  pictures["training"] = chart_json(training_curves(result), all_x);
  pictures["over_training"] = chart_json(score_curves(result), all_x);
  pictures["by_position"] = chart_json(position_curves(result), all_x);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::string name = std::to_string(i);
    if (const auto* chart = std::get_if<Chart>(&figures[i].picture))
      pictures[name] = chart_json(*chart, all_x);
    if (const auto* map = std::get_if<Heatmap>(&figures[i].picture)) pictures[name] = numbers(*map);
  }
  data["x"] = std::move(all_x);
  return inside_script(data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace ordinal::experiments

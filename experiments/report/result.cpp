// JSON for CellResult. JSON has no NaN and no infinity, so every double is converted by `number` and
// `to_number`.
#include "experiments/report/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <span>
#include <stdexcept>
#include <utility>

#include "framework/core/errors.h"
#include "framework/storage/hash.h"
#include "framework/storage/json_depth.h"

namespace ordinal::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0.0 ? "inf" : "-inf";
  return value;
}

double to_number(const Json& json) {
  if (json.is_null()) return not_a_number;
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  if (!json.is_number())
    throw DataError("got " + json.dump() + ", expected a number, null, \"inf\" or \"-inf\"");
  return json.get<double>();
}

/// A whole number of type T; nlohmann by itself would silently round 1.5 and wrap -1, or 2^64 - 1.
template <typename T>
T to_whole(const Json& json) {
  const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                              : std::is_signed_v<T> && json.is_number_integer();
  if (!fits) throw DataError("got " + json.dump() + ", expected a whole number");
  return json.get<T>();
}

Json score_to_json(const LengthScore& score) {
  Json metrics = Json::array();
  for (const Measurement& measurement : score.metrics) {
    metrics.push_back({{"metric", measurement.metric},
                       {"value", number(measurement.value)},
                       {"sampling_error", number(measurement.sampling_error)},
                       {"tokens", measurement.tokens}});
  }
  Json positions = Json::array();
  for (const double loss : score.by_position) positions.push_back(number(loss));
  return {{"length", score.length}, {"condition", score.condition},  {"failed", score.failed},
          {"why", score.why},       {"metrics", std::move(metrics)}, {"by_position", std::move(positions)}};
}

LengthScore score_from_json(const Json& json) {
  LengthScore score;
  score.length = to_whole<Index>(json.at("length"));
  score.condition = json.at("condition").get<std::string>();
  score.failed = json.at("failed").get<bool>();
  score.why = json.at("why").get<std::string>();
  for (const Json& metric : json.at("metrics")) {
    score.metrics.push_back({metric.at("metric").get<std::string>(), to_number(metric.at("value")),
                             to_number(metric.at("sampling_error")), to_whole<Index>(metric.at("tokens"))});
  }
  for (const Json& loss : json.at("by_position")) score.by_position.push_back(to_number(loss));
  return score;
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string hash_of(const Json& json) {
  const std::string text = dumped(json);
  return fnv1a64_hex(std::as_bytes(std::span(text)));
}

CellResult parse_cell(const std::string& text) {
  if (is_nested_too_deep(text)) throw DataError("it is nested too deep for a cell result");
  Json json = Json::parse(text);
  if (json.is_object() && json.contains("hash")) {  // not in files of 0.1.0
    const Json written = json["hash"];
    json.erase("hash");
    if (written != hash_of(json)) throw DataError("it is damaged: it does not have the hash that it holds");
  }
  CellResult cell;
  cell.row = json.at("row").get<std::string>();
  cell.seed = to_whole<std::uint64_t>(json.at("seed"));
  cell.parameters = to_whole<Index>(json.at("parameters"));
  cell.train_length = to_whole<Index>(json.at("train_length"));
  cell.note = json.at("note").get<std::string>();
  cell.final_train_loss = to_number(json.at("final_train_loss"));
  cell.seconds = to_number(json.at("seconds"));
  cell.weights_hash = json.at("weights_hash").get<std::string>();
  cell.settings_hash = json.value("settings_hash", "");
  cell.machines = json.value("machines", "");
  for (const Json& score : json.at("scores")) cell.scores.push_back(score_from_json(score));
  for (const Json& point : json.at("training_curve")) {
    cell.training_curve.emplace_back(to_whole<Index>(point.at(0)), to_number(point.at(1)));
  }
  return cell;
}

}  // namespace

const Measurement* LengthScore::find(const std::string& metric) const {
  const auto found = std::ranges::find(metrics, metric, &Measurement::metric);
  return found == metrics.end() ? nullptr : &*found;
}

void add_perplexity(ExperimentResult& result) {
  const auto bits = std::ranges::find(result.metrics, "bits", &MetricInfo::id);
  if (bits == result.metrics.end()) return;
  if (std::ranges::find(result.metrics, "perplexity", &MetricInfo::id) == result.metrics.end())
    result.metrics.insert(bits + 1,
                          {.id = "perplexity", .name = "perplexity", .unit = "", .lower_is_better = true});
  const auto add = [](LengthScore& score) {
    const Measurement* measured = score.find("bits");
    if (measured == nullptr || score.find("perplexity") != nullptr) return;
    const double perplexity = std::exp2(measured->value);
    score.metrics.push_back({"perplexity", perplexity,
                             perplexity * std::numbers::ln2 * measured->sampling_error, measured->tokens});
  };
  for (CellResult& cell : result.cells) std::ranges::for_each(cell.scores, add);
  for (Reference& reference : result.references) std::ranges::for_each(reference.scores, add);
}

const MetricInfo& metric_of(const ExperimentResult& result, const std::string& id) {
  const auto found = std::ranges::find(result.metrics, id, &MetricInfo::id);
  if (found == result.metrics.end()) throw std::invalid_argument("metric_of: no metric " + id);
  return *found;
}

std::optional<bool> has_learned(const ExperimentResult& result, const CellResult& cell) {
  if (!result.gate) return std::nullopt;
  for (const LengthScore& score : cell.scores) {
    if (score.length != cell.train_length || score.condition != trained_condition) continue;
    const Measurement* measured = score.find(result.gate->metric);
    if (measured == nullptr) return std::nullopt;
    return metric_of(result, result.gate->metric).reached(measured->value, result.gate->threshold);
  }
  return std::nullopt;
}

std::string to_json(const CellResult& cell) {
  Json scores = Json::array();
  for (const LengthScore& score : cell.scores) scores.push_back(score_to_json(score));
  Json curve = Json::array();
  for (const auto& [step, loss] : cell.training_curve) curve.push_back(Json::array({step, number(loss)}));
  Json json = {{"row", cell.row},
               {"seed", cell.seed},
               {"parameters", cell.parameters},
               {"train_length", cell.train_length},
               {"note", cell.note},
               {"final_train_loss", number(cell.final_train_loss)},
               {"seconds", number(cell.seconds)},
               {"weights_hash", cell.weights_hash},
               {"settings_hash", cell.settings_hash},
               {"machines", cell.machines},
               {"scores", std::move(scores)},
               {"training_curve", std::move(curve)}};
  json["hash"] = hash_of(json);
  return dumped(json) + "\n";
}

CellResult cell_from_json(const std::string& text) {
  try {
    return parse_cell(text);
  } catch (const Json::exception& error) {
    throw DataError(fmt::format(
        "result.json: not a complete cell result: {} (delete it to run the cell again)", error.what()));
  } catch (const DataError& error) {
    throw DataError(fmt::format("result.json: {} (delete it to run the cell again)", error.what()));
  }
}

}  // namespace ordinal::experiments

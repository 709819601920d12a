// JSON for CellResult. JSON has no NaN and no infinity, so every double is converted by `number` and
// `to_number`.
#include "experiments/results/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <span>
#include <stdexcept>
#include <utility>

#include "framework/core/errors.h"
#include "framework/core/printable.h"
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

[[noreturn]] void refuse(const std::string& name, const Json& json, const char* expected) {
  throw DataError(fmt::format("{}: got {}, expected {}", name, printable(json.dump()), expected));
}

double to_number(const Json& json, const std::string& name) {
  if (json.is_null()) return not_a_number;
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  if (!json.is_number()) refuse(name, json, "a number, null, \"inf\" or \"-inf\"");
  return json.get<double>();
}

/// A whole number of type T; nlohmann by itself would silently round 1.5 and wrap -1, or 2^64 - 1.
template <typename T>
T to_whole(const Json& json, const std::string& name) {
  const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                              : std::is_signed_v<T> && json.is_number_integer();
  if (!fits) refuse(name, json, "a whole number");
  return json.get<T>();
}

const Json& member(const Json& json, const std::string& name) {
  if (!json.is_object() || !json.contains(name)) throw DataError(fmt::format("{} is missing", name));
  return json[name];
}

double number_in(const Json& json, const std::string& name) { return to_number(member(json, name), name); }

template <typename T>
T whole_in(const Json& json, const std::string& name) {
  return to_whole<T>(member(json, name), name);
}

std::string text_in(const Json& json, const std::string& name) {
  const Json& text = member(json, name);
  if (!text.is_string()) refuse(name, text, "a text");
  return text.get<std::string>();
}

bool flag_in(const Json& json, const std::string& name) {
  const Json& flag = member(json, name);
  if (!flag.is_boolean()) refuse(name, flag, "true or false");
  return flag.get<bool>();
}

const Json& list_in(const Json& json, const std::string& name) {
  const Json& list = member(json, name);
  if (!list.is_array()) refuse(name, list, "a list");
  return list;
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
  score.length = whole_in<Index>(json, "length");
  score.condition = text_in(json, "condition");
  score.failed = flag_in(json, "failed");
  score.why = text_in(json, "why");
  for (const Json& metric : list_in(json, "metrics")) {
    score.metrics.push_back({text_in(metric, "metric"), number_in(metric, "value"),
                             number_in(metric, "sampling_error"), whole_in<Index>(metric, "tokens")});
  }
  for (const Json& loss : list_in(json, "by_position"))
    score.by_position.push_back(to_number(loss, "by_position"));
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
  cell.row = text_in(json, "row");
  cell.seed = whole_in<std::uint64_t>(json, "seed");
  cell.parameters = whole_in<Index>(json, "parameters");
  cell.train_length = whole_in<Index>(json, "train_length");
  cell.note = text_in(json, "note");
  cell.final_train_loss = number_in(json, "final_train_loss");
  cell.seconds = number_in(json, "seconds");
  cell.weights_hash = text_in(json, "weights_hash");
  if (json.contains("gradient_norm")) cell.gradient_norm = number_in(json, "gradient_norm");
  if (json.contains("settings_hash")) cell.settings_hash = text_in(json, "settings_hash");
  if (json.contains("machines")) cell.machines = text_in(json, "machines");
  for (const Json& score : list_in(json, "scores")) cell.scores.push_back(score_from_json(score));
  for (const Json& point : list_in(json, "training_curve")) {
    if (!point.is_array() || point.size() != 2) refuse("training_curve", point, "pairs of a step and a loss");
    cell.training_curve.emplace_back(to_whole<Index>(point[0], "training_curve"),
                                     to_number(point[1], "training_curve"));
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
               {"gradient_norm", number(cell.gradient_norm)},
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
  } catch (const Json::parse_error& error) {
    throw DataError(
        fmt::format("result.json: byte {}: not JSON (delete it to run the cell again)", error.byte));
  } catch (const Json::out_of_range&) {
    throw DataError("result.json: a number is too large (delete it to run the cell again)");
  } catch (const DataError& error) {
    throw DataError(fmt::format("result.json: {} (delete it to run the cell again)", error.what()));
  }
}

}  // namespace ordinal::experiments

// JSON for CellResult: visit() names the members of each struct once, for reading and for writing. JSON has no NaN and no
// infinity, so these are written as null and as texts.
#include "experiments/results/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "framework/core/errors.h"
#include "framework/core/text.h"
#include "framework/storage/hash.h"
#include "framework/storage/json_depth.h"

namespace ordinal::experiments {
namespace {

using Json = nlohmann::ordered_json;

// Row and seed are those of the cell.
void visit(auto& members, Score& of) {
  members("length", of.length);
  members("condition", of.condition);
  members("metric", of.metric);
  members("value", of.value);
  members("sampling_error", of.error);
  members("tokens", of.tokens);
  members("failed", of.failed);
  members("why", of.why);
}

void visit(auto& members, PositionLosses& of) {
  members("length", of.length);
  members("condition", of.condition);
  members("bits", of.bits);
}

void visit(auto& members, CellSettings& of) {
  members("stages", of.stages);
  members("evaluation", of.evaluation);
}

void visit(auto& members, CellResult& of) {
  members("row", of.row);
  members("seed", of.seed);
  members("parameters", of.parameters);
  members("train_length", of.train_length);
  members("note", of.note);
  members("final_train_loss", of.final_train_loss);
  members("seconds", of.seconds);
  members("weights_hash", of.weights_hash);
  members("gradient_norm", of.gradient_norm);
  members("builds", of.builds);
  members("settings", of.settings);
  members("scores", of.scores);
  members("by_position", of.by_position);
  members("training_curve", of.training_curve);
}

template <typename T>
concept List = requires(T list) {
  list.emplace_back();
};
template <typename T>
concept Pair = requires(T pair) {
  pair.second;
};
using Texts = std::map<std::string, std::string>;

template <typename T>
Json json_of(T& value) {
  if constexpr (std::same_as<T, double>) {
    if (std::isnan(value)) return nullptr;
    if (std::isinf(value)) return value > 0.0 ? "inf" : "-inf";
    return value;
  } else if constexpr (std::integral<T> || std::same_as<T, std::string> || std::same_as<T, Texts>) {
    return value;
  } else if constexpr (Pair<T>) {
    return Json::array({json_of(value.first), json_of(value.second)});
  } else if constexpr (List<T>) {
    Json list = Json::array();
    for (auto& one : value) list.push_back(json_of(one));
    return list;
  } else {
    Json object = Json::object();
    const auto write = [&](const char* name, auto& member) { object[name] = json_of(member); };
    visit(write, value);
    return object;
  }
}

void expect(bool is_right, const std::string& name, const Json& json, const char* expected) {
  if (!is_right)
    throw DataError(fmt::format("{}: got {}, expected {}", name, printable(json.dump()), expected));
}

/// Reads a value with checks; nlohmann alone would silently round 1.5, and wrap -1 or 2^64 - 1.
template <typename T>
void read(const Json& json, const std::string& name, T& value) {
  if constexpr (std::same_as<T, double>) {
    const bool is_infinite = json == "inf" || json == "-inf";
    expect(json.is_null() || is_infinite || json.is_number(), name, json,
           "a number, null, \"inf\" or \"-inf\"");
    value = json.is_null() ? not_a_number : is_infinite ? INFINITY : json.get<double>();
    if (json == "-inf") value = -INFINITY;
  } else if constexpr (std::same_as<T, std::string>) {
    expect(json.is_string(), name, json, "a text");
    value = json.get<T>();
  } else if constexpr (std::same_as<T, bool>) {
    expect(json.is_boolean(), name, json, "true or false");
    value = json.get<T>();
  } else if constexpr (std::integral<T>) {
    const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                                : std::is_signed_v<T> && json.is_number_integer();
    expect(fits, name, json, "a whole number");
    value = json.get<T>();
  } else if constexpr (std::same_as<T, Texts>) {
    expect(json.is_object(), name, json, "an object");
    for (const auto& [key, text] : json.items()) read(text, key, value[key]);
  } else if constexpr (Pair<T>) {
    expect(json.is_array() && json.size() == 2, name, json, "pairs of a step and a loss");
    read(json[0], name, value.first);
    read(json[1], name, value.second);
  } else if constexpr (List<T>) {
    expect(json.is_array(), name, json, "a list");
    for (const Json& one : json) read(one, name, value.emplace_back());
  } else {
    const auto read_member = [&](const char* member, auto& of) {
      if (!json.is_object() || !json.contains(member)) throw DataError(fmt::format("{} is missing", member));
      read(json[member], member, of);
    };
    visit(read_member, value);
  }
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string hash_of(const Json& json) {
  const std::string text = dumped(json);
  return fnv1a64_hex(std::as_bytes(std::span(text)));
}

CellResult parse_cell(const std::string& text) {
  if (is_nested_too_deep(text)) throw DataError("it is nested too deep for a cell result");
  Json json = Json::parse(text);
  if (json.is_object() && json.contains("hash")) {
    const Json written = json["hash"];
    json.erase("hash");
    if (written != hash_of(json)) throw DataError("it is damaged: it does not have the hash that it holds");
  }
  CellResult cell;
  read(json, "result", cell);
  for (Score& score : cell.scores) {
    score.row = cell.row;
    score.seed = cell.seed;
  }
  return cell;
}

}  // namespace

const Score* score_at(const std::vector<Score>& scores, const std::string& metric, Index length,
                      const std::string& condition) {
  const auto found = std::ranges::find_if(scores, [&](const Score& score) {
    return score.length == length && score.condition == condition && score.metric == metric;
  });
  return found == scores.end() ? nullptr : &*found;
}

const MetricSpec& metric_of(const ExperimentResult& result, const std::string& id) {
  const auto found = std::ranges::find(result.metrics, id, &MetricSpec::id);
  if (found == result.metrics.end()) throw std::invalid_argument("metric_of: no metric " + id);
  return *found;
}

const Score* gate_score(const ExperimentResult& result, const CellResult& cell) {
  if (!result.gate) return nullptr;
  const Score* score = score_at(cell.scores, result.gate->metric, cell.train_length);
  return score == nullptr || score->tokens == 0 ? nullptr : score;
}

std::optional<bool> has_learned(const ExperimentResult& result, const CellResult& cell) {
  const Score* score = gate_score(result, cell);
  if (score == nullptr) return std::nullopt;
  return metric_of(result, result.gate->metric).reached(score->value, result.gate->threshold);
}

std::string to_json(CellResult cell) {
  Json json = json_of(cell);
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

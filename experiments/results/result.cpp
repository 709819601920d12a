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
#include "framework/storage/hash.h"

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

// Throws Json::exception for what json_of() does not make.
template <typename T>
void read(const Json& json, T& value) {
  if constexpr (std::same_as<T, double>) {
    value = json.is_null()   ? not_a_number
            : json == "inf"  ? INFINITY
            : json == "-inf" ? -INFINITY
                             : json.get<T>();
  } else if constexpr (std::integral<T> || std::same_as<T, std::string> || std::same_as<T, Texts>) {
    value = json.get<T>();
  } else if constexpr (Pair<T>) {
    read(json.at(0), value.first);
    read(json.at(1), value.second);
  } else if constexpr (List<T>) {
    for (const Json& one : json) read(one, value.emplace_back());
  } else {
    const auto read_member = [&](const char* name, auto& member) { read(json.at(name), member); };
    visit(read_member, value);
  }
}

const std::string hash_key = ",\"hash\":";

// The text of an object, with the hash of it as the last value.
std::string with_hash(const std::string& object) {
  const std::string hash = fnv1a64_hex(std::as_bytes(std::span(object)));
  return fmt::format("{}{}\"{}\"}}\n", object.substr(0, object.size() - 1), hash_key, hash);
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
  return with_hash(json_of(cell).dump(-1, ' ', false, Json::error_handler_t::replace));
}

CellResult cell_from_json(const std::string& text) {
  const std::string object = text.substr(0, text.rfind(hash_key)) + "}";
  if (text != with_hash(object))
    throw DataError(
        "result.json: it is damaged: it does not have the hash that it holds (delete it to run the cell "
        "again)");
  CellResult cell;
  try {
    read(Json::parse(object), cell);
  } catch (const Json::exception&) {
    throw DataError("result.json: it is of another version (delete it to run the cell again)");
  }
  for (Score& score : cell.scores) {
    score.row = cell.row;
    score.seed = cell.seed;
  }
  return cell;
}

}  // namespace ordinal::experiments

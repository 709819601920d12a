// All JSON of the experiments. visit() names the members of each struct once, for reading and for writing. JSON has no NaN and no
// infinity, so these are written as null and as texts.
#include "experiments/results/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "experiments/process/hash.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

template <typename T, typename = void>
struct Serializer : nlohmann::adl_serializer<T> {};

using Json = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, std::int64_t,
                                  std::uint64_t, double, std::allocator, Serializer>;

// Row and seed are those of the cell.
void visit(auto& members, Score& of) {
  members("length", of.length);
  members("condition", of.condition);
  members("metric", of.metric.id);
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

void visit(auto& members, LoggedStep& of) {
  members("step", of.step);
  members("bits_per_token", of.bits_per_token);
  members("gradient_norm", of.gradient_norm);
  members("learning_rate", of.learning_rate);
  members("seconds", of.seconds);
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

template <>
struct Serializer<double> : nlohmann::adl_serializer<double> {
  static void to_json(Json& json, double value) {
    if (std::isfinite(value)) return adl_serializer::to_json(json, value);
    json = std::isnan(value) ? Json() : Json(value > 0.0 ? "inf" : "-inf");
  }
  static void from_json(const Json& json, double& value) {
    if (json.is_null()) {
      value = not_a_number;
    } else if (json == "inf" || json == "-inf") {
      value = json == "inf" ? INFINITY : -INFINITY;
    } else {
      adl_serializer::from_json(json, value);
    }
  }
};

template <typename T>
requires requires(T& of, int& members) { visit(members, of); }
struct Serializer<T> {
  static void to_json(Json& json, T value) {
    const auto write = [&](const char* name, const auto& member) { json[name] = member; };
    visit(write, value);
  }
  static void from_json(const Json& json, T& value) {
    const auto read = [&](const char* name, auto& member) { json.at(name).get_to(member); };
    visit(read, value);
  }
};

const std::string hash_key = ",\"hash\":";

// The text of an object, with the hash of it as the last value.
std::string with_hash(const std::string& object) {
  const std::string hash = fnv1a64_hex(std::as_bytes(std::span(object)));
  return fmt::format("{}{}\"{}\"}}\n", object.substr(0, object.size() - 1), hash_key, hash);
}

std::optional<bool> has_learned(const CellResult& cell, const LearningGate& gate) {
  const Score* score = score_at(cell.scores, gate.metric.id, cell.train_length);
  if (score == nullptr) return std::nullopt;
  return gate.metric.reached(score->value, gate.threshold);
}

}  // namespace

const Score* score_at(const std::vector<Score>& scores, const std::string& metric, Index length,
                      const std::string& condition) {
  const auto found = std::ranges::find_if(scores, [&](const Score& score) {
    return score.length == length && score.condition == condition && score.metric.id == metric;
  });
  return found == scores.end() ? nullptr : &*found;
}

std::vector<Index> lengths_under(const ExperimentResult& result, const std::string& condition) {
  const auto limited = result.limited.find(condition);
  if (limited == result.limited.end()) return result.lengths;
  return {limited->second.begin(), limited->second.end()};
}

void set_learned(ExperimentResult& result) {
  for (CellResult& cell : result.cells) {
    const auto row = std::ranges::find(result.rows, cell.row, &RowInfo::label);
    for (Score& score : cell.scores) score.learned = row->gate ? has_learned(cell, *row->gate) : true;
  }
}

std::vector<Score> all_scores(const ExperimentResult& result) {
  std::vector<Score> all;
  for (const CellResult& cell : result.cells) all.insert(all.end(), cell.scores.begin(), cell.scores.end());
  all.insert(all.end(), result.references.begin(), result.references.end());
  return all;
}

std::string to_json(const LoggedStep& step) { return Json(step).dump(); }

std::optional<LoggedStep> logged_step(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    if (json.at("step").is_number_unsigned()) return json.get<LoggedStep>();
  } catch (const Json::exception&) {  // a line that was cut off or edited
  }
  return std::nullopt;
}

std::string manifest_json(const ExperimentResult& result) {
  Json manifest;
  for (const auto& [key, value] : result.manifest) manifest[key] = value;
  for (const CellResult& cell : result.cells)
    manifest["weights_hash"][cell.row][std::to_string(cell.seed)] = cell.weights_hash;
  manifest["metrics"] = Json::array();
  for (const MetricSpec& metric : result.metrics) {
    manifest["metrics"].push_back({{"id", metric.id},
                                   {"name", metric.title()},
                                   {"unit", metric.measure == Measure::bits ? "bits" : ""},
                                   {"lower_is_better", metric.lower_is_better()}});
  }
  manifest["gate"] = nullptr;
  for (const RowInfo& row : result.rows)
    if (row.gate)
      manifest["gate"][row.label] = {
          {"metric", row.gate->metric.id}, {"threshold", row.gate->threshold}, {"text", row.gate->text}};
  return manifest.dump(2) + "\n";
}

std::string to_json(CellResult cell) {
  return with_hash(Json(cell).dump(-1, ' ', false, Json::error_handler_t::replace));
}

CellResult cell_from_json(const std::string& text, const std::vector<MetricSpec>& metrics) {
  const std::string object = text.substr(0, text.rfind(hash_key)) + "}";
  if (text != with_hash(object))
    throw DataError(
        "result.json: it is damaged: it does not have the hash that it holds (delete it to run the cell "
        "again)");
  CellResult cell;
  try {
    Json::parse(object).get_to(cell);
  } catch (const Json::exception&) {
    throw DataError("result.json: it is of another version (delete it to run the cell again)");
  }
  for (Score& score : cell.scores) {
    score.row = cell.row;
    score.seed = cell.seed;
    const auto known = std::ranges::find(metrics, score.metric.id, &MetricSpec::id);
    if (known != metrics.end()) score.metric = *known;
  }
  return cell;
}

}  // namespace ordinal::experiments

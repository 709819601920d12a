#include "experiments/runs/checkpoint_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "experiments/settings/encoding_choice.h"
#include "experiments/settings/number.h"
#include "framework/core/errors.h"

namespace ordinal {
namespace {

// What may be chosen anew for weights that exist. All else of `model` and `positional` is part of them.
constexpr std::array chosen_anew = {
    std::string_view("model.dropout"),          std::string_view("positional.encodings"),
    std::string_view("positional.base"),        std::string_view("positional.overflow"),
    std::string_view("positional.positions"),   std::string_view("positional.test_positions"),
    std::string_view("positional.scale"),       std::string_view("positional.max_position"),
    std::string_view("positional.offset"),      std::string_view("positional.train_length"),
    std::string_view("positional.dropout"),     std::string_view("positional.dropout_high"),
    std::string_view("positional.dropout_low"), std::string_view("positional.precision"),
    std::string_view("positional.yarn_alpha"),  std::string_view("positional.yarn_beta"),
    std::string_view("positional.xpos_scale"),  std::string_view("positional.slope_scale")};

bool belongs_to_weights(const Key& key) {
  const bool described = key.section() == "model" || key.section() == "positional";
  return described && std::ranges::find(chosen_anew, key.name) == chosen_anew.end();
}

bool comes_from_checkpoint(const Key& key) {
  return key.section() == "task" || key.section() == "model" || key.section() == "positional";
}

// Values that a run works out for itself. A checkpoint knows what came of it, and a new run would find
// another.
constexpr std::array worked_out = {
    std::pair<std::string_view, std::string_view>("model.vocab_size", "0"),
    std::pair<std::string_view, std::string_view>("positional.max_seq_len", "0"),
    std::pair<std::string_view, std::string_view>("positional.max_position", "0"),
    std::pair<std::string_view, std::string_view>("positional.train_length", "0"),
    std::pair<std::string_view, std::string_view>("positional.base", "auto")};

bool is_given(const Settings& settings, const std::string& key) {
  const bool automatic = std::ranges::any_of(
      worked_out, [&](const auto& pair) { return pair.first == key && pair.second == settings.text(key); });
  return settings.origin(key) != "default" && !automatic;
}

// "rope@yarn" names the encoding rope; 1 and 1.0 are the same number; 0 may stand for a size.
std::string comparable(const Settings& settings, const std::string& key) {
  const std::string& value = settings.text(key);
  if (key == "positional.encoding") return value.substr(0, value.find('@'));
  if (key == "model.n_kv_heads" && value == "0") return settings.text("model.heads");
  if (key == "model.ff" && value == "0") return std::to_string(4 * settings.integer("model.d_model"));
  const auto number = parse_real(value);
  return number ? fmt::format("{}", *number) : value;
}

// New positions in training are those of the test, too, unless that is given.
void follow_positions(Settings& settings, bool positions_given, bool test_given, const std::string& path) {
  if (positions_given && !test_given) settings.set("positional.test_positions", "same", path);
}

// A scale or an offset of the checkpoint's positions has no meaning for others.
void forget_unheeded(const Settings& given, Settings& settings) {
  const EncodingChoice choice = encoding_choice(settings, settings.text("positional.encoding"));
  if (!is_given(given, "positional.scale") && !heeds_scale(choice)) {
    settings.set("positional.scale", "0", "default");
  }
  if (!is_given(given, "positional.offset") && !heeds_offset(choice)) {
    settings.set("positional.offset", "0", "default");
  }
}

// A file made by hand may say "rope@yarn".
void split_entry(Settings& settings, const std::string& path) {
  const std::string entry = settings.text("positional.encoding");
  if (entry.find('@') == std::string::npos) return;
  const EncodingChoice choice = encoding_choice(settings, entry);
  settings.set("positional.encoding", choice.encoding, path);
  settings.set("positional.positions", choice.training, path);
  settings.set("positional.test_positions", choice.test, path);
}

std::string difference(const Settings& given, const Settings& trained, const std::string& key,
                       const std::string& path) {
  return fmt::format("{}: it was trained with {} = {}, {} says {}; leave that out, or train a new model",
                     path, key, trained.text(key), given.origin(key), given.text(key));
}

Settings over_checkpoint(const Settings& given, const std::string& path, bool same_task) {
  const Settings trained = settings_of(SafetensorsFile(path), path);
  Settings settings = given;
  std::string differences;
  for (const Key& key : all_keys()) {
    if (!comes_from_checkpoint(key)) continue;
    const bool known = trained.origin(key.name) != "default";
    const bool fixed = belongs_to_weights(key) || (same_task && key.name == "task.name");
    if (!is_given(given, key.name) || (same_task && key.name == "task.train_length")) {
      settings.set(key.name, trained.text(key.name), path);
    } else if (fixed && known && comparable(settings, key.name) != comparable(trained, key.name)) {
      differences += (differences.empty() ? "" : "\n") + difference(given, trained, key.name, path);
    }
  }
  if (!differences.empty()) throw CheckpointError(differences);
  const bool entry_given = given.text("positional.encoding").find('@') != std::string::npos;
  follow_positions(settings, entry_given || is_given(given, "positional.positions"),
                   is_given(given, "positional.test_positions"), path);
  forget_unheeded(given, settings);
  return settings;
}

}  // namespace

Settings settings_of(const SafetensorsFile& file, const std::string& path) {
  Settings settings;
  try {
    settings = Settings::from_map(file.metadata(), path);
    split_entry(settings, path);
  } catch (const ConfigError& error) {
    throw CheckpointError(error.what());
  }
  if (settings.integer("model.vocab_size") == 0) {
    const std::string name = "token_embedding.weight";
    if (!file.contains(name) || file.shape(name).empty()) {
      throw CheckpointError(
          fmt::format("{}: no model.vocab_size in its metadata and no tensor {}", path, name));
    }
    settings.set("model.vocab_size", std::to_string(file.shape(name).front()), path);
  }
  const std::string table = "positional.learned.table";
  if (settings.integer("positional.max_seq_len") == 0 && file.contains(table) && !file.shape(table).empty()) {
    settings.set("positional.max_seq_len", std::to_string(file.shape(table).front()), path);
  }
  return settings;
}

Settings fine_tuning_settings(const Settings& given, const std::string& path) {
  return over_checkpoint(given, path, false);
}

Settings inference_settings(const Settings& given, const std::string& path) {
  return over_checkpoint(given, path, true);
}

}  // namespace ordinal

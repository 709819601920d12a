#include "experiments/runs/checkpoint_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

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

bool is_given(const Settings& settings, const std::string& key) { return settings.origin(key) != "default"; }

// "rope@yarn" names the encoding rope.
std::string comparable(const std::string& key, const std::string& value) {
  return key == "positional.encoding" ? value.substr(0, value.find('@')) : value;
}

// New positions in training are those of the test, too, unless that is given.
void follow_positions(Settings& settings, bool positions_given, bool test_given, const std::string& path) {
  if (positions_given && !test_given) settings.set("positional.test_positions", "same", path);
}

std::string difference(const Settings& given, const Settings& trained, const std::string& key,
                       const std::string& path) {
  return fmt::format("{}: it was trained with {} = {}, {} says {}; leave that out, or train a new model",
                     path, key, trained.text(key), given.origin(key), given.text(key));
}

}  // namespace

Settings settings_of(const SafetensorsFile& file, const std::string& path) {
  Settings settings;
  try {
    settings = Settings::from_map(file.metadata(), path);
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
  const Settings trained = settings_of(SafetensorsFile(path), path);
  Settings settings = given;
  std::string differences;
  for (const Key& key : all_keys()) {
    if (!comes_from_checkpoint(key)) continue;
    if (!is_given(given, key.name)) {
      settings.set(key.name, trained.text(key.name), path);
    } else if (belongs_to_weights(key) && trained.origin(key.name) != "default" &&
               comparable(key.name, given.text(key.name)) != comparable(key.name, trained.text(key.name))) {
      differences += (differences.empty() ? "" : "\n") + difference(given, trained, key.name, path);
    }
  }
  if (!differences.empty()) throw CheckpointError(differences);
  const bool entry_given = given.text("positional.encoding").find('@') != std::string::npos;
  follow_positions(settings, entry_given || is_given(given, "positional.positions"),
                   is_given(given, "positional.test_positions"), path);
  return settings;
}

Settings inference_settings(const Settings& given, const std::string& path) {
  const Settings trained = settings_of(SafetensorsFile(path), path);
  Settings settings = given;
  for (const Key& key : all_keys()) {
    const bool free = key.section() == "positional" && !belongs_to_weights(key);
    if (comes_from_checkpoint(key) && !(free && is_given(given, key.name))) {
      settings.set(key.name, trained.text(key.name), path);
    }
  }
  follow_positions(settings, is_given(given, "positional.positions"),
                   is_given(given, "positional.test_positions"), path);
  return settings;
}

}  // namespace ordinal

// Settings that are each possible but do not go together.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>

#include "experiments/settings/encoding_choice.h"
#include "experiments/settings/settings.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "framework/layers/registry.h"
#include "framework/positional/position_scheme.h"

namespace ordinal {
namespace {

using Problems = std::vector<std::string>;

void check_sizes(const Settings& settings, Problems& problems) {
  const Index drawn_width = settings.integer("encoding.d_model");
  const Index drawn_heads = settings.integer("encoding.heads");
  if (drawn_width % drawn_heads != 0) {
    problems.push_back(fmt::format("encoding.d_model = {} is not divisible by encoding.heads = {}",
                                   drawn_width, drawn_heads));
  }
  const Index d_model = settings.integer("model.d_model");
  const Index heads = settings.integer("model.heads");
  const Index kv_heads = settings.integer("model.n_kv_heads");
  if (d_model % heads != 0) {
    problems.push_back(
        fmt::format("model.d_model = {} is not divisible by model.heads = {}", d_model, heads));
  }
  if (kv_heads > 0 && heads % kv_heads != 0) {
    problems.push_back(
        fmt::format("model.heads = {} is not divisible by model.n_kv_heads = {}", heads, kv_heads));
  }
}

void check_known(const Settings& settings, const std::string& key, const std::vector<std::string>& known,
                 Problems& problems) {
  if (std::ranges::find(known, settings.text(key)) != known.end()) return;
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  problems.push_back(fmt::format("{}: got '{}', expected one of {}", key, settings.text(key), names));
}

std::vector<std::string> layers_of(LayerKind kind) {
  std::vector<std::string> names;
  for (const LayerEntry& entry : layer_registry()) {
    if (entry.kind == kind) names.push_back(entry.name);
  }
  return names;
}

// Builds it, for nothing but its complaints; sines and cosines are not kept.
void check_built(const Settings& settings, const std::string& entry, bool is_drawn) {
  const std::string section = is_drawn ? "encoding" : "model";
  EncodingConfig config = encoding_config(settings, entry);
  config.d_model = settings.integer(section + ".d_model");
  const Index heads = settings.integer(section + ".heads");
  config.heads = config.d_model % heads == 0 ? heads : 1;  // the other case is said elsewhere
  config.causal = settings.flag(section + ".causal");
  config.n_kv_heads = config.heads;
  config.layers = 1;
  config.train_length = settings.integer("task.train_length");
  config.max_seq_len = 1;
  ParameterLayout layout;
  make_positional_encoding<float>(config, Scope(layout, "positional"));
}

std::optional<EncodingChoice> check_encoding(const Settings& settings, const std::string& name, bool is_drawn,
                                             Problems& problems) {
  try {
    const EncodingChoice choice = encoding_choice(settings, name);
    const Index range = settings.integer("positional.max_position");
    const Index length = settings.integer("task.train_length");
    const PositionScheme training{.kind = position_scheme(choice.training)};
    if (training.needs_range() && !is_drawn && range > 0 && range < length) {
      problems.push_back(
          fmt::format("positional.max_position = {} is less than task.train_length = {}: {} needs as "
                      "many positions as tokens",
                      range, length, choice.training));
    }
    check_built(settings, name, is_drawn);
    return choice;
  } catch (const ConfigError& error) {
    problems.emplace_back(error.what());
  } catch (const std::invalid_argument& error) {
    problems.emplace_back(error.what());
  }
  return std::nullopt;
}

// A setting of the position axis that no entry heeds.
void check_heeded(const Settings& settings, const std::vector<EncodingChoice>& choices, Problems& problems) {
  if (settings.real("positional.offset") > 0.0 && std::ranges::none_of(choices, heeds_offset)) {
    problems.push_back(
        fmt::format("positional.offset = {} would change nothing: it is where contiguous positions start in "
                    "the test, for an encoding that takes positions",
                    settings.text("positional.offset")));
  }
  if (settings.real("positional.scale") > 0.0 && std::ranges::none_of(choices, heeds_scale)) {
    problems.push_back(
        fmt::format("positional.scale = {} would change nothing: it is the factor of interpolated, ntk and "
                    "yarn positions",
                    settings.text("positional.scale")));
  }
}

void check_encodings(const Settings& settings, const std::string& encoding_key, Problems& problems) {
  if (encoding_key.empty()) return;
  const bool is_drawn = encoding_key == "encoding.name";
  const std::vector<std::string> names = settings.list(encoding_key);
  std::vector<EncodingChoice> choices;
  if (names.empty()) problems.push_back(fmt::format("{}: got none, expected an encoding", encoding_key));
  for (const std::string& name : names) {
    if (const auto choice = check_encoding(settings, name, is_drawn, problems)) choices.push_back(*choice);
    if (std::ranges::count(names, name) > 1) {
      problems.push_back(fmt::format("{}: {} is there more than once", encoding_key, name));
    }
  }
  if (choices.size() == names.size()) check_heeded(settings, choices, problems);
}

void check_training(const Settings& settings, Problems& problems) {
  const Index shards = settings.integer("train.shards");
  const Index batch = settings.integer("train.batch");
  if (shards > 0 && !std::has_single_bit(static_cast<std::size_t>(shards))) {
    problems.push_back(fmt::format("train.shards = {}, expected a power of two, or 0 for automatic", shards));
  } else if (shards > batch) {
    problems.push_back(fmt::format("train.shards = {} exceeds train.batch = {}", shards, batch));
  }
  if (settings.integer("train.warmup") > settings.integer("train.steps") &&
      settings.origin("train.warmup") != "default") {
    problems.push_back(fmt::format("train.warmup = {} exceeds train.steps = {}",
                                   settings.integer("train.warmup"), settings.integer("train.steps")));
  }
}

void check_names(const Settings& settings, Problems& problems) {
  const std::string& name = settings.text("experiment.name");
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  if (name.empty() || name.front() == '.' || !std::ranges::all_of(name, allowed)) {
    problems.push_back(fmt::format(
        "experiment.name: got '{}', expected letters, digits, '.', '_' and '-', not starting with '.'",
        name));
  }
  check_known(settings, "task.name", task_names(), problems);
  check_known(settings, "model.norm", layers_of(LayerKind::norm), problems);
  check_known(settings, "model.activation", layers_of(LayerKind::activation), problems);
  const bool files = !settings.list("task.file").empty();
  const double alpha = settings.real("positional.yarn_alpha");
  const double beta = settings.real("positional.yarn_beta");
  if (beta > 0.0 && alpha >= beta) {
    problems.push_back(fmt::format("positional.yarn_alpha = {} is not below positional.yarn_beta = {}",
                                   settings.text("positional.yarn_alpha"),
                                   settings.text("positional.yarn_beta")));
  }
  if (settings.text("task.name") == "text" && !files) {
    problems.emplace_back("task.name = text needs a file: set task.file");
  }
}

}  // namespace

std::vector<std::string> contradictions(const Settings& settings, const std::string& encoding_key) {
  Problems problems;
  check_names(settings, problems);
  check_sizes(settings, problems);
  check_encodings(settings, encoding_key, problems);
  check_training(settings, problems);
  const auto collect = [&](const std::function<void()>& derive) {
    try {
      derive();
    } catch (const ConfigError& error) {
      problems.emplace_back(error.what());
    }
  };
  collect([&] { seeds(settings); });
  collect([&] { evaluation_lengths(settings); });
  collect([&] { positional_base(settings); });
  std::ranges::sort(problems);
  problems.erase(std::unique(problems.begin(), problems.end()), problems.end());
  return problems;
}

}  // namespace ordinal

#include "experiments/runs/configure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/settings/encoding_choice.h"
#include "framework/core/errors.h"

namespace ordinal {
namespace {

// Everything but the sizes that come from a task or a file.
ModelConfig base_config(const Settings& settings, const std::string& encoding) {
  ModelConfig config;
  config.d_model = settings.integer("model.d_model");
  config.layers = settings.integer("model.layers");
  config.heads = settings.integer("model.heads");
  config.n_kv_heads = settings.integer("model.n_kv_heads");
  config.ff = settings.integer("model.ff");
  config.norm = settings.text("model.norm");
  config.norm_placement = settings.text("model.norm_placement");
  config.activation = settings.text("model.activation");
  config.causal = settings.flag("model.causal");
  config.bias = settings.flag("model.bias");
  config.tied_output = settings.flag("model.tied_output");
  config.scale_embedding = settings.flag("model.scale_embedding");
  config.dropout = settings.real("model.dropout");
  config.positional_dropout = settings.real("positional.dropout");
  config.encoding = encoding_config(settings, encoding);
  return config;
}

// Lengths in tokens.
struct Lengths {
  Index training = 0;
  Index longest = 0;  // that is tested
};

Lengths lengths_of(const Settings& settings, const Task& task) {
  return {task.seq_len(settings.integer("task.train_length")),
          task.seq_len(evaluation_lengths(settings).back())};
}

Index known_length(const Settings& settings, const Lengths& lengths) {
  const Index given = settings.integer("positional.train_length");
  return given > 0 ? given : lengths.training;
}

Index position_range(const Settings& settings, const Lengths& lengths) {
  const Index given = settings.integer("positional.max_position");
  return given > 0 ? given : 2 * std::max(lengths.training, lengths.longest);
}

PositionScheme scheme_of(const std::string& name, const Settings& settings, const Lengths& lengths) {
  return {.kind = position_scheme(name),
          .train_length = known_length(settings, lengths),
          .scale = settings.real("positional.scale"),
          .max_position = position_range(settings, lengths)};
}

// Positions that tokens may have in training lie below it.
Index training_range(const Settings& settings, const EncodingChoice& choice, const Lengths& lengths) {
  const PositionScheme training = scheme_of(choice.training, settings, lengths);
  if (training.needs_range()) return training.max_position;
  const bool squeezed = training.kind == PositionScheme::Kind::interpolated;
  const double step = squeezed ? 1.0 / stretch_factor(training, lengths.training) : 1.0;
  return static_cast<Index>(std::floor(static_cast<double>(lengths.training - 1) * step)) + 1;
}

bool has_table(const EncodingConfig& config) { return has_part(config.name, "learned"); }

// A table that ends before training does would fail in its first step.
void check_table(const EncodingConfig& config, Index needed) {
  const bool ends = config.overflow == "error" || config.overflow == "untrained";
  if (!has_table(config) || !ends || config.max_seq_len >= needed) return;
  throw ConfigError(
      fmt::format("positional.max_seq_len = {} is less than the {} positions of training: learned has no row "
                  "for the others (a new model can have more; else set positional.overflow to clamp or "
                  "interpolate)",
                  config.max_seq_len, needed));
}

Index table_rows(const Settings& settings, const EncodingChoice& choice, const Lengths& lengths) {
  const PositionScheme training = scheme_of(choice.training, settings, lengths);
  const PositionScheme test = scheme_of(choice.test, settings, lengths);
  if (settings.integer("positional.max_seq_len") > 0) return settings.integer("positional.max_seq_len");
  if (training.needs_range() || test.needs_range()) return training.max_position;
  if (training.kind == PositionScheme::Kind::interpolated) return training.train_length;
  const bool untrained = settings.text("positional.overflow") == "untrained";
  return std::max({training.train_length, lengths.training, untrained ? lengths.longest : 0});
}

void fill_lengths(EncodingConfig& config, const Settings& settings, const EncodingChoice& choice,
                  const Lengths& lengths) {
  config.train_length = known_length(settings, lengths);
  config.max_seq_len = table_rows(settings, choice, lengths);
  const bool wide = scheme_of(choice.training, settings, lengths).needs_range() ||
                    scheme_of(choice.test, settings, lengths).needs_range();
  config.longest = wide ? position_range(settings, lengths) : std::max(lengths.training, lengths.longest);
}

bool trains_model(const std::string& section) {
  return section == "task" || section == "model" || section == "positional" || section == "train";
}

}  // namespace

TaskConfig task_config(const Settings& settings) {
  return {.name = settings.text("task.name"), .files = settings.list("task.file")};
}

ModelConfig model_config(const Settings& settings, const Task& task, const std::string& encoding) {
  ModelConfig config = base_config(settings, encoding);
  config.vocab_size = task.alphabet().size();
  const Index given = settings.integer("model.vocab_size");
  if (given > 0 && given < config.vocab_size) {
    throw ConfigError(
        fmt::format("model.vocab_size = {}, but the task has {} different tokens", given, config.vocab_size));
  }
  config.vocab_size = std::max(config.vocab_size, given);
  const EncodingChoice choice = encoding_choice(settings, encoding);
  const Lengths lengths = lengths_of(settings, task);
  fill_lengths(config.encoding, settings, choice, lengths);
  check_table(config.encoding, training_range(settings, choice, lengths));
  return config;
}

ModelConfig model_config(const Settings& settings) {
  const std::string& entry = settings.text("positional.encoding");
  ModelConfig config = base_config(settings, entry);
  config.vocab_size = settings.integer("model.vocab_size");
  const Index length = settings.integer("task.train_length");
  fill_lengths(config.encoding, settings, encoding_choice(settings, entry), {length, length});
  return config;
}

PositionScheme training_positions(const Settings& settings, const Task& task, const std::string& entry) {
  return scheme_of(encoding_choice(settings, entry).training, settings, lengths_of(settings, task));
}

PositionScheme test_positions(const Settings& settings, const Task& task, const std::string& entry) {
  PositionScheme scheme =
      scheme_of(encoding_choice(settings, entry).test, settings, lengths_of(settings, task));
  scheme.offset = settings.real("positional.offset");
  return scheme;
}

PositionScheme test_positions(const Settings& settings) {
  const Index length = settings.integer("task.train_length");
  PositionScheme scheme = scheme_of(encoding_choice(settings, settings.text("positional.encoding")).test,
                                    settings, {length, length});
  scheme.offset = settings.real("positional.offset");
  return scheme;
}

TrainerOptions trainer_options(const Settings& settings, Index seq_len, std::uint64_t seed) {
  TrainerOptions options;
  options.optimizer = {.name = settings.text("train.optimizer"),
                       .beta1 = settings.real("train.beta1"),
                       .beta2 = settings.real("train.beta2"),
                       .epsilon = settings.real("train.epsilon"),
                       .weight_decay = settings.real("train.weight_decay"),
                       .momentum = settings.real("train.momentum")};
  options.schedule = {.name = settings.text("train.schedule"),
                      .peak = settings.real("train.learning_rate"),
                      .steps = settings.integer("train.steps"),
                      .warmup = std::min(settings.integer("train.warmup"), settings.integer("train.steps")),
                      .final_fraction = settings.real("train.final_fraction")};
  options.clip = settings.real("train.clip");
  const Index shards = settings.integer("train.shards");
  options.shards = shards > 0 ? shards : default_shards(settings.integer("train.batch"), seq_len);
  options.seed = seed;
  return options;
}

GenerationOptions generation_options(const Settings& settings) {
  return {.length = settings.integer("generate.length"),
          .temperature = settings.real("generate.temperature"),
          .top_k = settings.integer("generate.top_k"),
          .seed = static_cast<std::uint64_t>(settings.integer("generate.seed"))};
}

Metadata training_metadata(const Settings& settings, const Task& task, const ModelConfig& model,
                           const std::string& encoding, std::uint64_t seed) {
  Metadata metadata;
  for (const Key& key : all_keys()) {
    if (trains_model(key.section())) metadata[key.name] = settings.text(key.name);
  }
  for (const char* unrelated : {"positional.encodings", "train.log_every", "train.checkpoint_every"}) {
    metadata.erase(unrelated);
  }
  const EncodingChoice choice = encoding_choice(settings, encoding);
  metadata["positional.encoding"] = choice.encoding;
  metadata["positional.positions"] = choice.training;
  metadata["positional.test_positions"] = choice.test;
  metadata["positional.base"] = fmt::format("{}", model.encoding.base);  // `auto` would follow another length
  if (has_table(model.encoding)) {
    metadata["positional.max_seq_len"] = std::to_string(model.encoding.max_seq_len);
  }
  metadata["positional.train_length"] = std::to_string(model.encoding.train_length);
  const PositionScheme training = training_positions(settings, task, encoding);
  if (training.needs_range() || test_positions(settings, task, encoding).needs_range()) {
    metadata["positional.max_position"] = std::to_string(training.max_position);
  }
  metadata["model.vocab_size"] = std::to_string(model.vocab_size);
  metadata["train.seed"] = std::to_string(seed);
  metadata["data_hash"] = task.data_hash();
  return metadata;
}

bool is_test_only(const std::string& key, const Metadata& metadata) {
  if (key == "positional.max_position") {
    const std::string& training = metadata.at("positional.positions");
    return !PositionScheme{.kind = position_scheme(training)}.needs_range();
  }
  return key == "positional.test_positions" || key == "positional.offset";
}

}  // namespace ordinal

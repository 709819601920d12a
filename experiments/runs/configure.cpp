#include "experiments/runs/configure.h"

#include <fmt/format.h>

#include <algorithm>

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
  config.encoding.name = encoding;
  config.encoding.base = positional_base(settings);
  config.encoding.overflow = settings.text("positional.overflow");
  config.encoding.pad_odd = settings.flag("positional.pad_odd");
  config.encoding.max_seq_len = settings.integer("positional.max_seq_len");
  config.encoding.train_length = settings.integer("task.train_length");
  return config;
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
  config.encoding.train_length = task.seq_len(settings.integer("task.train_length"));
  if (config.encoding.max_seq_len == 0) {
    const bool untrained = config.encoding.overflow == "untrained";
    const Index longest = untrained ? task.seq_len(evaluation_lengths(settings).back()) : 0;
    config.encoding.max_seq_len = std::max(config.encoding.train_length, longest);
  }
  return config;
}

ModelConfig model_config(const Settings& settings) {
  ModelConfig config = base_config(settings, settings.text("positional.encoding"));
  config.vocab_size = settings.integer("model.vocab_size");
  if (config.encoding.max_seq_len == 0) config.encoding.max_seq_len = config.encoding.train_length;
  return config;
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
  metadata["positional.encoding"] = encoding;
  metadata["positional.max_seq_len"] = std::to_string(model.encoding.max_seq_len);
  metadata["model.vocab_size"] = std::to_string(model.vocab_size);
  metadata["train.seed"] = std::to_string(seed);
  metadata["data_hash"] = task.data_hash();
  return metadata;
}

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

}  // namespace ordinal

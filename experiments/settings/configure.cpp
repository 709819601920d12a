#include "experiments/settings/configure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/settings/parts.h"
#include "framework/core/errors.h"
#include "framework/core/number.h"
#include "framework/layers/registry.h"

namespace ordinal::experiments {
namespace {

// Everything but the sizes that come from a task or a file.
ModelConfig base_config(const Settings& settings, const std::string& encoding) {
  ModelConfig config = model_section(settings);
  config.block = block_text(settings);
  config.norm = norm_text(settings);
  config.positional_dropout = settings.real("positional.dropout");
  config.encoding = encoding;
  return config;
}

// Lengths in tokens.
struct Lengths {
  Index training = 0;
  Index longest = 0;  // that is tested
  Index known = 0;    // up to which the model knows positions
};

Lengths lengths_of(const Settings& settings, Index training, Index longest) {
  const Index given = settings.integer("positional.train_length");
  return {training, longest, given > 0 ? given : training};
}

Lengths lengths_of(const Settings& settings, const Task& task) {
  return lengths_of(settings, task.seq_len(settings.integer("task.train_length")),
                    task.seq_len(evaluation_lengths(settings).back()));
}

Lengths lengths_of(const Settings& settings) {
  const Index length = settings.integer("task.train_length");
  return lengths_of(settings, length, length);
}

PositionalChoice resolved_choice(const Settings& settings, const Lengths& lengths) {
  PositionalChoice choice = positional_choice(settings);
  for (PositionScheme* scheme : {&choice.training, &choice.test}) {
    scheme->resolve(lengths.known, std::max(lengths.training, lengths.longest));
  }
  return choice;
}

// An upper bound, exclusive, of the positions in training.
Index trained_positions(const PositionalChoice& choice, const Lengths& lengths) {
  for (const PositionScheme& scheme : {choice.training, choice.test}) {
    if (scheme.needs_range()) return scheme.max_position;
  }
  const bool squeezed = choice.training.kind == PositionScheme::Kind::interpolated;
  const double step = squeezed ? 1.0 / stretch_factor(choice.training, lengths.training) : 1.0;
  const double last = choice.training.offset + static_cast<double>(lengths.training - 1) * step;
  constexpr double largest = 1e15;  // larger ones, as real numbers, would not be one apart
  if (last > largest) {
    throw ConfigError(
        fmt::format("positions in training reach {:g}, expected at most {:g} (use a smaller "
                    "offset, or a larger scale)",
                    last, largest));
  }
  return static_cast<Index>(std::floor(last)) + 1;
}

void check_task_gives(const PositionScheme& scheme, const Task& task) {
  if (scheme.of_task()) with_positions(make_batch(task, Split::training, 0, 0, 1, 1), task, scheme);
}

void fill_lengths(ModelConfig& config, const PositionalChoice& choice, const Lengths& lengths) {
  config.train_length = lengths.known;
  config.positions = trained_positions(choice, lengths);
  config.longest = std::max({lengths.training, lengths.longest, config.positions});
}

// A part with all its options, or with those that affect anything up to `last`.
std::string described_part(const std::string& name, const std::vector<OptionSpec>& options, Binds last) {
  Part part{name};
  for (const OptionSpec& option : options) {
    if (option.type == OptionType::text && option.value.find_first_of(",()=@+") != std::string::npos) {
      throw ConfigError(fmt::format("{}: {}: got '{}', expected a text without , ( ) = @ and +", name,
                                    option.name, option.value));
    }
    if (option.type != OptionType::files && option.binds <= last) part.options[option.name] = option.value;
  }
  return to_string(part);
}

std::string described_scheme(PositionScheme scheme) {
  return described_part(position_schemes().entries()[static_cast<std::size_t>(scheme.kind)].name,
                        specs_of(scheme), Binds::test);
}

// The value of a key that names parts.
std::string described_parts(const Key& key, const Settings& settings, const ModelConfig& model,
                            const PositionalChoice& choice, Binds last) {
  const ModelShape shape = shape_of(model);
  std::vector<std::string> parts;
  if (key.name == "positional.positions") return described_scheme(choice.training);
  if (key.name == "positional.test_positions") return described_scheme(choice.test);
  if (key.kind == "positional encodings") {
    for (const Part& part : encoding_parts(choice.encoding)) {
      parts.push_back(described_part(part.name, encodings().find(part.name).resolve(part, shape), last));
    }
    return joined(parts, "+");
  }
  if (key.kind == "branches" || key.kind == "norms") {
    const LayerKind kind = key.kind == "norms" ? LayerKind::norm : LayerKind::branch;
    for (const std::string& text :
         split_outside_brackets(kind == LayerKind::norm ? model.norm : model.block, ',')) {
      const Part part = parse_part(text);
      parts.push_back(described_part(part.name, layers(kind).find(part.name).resolve(part, shape), last));
    }
    return joined(parts);
  }
  Part part = with_keys(parse_part(settings.text(key.name)), part_kind(key.kind), settings);
  std::vector<OptionSpec> options = part_kind(key.kind).find(part.name)->options;
  for (OptionSpec& option : options) {
    if (!part.options.contains(option.name)) continue;
    const auto number = parse_real(part.options[option.name]);
    const bool is_number = option.type == OptionType::real || option.type == OptionType::integer;
    option.value = is_number && number ? number_text(*number) : part.options[option.name];
  }
  return described_part(part.name, options, last);
}

// 0.003 and 3e-3 are the same number.
std::string described_value(const Key& key, const std::string& value) {
  const auto number = parse_real(value);
  return key.option.type == OptionType::real && number ? number_text(*number) : value;
}

}  // namespace

ModelConfig model_config(const Settings& settings, const Task& task) {
  const Lengths lengths = lengths_of(settings, task);
  const PositionalChoice choice = resolved_choice(settings, lengths);
  for (const PositionScheme& scheme : {choice.training, choice.test}) check_task_gives(scheme, task);
  ModelConfig config = base_config(settings, choice.encoding);
  const Index symbols = task.alphabet().size();
  if (config.vocab_size > 0 && config.vocab_size < symbols) {
    throw ConfigError(fmt::format("model.vocab_size = {}, but the task has {} different tokens",
                                  config.vocab_size, symbols));
  }
  config.vocab_size = std::max(config.vocab_size, symbols);
  fill_lengths(config, choice, lengths);
  return config;
}

ModelConfig model_config(const Settings& settings) {
  const Lengths lengths = lengths_of(settings);
  const PositionalChoice choice = resolved_choice(settings, lengths);
  ModelConfig config = base_config(settings, choice.encoding);
  fill_lengths(config, choice, lengths);
  config.positions = 1;  // nothing is trained: a table may end before that
  return config;
}

PositionScheme training_positions(const Settings& settings, const Task& task) {
  return resolved_choice(settings, lengths_of(settings, task)).training;
}

PositionScheme test_positions(const Settings& settings, const Task& task) {
  return resolved_choice(settings, lengths_of(settings, task)).test;
}

PositionScheme test_positions(const Settings& settings) {
  return resolved_choice(settings, lengths_of(settings)).test;
}

TrainerOptions trainer_options(const Settings& settings, Index seq_len, std::uint64_t seed) {
  TrainerOptions options;
  options.optimizer = optimizer_text(settings);
  options.schedule = make_schedule(schedule_text(settings));
  options.schedule.peak = settings.real("train.learning_rate");
  options.schedule.steps = settings.integer("train.steps");
  options.schedule.warmup = std::min(settings.integer("train.warmup"), options.schedule.steps);
  options.clip = settings.real("train.clip");
  const Index shards = settings.integer("train.shards");
  options.shards = shards > 0 ? shards : default_shards(settings.integer("train.batch"), seq_len);
  options.seed = seed;
  return options;
}

Metadata described(const Settings& settings, const Task& task, Binds last) {
  const ModelConfig model = model_config(settings, task);
  const PositionalChoice choice = resolved_choice(settings, lengths_of(settings, task));
  Metadata metadata;
  for (const Key& key : all_keys()) {
    const std::string section = key.section();
    const bool counts =
        section == "task" || section == "model" || section == "positional" || section == "train";
    if (!counts || key.is_option() || key.option.binds > last) continue;
    metadata[key.name] = key.kind.empty() ? described_value(key, settings.text(key.name))
                                          : described_parts(key, settings, model, choice, last);
  }
  metadata["positional.train_length"] = std::to_string(model.train_length);
  metadata["model.vocab_size"] = std::to_string(model.vocab_size);
  metadata["model.causal"] = model.causal ? "true" : "false";
  metadata["model.n_kv_heads"] = std::to_string(model.kv_heads());
  return metadata;
}

Metadata training_metadata(const Settings& settings, const Task& task, std::uint64_t seed) {
  Metadata metadata = described(settings, task, Binds::test);
  for (const auto& [option, value] : task_part(settings).options) {
    if (find_key("task." + option)->option.type == OptionType::files) metadata["task." + option] = value;
  }
  metadata["train.seed"] = std::to_string(seed);
  metadata["data_hash"] = task.data_hash();
  return metadata;
}

// The model knows the positions of the first stage: so interpolation compresses longer sequences into their
// range.
Settings finetune_settings(const Settings& settings, const Task& task) {
  Settings second = settings;
  const std::string origin = "finetune";
  const ModelConfig model = model_config(settings, task);
  const PositionalChoice choice = resolved_choice(settings, lengths_of(settings, task));
  const std::string positions = settings.text("finetune.positions");
  const std::string encoding = exchanged_encoding(settings);
  second.set("positional.encoding",
             encoding.empty()
                 ? described_parts(*find_key("positional.encoding"), settings, model, choice, Binds::test)
                 : encoding,
             origin);
  second.set("positional.positions", positions == "test" ? described_scheme(choice.test) : positions, origin);
  second.set("positional.test_positions", described_scheme(choice.test), origin);
  second.set("positional.train_length", std::to_string(model.train_length), origin);
  second.set("model.vocab_size", std::to_string(model.vocab_size), origin);
  second.set("task.train_length",
             std::to_string(length_of(settings, "finetune.length", settings.text("finetune.length"))),
             origin);
  second.set("train.steps", settings.text("finetune.steps"), origin);
  if (settings.real("finetune.learning_rate") > 0.0) {
    second.set("train.learning_rate", settings.text("finetune.learning_rate"), origin);
  }
  if (settings.integer("train.warmup") > settings.integer("finetune.steps")) {
    second.set("train.warmup", settings.text("finetune.steps"), origin);
  }
  if (settings.is_given("finetune.file")) {
    const Part task_text = task_part(settings);
    const auto& options = tasks().find(task_text.name).options;
    if (std::ranges::find(options, "file", &OptionSpec::name) == options.end()) {
      throw ConfigError(fmt::format("finetune.file = {}: task {} reads no file",
                                    settings.text("finetune.file"), task_text.name));
    }
    second.set("task.file", settings.text("finetune.file"), origin);
  }
  second.set("finetune.encoding", "same", origin);
  second.set("finetune.steps", "0", origin);
  std::vector<std::string> lengths;
  for (const Index length : evaluation_lengths(settings)) lengths.push_back(std::to_string(length));
  second.set("evaluate.lengths", joined(lengths), origin);
  return second;
}

}  // namespace ordinal::experiments

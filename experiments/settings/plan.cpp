#include "experiments/settings/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/settings/choices.h"
#include "experiments/settings/parts.h"
#include "framework/core/errors.h"
#include "framework/core/number.h"
#include "framework/layers/registry.h"

namespace ordinal::experiments {
namespace {

// Lengths in tokens.
struct Lengths {
  Index training = 0;
  Index longest = 0;  // that is tested
  Index known = 0;    // up to which the model knows positions
};

Lengths lengths_of(const Settings& settings, const Task* task) {
  const Index length = settings.integer("task.train_length");
  const Index given = settings.integer("positional.train_length");
  const Index training = task == nullptr ? length : task->seq_len(length);
  const Index longest = task == nullptr ? length : task->seq_len(evaluation_lengths(settings).back());
  return {training, longest, given > 0 ? given : training};
}

// An upper bound, exclusive, of the positions in training.
Index trained_positions(const PositionScheme& training, const PositionScheme& test, Index length) {
  for (const PositionScheme& scheme : {training, test}) {
    if (scheme.needs_range()) return scheme.max_position;
  }
  const bool squeezed = training.kind == PositionScheme::Kind::interpolated;
  const double step = squeezed ? 1.0 / stretch_factor(training, length) : 1.0;
  const double last = training.offset + static_cast<double>(length - 1) * step;
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

// A part with all its options, or with those that affect anything up to `last`.
Part described_part(const std::string& name, const std::vector<OptionSpec>& options, Binds last) {
  Part part{name};
  for (const OptionSpec& option : options) {
    if (option.type == OptionType::text && option.value.find_first_of(",()=@+") != std::string::npos) {
      throw ConfigError(fmt::format("{}: {}: got '{}', expected a text without , ( ) = @ and +", name,
                                    option.name, option.value));
    }
    if (option.type != OptionType::files && option.binds <= last) part.options[option.name] = option.value;
  }
  return part;
}

std::string described_scheme(PositionScheme scheme) {
  return to_string(described_part(position_schemes().entries()[static_cast<std::size_t>(scheme.kind)].name,
                                  specs_of(scheme), Binds::test));
}

// The value of a key that names parts.
std::string described_parts(const Key& key, const Plan& plan, Binds last) {
  if (key.name == "positional.positions") return described_scheme(plan.training_positions);
  if (key.name == "positional.test_positions") return described_scheme(plan.test_positions);
  const bool is_encoding = key.name == "positional.encoding";
  const ModelShape shape = shape_of(plan.model);
  std::vector<Part> parts =
      parse_parts(is_encoding ? plan.model.encoding : in_effect(plan.settings, key.name), key.separator());
  for (Part& part : parts) {
    part = described_part(part.name, part_kind(key.kind).find(part.name)->in_effect(part, shape), last);
  }
  return to_string(parts, key.separator());
}

// 0.003 and 3e-3 are the same number.
std::string described_value(const Key& key, const std::string& value) {
  const auto number = parse_real(value);
  return key.option.type == OptionType::real && number ? number_text(*number) : value;
}

}  // namespace

Plan::Plan(const Settings& given, std::shared_ptr<const Task> of)
    : settings(given), task(std::move(of)), model(model_section(given)) {
  const Lengths lengths = lengths_of(settings, task.get());
  PositionalChoice choice = positional_choice(settings);
  for (PositionScheme* scheme : {&choice.training, &choice.test}) {
    scheme->resolve(lengths.known, std::max(lengths.training, lengths.longest));
    if (task) check_task_gives(*scheme, *task);
  }
  training_positions = choice.training;
  test_positions = choice.test;
  model.block = in_effect(settings, "model.block");
  model.norm = in_effect(settings, "model.norm");
  model.positional_dropout = settings.real("positional.dropout");
  model.encoding = choice.encoding;
  const Index symbols = task ? task->alphabet().size() : model.vocab_size;
  if (model.vocab_size > 0 && model.vocab_size < symbols) {
    throw ConfigError(fmt::format("model.vocab_size = {}, but the task has {} different tokens",
                                  model.vocab_size, symbols));
  }
  model.vocab_size = std::max(model.vocab_size, symbols);
  model.train_length = lengths.known;
  model.positions = trained_positions(training_positions, test_positions, lengths.training);
  model.longest = std::max({lengths.training, lengths.longest, model.positions});
  if (!task) model.positions = 1;  // nothing is trained: a table may end before that
  if (task) full = text(Binds::test);
}

Index Plan::seq_len() const {
  const Index length = settings.integer("task.train_length");
  return task ? task->seq_len(length) : length;
}

TrainerOptions Plan::trainer(std::uint64_t seed) const {
  TrainerOptions options;
  options.optimizer = in_effect(settings, "train.optimizer");
  options.schedule = make_schedule(in_effect(settings, "train.schedule"));
  options.schedule.peak = settings.real("train.learning_rate");
  options.schedule.steps = settings.integer("train.steps");
  options.schedule.warmup = std::min(settings.integer("train.warmup"), options.schedule.steps);
  options.clip = settings.real("train.clip");
  const Index shards = settings.integer("train.shards");
  options.shards = shards > 0 ? shards : default_shards(settings.integer("train.batch"), seq_len());
  options.seed = seed;
  options.positions = training_positions;
  return options;
}

Metadata Plan::text(Binds last) const {
  Metadata metadata;
  for (const Key& key : all_keys()) {
    const std::string section = key.section();
    const bool counts =
        section == "task" || section == "model" || section == "positional" || section == "train";
    if (!counts || key.is_option() || key.option.binds > last) continue;
    metadata[key.name] =
        key.kind.empty() ? described_value(key, settings.text(key.name)) : described_parts(key, *this, last);
  }
  metadata["positional.train_length"] = std::to_string(model.train_length);
  metadata["model.vocab_size"] = std::to_string(model.vocab_size);
  metadata["model.causal"] = model.causal ? "true" : "false";
  metadata["model.n_kv_heads"] = std::to_string(model.kv_heads());
  return metadata;
}

Metadata Plan::metadata(std::uint64_t seed) const {
  Metadata metadata = full;
  for (const auto& [option, value] : task_part(settings).options) {
    if (find_key("task." + option)->option.type == OptionType::files) metadata["task." + option] = value;
  }
  metadata["train.seed"] = std::to_string(seed);
  metadata["data_hash"] = task->data_hash();
  return metadata;
}

// The model knows the positions of the first stage: so interpolation compresses longer sequences into their range.
Settings Plan::second_stage() const {
  Settings second = settings;
  const auto set = [&](const std::string& key, const std::string& value) {
    second.set(key, value, "finetune");
  };
  const std::string positions = settings.text("finetune.positions");
  const std::string encoding = exchanged_encoding(settings);
  set("positional.encoding", encoding.empty() ? full.at("positional.encoding") : encoding);
  set("positional.positions", positions == "test" ? full.at("positional.test_positions") : positions);
  set("positional.test_positions", full.at("positional.test_positions"));
  set("positional.train_length", std::to_string(model.train_length));
  set("model.vocab_size", std::to_string(model.vocab_size));
  set("task.train_length",
      std::to_string(length_of(settings, "finetune.length", settings.text("finetune.length"))));
  set("train.steps", settings.text("finetune.steps"));
  if (settings.real("finetune.learning_rate") > 0.0) {
    set("train.learning_rate", settings.text("finetune.learning_rate"));
  }
  if (settings.integer("train.warmup") > settings.integer("finetune.steps")) {
    set("train.warmup", settings.text("finetune.steps"));
  }
  if (settings.is_given("finetune.file")) {
    const std::string name = task_part(settings).name;
    if (std::ranges::find(tasks().find(name).options, "file", &OptionSpec::name) ==
        tasks().find(name).options.end()) {
      throw ConfigError(
          fmt::format("finetune.file = {}: task {} reads no file", settings.text("finetune.file"), name));
    }
    set("task.file", settings.text("finetune.file"));
  }
  set("finetune.encoding", "same");
  set("finetune.steps", "0");
  std::vector<std::string> lengths;
  for (const Index length : evaluation_lengths(settings)) lengths.push_back(std::to_string(length));
  set("evaluate.lengths", joined(lengths));
  return second;
}

}  // namespace ordinal::experiments

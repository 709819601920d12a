#include "experiments/settings/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/tasks/mapped_file.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

bool has_positions(const Settings& settings) {
  return split_outside_brackets(settings.text(encoding_key), '@').size() > 1;
}

// The value of a key that names parts, as written in the key or with the encoding.
std::string written(Settings settings, const std::string& key) {
  if (find_key(key)->section() == "positional") settings = split_entry(settings);
  return settings.text(key == test_key && settings.text(test_key) == "same" ? training_key : key);
}

bool takes_positions(const Settings& settings) {
  return std::ranges::any_of(find_encodings(written(settings, encoding_key)), [](const EncodingEntry& entry) {
    return entry.positions != PositionUse::nothing;
  });
}

// Whether a run uses the parts that the key names.
bool is_in_use(const Settings& settings, const Key& key) {
  if (key.kind.empty() || key.section() == "encoding") return false;
  if (key.section() == "finetune") {  // by default no part of its own
    return settings.integer("finetune.steps") > 0 && settings.text(key.name) != key.option.value;
  }
  return key.kind != "positions" || takes_positions(settings);
}

}  // namespace

Part with_keys(Part part, const PartKind& kind, const Settings& settings, bool of_training, Reads* reads) {
  const PartInfo* info = kind.find(part.name);
  if (info == nullptr) return part;  // an unknown name is refused where the part is built
  const std::string written = to_string(part);
  for (const OptionSpec& option : info->options) {
    const std::string key = kind.section + "." + option.name;
    const auto own = part.options.find(option.name);
    if (own != part.options.end()) {
      if (reads != nullptr) reads->inlined[key].insert(written);
    } else if (!of_training || option.binds != Binds::test) {
      if (reads != nullptr) reads->keys.insert(key);
      if (settings.is_given(key) && option.type != OptionType::files)
        part.options[option.name] = settings.text(key);
    }
    if (option.type != OptionType::part) continue;
    const std::string outer = part.options.contains(option.name) ? part.options[option.name] : option.value;
    const std::string nested =
        to_string(with_keys(parse_part(outer), kind_of_option(option), settings, of_training, reads));
    if (nested != option.value) part.options[option.name] = nested;
  }
  return part;
}

std::vector<Part> parts_in_effect(const Settings& settings, const std::string& name, Reads* reads) {
  const Key& key = *find_key(name);
  const bool of_training = name == training_key || name == "finetune.positions";
  std::vector<Part> parts;
  for (const std::string& text : split_outside_brackets(written(settings, name), key.separator())) {
    if (text.empty() && key.kind == "conditions") continue;
    parts.push_back(with_keys(parse_part(text), part_kind(key.kind), settings, of_training, reads));
  }
  return parts;
}

std::string in_effect(const Settings& settings, const std::string& key) {
  return to_string(parts_in_effect(settings, key), find_key(key)->separator());
}

Reads reads_of(const Settings& settings) {
  Reads reads;
  for (const Key& key : all_keys()) {
    if (is_in_use(settings, key)) parts_in_effect(settings, key.name, &reads);
  }
  for (const std::string& key : {training_key, test_key}) {
    if (has_positions(settings)) {
      reads.inlined[key].insert(settings.text(encoding_key));
    } else {
      reads.keys.insert(key);
    }
  }
  return reads;
}

Settings split_entry(Settings settings) {
  const std::string text = settings.text(encoding_key);
  const std::string origin = settings.origin(encoding_key);
  const auto at = split_outside_brackets(text, '@');
  if (at.size() == 1) return settings;
  const auto schemes = split_outside_brackets(at[1], ':');
  if (at.size() > 2 || schemes.size() > 2) {
    throw ConfigError(fmt::format("{}: got '{}', expected encoding@training:test", encoding_key, text));
  }
  settings.set(encoding_key, at.front(), origin);
  settings.set(training_key, schemes.front(), origin);
  settings.set(test_key, schemes.size() == 2 ? schemes.back() : "same", origin);
  return settings;
}

PositionalChoice positional_choice(const Settings& settings) {
  const auto scheme = [&](const std::string& key) {
    return make_position_scheme(parts_in_effect(settings, key).at(0));
  };
  PositionalChoice choice{in_effect(settings, encoding_key), scheme(training_key), scheme(test_key)};
  find_encodings(choice.encoding);  // throws for an unknown one
  check_positions(choice.encoding, choice.training);
  check_positions(choice.encoding, choice.test);
  return choice;
}

std::string exchanged_encoding(const Settings& settings) {
  const std::string encoding = in_effect(settings, "finetune.encoding");
  return encoding == "same" ? "" : encoding;
}

std::string condition_text(const Settings& settings, const std::string& condition) {
  return to_string(with_keys(parse_part(condition), part_kind("conditions"), settings));
}

Part task_part(const Settings& settings) {
  Part task = parts_in_effect(settings, "task.name").at(0);
  const PartInfo* info = part_kind("tasks").find(task.name);
  if (info == nullptr) return task;  // refused where it is built
  for (const OptionSpec& option : info->options) {
    const std::string key = "task." + option.name;
    if (option.type == OptionType::files && settings.is_given(key))
      task.options.emplace(option.name, settings.text(key));
  }
  return task;
}

LengthScheme training_lengths(const Settings& settings) {
  return {parts_in_effect(settings, "task.lengths").at(0), parse_part(settings.text("task.name")).name,
          settings.integer("task.train_length"),
          settings.integer("train.steps") * settings.integer("train.accumulate")};
}

Direction task_direction(const Settings& settings) {
  return tasks().find(parse_part(settings.text("task.name")).name).direction;
}

ModelConfig model_section(const Settings& settings) {
  Settings resolved = settings;
  const auto set = [&](const std::string& key, const std::string& value) {
    resolved.set(key, value, settings.origin(key));
  };
  set("model.block", in_effect(settings, "model.block"));
  set("model.norm", in_effect(settings, "model.norm"));
  if (settings.text("model.causal") == "auto") {
    set("model.causal", task_direction(settings) == Direction::bidirectional ? "false" : "true");
  }
  return section_options<ModelConfig>(resolved, "model");
}

// ---- The plan ----

namespace {

// An exclusive upper bound on the positions in training.
Index trained_positions(const PositionScheme& training, const PositionScheme& test, Index length) {
  for (const PositionScheme& scheme : {training, test}) {
    if (scheme.entry().has_range) return scheme.max_position;
  }
  const double s = training.name() == "interpolated" ? stretch_factor(training, length) : 1.0;
  const double last = training.offset + static_cast<double>(length - 1) / s;
  constexpr double largest = 1e15;  // larger ones, as real numbers, would not be one apart
  if (last > largest) {
    throw ConfigError(fmt::format(
        "positions in training reach {:g}, expected at most {:g} (use a smaller offset)", last, largest));
  }
  return static_cast<Index>(std::floor(last)) + 1;
}

// An example of a length, with the positions that the task gives. Throws ConfigError if it gives none.
Batch example_of(const Task& task, Index length, const PositionScheme& scheme) {
  return with_positions(make_batch(task, Split::training, 0, 0, 1, length), task, scheme);
}

// Throws ConfigError if positions of the task do not exist or, in training, do not lie below max_position.
void check_of_task(const PositionScheme& training, const PositionScheme& test, const Task& task,
                   Index length) {
  if (test.of_task()) example_of(task, 1, test);
  if (!training.of_task()) return;
  try {
    batch_positions(training, example_of(task, length, training), 0, 1, {});
  } catch (const PositionError& error) {
    throw ConfigError(error.what());
  }
}

// A part with all its options, or with those that affect anything up to `last`. Texts must not contain separators.
Part described_part(const std::string& name, const std::vector<OptionSpec>& options, Binds last,
                    char separator) {
  Part part{name};
  const std::string separators = std::string(",()=@") + separator;
  for (const OptionSpec& option : options) {
    if (option.type == OptionType::text && option.value.find_first_of(separators) != std::string::npos) {
      throw ConfigError(fmt::format("{}: {}: got '{}', expected a text without any of {}", name, option.name,
                                    option.value, separators));
    }
    if (option.type != OptionType::files && option.binds <= last) part.options[option.name] = option.value;
  }
  return part;
}

// The value of a key that names parts.
std::string described_parts(const Key& key, const Plan& plan, Binds last) {
  if (key.kind == "positions") {
    const bool of_training = key.name == training_key;
    const PositionScheme& scheme = of_training ? plan.training_positions : plan.test_positions;
    return to_string(described_part(scheme.name(), specs_of(scheme), Binds::test, key.separator()));
  }
  std::vector<Part> parts = parts_in_effect(plan.settings, key.name);
  for (Part& part : parts) {
    const PartInfo& info = *part_kind(key.kind).find(part.name);
    part = described_part(part.name, info.in_effect(part, shape_of(plan.model)), last, key.separator());
  }
  return to_string(parts, key.separator());
}

// 0.003 and 3e-3 are the same number.
std::string described_value(const Key& key, const std::string& value) {
  return key.option.type == OptionType::real ? number_text(parse_real(value).value()) : value;
}

}  // namespace

Plan::Plan(const Settings& given, std::shared_ptr<const Task> of)
    : settings(given), task(std::move(of)), model(model_section(given)) {
  // In tokens: the length up to which the model knows positions, and the longest sequence.
  const Index train_length = settings.integer("positional.train_length");
  const Index known = train_length > 0 ? train_length : seq_len();
  const Index longest =
      task ? std::max(seq_len(), task->seq_len(evaluation_lengths(settings).back())) : seq_len();
  PositionalChoice choice = positional_choice(settings);
  for (PositionScheme* scheme : {&choice.training, &choice.test}) scheme->resolve(known, longest);
  if (task) check_of_task(choice.training, choice.test, *task, training_lengths(settings).longest());
  training_positions = choice.training;
  test_positions = choice.test;
  model.positional_dropout = settings.real("positional.dropout");
  model.encoding = choice.encoding;
  const Index symbols = task ? task->alphabet().size() : model.vocab_size;
  if (model.vocab_size > 0 && model.vocab_size < symbols) {
    throw ConfigError(fmt::format("model.vocab_size = {}, but the task has {} different tokens",
                                  model.vocab_size, symbols));
  }
  model.vocab_size = std::max(model.vocab_size, symbols);
  model.train_length = known;
  model.positions = trained_positions(training_positions, test_positions, seq_len());
  model.longest = std::max(longest, model.positions);
  if (!task) model.positions = 1;  // nothing is trained: a table may end before that
  if (task) full = text(Binds::test);
}

Index Plan::seq_len() const {
  const Index length = training_lengths(settings).longest();
  return task ? task->seq_len(length) : length;
}

Index Plan::short_seq_len() const {
  if (!task || !training_lengths(settings).has_long_batches()) return model.train_length;
  return std::min(model.train_length, task->seq_len(settings.integer("task.train_length")));
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
    const bool counts = key.is_of_model() || key.section() == "train";
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
  metadata["train.log_every"] = settings.text("train.log_every");
  metadata["data_hash"] = task->data_hash();
  return metadata;
}

namespace {

// The last tenth of the texts of a stage is for validation. With other texts beside it, a text is cut elsewhere.
void check_texts(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  if (first == second) return;
  for (const std::string& there : first) {
    for (const std::string& here : second) {
      if (!have_same_bytes(there, here)) continue;
      throw ConfigError(
          fmt::format("finetune.file = {}: it is the same text as task.file = {}: its bytes would be in the "
                      "training of one stage and the validation of the other (give this stage other texts, "
                      "or all files of task.file in their order)",
                      here, there));
    }
  }
}

}  // namespace

// The model knows the positions of the first stage, so interpolation compresses longer sequences into their range.
Settings Plan::second_stage() const {
  Settings second = settings;
  const auto set = [&](const std::string& key, const std::string& value) {
    second.set(key, value, "finetune");
  };
  const std::string& steps = settings.text("finetune.steps");
  const std::string& positions = settings.text("finetune.positions");
  const std::string lengths = in_effect(settings, "finetune.lengths");
  const std::string encoding = exchanged_encoding(settings);
  std::vector<std::string> tested;
  for (const Index length : evaluation_lengths(settings)) tested.push_back(std::to_string(length));
  set(encoding_key, encoding.empty() ? full.at(encoding_key) : encoding);
  set(training_key, positions == "test" ? full.at(test_key) : positions);
  set(test_key, full.at(test_key));
  set("positional.train_length", std::to_string(model.train_length));
  set("model.vocab_size", std::to_string(model.vocab_size));
  set("task.train_length",
      std::to_string(length_of(settings, "finetune.length", settings.text("finetune.length"))));
  set("evaluate.lengths", joined(tested));
  if (lengths != "same") set("task.lengths", lengths);
  set("train.steps", steps);
  if (settings.integer("train.warmup") > settings.integer("finetune.steps")) set("train.warmup", steps);
  if (settings.real("finetune.learning_rate") > 0.0) {
    set("train.learning_rate", settings.text("finetune.learning_rate"));
  }
  if (settings.is_given("finetune.file")) {
    const std::string task_name = task_part(settings).name;
    if (std::ranges::count(tasks().find(task_name).options, "file", &OptionSpec::name) == 0) {
      throw ConfigError(fmt::format("finetune.file = {}: task {} reads no file",
                                    settings.text("finetune.file"), task_name));
    }
    check_texts(settings.list("task.file"), settings.list("finetune.file"));
    set("task.file", settings.text("finetune.file"));
  }
  set("finetune.lengths", "same");
  set("finetune.encoding", "same");
  set("finetune.steps", "0");
  return second;
}

}  // namespace ordinal::experiments

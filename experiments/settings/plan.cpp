#include "experiments/settings/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/process/machine.h"
#include "experiments/tasks/mapped_file.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {

PositionalChoice positional_choice(const Settings& settings) {
  const auto [encoding, training, test] = placed_encoding(settings->model.config.encoding);
  PositionalChoice choice{encoding, make_position_scheme(training.value_or("contiguous")), {}};
  choice.test = test ? make_position_scheme(*test) : choice.training;
  find_encodings(choice.encoding);  // throws for an unknown one
  check_positions(choice.encoding, choice.training);
  check_positions(choice.encoding, choice.test);
  return choice;
}

Part task_part(const Settings& settings) {
  Part task = settings->task.name.only();
  const std::vector<OptionSpec>& options = tasks().find(task.name).options;
  if (settings.is_given("task.file") && std::ranges::count(options, OptionType::files, &OptionSpec::type) > 0)
    task.options.emplace("file", settings.text("task.file"));
  return task;
}

LengthScheme training_lengths(const Settings& settings) {
  return {settings->task.lengths.only(), settings->task.name.only().name, settings->task.train_length,
          settings->train.steps * settings->train.accumulate};
}

Direction task_direction(const Settings& settings) {
  return tasks().find(settings->task.name.only().name).direction;
}

namespace {

// model.causal = auto is what the task needs.
Settings with_direction(Settings settings) {
  if (settings->model.causal == "auto") {
    settings.set("model.causal", task_direction(settings) == Direction::bidirectional ? "false" : "true",
                 settings.origin("model.causal"));
  }
  return settings;
}

// An exclusive upper bound on the positions in training.
Index trained_positions(const PositionScheme& training, const PositionScheme& test, Index length) {
  for (const PositionScheme& scheme : {training, test})
    if (scheme.entry().has_range) return scheme.max_position;
  const double s = training.name() == "interpolated" ? stretch_factor(training, length) : 1.0;
  const double last = training.offset + static_cast<double>(length - 1) / s;
  constexpr double largest = 1e15;  // larger ones, as real numbers, would not be one apart
  if (last > largest) {
    throw ConfigError(fmt::format(
        "positions in training reach {:g}, expected at most {:g} (use a smaller offset)", last, largest));
  }
  return static_cast<Index>(std::floor(last)) + 1;
}

// Names the positions that the scheme takes from the task. Throws ConfigError if they do not exist, or at this length do not lie
// below max_position.
void resolve_ids(PositionScheme& scheme, const Task& task, Index length) {
  if (!scheme.of_task()) return;
  scheme.ids = ids_of(scheme, task);
  try {
    const Batch example = make_batch(task, Split::training, 0, 0, 1, length);
    batch_positions(scheme, with_positions(example, task, scheme), 0, 1, {});
  } catch (const PositionError& error) {
    throw ConfigError(error.what());
  }
}

// A part with all its options, or with those that affect anything up to `last`.
Part described_part(const std::string& name, const std::vector<OptionSpec>& options, Binds last) {
  Part part{name};
  for (const OptionSpec& option : options)
    if (option.type != OptionType::files && option.binds <= last) part.options[option.name] = option.value;
  return part;
}

std::string described_positions(const PositionScheme& scheme) {
  return to_string(described_part(scheme.name(), specs_of(scheme), Binds::test));
}

// The parts that an option names; of the encoding, with the positions that affect anything up to `last`.
std::string described_parts(const OptionSpec& option, const Plan& plan, Binds last) {
  const bool is_encoding = option.kind == "positional encodings";
  std::vector<NamedPart> parts =
      named_parts(part_kind(option.kind), is_encoding ? plan.model.encoding : *option.parts);
  for (auto& [part, kind, before] : parts)
    part = described_part(part.name, kind->find(part.name)->in_effect(part, shape_of(plan.model)), last);
  std::string text = to_list(parts).text();
  if (!is_encoding || last < Binds::training) return text;
  const std::string training = described_positions(plan.training_positions);
  const std::string test = last < Binds::test ? training : described_positions(plan.test_positions);
  return text + "@" + training + (test == training ? "" : ":" + test);
}

// The steps of the warm-up, which ends with the training.
Index warmup(const Settings& settings) { return std::min(settings->train.warmup, settings->train.steps); }

// The last tenth of the texts of a stage is for validation. With other texts beside it, a text is cut elsewhere.
void check_texts(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  if (first == second) return;
  for (const std::string& there : first) {
    for (const std::string& here : second) {
      if (MappedFile(there).bytes() != MappedFile(here).bytes()) continue;
      throw ConfigError(
          fmt::format("finetune.file = {}: it is the same text as task.file = {}: its bytes would be in the "
                      "training of one stage and the validation of the other (give this stage other texts, "
                      "or all files of task.file in their order)",
                      here, there));
    }
  }
}

}  // namespace

Plan::Plan(const Settings& given, std::shared_ptr<const Task> of)
    : settings(with_direction(given)), task(std::move(of)), model(settings->model.config) {
  model.causal = settings->model.causal == "true";
  // In tokens: the length up to which the model knows positions, and the longest sequence.
  const Index train_length = settings->model.train_length;
  const Index known = train_length > 0 ? train_length : seq_len();
  const Index longest =
      task ? std::max(seq_len(), task->seq_len(evaluation_lengths(settings).back())) : seq_len();
  PositionalChoice choice = positional_choice(settings);
  for (PositionScheme* scheme : {&choice.training, &choice.test}) {
    scheme->resolve(known, longest);
    if (task) resolve_ids(*scheme, *task, training_lengths(settings).longest());
  }
  training_positions = choice.training;
  test_positions = choice.test;
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
  for (const auto& [key, value] : {std::pair{"model.train_length", model.train_length},
                                   {"model.vocab_size", model.vocab_size},
                                   {"model.n_kv_heads", model.kv_heads()}})
    settings.set(key, std::to_string(value), settings.origin(key));
  if (task) full = text(Binds::test);
}

Index Plan::seq_len() const {
  const Index length = training_lengths(settings).longest();
  return task ? task->seq_len(length) : length;
}

Index Plan::short_seq_len() const {
  if (!task || !training_lengths(settings).has_long_batches()) return model.train_length;
  return std::min(model.train_length, task->seq_len(settings->task.train_length));
}

TrainerOptions Plan::trainer(std::uint64_t seed) const {
  TrainerOptions options = trainer_defaults;
  options.optimizer = settings->train.optimizer;
  options.schedule = make_schedule(settings->train.schedule);
  options.schedule.peak = settings->train.learning_rate;
  options.schedule.steps = settings->train.steps;
  options.schedule.warmup = warmup(settings);
  options.clip = settings->train.clip;
  const Index shards = settings->train.shards;
  options.shards = shards > 0 ? shards : default_shards(settings->train.batch, seq_len());
  options.seed = seed;
  options.positions = training_positions;
  return options;
}

Metadata Plan::text(Binds last) const {
  Metadata metadata;
  Sections::visit(*settings.operator->(), [&](const std::string& section, const auto& values) {
    if (section != "task" && section != "model" && section != "train") return;
    for (const OptionSpec& option : specs_of(values))
      if (option.binds <= last)
        metadata[section + "." + option.name] =
            option.parts ? described_parts(option, *this, last) : option.value;
  });
  if (metadata.contains("train.warmup")) metadata["train.warmup"] = std::to_string(warmup(settings));
  return metadata;
}

bool Plan::depends_on_steps() const {
  return make_schedule(settings->train.schedule).depends_on_steps() ||
         training_lengths(settings).depends_on_steps();
}

bool Plan::is_tested_as_trained() const {
  Settings trained = settings;
  for (const auto& [key, value] : text(Binds::training)) trained.set(key, value, settings.origin(key));
  return Plan(trained, task).full == full;
}

Metadata Plan::metadata(std::uint64_t seed, Binds last) const {
  Metadata metadata = text(last);
  if (task_part(settings).options.contains("file")) metadata["task.file"] = settings.text("task.file");
  metadata["train.seed"] = std::to_string(seed);
  metadata["train.log_every"] = settings.text("train.log_every");
  metadata["data_hash"] = task->data_hash();
  metadata["version"] = results_version();
  return metadata;
}

// The model knows the positions of the first stage, so interpolation compresses longer sequences into their range.
Settings Plan::second_stage() const {
  Settings second = settings;
  const auto set = [&](const std::string& key, const std::string& value) {
    second.set(key, value, "finetune");
  };
  const PartList& exchanged = settings->finetune.encoding;
  const bool is_same = exchanged.text() == FinetuneSection::same;
  PlacedEncoding encoding = placed_encoding(is_same ? PartList(full.at(encoding_key)) : exchanged);
  if (is_same || !encoding.training) encoding = {encoding.encoding, described_positions(test_positions)};
  std::vector<std::string> tested;
  for (const Index length : evaluation_lengths(settings)) tested.push_back(std::to_string(length));
  set(encoding_key, encoding.text());
  set("task.train_length", std::to_string(length_of(settings, "finetune.length", settings->finetune.length)));
  set("evaluate.lengths", joined(tested));
  set("evaluate.conditions", conditions_text(settings));
  if (settings->finetune.lengths.text() != FinetuneSection::same)
    set("task.lengths", settings->finetune.lengths.text());
  set("train.steps", settings.text("finetune.steps"));
  if (settings->finetune.learning_rate > 0.0)
    set("train.learning_rate", settings.text("finetune.learning_rate"));
  if (settings.is_given("finetune.file")) {
    check_texts(settings->task.file, settings->finetune.file);
    set("task.file", settings.text("finetune.file"));
  }
  for (const Key& key : all_keys())
    if (key.section() == "finetune") second.reset(key.name);  // there is no third stage
  return second;
}

}  // namespace ordinal::experiments

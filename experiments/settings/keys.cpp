#include "experiments/settings/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <utility>

#include "experiments/conditions/condition.h"
#include "experiments/settings/parts.h"
#include "experiments/settings/rows.h"
#include "experiments/tasks/lengths.h"
#include "framework/core/errors.h"
#include "framework/training/trainer.h"
#include "models/generation.h"
#include "models/model_config.h"

namespace ordinal::experiments {
namespace {

Key key_of(OptionType type, const char* name, const std::string& fallback, const char* help,
           Binds binds = Binds::nothing, Range range = {}, std::vector<std::string> choices = {}) {
  return {name, {"", type, fallback, help, range, std::move(choices), binds}};
}
Key integer(const char* name, const std::string& fallback, Range range, const char* help,
            Binds binds = Binds::nothing) {
  return key_of(OptionType::integer, name, fallback, help, binds, range);
}
Key real(const char* name, const std::string& fallback, Range range, const char* help, Binds binds) {
  return key_of(OptionType::real, name, fallback, help, binds, range);
}
Key text(const char* name, const std::string& fallback, const char* help) {
  return key_of(OptionType::text, name, fallback, help);
}
Key list(const char* name, const std::string& fallback, const char* help) {
  return key_of(OptionType::list, name, fallback, help);
}
// A key whose value names parts of a kind.
Key parts(const char* name, const std::string& fallback, const char* kind, const char* help, Binds binds) {
  return {name, {"", OptionType::text, fallback, help, {}, {}, binds}, kind};
}

constexpr double largest_seed = 9e15;

// The settings of a struct, as keys of a section.
template <typename Options>
std::vector<Key> keys_of(const std::string& section, const Options& defaults) {
  std::vector<Key> keys;
  for (const OptionSpec& option : specs_of(defaults)) keys.push_back({section + "." + option.name, option});
  return keys;
}

std::vector<Key> model_keys() {
  std::vector<Key> keys = keys_of("model", ModelConfig{.vocab_size = 0});
  for (Key& key : keys) {
    if (key.name == "model.block") key.kind = "branches";
    if (key.name == "model.norm") key.kind = "norms";
    if (key.name == "model.init") key.kind = "initial weights";
    if (key.name == encoding_key) {
      key.kind = "positional encodings";
      key.option.help += "; behind @ positions in training, and in the test if they differ: a@training:test";
    }
    if (key.name == "model.causal") {
      key.option.value = key.option.range.automatic = "auto";
      key.option.help += "; auto: as the task needs";
    }
  }
  keys.push_back(integer(
      "model.train_length", "0", automatic_or(1, largest_count),
      "length in tokens up to which the model knows positions, from which encodings and conditions derive "
      "their numbers; 0: the longest of training",
      Binds::training));
  return keys;
}

// Here and below, defaults are those of the structs that a run fills from the keys.
std::vector<Key> run_keys() {
  const ModelConfig model;
  return {
      text("experiment.name", "extrapolation", "name of the results folder: results/<name>"),
      text("experiment.seeds", "3", "how many seeds (5: seeds 1 to 5), or which (1,2,7; a single one: 7,)"),
      integer("experiment.tune_seed", "1000", between(0, largest_seed),
              "seed of the trainings that choose a value of compare.tune.…; none of experiment.seeds"),
      parts("task.name", "language", "tasks", "the task to learn", Binds::training),
      integer("task.train_length", std::to_string(model.train_length), between(1, largest_count),
              "length of training examples", Binds::training),
      parts("task.lengths", length_schemes().entries().front().name, "lengths",
            "the length of each training batch", Binds::training),
      key_of(OptionType::files, "task.file", "", "text, mlm(of=text): a file to learn from; repeatable"),
  };
}

std::vector<Key> training_keys() {
  const TrainerOptions trainer;
  const ScheduleOptions& schedule = trainer.schedule;
  return {
      integer("train.steps", std::to_string(schedule.steps), between(0, largest_count), "optimizer steps",
              Binds::training),
      integer("train.batch", "32", between(1, largest_count), "sequences in a batch", Binds::training),
      real("train.learning_rate", number_text(schedule.peak), at_least(0), "peak learning rate",
           Binds::training),
      integer("train.warmup", std::to_string(schedule.warmup), between(0, largest_count),
              "steps of linear warm-up, at most train.steps", Binds::training),
      parts("train.schedule", schedule.name, "schedules", "learning rate after the warm-up", Binds::training),
      parts("train.optimizer", trainer.optimizer, "optimizers", "update rule of the parameters",
            Binds::training),
      real("train.clip", number_text(trainer.clip), at_least(0),
           "largest global norm of the gradient; 0: no clipping", Binds::training),
      integer("train.accumulate", "1", between(1, largest_count), "batches that make one step",
              Binds::training),
      integer("train.shards", "0", automatic_or(1, 536'870'912),
              "pieces that a batch is cut into, a power of two; 0: automatic", Binds::training),
      integer("train.seed", std::to_string(trainer.seed), between(0, largest_seed), "seed of a single model"),
      key_of(
          OptionType::choice, "train.on_divergence", "stop",
          "if the loss, a gradient or a parameter becomes infinite or NaN, or the loss over 100 times that "
          "of a model that knows nothing, log2 V bits for V tokens: stop, or skip the batch",
          Binds::training, {}, {"stop", "skip"}),
      integer("train.log_every", "50", between(1, largest_count), "steps between lines of metrics.jsonl"),
      integer("train.checkpoint_every", "500", between(1, largest_count), "steps between checkpoints"),
      integer("finetune.steps", "0", between(0, largest_count),
              "steps of a second training stage that continues from the first; 0: none", Binds::training),
      text("finetune.length", "1x", "length of its examples: 128, or 2x the training length"),
      parts("finetune.lengths", "same", "lengths", "task.lengths of this stage; same: those of the first",
            Binds::training),
      parts(
          "finetune.encoding", "same", "positional encodings",
          "encoding from this stage on; parameters that the checkpoint lacks keep their initial values, "
          "and a learned table may have more or fewer rows; same: no change. Without @, positions are those "
          "of the first stage's test",
          Binds::training),
      real("finetune.learning_rate", "0", automatic_or(0), "peak learning rate; 0: that of train",
           Binds::training),
      key_of(OptionType::files, "finetune.file", "", "text: files to learn from instead; repeatable",
             Binds::training),
  };
}

std::vector<Key> evaluation_keys() {
  return {
      list("evaluate.lengths", "1x, 2x, 4x, 8x", "lengths to test: 256, or 4x the training length"),
      parts("evaluate.conditions", conditions().entries().front().name, "conditions",
            "conditions under which all lengths are tested, or (but for the first) those behind @: "
            "window@4x+8x",
            Binds::test),
      integer("evaluate.batches", "8", between(1, largest_count), "batches to score at each length",
              Binds::test),
      integer("evaluate.batch", "0", automatic_or(1, largest_count),
              "sequences in one; 0: about as many tokens as a training batch", Binds::test),
      real("evaluate.gate", "0", automatic_or(0),
           "score at the training length from which a seed has learned the task; 0: the task's",
           Binds::nothing),
      text("generate.prompt", "", "text to continue; empty: the task's default beginning"),
  };
}

std::vector<Key> other_keys() {
  const ModelConfig model;
  return {
      parts("encoding.name", model.encoding, "positional encodings", "the encoding to draw", Binds::nothing),
      list("encoding.names", "",
           "the encodings of a gallery, one page, such as sinusoidal, rope(base=500); empty: none"),
      integer("encoding.seq_len", "128", between(1, 1e6), "how many positions to draw"),
      list("encoding.positions", "", "the positions to draw, real numbers; empty: 0 … seq_len - 1"),
      integer("encoding.d_model", std::to_string(model.d_model), between(1, 65536), "width of the model"),
      integer("encoding.heads", std::to_string(model.heads), between(1, 65536), "heads of the model"),
      key_of(OptionType::flag, "encoding.causal", model.causal ? "true" : "false",
             "queries see no later keys"),
      integer("encoding.layer", "0", between(0, 999), "which layer's bias and scores to draw"),
      list("encoding.offsets", "1, 5, 10, 50", "offsets k of the matrices M_k with M_k PE_pos = PE_{pos+k}"),
      text("encoding.sentence", "dog bites man", "a sentence that the gallery reads in two orders"),
      text("encoding.reordered", "man bites dog", "the same words in another order"),
      text("claims.folder", "configs/claims", "folder of the configs whose claims are decided"),
      key_of(OptionType::flag, "claims.train", "false",
             "train what the configs need, instead of reading the scores stored beside them"),
      list("benchmark.sizes", "tiny, small, medium, big", "sizes at which to time a training step"),
      list("benchmark.encodings", "",
           "sizes at which to time every encoding against none, and every optimizer against adamw"),
      integer("benchmark.steps", "20", between(1, largest_count), "steps to time at each size"),
  };
}

std::vector<Key> built_keys() {
  std::vector<Key> keys;
  for (const auto& some : {run_keys(), model_keys(), training_keys(), evaluation_keys(),
                           keys_of("generate", GenerationOptions()), other_keys()}) {
    keys.insert(keys.end(), some.begin(), some.end());
  }
  for (Key& key : keys)
    if (!key.kind.empty()) key.option.choices = part_kind(key.kind).names();
  return keys;
}

// An unknown part, or options that a part cannot have; empty if there are none. Throws ConfigError for a text that names none.
std::string complaint_of_parts(const Key& key, const std::string& value) {
  std::set<std::string> conditions;
  for (const auto& [part, kind, before] : named_parts(part_kind(key.kind), value)) {
    const PartInfo* info = kind->find(part.name);
    if (info == nullptr)
      return fmt::format("got '{}'{}, expected one of {}", part.name, did_you_mean(part.name, kind->names()),
                         joined(kind->names()));
    const std::vector<std::string> problems = option_problems(part.name, info->options, part.options);
    if (!problems.empty()) return problems.front();
    if (key.kind == "conditions" && !conditions.insert(to_string(part)).second)
      return to_string(part) + " is listed more than once";
  }
  return "";
}

std::string problem_of(const Key& key, const std::string& value) {
  const std::string start = value.substr(0, 200);  // of a longer one, folder_of() keeps as much as fits
  if (key.name == "experiment.name" && folder_of(start) != start)
    return fmt::format(
        "got '{}', expected a folder name of letters, digits and .+-_@:= without . in front, such as {}",
        value, key.option.value);
  const auto shards = key.name == "train.shards" ? parse_integer(value).value_or(0) : 0;
  if (shards > 0 && !std::has_single_bit(static_cast<std::uint64_t>(shards)))
    return fmt::format("got {}, expected a power of two, or 0 for automatic", value);
  const bool may_be_empty =
      key.option.type != OptionType::list || (value.empty() && key.option.value.empty());
  if (!may_be_empty && value.find_first_not_of(" ,") == std::string::npos)
    return fmt::format("got '{}', expected at least one value", value);
  if (key.kind.empty()) return complaint(key.option, value);
  if (key.section() == "finetune" && value == key.option.value) return "";  // as in the first stage
  try {
    return complaint_of_parts(key, value);
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

std::string without_prefix(const std::string& name) {
  for (const std::string& prefix : {tune_prefix, compare_prefix}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

std::string name_in_section(const std::string& key) { return key.substr(key.find('.') + 1); }

const std::vector<Key>& all_keys() {
  static const std::vector<Key> keys = built_keys();
  return keys;
}

const Key* find_key(std::string_view name) {
  const auto found = std::ranges::find(all_keys(), name, &Key::name);
  return found == all_keys().end() ? nullptr : &*found;
}

std::string complaint(const Key& key, const std::string& value) {
  const std::string problem = problem_of(key, value);
  if (problem.empty()) return "";
  if (value.find(" ;") != std::string::npos) return problem + "; a comment begins with #";
  const bool is_compared = key.section() == "task" || key.section() == "model" || key.section() == "train";
  if (is_compared && key.option.type != OptionType::list && split_outside_brackets(value, ',').size() > 1)
    return fmt::format("{0}; several values stand in [compare]: {1} = {2}, or --compare.{1}='{2}'", problem,
                       key.name, value);
  return problem;
}

}  // namespace ordinal::experiments

#include "experiments/settings/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "experiments/settings/condition.h"
#include "experiments/settings/parts.h"
#include "experiments/tasks/lengths.h"
#include "framework/core/errors.h"
#include "framework/positional/position_scheme.h"
#include "framework/training/trainer.h"
#include "models/generation.h"
#include "models/model_config.h"

namespace ordinal::experiments {
namespace {

Key number(OptionType type, const char* name, const std::string& fallback, Range range, const char* help,
           Binds binds) {
  return {name, {"", type, fallback, help, range, {}, binds, range.zero_is_automatic ? "0" : ""}};
}
Key integer(const char* name, const std::string& fallback, Range range, const char* help,
            Binds binds = Binds::nothing) {
  return number(OptionType::integer, name, fallback, range, help, binds);
}
Key real(const char* name, const std::string& fallback, Range range, const char* help,
         Binds binds = Binds::nothing) {
  return number(OptionType::real, name, fallback, range, help, binds);
}
Key flag(const char* name, const std::string& fallback, const char* help) {
  return {name, {"", OptionType::flag, fallback, help, {}, {}, Binds::nothing}};
}
Key choice(const char* name, const std::string& fallback, std::vector<std::string> choices, const char* help,
           Binds binds) {
  return {name, {"", OptionType::choice, fallback, help, {}, std::move(choices), binds}};
}
Key text(const char* name, const std::string& fallback, const char* help) {
  return {name, {"", OptionType::text, fallback, help, {}, {}, Binds::nothing}};
}
Key list(const char* name, const std::string& fallback, const char* help) {
  return {name, {"", OptionType::list, fallback, help, {}, {}, Binds::nothing}};
}
// A key whose value names parts of a kind.
Key parts(const char* name, const std::string& fallback, const char* kind, const char* help, Binds binds) {
  return {name, {"", OptionType::text, fallback, help, {}, {}, binds}, kind};
}

// A key that sets another one.
Key short_for(const char* target, Key key) {
  key.short_for = target;
  return key;
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
    if (key.name == "model.causal") {
      key.option.value = key.option.automatic = "auto";
      key.option.help += "; auto: as the task needs";
    }
  }
  return keys;
}

Key only_seed() {
  Key key = integer("experiment.seed", "none", between(0, largest_seed),
                    "a single seed, instead of experiment.seeds");
  key.option.automatic = "none";
  return key;
}

// Here and below, defaults are those of the structs that a run fills from the keys.
std::vector<Key> run_keys() {
  const ModelConfig model;
  return {
      text("experiment.name", "extrapolation", "name of the results folder: results/<name>"),
      text("experiment.seeds", "3",
           "how many seeds (5: seeds 1 to 5), which (1,2,7), or 5..30: more than 5 only for rows about which "
           "something is undecided"),
      short_for("experiment.seeds", only_seed()),
      integer("experiment.tune_seed", "1000", between(0, largest_seed),
              "seed of the trainings that choose a value of compare.tune.…; none of experiment.seeds"),
      parts("task.name", "language", "tasks", "the task to learn", Binds::training),
      integer("task.train_length", std::to_string(model.train_length), between(1, largest_count),
              "length of training examples", Binds::training),
      parts("task.lengths", length_schemes().entries().front().name, "lengths",
            "the length of each training batch", Binds::training),
  };
}

std::vector<Key> positional_keys() {
  const ModelConfig model;
  const std::string& plain = position_schemes().entries().front().name;
  return {
      short_for(
          "compare.positional.encoding",
          list("positional.encodings", "sinusoidal, learned, none",
               "encodings to compare; short for compare.positional.encoding. An entry: a, a(option=value), "
               "a+b (a acts before b), a@training positions:test positions")),
      parts("positional.encoding", model.encoding, "positional encodings",
            "the encoding of a single model; in a+b, a acts before b", Binds::weights),
      parts("positional.positions", plain, "positions", "positions of tokens in training", Binds::training),
      parts("positional.test_positions", "same", "positions",
            "positions of tokens in the test; same: as in training", Binds::test),
      integer("positional.train_length", "0", automatic_or(1, largest_count),
              "length in tokens up to which the model knows positions, from which encodings and conditions "
              "derive their numbers; 0: the longest of training",
              Binds::training),
      real("positional.dropout", number_text(model.positional_dropout), between(0, 0.999999),
           "dropout on x + PE", Binds::training),
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
              "steps of linear warm-up", Binds::training),
      parts("train.schedule", schedule.name, "schedules", "learning rate after the warm-up", Binds::training),
      parts("train.optimizer", trainer.optimizer, "optimizers", "update rule of the parameters",
            Binds::training),
      real("train.clip", number_text(trainer.clip), at_least(0),
           "largest global norm of the gradient; 0: no clipping", Binds::training),
      integer("train.accumulate", "1", between(1, largest_count), "batches that make one step",
              Binds::training),
      integer("train.shards", "0", automatic_or(1, largest_count),
              "pieces that a batch is cut into, a power of two; 0: automatic", Binds::training),
      integer("train.seed", std::to_string(trainer.seed), between(0, largest_seed), "seed of a single model"),
      choice(
          "train.on_divergence", "stop", {"stop", "skip"},
          "if the loss, a gradient or a parameter becomes infinite or NaN, or the loss over 100 times that "
          "of a model that knows nothing, log2 V bits for V tokens: stop, or skip the batch",
          Binds::training),
      integer("train.score_step", "0", between(0, largest_count),
              "step after which the weights are scored; 0: the last. Rows that differ only in it share a "
              "training"),
      integer("train.log_every", "50", between(1, largest_count), "steps between lines of metrics.jsonl"),
      integer("train.checkpoint_every", "500", between(1, largest_count), "steps between checkpoints"),
      integer("finetune.steps", "0", between(0, largest_count),
              "steps of a second training stage that continues from the first; 0: none", Binds::training),
      text("finetune.length", "1x", "length of its examples: 128, or 2x the training length"),
      parts("finetune.lengths", "same", "lengths", "task.lengths of this stage; same: those of the first",
            Binds::training),
      parts("finetune.encoding", "same", "positional encodings",
            "encoding from this stage on; parameters that the checkpoint lacks keep their initial values, "
            "and a learned table may have more or fewer rows; same: no change",
            Binds::training),
      parts("finetune.positions", "test", "positions", "positions in this stage; test: those of the test",
            Binds::training),
      real("finetune.learning_rate", "0", automatic_or(0), "peak learning rate; 0: that of train",
           Binds::training),
      {"finetune.file",
       {"", OptionType::files, "", "text: files to learn from instead; repeatable", {}, {}, Binds::training}},
  };
}

std::vector<Key> other_keys() {
  const ModelConfig model;
  return {
      list("evaluate.lengths", "1x, 2x, 4x, 8x", "lengths to test: 256, or 4x the training length"),
      parts("evaluate.conditions", conditions().entries().front().name, "conditions",
            "conditions under which each length is tested", Binds::test),
      integer("evaluate.batches", "8", between(1, largest_count), "batches to score at each length",
              Binds::test),
      integer("evaluate.batch", "0", automatic_or(1, largest_count),
              "sequences in one; 0: about as many tokens as a training batch", Binds::test),
      real("evaluate.gate", "0", automatic_or(0),
           "score at the training length from which a seed has learned the task; 0: the task's",
           Binds::nothing),
      text("generate.prompt", "", "text to continue; empty: the task's default beginning"),
      parts("encoding.name", model.encoding, "positional encodings", "the encoding to draw", Binds::nothing),
      list("encoding.names", "",
           "the encodings of a gallery, one page, such as sinusoidal, rope(base=500); empty: none"),
      integer("encoding.seq_len", "128", between(1, 1e6), "how many positions to draw"),
      list("encoding.positions", "", "the positions to draw, real numbers; empty: 0 … seq_len - 1"),
      integer("encoding.d_model", std::to_string(model.d_model), between(1, 65536), "width of the model"),
      integer("encoding.heads", std::to_string(model.heads), between(1, 65536), "heads of the model"),
      flag("encoding.causal", model.causal ? "true" : "false", "queries see no later keys"),
      integer("encoding.layer", "0", between(0, 999), "which layer's bias and scores to draw"),
      list("encoding.offsets", "1, 5, 10, 50", "offsets k of the matrices M_k with M_k PE_pos = PE_{pos+k}"),
      text("encoding.sentence", "dog bites man", "a sentence that the gallery reads in two orders"),
      text("encoding.reordered", "man bites dog", "the same words in another order"),
      text("claims.folder", "configs/claims", "folder of the configs whose claims are decided"),
      choice("claims.set", "quick", {"quick", "full"},
             "the set that a config belongs to; for the program claims, the set to run: full includes quick",
             Binds::nothing),
      list("benchmark.sizes", "tiny, small, medium, big", "sizes at which to time a training step"),
      list("benchmark.encodings", "", "sizes at which to time every encoding against none"),
      integer("benchmark.steps", "20", between(1, largest_count), "steps to time at each size"),
  };
}

// Several parts may have an option of the same name: one key sets it for all of them.
void add_option(std::vector<Key>& keys, const std::string& name, const std::string& part,
                const OptionSpec& option) {
  const auto same = std::ranges::find(keys, name, &Key::name);
  if (same == keys.end()) {
    keys.push_back({name, option, {}, {part}, {option}});
    return;
  }
  if (!same->is_option() || same->option.type != option.type) {
    const std::string owner = same->is_option() ? joined(same->parts) + " has it with another type"
                                                : name + " is a setting of its own";
    throw std::logic_error(
        fmt::format("{} cannot have an option {}: {}; give it another name", part, option.name, owner));
  }
  if (same->option.value != option.value) same->option.value.clear();  // each part has its own default
  same->parts.push_back(part);
  same->variants.push_back(option);
}

std::vector<Key> built_keys() {
  std::vector<Key> keys;
  for (const auto& some : {run_keys(), model_keys(), positional_keys(), training_keys(), other_keys(),
                           keys_of("generate", GenerationOptions())}) {
    keys.insert(keys.end(), some.begin(), some.end());
  }
  for (const PartKind& kind : part_kinds()) {
    for (const PartInfo& part : kind.parts) {
      for (const OptionSpec& option : part.options) {
        add_option(keys, kind.section + "." + option.name, part.name, option);
      }
    }
  }
  std::vector<std::string> sections;
  for (Key& key : keys) {
    if (!key.kind.empty()) key.option.choices = part_kind(key.kind).names();
    if (std::ranges::find(sections, key.section()) == sections.end()) sections.push_back(key.section());
  }
  std::ranges::stable_sort(keys, {}, [&](const Key& key) {
    return std::ranges::find(sections, key.section()) - sections.begin();
  });
  return keys;
}

// Throws ConfigError for an unknown part or for options that the part cannot have.
void check_part(const PartKind& kind, const std::string& text) {
  const Part part = parse_part(text);
  const PartInfo* info = kind.find(part.name);
  if (info == nullptr)
    throw ConfigError(fmt::format("got '{}'{}, expected one of {}", part.name,
                                  did_you_mean(part.name, kind.names()), joined(kind.names())));
  const std::vector<std::string> problems = option_problems(part.name, info->options, part.options);
  if (!problems.empty()) throw ConfigError(problems.front());
}

// The same for all parts that a value names. `same` and `test` stand for parts that another key names.
void check_parts(const Key& key, const std::string& value) {
  const bool encodings = key.kind == "positional encodings";
  const bool several = encodings || key.kind == "branches" || key.kind == "conditions";
  const bool may_stand_for_others = key.kind == "positions" || key.section() == "finetune";
  const auto at = encodings ? split_outside_brackets(value, '@') : std::vector<std::string>{value};
  for (const std::string& text : several ? split_outside_brackets(at.front(), key.separator()) : at) {
    const bool stands_for_others = may_stand_for_others && (text == "same" || text == key.option.value);
    if (!stands_for_others) check_part(part_kind(key.kind), text);
  }
  if (at.size() == 1) return;
  for (const std::string& text : split_outside_brackets(at[1], ':')) {
    if (text != "same") check_part(part_kind("positions"), text);
  }
  if (key.section() != "finetune") return;
  throw ConfigError(
      fmt::format("got '{}', expected an encoding; finetune.positions sets its positions", value));
}

}  // namespace

std::string name_in_section(const std::string& key) { return key.substr(key.find('.') + 1); }

const std::vector<Key>& all_keys() {
  static const std::vector<Key> keys = built_keys();
  return keys;
}

const Key* find_key(std::string_view name) {
  static const std::unordered_map<std::string_view, const Key*> by_name = [] {
    std::unordered_map<std::string_view, const Key*> keys;
    for (const Key& key : all_keys()) keys.emplace(key.name, &key);
    return keys;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

std::string meant_by(const std::string& name, const std::vector<std::string>& others) {
  static const std::map<std::string, std::string, std::less<>> elsewhere = {
      {"lr", "train.learning_rate"},    {"batch_size", "train.batch"},    {"epochs", "train.steps"},
      {"max_steps", "train.steps"},     {"hidden_size", "model.d_model"}, {"num_layers", "model.layers"},
      {"n_layers", "model.layers"},     {"num_heads", "model.heads"},     {"n_heads", "model.heads"},
      {"seq_len", "task.train_length"}, {"dataset", "task.name"}};
  const std::string bare = name.substr(name.rfind('.') + 1);
  if (const auto found = elsewhere.find(bare); found != elsewhere.end()) return found->second;
  std::vector<std::string> names = others;
  std::vector<std::string> bare_names = others;
  for (const Key& key : all_keys()) {
    names.push_back(key.name);
    bare_names.push_back(name.find('.') == std::string::npos ? name_in_section(key.name) : key.name);
  }
  const std::string meant = nearest(name, bare_names);
  return names[static_cast<std::size_t>(std::ranges::find(bare_names, meant) - bare_names.begin())];
}

std::string complaint(const Key& key, const std::string& value) {
  try {
    if (!key.kind.empty()) check_parts(key, value);
  } catch (const ConfigError& error) {
    return error.what();
  }
  if (!key.is_option()) return complaint(key.option, value);
  std::string first;
  for (const OptionSpec& variant : key.variants) {
    const std::string problem = complaint(variant, value);
    if (problem.empty()) return "";
    if (first.empty()) first = problem;
  }
  return first;
}

}  // namespace ordinal::experiments

#include "experiments/settings/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <stdexcept>

#include "experiments/runs/configure.h"
#include "experiments/settings/condition.h"
#include "experiments/settings/parts.h"
#include "experiments/settings/rows.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "framework/optimize/optimizer.h"
#include "framework/optimize/schedule.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

class Checks {
 public:
  explicit Checks(const Settings& settings) : settings_(settings) {}

  void run() {
    check_name();
    collect({"experiment.seeds"}, [&] { seeds(settings_); });
    collect({"evaluate.lengths", "task.train_length"}, [&] { evaluation_lengths(settings_); });
    collect({"evaluate.conditions"}, [&] {
      const std::vector<std::string> all = settings_.list("evaluate.conditions");
      if (all.empty()) throw ConfigError("evaluate.conditions: got none, expected at least one");
      for (const std::string& condition : all) {
        make_condition(condition);
        if (std::ranges::count(all, condition) == 1) continue;
        throw ConfigError(fmt::format("evaluate.conditions: {} is there more than once", condition));
      }
    });
  }

  // A model of some settings, without its data. `prefix` names the row, if there are several.
  void model(const Settings& settings, const std::string& prefix) {
    const std::size_t before = found_.size();
    sizes(settings, "model");
    training(settings);
    task(settings);
    collect({"positional.encoding", "positional.positions", "positional.test_positions"},
            [&] { positional_choice(settings); });
    if (found_.size() == before) build(settings);
    for (std::size_t i = before; i < found_.size(); ++i) found_[i].text = prefix + found_[i].text;
  }

  void drawing() {
    sizes(settings_, "encoding");
    if (!found_.empty()) return;
    collect({"encoding.name", "positional.positions", "positional.test_positions"}, [&] {
      const PositionalChoice choice = positional_choice(settings_, "encoding.name");
      ModelShape shape{.d_model = settings_.integer("encoding.d_model"),
                       .heads = settings_.integer("encoding.heads")};
      shape.n_kv_heads = shape.heads;
      shape.causal = settings_.flag("encoding.causal");
      shape.train_length = settings_.integer("encoding.seq_len");
      shape.positions = 1;
      ParameterLayout layout;
      make_positional_encoding<float>(choice.encoding, shape, Scope(layout, "positional"));
    });
  }

  void collect(const std::vector<std::string>& keys, const std::function<void()>& derive) {
    const auto add_all = [&](const std::string& text) {
      for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        add(keys, text.substr(start, end - start));
        start = end + 1;
      }
    };
    try {
      derive();
    } catch (const ConfigError& error) {
      add_all(error.what());
    } catch (const std::invalid_argument& error) {
      add_all(error.what());
    }
  }

  bool has_found() const { return !found_.empty(); }

  std::vector<Contradiction> take() {
    std::ranges::stable_sort(found_, {}, &Contradiction::text);
    const auto same = [](const auto& a, const auto& b) { return a.text == b.text; };
    found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
    return std::move(found_);
  }

 private:
  void add(std::vector<std::string> keys, std::string text) {
    found_.push_back({std::move(keys), std::move(text)});
  }

  void check_name() {
    const std::string& name = settings_.text("experiment.name");
    const auto allowed = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
             c == '_' || c == '-';
    };
    if (!name.empty() && name.front() != '.' && std::ranges::all_of(name, allowed)) return;
    add({"experiment.name"},
        fmt::format(
            "experiment.name: got '{}', expected letters, digits, '.', '_' and '-', not starting with '.'",
            name));
  }

  void sizes(const Settings& settings, const std::string& section) {
    const std::string d_model = section + ".d_model";
    const std::string heads = section + ".heads";
    if (settings.integer(d_model) % settings.integer(heads) != 0) {
      add({d_model, heads}, fmt::format("{} = {} is not divisible by {} = {}", d_model,
                                        settings.text(d_model), heads, settings.text(heads)));
    }
    if (section != "model") return;
    const Index kv_heads = settings.integer("model.n_kv_heads");
    if (kv_heads > 0 && settings.integer(heads) % kv_heads != 0) {
      add({heads, "model.n_kv_heads"},
          fmt::format("model.heads = {} is not divisible by model.n_kv_heads = {}", settings.text(heads),
                      kv_heads));
    }
  }

  void training(const Settings& settings) {
    const Index shards = settings.integer("train.shards");
    if (shards > 0 && !std::has_single_bit(static_cast<std::size_t>(shards))) {
      add({"train.shards"},
          fmt::format("train.shards = {}, expected a power of two, or 0 for automatic", shards));
    } else if (shards > settings.integer("train.batch")) {
      add({"train.shards", "train.batch"},
          fmt::format("train.shards = {} exceeds train.batch = {}", shards, settings.text("train.batch")));
    }
    if (settings.integer("train.warmup") > settings.integer("train.steps") &&
        settings.is_given("train.warmup")) {
      add({"train.warmup", "train.steps"},
          fmt::format("train.warmup = {} exceeds train.steps = {}", settings.text("train.warmup"),
                      settings.text("train.steps")));
    }
    collect({"train.optimizer"}, [&] { make_optimizer<float>(optimizer_text(settings), ParameterLayout()); });
    collect({"train.schedule"}, [&] { make_schedule(schedule_text(settings)); });
    collect({"finetune.length"},
            [&] { length_of(settings, "finetune.length", settings.text("finetune.length")); });
    if (settings.text("finetune.positions") != "test") {
      collect({"finetune.positions"}, [&] { make_position_scheme(settings.text("finetune.positions")); });
    }
  }

  // Of a task that reads files, only whether there are any.
  void task(const Settings& settings) {
    collect({"task.name"}, [&] {
      const Part part = task_part(settings);
      task_alphabet(part);
      for (const OptionSpec& option : tasks().find(part.name).options) {
        const std::string key = "task." + option.name;
        const bool inlined = part.options.contains(option.name);
        if (option.type == OptionType::files && settings.list(key).empty() && !inlined) {
          throw ConfigError(fmt::format("task.name = {} needs a file: set {}", part.name, key));
        }
      }
    });
  }

  // Builds a model for nothing but its complaints.
  void build(const Settings& settings) {
    collect({"positional.encoding", "positional.positions", "positional.test_positions", "model.block",
             "model.norm"},
            [&] {
              ModelConfig config = model_config(settings);
              config.vocab_size = std::max<Index>(1, config.vocab_size);
              config.longest = 1;  // no tables
              const Transformer<float> model(config);
            });
  }

  const Settings& settings_;
  std::vector<Contradiction> found_;
};

// The keys of all options that the parts of a run have.
class UsedKeys {
 public:
  explicit UsedKeys(const Settings& settings) : settings_(settings) {
    for (const Key& key : all_keys()) {
      const bool of_positions = key.section() == "positional";
      if (!key.kind.empty() && !of_positions && key.section() != "finetune") {
        add(part_kind(key.kind), settings.text(key.name), ',');
      }
    }
    const auto at = split_outside_brackets(settings.text("positional.encoding"), '@');
    add(part_kind("positional encodings"), at.front(), '+');
    if (takes_positions(at.front())) {
      add_positions(at.size() > 1 ? split_outside_brackets(at.back(), ':')
                                  : std::vector<std::string>{settings.text("positional.positions"),
                                                             settings.text("positional.test_positions")});
    }
    const std::string& again = settings.text("finetune.positions");
    if (settings.integer("finetune.steps") > 0 && again != "test") {
      add(part_kind("positions"), parse_part(again), true);
    }
  }

  const std::vector<std::string>& keys() const { return keys_; }

 private:
  static bool takes_positions(const std::string& encoding) {
    return std::ranges::any_of(find_encodings(encoding), [](const EncodingEntry& entry) {
      return entry.positions != PositionUse::nothing;
    });
  }

  // A key gives the offset of the test alone; see choices.cpp.
  void add_positions(const std::vector<std::string>& schemes) {
    const PartKind& kind = part_kind("positions");
    const std::string& test = schemes.size() > 1 && schemes[1] != "same" ? schemes[1] : schemes[0];
    add(kind, parse_part(schemes[0]), true);
    add(kind, parse_part(test), false);
  }

  void add(const PartKind& kind, const std::string& text, char separator) {
    for (const std::string& piece : split_outside_brackets(text, separator)) {
      if (!piece.empty()) add(kind, parse_part(piece), false);
    }
  }

  void add(const PartKind& kind, const Part& part, bool of_training) {
    const PartInfo* info = kind.find(part.name);
    if (info == nullptr) return;
    for (const OptionSpec& option : info->options) {
      if (of_training && option.binds == Binds::test) continue;
      keys_.push_back(kind.section + "." + option.name);
      if (option.type != OptionType::part) continue;
      const auto written = with_keys(part, kind, settings_).options;
      const auto inner = written.find(option.name);
      add(kind_of_option(option), parse_part(inner == written.end() ? option.value : inner->second), false);
    }
  }

  const Settings& settings_;
  std::vector<std::string> keys_;
};

// Nor would the settings of a stage that no row has.
void check_finetuned(const Settings& settings, bool finetunes, std::vector<Contradiction>& found) {
  for (const Key& key : all_keys()) {
    if (finetunes || key.section() != "finetune" || settings.origin(key.name) != "command line") continue;
    found.push_back({{key.name},
                     fmt::format("{} = {} would change nothing: no row has finetune.steps above 0", key.name,
                                 settings.text(key.name))});
  }
}

// An option on the command line that no part in use has would change nothing.
void check_used(const Settings& settings, const std::vector<std::string>& used,
                std::vector<Contradiction>& found) {
  for (const Key& key : all_keys()) {
    if (!key.is_option() || settings.origin(key.name) != "command line") continue;
    if (std::ranges::find(used, key.name) != used.end()) continue;
    const bool is_files = key.option.type == OptionType::files;
    found.push_back(
        {{key.name},
         fmt::format("{} = {} would change nothing: it is an option of {}, and none of them is in use",
                     key.name, is_files ? joined(settings.list(key.name)) : settings.text(key.name),
                     joined(key.parts))});
  }
}

}  // namespace

std::vector<Contradiction> contradictions(const Settings& settings, Builds builds) {
  Checks checks(settings);
  checks.run();
  std::vector<std::string> used;
  bool finetunes = false;
  if (builds == Builds::rows) {
    checks.collect({"positional.encodings"}, [&] {
      const std::vector<Row> rows = rows_of(settings);
      for (const Row& row : rows) {
        const std::string prefix = row.factors.empty() ? fmt::format("[row {}] ", row.label) : "";
        checks.model(row.settings, prefix);
        if (checks.has_found()) continue;
        finetunes = finetunes || row.settings.integer("finetune.steps") > 0;
        const std::vector<std::string> keys = UsedKeys(row.settings).keys();
        used.insert(used.end(), keys.begin(), keys.end());
      }
    });
  }
  if (builds == Builds::model) {
    checks.model(settings, "");
    checks.collect({}, [&] { used = UsedKeys(settings).keys(); });
  }
  if (builds == Builds::drawing) {
    checks.drawing();
    checks.collect({}, [&] {
      Settings drawn = settings;
      drawn.set("positional.encoding", settings.text("encoding.name"), settings.origin("encoding.name"));
      used = UsedKeys(drawn).keys();
    });
  }
  std::vector<Contradiction> found = checks.take();
  if (found.empty() && builds != Builds::nothing) check_used(settings, used, found);
  if (found.empty() && builds == Builds::rows) check_finetuned(settings, finetunes, found);
  return found;
}

}  // namespace ordinal::experiments

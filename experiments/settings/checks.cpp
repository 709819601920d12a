#include "experiments/settings/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <stdexcept>

#include "experiments/settings/choices.h"
#include "experiments/settings/condition.h"
#include "experiments/settings/parts.h"
#include "experiments/settings/plan.h"
#include "experiments/settings/rows.h"
#include "experiments/settings/unused.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "framework/layers/registry.h"
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
        throw ConfigError(fmt::format("evaluate.conditions: {} is listed more than once", condition));
      }
    });
  }

  // Checks the model of the settings and, unless it is bare, what it is trained on, without its data.
  void model(bool bare = false) {
    const std::size_t before = found_.size();
    collect({"model.block"}, [&] { heads(); });
    if (!bare) training();
    if (!bare) task();
    collect({"positional.encoding", "positional.positions", "positional.test_positions"},
            [&] { positional_choice(settings_); });
    if (found_.size() == before) build();
  }

  // Checks the models of all rows. A problem that does not affect all of them names the affected rows.
  void models(const std::vector<Row>& rows) {
    std::vector<Contradiction> problems;
    std::map<std::string, std::vector<std::string>> labels;  // of the rows with a problem, by its text
    for (const Row& row : rows) {
      Checks checks(row.settings);
      checks.model();
      for (Contradiction& one : checks.take()) {
        labels[one.text].push_back(row.label);
        if (labels[one.text].size() == 1) problems.push_back(std::move(one));
      }
    }
    for (Contradiction& one : problems) {
      const std::vector<std::string>& of = labels[one.text];
      const bool of_all = of.size() == rows.size() && !rows.front().factors.empty();
      const char* word = of.size() == 1 ? "row" : "rows";
      if (!of_all) one.text = fmt::format("[{} {}] {}", word, joined(of), one.text);
      found_.push_back(std::move(one));
    }
  }

  // Of each row, positional.encoding is drawn.
  void drawing(const std::vector<Row>& rows) {
    head_width("encoding.d_model", "encoding.heads");
    if (!found_.empty()) return;
    for (const Row& row : rows) drawing(row.settings);
  }

  void drawing(const Settings& row) {
    collect({"encoding.name", "encoding.names", "positional.positions", "positional.test_positions"}, [&] {
      const PositionalChoice choice = positional_choice(row);
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

  // Without attention, a model has no heads.
  bool has_heads() const {
    return std::ranges::any_of(
        split_outside_brackets(settings_.text("model.block"), ','), [](const std::string& branch) {
          const auto& entries = layers(LayerKind::branch).entries();
          const auto entry = std::ranges::find(entries, parse_part(branch).name, &LayerEntry::name);
          return entry != entries.end() && (entry->uses_encoding || entry->only_rotates);
        });
  }

  void head_width(const std::string& d_model, const std::string& heads) {
    if (settings_.integer(d_model) % settings_.integer(heads) == 0) return;
    add({d_model, heads}, fmt::format("{} = {} is not divisible by {} = {}", d_model, settings_.text(d_model),
                                      heads, settings_.text(heads)));
  }

  void heads() {
    if (!has_heads()) return;
    const std::string heads = "model.heads";
    head_width("model.d_model", heads);
    const Index kv_heads = settings_.integer("model.n_kv_heads");
    if (kv_heads > 0 && settings_.integer(heads) % kv_heads != 0) {
      add({heads, "model.n_kv_heads"},
          fmt::format("model.heads = {} is not divisible by model.n_kv_heads = {}", settings_.text(heads),
                      kv_heads));
    }
  }

  void training() {
    const Index shards = settings_.integer("train.shards");
    if (shards > 0 && !std::has_single_bit(static_cast<std::size_t>(shards))) {
      add({"train.shards"},
          fmt::format("train.shards = {}, expected a power of two, or 0 for automatic", shards));
    } else if (shards > settings_.integer("train.batch")) {
      add({"train.shards", "train.batch"},
          fmt::format("train.shards = {} exceeds train.batch = {}", shards, settings_.text("train.batch")));
    }
    if (settings_.integer("train.warmup") > settings_.integer("train.steps") &&
        settings_.is_given("train.warmup")) {
      add({"train.warmup", "train.steps"},
          fmt::format("train.warmup = {} exceeds train.steps = {}; lower train.warmup or raise train.steps",
                      settings_.text("train.warmup"), settings_.text("train.steps")));
    }
    collect({"train.optimizer"},
            [&] { make_optimizer<float>(in_effect(settings_, "train.optimizer"), ParameterLayout()); });
    collect({"train.schedule"}, [&] { make_schedule(in_effect(settings_, "train.schedule")); });
    collect({"finetune.length"},
            [&] { length_of(settings_, "finetune.length", settings_.text("finetune.length")); });
    if (settings_.text("finetune.positions") != "test") {
      collect({"finetune.positions"}, [&] { make_position_scheme(settings_.text("finetune.positions")); });
    }
  }

  // For a task that reads files, checks only that some are given.
  void task() {
    collect({"task.name", "model.causal"}, [&] { direction(); });
    collect({"task.name"}, [&] {
      const Part part = task_part(settings_);
      task_alphabet(part);
      if (lacks_file(part)) {
        throw ConfigError(fmt::format("task.name = {} needs a file: set task.file", part.name));
      }
    });
  }

  void direction() {
    const std::string& causal = settings_.text("model.causal");
    const Direction needed = task_direction(settings_);
    if (needed == Direction::any || causal == "auto") return;
    if ((needed == Direction::causal) == (causal == "true")) return;
    const bool is_causal = causal == "true";
    throw ConfigError(fmt::format(
        "model.causal = {} ({}), but task {} needs a {} model: {}; expected {} or auto", causal,
        settings_.origin("model.causal"), parse_part(settings_.text("task.name")).name,
        is_causal ? "bidirectional" : "causal",
        is_causal ? "the answer depends on the whole input" : "a bidirectional one sees the answer",
        is_causal ? "false" : "true"));
  }

  // Builds a model only for its errors.
  void build() {
    collect({"positional.encoding", "positional.positions", "positional.test_positions", "model.block",
             "model.norm"},
            [&] {
              ModelConfig config = Plan(settings_).model;
              config.vocab_size = std::max<Index>(1, config.vocab_size);
              config.longest = 1;  // no tables
              const Transformer<float> model(config);
            });
  }

  const Settings& settings_;
  std::vector<Contradiction> found_;
};

}  // namespace

std::vector<Contradiction> contradictions(const Settings& settings, Builds builds) {
  Checks checks(settings);
  checks.run();
  std::vector<Row> rows;  // the rows to build
  if (builds == Builds::rows) {
    checks.collect({"positional.encodings"}, [&] { rows = rows_of(settings); });
    checks.models(rows);
  }
  if (builds == Builds::model || builds == Builds::bare_model) {
    rows.emplace_back().settings = settings;
    checks.model(builds == Builds::bare_model);
  }
  if (builds == Builds::drawing) {
    const std::vector<std::string> names = settings.list("encoding.names");
    const std::string key = names.empty() ? "encoding.name" : "encoding.names";
    for (const std::string& name : names.empty() ? std::vector{settings.text(key)} : names) {
      rows.emplace_back().settings = settings;
      rows.back().settings.set("positional.encoding", name, settings.origin(key));
    }
    checks.drawing(rows);
  }
  std::vector<Contradiction> found = checks.take();
  return found.empty() && !rows.empty() ? unused_settings(settings, rows) : found;
}

}  // namespace ordinal::experiments

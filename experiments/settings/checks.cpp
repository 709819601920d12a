#include "experiments/settings/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "experiments/settings/choices.h"
#include "experiments/settings/condition.h"
#include "experiments/settings/plan.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"
#include "framework/layers/registry.h"
#include "framework/optimize/optimizer.h"
#include "framework/optimize/schedule.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

// ---- Rules: each throws ConfigError if it is broken ----

void demand(bool holds, const std::string& problem) {
  if (!holds) throw ConfigError(problem);
}

void check_name(const Settings& settings) {
  const std::string& name = settings.text("experiment.name");
  const char* const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  demand(!name.empty() && name.front() != '.' && name.find_first_not_of(allowed) == std::string::npos,
         fmt::format("experiment.name: got '{}', expected letters, digits, '.', '_' and '-', not starting "
                     "with '.'",
                     name));
}

void check_conditions(const Settings& settings) {
  const std::vector<std::string> all = settings.list("evaluate.conditions");
  demand(!all.empty(), "evaluate.conditions: got none, expected at least one");
  for (const std::string& condition : all) {
    make_condition(condition);
    demand(std::ranges::count(all, condition) == 1,
           fmt::format("evaluate.conditions: {} is listed more than once", condition));
  }
}

// Without attention, a model has no heads.
bool has_heads(const Settings& settings) {
  return std::ranges::any_of(parts_in_effect(settings, "model.block"), [&](const Part& part) {
    const auto& entries = layers(LayerKind::branch).entries();
    const auto entry = std::ranges::find(entries, part.name, &LayerEntry::name);
    return entry != entries.end() && (entry->uses_encoding || entry->only_rotates);
  });
}

void check_shards(const Settings& settings) {
  const Index shards = settings.integer("train.shards");
  demand(shards == 0 || std::has_single_bit(static_cast<std::size_t>(shards)),
         fmt::format("train.shards = {}, expected a power of two, or 0 for automatic", shards));
  demand(shards <= settings.integer("train.batch"),
         fmt::format("train.shards = {} exceeds train.batch = {}", shards, settings.text("train.batch")));
}

void check_warmup(const Settings& settings) {
  demand(!settings.is_given("train.warmup") ||
             settings.integer("train.warmup") <= settings.integer("train.steps"),
         fmt::format("train.warmup = {} exceeds train.steps = {}; lower train.warmup or raise train.steps",
                     settings.text("train.warmup"), settings.text("train.steps")));
}

void check_direction(const Settings& settings) {
  const std::string& causal = settings.text("model.causal");
  const bool is_causal = causal == "true";
  const Direction needed = task_direction(settings);
  demand(
      needed == Direction::any || causal == "auto" || (needed == Direction::causal) == is_causal,
      fmt::format("model.causal = {} ({}), but task {} needs a {} model: {}; expected {} or auto", causal,
                  settings.origin("model.causal"), task_part(settings).name,
                  is_causal ? "bidirectional" : "causal",
                  is_causal ? "the answer depends on the whole input" : "a bidirectional one sees the answer",
                  is_causal ? "false" : "true"));
}

// For a task that reads files, checks only that some are given.
void check_task(const Settings& settings) {
  const Part task = task_part(settings);
  task_alphabet(task);
  demand(!lacks_file(task), fmt::format("task.name = {} needs a file: set task.file", task.name));
}

// Builds a model only for its errors.
void check_model(const Settings& settings) {
  ModelConfig config = Plan(settings).model;
  config.vocab_size = std::max<Index>(1, config.vocab_size);
  config.longest = 1;  // no tables
  const Transformer<float> model(config);
}

void check_encoding(const Settings& row, const Settings& drawing) {
  ModelShape shape{.d_model = drawing.integer("encoding.d_model"),
                   .heads = drawing.integer("encoding.heads")};
  shape.n_kv_heads = shape.heads;
  shape.causal = drawing.flag("encoding.causal");
  shape.train_length = drawing.integer("encoding.seq_len");
  shape.positions = 1;
  ParameterLayout layout;
  make_positional_encoding<float>(positional_choice(row).encoding, shape, Scope(layout, "positional"));
}

// ---- All that are broken ----

class Checks {
 public:
  explicit Checks(const Settings& settings) : settings_(settings) {}

  void run() {
    require({"experiment.name"}, check_name);
    require({"experiment.seeds"}, seeds);
    require({"evaluate.lengths", "task.train_length"}, evaluation_lengths);
    require({"evaluate.conditions"}, check_conditions);
  }

  // Checks the model of the settings and, unless it is bare, what it is trained on, without its data.
  void model(bool bare = false) {
    const std::size_t before = found_.size();
    if (has_heads(settings_)) {
      divides("model.d_model", "model.heads");
      divides("model.heads", "model.n_kv_heads");
    }
    if (!bare) training();
    require({encoding_key, training_key, test_key}, positional_choice);
    if (found_.size() > before) return;
    require({encoding_key, training_key, test_key, "model.block", "model.norm"}, check_model);
  }

  // Checks the models of all rows. A problem that does not affect all of them names the affected rows.
  void models(const std::vector<Row>& rows) {
    std::map<std::string, Contradiction> problems;           // by text
    std::map<std::string, std::vector<std::string>> labels;  // of the rows with that problem
    for (const Row& row : rows) {
      Checks checks(row.settings);
      checks.model();
      for (const Contradiction& one : checks.take()) {
        problems[one.text] = one;
        labels[one.text].push_back(row.label);
      }
    }
    for (auto& [text, one] : problems) {
      const std::vector<std::string>& of = labels[text];
      const bool of_all = of.size() == rows.size() && !rows.front().factors.empty();
      const char* word = of.size() == 1 ? "row" : "rows";
      if (!of_all) one.text = fmt::format("[{} {}] {}", word, joined(of), text);
      found_.push_back(one);
    }
  }

  // Of each row, positional.encoding is drawn.
  void drawing(const std::vector<Row>& rows) {
    divides("encoding.d_model", "encoding.heads");
    if (!found_.empty()) return;
    for (const Row& row : rows) {
      require({"encoding.name", "encoding.names", training_key, test_key},
              [&](const Settings& settings) { check_encoding(row.settings, settings); });
    }
  }

  // Each line of an error is a problem of its own.
  void require(const std::vector<std::string>& keys, const std::function<void(const Settings&)>& check) {
    const auto add_all = [&](const std::string& text) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) found_.push_back({keys, line});
    };
    try {
      check(settings_);
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
  void divides(const std::string& whole, const std::string& part) {
    require({whole, part}, [&](const Settings& settings) {
      const Index divisor = settings.integer(part);
      demand(divisor == 0 || settings.integer(whole) % divisor == 0,
             fmt::format("{} = {} is not divisible by {} = {}", whole, settings.text(whole), part,
                         settings.text(part)));
    });
  }

  void training() {
    require({"train.shards", "train.batch"}, check_shards);
    require({"train.warmup", "train.steps"}, check_warmup);
    require({"train.optimizer"}, [](const Settings& settings) {
      make_optimizer<float>(in_effect(settings, "train.optimizer"), ParameterLayout());
    });
    require({"train.schedule"},
            [](const Settings& settings) { make_schedule(in_effect(settings, "train.schedule")); });
    require({"finetune.length"}, [](const Settings& settings) {
      length_of(settings, "finetune.length", settings.text("finetune.length"));
    });
    require({"finetune.positions"}, [](const Settings& settings) {
      const std::string& positions = settings.text("finetune.positions");
      if (positions != "test") make_position_scheme(positions);
    });
    require({"task.name", "model.causal"}, check_direction);
    require({"task.name"}, check_task);
  }

  const Settings& settings_;
  std::vector<Contradiction> found_;
};

// What is drawn, as rows of positional.encoding.
std::vector<Row> drawn_rows(const Settings& settings) {
  const std::vector<std::string> names = settings.list("encoding.names");
  const std::string key = names.empty() ? "encoding.name" : "encoding.names";
  std::vector<Row> rows;
  for (const std::string& name : names.empty() ? std::vector{settings.text(key)} : names) {
    rows.emplace_back().settings = settings;
    rows.back().settings.set(encoding_key, name, settings.origin(key));
  }
  return rows;
}

}  // namespace

std::vector<Contradiction> contradictions(const Settings& settings, Builds builds) {
  Checks checks(settings);
  checks.run();
  std::vector<Row> rows;  // the rows to build
  if (builds == Builds::rows) {
    checks.require({"positional.encodings"}, [&](const Settings&) { rows = rows_of(settings); });
    checks.models(rows);
  } else if (builds == Builds::drawing) {
    checks.drawing(rows = drawn_rows(settings));
  } else if (builds != Builds::nothing) {
    rows.emplace_back().settings = settings;
    checks.model(builds == Builds::bare_model);
  }
  std::vector<Contradiction> found = checks.take();
  return found.empty() && !rows.empty() ? unused_settings(settings, rows) : found;
}

}  // namespace ordinal::experiments

#include "experiments/settings/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "experiments/settings/condition.h"
#include "experiments/settings/plan.h"
#include "experiments/settings/rows.h"
#include "experiments/settings/words.h"
#include "framework/core/errors.h"
#include "framework/layers/layer.h"
#include "framework/optimize/optimizer.h"
#include "framework/optimize/schedule.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

// Each rule throws ConfigError, or std::invalid_argument, if it is broken.
using Rule = std::function<void(const Settings&)>;

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
  return std::ranges::any_of(parse_parts(settings.text("model.block"), ','), [&](const Part& part) {
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

void check_score_step(const Settings& settings) {
  const Index step = settings.integer("train.score_step");
  demand(step <= settings.integer("train.steps"),
         fmt::format("train.score_step = {} exceeds train.steps = {}", step, settings.text("train.steps")));
  demand(step == 0 || settings.integer("finetune.steps") == 0,
         fmt::format("train.score_step = {} needs finetune.steps = 0, got {}", step,
                     settings.text("finetune.steps")));
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

// `part` must divide `whole`, unless `part` is 0.
void check_divides(const Settings& settings, const std::string& whole, const std::string& part) {
  const Index divisor = settings.integer(part);
  demand(divisor == 0 || settings.integer(whole) % divisor == 0,
         fmt::format("{} = {} is not divisible by {} = {}", whole, settings.text(whole), part,
                     settings.text(part)));
}

void check_heads(const Settings& settings) {
  if (has_heads(settings)) check_divides(settings, "model.d_model", "model.heads");
}

void check_kv_heads(const Settings& settings) {
  if (has_heads(settings)) check_divides(settings, "model.heads", "model.n_kv_heads");
}

// Builds a model only to find errors.
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

// The error lines of all broken rules.
std::vector<std::string> broken(const std::vector<Rule>& rules, const Settings& settings) {
  std::string text;
  for (const Rule& rule : rules) {
    try {
      rule(settings);
    } catch (const ConfigError& error) {
      text += std::string(error.what()) + "\n";
    } catch (const std::invalid_argument& error) {
      text += std::string(error.what()) + "\n";
    }
  }
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) found.push_back(line);
  return found;
}

// The broken rules of a model and, unless it is bare, of its training, without its data.
std::vector<std::string> broken_by_model(const Settings& settings, bool bare) {
  static const std::vector<Rule> of_model = {check_heads, check_kv_heads, positional_choice};
  static const std::vector<Rule> of_training = {
      check_shards,
      check_warmup,
      check_score_step,
      check_direction,
      check_task,
      [](const Settings& all) { make_optimizer<float>(all.text("train.optimizer"), ParameterLayout()); },
      [](const Settings& all) { make_schedule(all.text("train.schedule")); },
      training_lengths,
      [](const Settings& all) { length_of(all, "finetune.length", all.text("finetune.length")); }};
  std::vector<std::string> found = broken(of_model, settings);
  if (!bare) std::ranges::copy(broken(of_training, settings), std::back_inserter(found));
  return found.empty() ? broken({check_model}, settings) : found;
}

// The broken rules of the rows' models. A problem that does not affect all rows names the affected ones.
std::vector<std::string> broken_by_rows(const std::vector<Row>& rows, bool bare) {
  std::map<std::string, std::vector<std::string>> labels;  // of the rows with that problem
  std::vector<std::string> found;
  for (const Row& row : rows) {
    for (const std::string& problem : broken_by_model(row.settings, bare)) {
      std::vector<std::string>& of = labels[problem];
      if (of.empty() || of.back() != row.label) of.push_back(row.label);
    }
  }
  for (const auto& [problem, of] : labels) {
    const bool is_written = rows.front().factors.empty() && !rows.front().label.empty();
    const bool of_all = of.size() == rows.size() && !is_written;
    const char* word = of.size() == 1 ? "row" : "rows";
    found.push_back(of_all ? problem : fmt::format("[{} {}] {}", word, joined(of), problem));
  }
  return found;
}

// The encodings to draw, as rows.
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

std::vector<Row> built_rows(const Settings& settings, Builds builds) {
  if (builds == Builds::nothing) return {};
  if (builds == Builds::rows) return rows_of(settings);
  if (builds == Builds::drawing) return drawn_rows(settings);
  return {{.label = "", .folder = "", .factors = {}, .settings = settings}};
}

// ---- Settings without effect ----

class Unused {
 public:
  Unused(const Settings& settings, const std::vector<Row>& rows) : settings_(settings), rows_(rows) {}

  std::vector<std::string> find() {
    for (const Key& key : all_keys()) {
      if (settings_.origin(key.name) != command_line_origin) continue;
      const std::string& value = settings_.text(key.name);
      if (const std::string others = set_by_all_rows(key.name); !others.empty()) {
        const std::string compared = compare_prefix + key.name;
        const std::string meant =
            others.starts_with(compared + " =")
                ? fmt::format("did you mean --{}={}?", compared, quoted_for_shell(value))
                : "leave out one of them";
        refuse(key.name, value, fmt::format("every row sets it itself ({}); {}", others, meant));
      } else {
        check(key, "", joined(split_outside_brackets(value, '\n')));
      }
    }
    for (const auto& [prefix, factors] :
         {std::pair(compare_prefix, settings_.factors()), std::pair(tune_prefix, settings_.tuned())}) {
      for (const Factor& factor : factors) {
        if (factor.origin == command_line_origin) check(*find_key(factor.key), prefix, joined(factor.values));
      }
    }
    return found_;
  }

 private:
  void refuse(const std::string& key, const std::string& value, const std::string& why) {
    found_.push_back(fmt::format("{} = {} would change nothing: {}", key, value, why));
  }

  // Refuses settings of a stage, a choice or a file that no row has.
  void check(const Key& key, const std::string& prefix, const std::string& value) {
    if (key.name == "experiment.tune_seed" && settings_.tuned().empty())
      refuse(prefix + key.name, value, "no compare.tune.… is set");
    if (key.name == "task.file" &&
        !any_row([](const Settings& row) { return task_part(row).options.contains("file"); }))
      refuse(prefix + key.name, value, "no task reads files, expected text or mlm(of=text)");
    const bool fine_tunes = any_row([](const Settings& row) { return row.integer("finetune.steps") > 0; });
    if (key.section() != "finetune" || fine_tunes) return;
    const bool is_alone = rows_.size() == 1 && rows_.front().label.empty();
    refuse(prefix + key.name, value,
           is_alone ? "it needs a checkpoint: --model FILE" : "no row has finetune.steps above 0");
  }

  bool any_row(const auto& holds) const {
    return std::ranges::any_of(rows_, [&](const Row& row) { return holds(row.settings); });
  }

  // The source of the value in every row, if that is not the key itself; else empty.
  std::string set_by_all_rows(const std::string& key) const {
    for (const Factor& factor : settings_.tuned()) {
      if (factor.key == key) return fmt::format("{}{} = {}", tune_prefix, key, joined(factor.values));
    }
    if (!std::ranges::all_of(rows_, [&](const Row& row) { return row.own.contains(key); })) return "";
    for (const Factor& factor : settings_.factors()) {
      if (factor.key == key) return fmt::format("{}{} = {}", compare_prefix, key, joined(factor.values));
    }
    std::vector<std::string> sections;
    for (const Row& row : rows_) sections.push_back(fmt::format("[row {}]", row.label));
    return joined(sections);
  }

  const Settings& settings_;
  const std::vector<Row>& rows_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> contradictions(const Settings& settings, Builds builds) {
  std::vector<Row> rows;  // the rows to build
  std::vector<std::string> found = broken({check_name, seeds, evaluation_lengths, check_conditions,
                                           [&](const Settings& all) { rows = built_rows(all, builds); }},
                                          settings);
  const auto add = [&](const std::vector<std::string>& more) {
    found.insert(found.end(), more.begin(), more.end());
  };
  if (builds != Builds::drawing) {
    add(broken_by_rows(rows, builds == Builds::bare_model));
  } else {
    add(broken({[](const Settings& all) { check_divides(all, "encoding.d_model", "encoding.heads"); }},
               settings));
    for (const Row& row : found.empty() ? rows : std::vector<Row>())
      add(broken({[&](const Settings& all) { check_encoding(row.settings, all); }}, settings));
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::string> unused_settings(const Settings& settings, Builds builds) {
  const std::vector<Row> rows = built_rows(settings, builds);
  return rows.empty() ? std::vector<std::string>() : Unused(settings, rows).find();
}

}  // namespace ordinal::experiments

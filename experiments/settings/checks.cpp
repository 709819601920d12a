#include "experiments/settings/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "experiments/settings/plan.h"
#include "experiments/settings/rows.h"
#include "experiments/settings/words.h"
#include "framework/core/errors.h"
#include "framework/optimize/optimizer.h"
#include "framework/optimize/schedule.h"

namespace ordinal::experiments {
namespace {

void demand(bool holds, const std::string& problem) {
  if (!holds) throw ConfigError(problem);
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

void check_training(const Settings& settings) {
  check_shards(settings);
  check_warmup(settings);
  check_score_step(settings);
  check_direction(settings);
  make_optimizer<float>(settings.text("train.optimizer"), ParameterLayout());
  make_schedule(settings.text("train.schedule"));
  length_of(settings, "finetune.length", settings.text("finetune.length"));
}

std::vector<std::string> unused_settings(const Settings& settings, Builds builds) {
  if (builds == Builds::nothing) return {};
  std::vector<Row> rows(1);
  rows.front().settings = settings;
  if (builds == Builds::rows) rows = rows_of(settings);
  return Unused(settings, rows).find();
}

}  // namespace ordinal::experiments

#include "experiments/settings/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "experiments/settings/plan.h"
#include "experiments/settings/rows.h"
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

// A warm-up of a file, which may be for longer runs, ends with the steps.
void check_steps(const Settings& settings) {
  const Index steps = settings.integer("train.steps");
  const Index warmup = settings.integer("train.warmup");
  const Index scored = settings.integer("train.score_step");
  demand(settings.origin("train.warmup") != command_line_origin || warmup <= steps,
         fmt::format("train.warmup = {} exceeds train.steps = {}; lower train.warmup or raise train.steps",
                     warmup, steps));
  demand(scored <= steps, fmt::format("train.score_step = {} exceeds train.steps = {}", scored, steps));
  demand(scored == 0 || settings.integer("finetune.steps") == 0,
         fmt::format("train.score_step = {} needs finetune.steps = 0, got {}", scored,
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

// Why a key affects nothing that is built, also if its values are compared; empty if it does.
std::string why_unused(const Key& key, const Settings& settings, const std::vector<Row>& rows) {
  if (key.name == "experiment.tune_seed" && settings.tuned().empty()) return "no compare.tune.… is set";
  const auto reads_files = [](const Row& row) { return task_part(row.settings).options.contains("file"); };
  const auto is_tuned = [](const Row& row) { return row.settings.integer("finetune.steps") > 0; };
  if (key.option.type == OptionType::files && std::ranges::none_of(rows, reads_files))
    return "no task reads files, expected text or mlm(of=text)";
  if (key.section() != "finetune" || std::ranges::any_of(rows, is_tuned)) return "";
  const bool is_alone = rows.size() == 1 && rows.front().label.empty();
  return is_alone ? "it needs a checkpoint: --model FILE" : "no row has finetune.steps above 0";
}

// Whether no row takes the value from all rows.
bool is_set_by_all(const std::vector<Row>& rows, const Settings& settings, const std::string& key) {
  const std::vector<Factor> tuned = settings.tuned();
  return std::ranges::count(tuned, key, &Factor::key) > 0 ||
         std::ranges::all_of(rows, [&](const Row& row) { return row.own.contains(key); });
}

}  // namespace

void check_training(const Settings& settings) {
  check_shards(settings);
  check_steps(settings);
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
  std::vector<std::string> found;
  const auto check = [&](const std::string& prefix, const Factor& given) {
    if (given.origin != command_line_origin) return;
    const std::string why =
        prefix.empty() && is_set_by_all(rows, settings, given.key)
            ? "every row sets it itself; leave it out, or set " + compare_prefix + given.key
            : why_unused(*find_key(given.key), settings, rows);
    if (why.empty()) return;
    found.push_back(
        fmt::format("{}{} = {} would change nothing: {}", prefix, given.key, joined(given.values), why));
  };
  for (const Key& key : all_keys())
    check("", {key.name, split_outside_brackets(settings.text(key.name), '\n'), settings.origin(key.name)});
  for (const Factor& factor : settings.factors()) check(compare_prefix, factor);
  for (const Factor& factor : settings.tuned()) check(tune_prefix, factor);
  return found;
}

}  // namespace ordinal::experiments

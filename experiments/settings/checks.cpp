#include "experiments/settings/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/settings/plan.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

void check_at_most(const Settings& settings, const char* key, const char* most) {
  if (parse_integer(settings.text(key)) > parse_integer(settings.text(most)))
    throw ConfigError(fmt::format("{} = {} exceeds {} = {}; lower {} or raise {}", key, settings.text(key),
                                  most, settings.text(most), key, most));
}

void check_direction(const Settings& settings) {
  const std::string& causal = settings->model.causal;
  const bool is_causal = causal == "true";
  const Direction needed = task_direction(settings);
  if (needed == Direction::any || causal == "auto" || (needed == Direction::causal) == is_causal) return;
  throw ConfigError(fmt::format(
      "model.causal = {} ({}), but task {} needs a {} model: {}; expected {} or auto", causal,
      settings.origin("model.causal"), task_part(settings).name, is_causal ? "bidirectional" : "causal",
      is_causal ? "the answer depends on the whole input" : "a bidirectional one sees the answer",
      is_causal ? "false" : "true"));
}

// Why a key affects nothing that is built, also if its values are compared; empty if it does.
std::string why_unused(const Key& key, const Settings& settings, const std::vector<Row>& rows) {
  if (key.name == "experiment.tune_seed" && settings.tuned().empty()) return "no compare.tune.… is set";
  const auto reads_files = [](const Row& row) { return task_part(row.settings).options.contains("file"); };
  const auto is_tuned = [](const Row& row) { return row.settings->finetune.steps > 0; };
  if (key.option.type == OptionType::files && std::ranges::none_of(rows, reads_files))
    return "no task reads files, expected text or mlm(of=text)";
  if (key.section() != "finetune" || std::ranges::any_of(rows, is_tuned)) return "";
  const bool is_alone = rows.size() == 1 && rows.front().label.empty();
  return is_alone ? "it needs a checkpoint: --model FILE" : "no row has finetune.steps above 0";
}

// Why the value for all rows affects nothing; empty if it may. In one file, or before the rows, it may be for another program.
std::string why_overridden(Settings settings, const std::string& key, const std::vector<std::string>& files) {
  if (!settings.rows_set(key) && !settings.rows_set("tune." + key)) return "";
  const std::string for_all = "all rows";
  const std::string given = settings.origin(key);
  settings.set(key, settings.text(key), for_all);
  std::string name = key;
  std::vector<std::string> origins;  // where each row has the value from
  for (const Row& row : rows_of(settings)) origins.push_back(row.settings.origin(key));
  for (const Factor& factor : settings.tuned()) {
    if (factor.key != key) continue;
    name = "tune." + key;
    origins = {factor.origin};
  }
  const auto place = [&](const std::string& origin) {
    return std::ranges::find(files, origin.substr(0, origin.rfind(':'))) - files.begin();
  };
  const auto overrides = [&](const std::string& origin) {
    return origin != for_all && (given == command_line_origin || place(origin) < place(given));
  };
  if (!std::ranges::all_of(origins, overrides)) return "";
  return fmt::format(
      "every row of {}{} sets it; write it in [compare], or remove the rows with an empty \"{} =\" in "
      "[compare]",
      origins.front() == command_line_origin ? "the " : "", origins.front(), name);
}

}  // namespace

void check_training(const Settings& settings) {
  check_at_most(settings, "train.shards", "train.batch");
  // A warm-up of a file, which may be for longer runs, ends with the steps.
  if (settings.origin("train.warmup") == command_line_origin)
    check_at_most(settings, "train.warmup", "train.steps");
  check_direction(settings);
}

std::vector<std::string> unused_settings(const Settings& settings, Builds builds,
                                         const std::vector<std::string>& files) {
  if (builds == Builds::nothing) return {};
  const std::vector<Row> rows =
      builds == Builds::rows ? rows_of(settings) : std::vector<Row>{{"", "", {}, settings}};
  std::vector<std::string> found;
  const auto check = [&](const std::string& prefix, const std::string& key, const std::string& origin) {
    std::string why;
    if (builds == Builds::rows && prefix.empty()) why = why_overridden(settings, key, files);
    if (why.empty() && origin == command_line_origin) why = why_unused(*find_key(key), settings, rows);
    if (!why.empty()) found.push_back(fmt::format("{}: {}{} has no effect: {}", origin, prefix, key, why));
  };
  for (const Key& key : all_keys())
    if (settings.is_given(key.name)) check("", key.name, settings.origin(key.name));
  for (const Factor& factor : settings.factors()) check(compare_prefix, factor.key, factor.origin);
  for (const Factor& factor : settings.tuned()) check(tune_prefix, factor.key, factor.origin);
  return found;
}

}  // namespace ordinal::experiments

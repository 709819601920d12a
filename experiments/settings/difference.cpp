#include "experiments/settings/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

using Line = std::pair<std::string, std::string>;  // key and value

// In the order of the keys, in which the task and sizes come before the parts whose options follow from them.
std::vector<Line> lines_of(const Metadata& text) {
  std::vector<Line> lines;
  for (const Key& key : all_keys()) {
    if (!text.contains(key.name)) continue;
    std::vector<NamedPart> parts;
    if (!key.kind.empty()) parts = named_parts(part_kind(key.kind), text.at(key.name));
    lines.emplace_back(key.name, parts.empty() ? text.at(key.name) : names_only(parts));
    for (const NamedPart& named : parts)
      for (const auto& option : named.part.options)
        lines.emplace_back(key.name, to_string(Part{named.part.name, {option}}));
  }
  return lines;
}

// What depends on the last step, so that training fewer steps is not the beginning of this training; empty if nothing.
std::string bound_to_end(const Metadata& there, const Plan& plan, const Metadata& here) {
  if (there.at("train.warmup") == there.at("train.steps") &&
      there.at("train.warmup") != here.at("train.warmup"))
    return fmt::format("train.warmup = {}, cut to the steps,", there.at("train.warmup"));
  const std::string& schedule = here.at("train.schedule");
  if (make_schedule(schedule).depends_on_steps())
    return fmt::format("train.schedule = {}, unlike constant,", schedule);
  return training_lengths(plan.settings).depends_on_steps() ? "task.lengths = " + here.at("task.lengths")
                                                            : "";
}

}  // namespace

std::optional<Difference> first_line(const Metadata& there, const Metadata& here) {
  const std::vector<Line> old = lines_of(there);
  const std::vector<Line> current = lines_of(here);
  const auto [left, right] = std::ranges::mismatch(old, current);
  if (right == current.end()) return std::nullopt;
  return Difference{right->first, left == old.end() ? "nothing" : left->second, right->second};
}

std::optional<Difference> first_difference(const Metadata& there, const std::string& origin, const Plan& plan,
                                           const Metadata& here, Binds last, bool may_be_longer) {
  const auto differ = [&](const std::string& key) {
    const auto shown = [&](const Metadata& of) { return of.contains(key) ? of.at(key) : "nothing"; };
    const Difference found = {key, shown(there), shown(here)};
    return found.there == found.here ? std::nullopt : std::optional(found);
  };
  if (const std::string version = version_of(there); version != version_of(here))
    return Difference{"version", version.empty() ? "nothing" : version, version_of(here)};
  // A model trained on other data, or a foreign file, cannot be described as this task.
  if (const auto data = differ("data_hash")) {
    const auto task = differ("task.name");
    return task ? task : data;
  }
  Metadata old = Plan(Settings::from_map(with_former_settings(there), origin), plan.task).text(last);
  const Metadata current = plan.text(last);
  const bool is_longer = parse_integer(old.at("train.steps")) < parse_integer(current.at("train.steps"));
  const std::string bound = may_be_longer ? bound_to_end(old, plan, current) : "its second stage";
  if (is_longer && bound.empty()) old["train.steps"] = current.at("train.steps");
  if (auto line = first_line(old, current)) {
    if (is_longer && line->key == "train.steps") line->bound = bound;
    return line;
  }
  for (const char* key : {"train.seed", "initial_model", "train.log_every"})
    if (const auto found = differ(key)) return found;
  return std::nullopt;
}

std::string explained(const Difference& difference) {
  const std::string way_out = difference.bound.empty()
                                  ? "choose another --out, or remove it"
                                  : difference.bound +
                                        " depends on the last step; choose another --out, or "
                                        "train its checkpoint further with train --model";
  return fmt::format("{} = {}, this run has {}; {}", difference.key, difference.there, difference.here,
                     way_out);
}

}  // namespace ordinal::experiments

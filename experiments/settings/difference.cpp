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

// Whether training fewer steps is the beginning of this training.
bool is_begun_by(const Metadata& there, const Plan& plan, const Metadata& here) {
  const bool was_cut = there.at("train.warmup") == there.at("train.steps") &&
                       there.at("train.warmup") != here.at("train.warmup");
  return !was_cut && parse_integer(there.at("train.steps")) < parse_integer(here.at("train.steps")) &&
         !make_schedule(here.at("train.schedule")).depends_on_steps() &&
         !training_lengths(plan.settings).depends_on_steps();
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
  Metadata old = Plan(Settings::from_map(there, origin), plan.task).text(last);
  const Metadata current = plan.text(last);
  if (may_be_longer && is_begun_by(old, plan, current)) old["train.steps"] = current.at("train.steps");
  if (const auto line = first_line(old, current)) return line;
  for (const char* key : {"train.seed", "initial_model", "train.log_every"})
    if (const auto found = differ(key)) return found;
  return std::nullopt;
}

std::string explained(const Difference& difference) {
  const bool is_longer =
      difference.key == "train.steps" && parse_integer(difference.here) > parse_integer(difference.there);
  return fmt::format(
      "{} = {}, this run has {}; {}", difference.key, difference.there, difference.here,
      is_longer
          ? "its warm-up, its learning rate, its lengths or its second stage depend on the last step, so "
            "train its checkpoint further with train --model, or choose another --out"
          : "choose another --out, or remove it");
}

}  // namespace ordinal::experiments

#include "experiments/settings/difference.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

using Line = std::pair<std::string, std::string>;  // key and value

// The task first, then sizes, then parts: their options may follow from them.
int place_of(const Key& key) { return key.section() == "task" ? 0 : key.kind.empty() ? 1 : 2; }

std::vector<Line> lines_of(const Metadata& text) {
  std::vector<Line> lines;
  for (int place = 0; place < 3; ++place) {
    for (const auto& [name, value] : text) {
      const Key& key = *find_key(name);
      if (place_of(key) != place) continue;
      std::vector<NamedPart> parts;
      if (!key.kind.empty()) parts = named_parts(part_kind(key.kind), value);
      lines.emplace_back(name, key.kind.empty() ? value : names_only(parts));
      for (const NamedPart& named : parts)
        for (const auto& option : named.part.options)
          lines.emplace_back(name, to_string(Part{named.part.name, {option}}));
    }
  }
  return lines;
}

// How a message shows a missing value.
std::string shown(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "nothing" : found->second;
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
    const Difference found = {key, shown(there, key), shown(here, key)};
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

std::string way_out(const Difference& difference) {
  const bool is_longer =
      difference.key == "train.steps" && parse_integer(difference.here) > parse_integer(difference.there);
  if (!is_longer) return "choose another --out, or remove it";
  return "its warm-up, its learning rate, its lengths or its second stage depend on the last step, so train "
         "its checkpoint further with train --model, or choose another --out";
}

}  // namespace ordinal::experiments

#include "experiments/settings/condition.h"

#include <fmt/format.h>

#include "framework/core/errors.h"

namespace ordinal::experiments {

void Condition::visit(OptionVisitor& v) {
  if (kind == Kind::shifted) {
    v.integer("offset", offset, automatic_or(1, largest_count), "first position; 0: the training length",
              Binds::test);
  }
  if (kind == Kind::window) {
    v.integer("size", size, automatic_or(1, largest_count), "keys that a query sees; 0: the training length",
              Binds::test);
  }
  if (kind == Kind::last)
    v.integer("k", k, between(1, largest_count), "targets that are scored", Binds::test);
  if (kind == Kind::truncated) {
    v.integer("size", size, automatic_or(1, largest_count), "tokens of a window; 0: the training length",
              Binds::test);
    v.integer("stride", stride, automatic_or(1, largest_count),
              "tokens from one window to the next; 0: half of a window", Binds::test);
  }
}

const Registry<ConditionEntry>& conditions() {
  static const Registry<ConditionEntry> all = [] {
    std::vector<ConditionEntry> entries = {
        {"trained", "as in training", {}},
        {"shifted", "positions start later", {}},
        {"window", "each query sees only the last keys; causal models only", {}},
        {"log_n",
         "scores, after encodings and before a softcap, times max(1, ln n / ln L) where a query sees n keys; "
         "L is the training length",
         {}},
        {"last", "only the last targets are scored, the same ones at every length", {}},
        {"truncated",
         "overlapping windows are run one by one, each target is scored where it has the most context",
         {}}};
    for (std::size_t i = 0; i < entries.size(); ++i) {
      entries[i].options = specs_of(Condition{.kind = static_cast<Condition::Kind>(i)});
    }
    return Registry<ConditionEntry>("evaluate.conditions", std::move(entries));
  }();
  return all;
}

Condition make_condition(const std::string& text) {
  const Part part = parse_part(text);
  const ConditionEntry& entry = conditions().find(part.name);
  const auto kind = static_cast<Condition::Kind>(&entry - conditions().entries().data());
  const Condition condition = read_options(part.name, part.options, Condition{.kind = kind});
  if (condition.size > 0 && condition.stride > condition.size) {
    throw ConfigError(fmt::format("{}: stride {} exceeds size {}, which leaves out targets (lower stride)",
                                  text, condition.stride, condition.size));
  }
  return condition;
}

}  // namespace ordinal::experiments

// The conditions under which a trained model is tested at a length. Each, except `trained`, changes one thing, to find the
// cause of a failure at long lengths. To add one, write one file and one line in conditions.inc; see kinds/shifted.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/conditions/windows.h"
#include "experiments/tasks/task.h"
#include "framework/core/part.h"
#include "framework/core/registry.h"
#include "framework/positional/position_scheme.h"
#include "models/transformer.h"

namespace ordinal::experiments {

/// How a model is tested on examples of one length: as in training, until a condition changes it.
struct TestSetup {
  const Transformer<float>& model;
  const Task& task;
  Index length = 0;
  PositionScheme positions = {};
  AttentionTest attention = {};
  Windows windows = {};  // one for the whole sequence

  /// `given`, or for 0 the number of tokens in a sequence of the first stage of training.
  Index or_trained(Index given) const;
  /// Throw ConfigError for a model that a condition does not fit.
  void require_causal() const;
  void require_attention() const;
};

using TestChange = std::function<void(TestSetup&)>;

/// Describes a condition and builds its change.
struct ConditionEntry {
  std::string name;
  std::string summary;

  // Filled in by describe_condition().
  std::vector<OptionSpec> options = {};
  std::function<TestChange(const Part&)> build = {};
};

/// The entry of a struct of options with a function `change(TestSetup&) const`, which throws ConfigError if the model cannot
/// be tested this way. If it has `check() const`, this throws ConfigError for options that contradict each other.
template <typename Condition>
ConditionEntry describe_condition(ConditionEntry entry) {
  entry.options = specs_of<Condition>();
  entry.build = [](const Part& part) -> TestChange {
    const auto condition = read_options<Condition>(part.name, part.options);
    if constexpr (requires { condition.check(); }) condition.check();
    return [condition](TestSetup& test) { condition.change(test); };
  };
  return entry;
}

/// All conditions, in the order of conditions.inc.
Registry<ConditionEntry>& conditions();

/// The change that "window(size=64)" names. Throws ConfigError.
TestChange make_condition(const std::string& text);

/// The test of a model under a condition. Throws ConfigError if the model cannot be tested under it.
TestSetup test_under(const std::string& condition, const Transformer<float>& model, const Task& task,
                     const PositionScheme& positions, Index length);

}  // namespace ordinal::experiments

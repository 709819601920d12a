#include "experiments/conditions/condition.h"

namespace ordinal::experiments {

#define ORDINAL_CONDITION(name) ConditionEntry name##_entry();
#include "experiments/conditions/conditions.inc"
#undef ORDINAL_CONDITION

Index TestSetup::or_trained(Index given) const { return given > 0 ? given : model.config().train_length; }

void TestSetup::require_causal() const {
  if (!model.is_causal()) throw ConfigError("the model is bidirectional, expected a causal one");
}

void TestSetup::require_attention() const {
  if (model.attention_layers() == 0)
    throw ConfigError("the model has no attention, expected a block with some");
}

Registry<ConditionEntry>& conditions() {
  static Registry<ConditionEntry> all("evaluate.conditions", {
#define ORDINAL_CONDITION(name) name##_entry(),
#include "experiments/conditions/conditions.inc"
#undef ORDINAL_CONDITION
                                                             });
  return all;
}

TestChange make_condition(const std::string& text) {
  const Part part = parse_part(text);
  return conditions().find(part.name).build(part);
}

TestSetup test_under(const std::string& condition, const Transformer<float>& model, const Task& task,
                     const PositionScheme& positions, Index length) {
  const Index seq_len = task.seq_len(length);
  TestSetup test{model, task, length, positions, {}, {seq_len, seq_len}};
  make_condition(condition)(test);
  return test;
}

}  // namespace ordinal::experiments

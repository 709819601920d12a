#include "experiments/conditions/condition.h"

namespace ordinal::experiments {

#define ORDINAL_CONDITION(name) ConditionEntry name##_entry();
#include "experiments/conditions/conditions.inc"
#undef ORDINAL_CONDITION

namespace {

void demand_of_test(bool holds, const char* problem) {
  if (!holds) throw ConfigError(problem);
}

}  // namespace

Index TestSetup::or_trained(Index given) const { return given > 0 ? given : model.config().train_length; }

void TestSetup::require_causal() const {
  demand_of_test(model.is_causal(), "the model is bidirectional, expected a causal one");
}

void TestSetup::require_attention() const {
  demand_of_test(model.attention_layers() > 0, "the model has no attention, expected a block with some");
}

void TestSetup::require_every_token() const {
  demand_of_test(task.seq_len(1) == 1 && task.seq_len(length) == length,
                 "the task scores an answer, expected one that scores every token");
}

const Registry<ConditionEntry>& conditions() {
  static const Registry<ConditionEntry> all("evaluate.conditions", {
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

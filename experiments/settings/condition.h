// The conditions under which a trained model is scored at a length. Each, except `trained`, changes one thing
// in the test, with the same checkpoint, to find the cause of a failure at long lengths.
#pragma once

#include <string>
#include <vector>

#include "framework/core/part.h"
#include "framework/core/registry.h"

namespace ordinal::experiments {

/// With L the training length in tokens:
///   trained   as in training
///   shifted   positions start `offset` later (0: L): are unseen positions the cause, or length?
///   window    each query sees only the last `size` keys (0: L): is attention spread over too many?
///   log_n     scores times max(1, ln n / ln L) where a query sees n keys: another test of the same question
///   last      only the last `k` targets are scored, the same ones at every length: does context help?
///   truncated the sequence is cut into windows of `size` tokens (0: L), one every `stride` (0: size/2), each run as a
///             separate sequence (scoring/windows.h): what can be reached without any extrapolation?
struct Condition {
  enum class Kind { trained, shifted, window, log_n, last, truncated };
  Kind kind = Kind::trained;
  Index offset = 0;
  Index size = 0;
  Index stride = 0;
  Index k = 16;

  void visit(OptionVisitor& v);
};

/// Describes a condition.
struct ConditionEntry {
  std::string name;
  std::string summary;
  std::vector<OptionSpec> options;
};

/// In the order of Condition::Kind.
const Registry<ConditionEntry>& conditions();

/// The condition that "window(size=64)" names. Throws ConfigError, also for a stride that exceeds the size.
Condition make_condition(const std::string& text);

}  // namespace ordinal::experiments

// Which rows of an encoding's tables training changes, and which rows tests read.
#pragma once

#include <map>
#include <set>
#include <string>

#include "experiments/settings/plan.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal::experiments {

/// Rows of tables by position or distance, by the part of the encoding that has the table.
struct TableRows {
  bool known = false;  // whether all that training changes are in `trained`: not if its positions vary
  std::map<std::string, std::set<Index>> trained = {};
  std::map<std::string, std::set<Index>> tested = {};  // at lengths up to eight times that of training
};

/// The rows of a stage of training and of its tests under the condition `trained`. Lengths at which a test fails count as
/// reading none.
TableRows table_rows(const Plan& plan, const PositionalEncoding<float>& encoding);

}  // namespace ordinal::experiments

// Which rows of an encoding's tables training changes, and which rows tests read.
#pragma once

#include <map>
#include <set>
#include <string>

#include "experiments/settings/plan.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal::experiments {

/// Rows of tables by position or distance, by the part of the encoding that has the table.
using PartRows = std::map<std::string, std::set<Index>>;

struct TableRows {
  bool known = false;  // whether `trained` has all rows that training changes: not if its positions vary
  PartRows trained = {};
  PartRows tested = {};  // all of them were found to be read, but not all that are read need be found
};

/// The rows of a stage of training and of its tests under the condition `trained`, at lengths up to eight times that of
/// training. A length at which the test fails reads none.
TableRows table_rows(const Plan& plan, const PositionalEncoding<float>& encoding);

}  // namespace ordinal::experiments

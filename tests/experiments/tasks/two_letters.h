// A task of the letters a and b for tests, which only say what an example is.
#pragma once

#include "experiments/tasks/task.h"

namespace ordinal::experiments {

class TwoLetters : public Task {
 public:
  const Alphabet& alphabet() const override { return alphabet_; }
  Measure measure() const override { return Measure::bits; }
  void check_length(Index /*length*/) const override {}
  std::string describe() const override { return "two letters"; }
  std::string data_hash() const override { return "0"; }

 private:
  Alphabet alphabet_{"a", "ab"};
};

}  // namespace ordinal::experiments

// result.json of a cell. What is read must be written as a text that reads as the same.
#include "experiments/results/result.h"

#include "tests/fuzz/targets.h"

namespace ordinal::fuzz {

void result(const std::string& input) {
  experiments::CellResult cell;
  if (!accepts([&] { cell = experiments::cell_from_json(input); })) return;
  const std::string text = experiments::to_json(cell);
  if (experiments::to_json(experiments::cell_from_json(text)) != text)
    finding("a result that changes when it is saved");
}

}  // namespace ordinal::fuzz

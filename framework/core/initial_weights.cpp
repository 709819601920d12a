#include "framework/core/initial_weights.h"

namespace ordinal {

#define ORDINAL_INITIAL_WEIGHTS(name) InitialWeightsEntry name##_initial_weights();
#include "framework/core/initial_weights.inc"
#undef ORDINAL_INITIAL_WEIGHTS

Registry<InitialWeightsEntry>& initial_weights() {
  static Registry<InitialWeightsEntry> all("model.init", {
#define ORDINAL_INITIAL_WEIGHTS(name) name##_initial_weights(),
#include "framework/core/initial_weights.inc"
#undef ORDINAL_INITIAL_WEIGHTS
                                                         });
  return all;
}

InitialWeights make_initial_weights(const PartList& init, Index branches) {
  const Part& part = init.only();
  const InitialWeightsEntry& entry = initial_weights().find(part.name);
  check_values(part.name, entry.options, part.options);
  return entry.make(part, branches);
}

}  // namespace ordinal

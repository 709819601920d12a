#include "framework/attention/attention_weights.h"

namespace ordinal {

#define ORDINAL_WEIGHTS(name) WeightsEntry name##_weights();
#include "framework/attention/attention_weights.inc"
#undef ORDINAL_WEIGHTS

Registry<WeightsEntry>& attention_weights() {
  static Registry<WeightsEntry> all("attention.weights", {
#define ORDINAL_WEIGHTS(name) name##_weights(),
#include "framework/attention/attention_weights.inc"
#undef ORDINAL_WEIGHTS
                                                         });
  return all;
}

}  // namespace ordinal

// A user's program against the installed library; tests/consumer/check.cmake builds and runs it.
#include <cstdio>

#include "framework/core/random.h"
#include "framework/core/tensor.h"

int main() {
  ordinal::Tensor<float> weights({4, 8});
  ordinal::Random random({.seed = 1, .purpose = ordinal::hash_name("weights")});
  for (float& weight : weights.span()) weight = static_cast<float>(random.normal());

  std::printf("%s of normal numbers, the first %.4f\n", ordinal::to_string(weights.shape()).c_str(),
              static_cast<double>(weights(0, 0)));
  return weights.size() == 32 ? 0 : 1;
}

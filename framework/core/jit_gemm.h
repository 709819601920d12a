// Matrix products in float by kernels that libxsmm generates at run time for each shape: faster than OpenBLAS's for the
// small and narrow matrices of small models, and with AVX-512 wherever the processor has it. Only jit_gemm.cpp uses libxsmm.
#pragma once

#include <string>

#include "framework/core/blas.h"

namespace ordinal {

/// c = scale · a b + keep · c as multiply() does it. Returns false, and leaves c as it was, for a product that is
/// OpenBLAS's: see jit_gemm.cpp for the rule. `openblas_is_as_wide`: its kernels use vectors as wide as libxsmm's.
bool jit_multiply(const Factor<float>& a, const Factor<float>& b, View<float> c, float scale, float keep,
                  bool openblas_is_as_wide);

/// "libxsmm 1.17 (clx)", with the processor that it generates for; empty if it is not built in or cannot generate.
std::string jit_version();

/// Whether it generates kernels with AVX-512.
bool jit_uses_avx512();

}  // namespace ordinal

// Float matrix products that give the same bits on every machine with fused multiply-adds. Each element of a result is one
// chain of fused multiply-adds in the order of the sum, whatever the vector width and however the product is split into
// blocks. Called by math/blas.h.
#pragma once

#include "framework/math/blas.h"

namespace ordinal {

/// c = start + a (scale b), where the elements of scale b are rounded. With round(x) the nearest float,
///   s_0 = start_ij,    s_{k+1} = round(a_ik round(scale b_kj) + s_k),    c_ij = s_n.
/// `start` is c itself, another matrix of its shape, one row for all (stride 0), or empty for zeros. The shapes must match.
void multiply_floats(const Factor<float>& a, const Factor<float>& b, View<float> c, float scale,
                     View<const float> start, Triangle triangle);

/// y = xᵀ. The shapes must match.
void transpose_floats(View<const float> x, View<float> y);

/// Whether this build uses fused multiply-adds, as GCC does at -O2 and above where the processor has them. If not, each product
/// is rounded before it is added.
bool gemm_is_fused();

}  // namespace ordinal

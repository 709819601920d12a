// Matrix products in float, with the same bits on every machine that has fused multiply-adds: each number of a result is
// one chain of them, in the order of the sum, however wide the vectors are and however the product is cut. Called by
// core/blas.h.
#pragma once

#include "framework/core/blas.h"

namespace ordinal {

/// c = start + a (scale b), where the elements of scale b are rounded. With round(x) the nearest float,
///   s_0 = start_ij,    s_k+1 = round(a_ik round(scale b_kj) + s_k),    c_ij = s_n.
/// `start` is c itself, another matrix of its shape, one row for all (of stride 0), or empty for zeros. The shapes must fit.
void multiply_floats(const Factor<float>& a, const Factor<float>& b, View<float> c, float scale,
                     View<const float> start, Triangle triangle);

/// y = xᵀ. The shapes must fit.
void transpose_floats(View<const float> x, View<float> y);

/// How many floats a vector of this build has: 16 with AVX-512, 8 with AVX, else 4.
int gemm_lanes();

/// Whether this build multiplies and adds in one step, as GCC does from -O2 on where the processor can. If not, each product is
/// rounded before it is added.
bool gemm_is_fused();

}  // namespace ordinal

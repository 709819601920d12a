// The row of a distance in T5's table of relative biases.
#pragma once

#include "framework/core/tensor.h"

namespace ordinal {

/// The bucket of relative position `relative` = key - query. If causal, n = max(-relative, 0) uses all
/// `buckets`. Otherwise each side has half of them, and keys to the right use the second half. Of the B of a
/// side, the first e = ⌊B/2⌋ hold one distance each. Bucket e + ⌊(B - e) ln(n/e) / ln(max_distance/e)⌋, at
/// most B - 1, holds the others. Raffel et al. 2020, §2.1, in the form of the published code.
Index t5_bucket(Index relative, bool causal, Index buckets, Index max_distance);

}  // namespace ordinal

// Where a distance falls in T5's table of relative biases.
#pragma once

#include "framework/core/tensor.h"

namespace ordinal {

/// The bucket of relative position `relative` = key - query. With one side (causal) n = max(-relative, 0) and
/// all `buckets`; with two each side has half of them, keys to the right the second half. Of the B of a side
/// the first e = ⌊B/2⌋ hold one distance each, and bucket e + ⌊(B - e) ln(n/e) / ln(max_distance/e)⌋, at most
/// B - 1, the others. Raffel et al. 2020, §2.1, in the form of the published code.
Index t5_bucket(Index relative, bool causal, Index buckets, Index max_distance);

}  // namespace ordinal

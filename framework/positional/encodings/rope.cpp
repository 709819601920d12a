// RoPE (Su et al. 2021): queries and keys are rotated by angles proportional to their position, so that their
// product depends only on the difference of positions. Values are not rotated.
#include "framework/positional/rotary.h"

namespace ordinal {

EncodingEntry rope_encoding() {
  return describe_encoding<Rotary, RotaryOptions>(
      {.name = "rope",
       .formula = "pairs of q and k rotated by pos θ_i, θ_i = base^(-2i/r), r dimensions of a head",
       .beyond =
           "runs, at angles that training has not shown; positions = interpolated, ntk, yarn … slow them",
       .source = "Su et al. 2021, §3.4",
       .positions = PositionUse::rotary,
       .shift_invariant = true,
       .definition =
           R"(In every layer, the first r = rotary_fraction · d_h (rounded to a whole number, which must be even) of
the d_h dimensions of every query and key head are rotated. The others and the values do not change. Pair
i = 0 … r/2 - 1 is, within the head,
  interleaved  dimensions (2i, 2i + 1)        half  dimensions (i, i + r/2)
and at position p, any real number,
  (a, b) becomes (a cos pθ_i - b sin pθ_i, a sin pθ_i + b cos pθ_i),  θ_i = base^(-2i/r)
before the product q·k/√d_h. θ_i contains r, not d_h.
θ_i is 0 for pairs i ≥ ⌈turning · r/2⌉ (p-RoPE, Barbero et al. 2024), and for pairs that would turn fewer than
least_turns times within the training length L, L θ_i < 2π least_turns (1: HoPE, Chen et al. 2024).
base = auto is max(10 L/2π, 2) for the training length L. Positions ntk, dynamic_ntk, yarn and longrope replace
θ_i: see --list NAME of these. Angles are computed in double; precision = half or bfloat16 rounds sines and
cosines. Nothing is learned.)"});
}

}  // namespace ordinal

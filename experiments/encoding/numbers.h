// What the page of the program `encoding` shows of an encoding, as numbers: computed by its hooks for queries and keys
// that are the same at every position, so that what differs between positions is the work of the encoding.
#pragma once

#include "experiments/encoding/effect.h"
#include "experiments/encoding/explorer_data.h"

namespace ordinal::experiments {

/// What a page can hold: positions, numbers that are added to the input (positions · d_model), heads that are drawn.
inline constexpr Index most_page_positions = 512;
inline constexpr Index most_page_inputs = 1 << 17;
inline constexpr Index most_page_heads = 16;

/// Of more than most_page_heads heads, the first ones are taken. Throws PositionError for positions that the encoding
/// cannot serve.
EncodingNumbers encoding_numbers(const Effect<double>& effect);

}  // namespace ordinal::experiments

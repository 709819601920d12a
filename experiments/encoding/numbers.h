// The numbers behind the page of the program `encoding`. They are computed by the encoding's hooks for queries
// and keys that are the same at every position, so any difference between positions comes from the encoding.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/encoding/effect.h"

namespace ordinal::experiments {

/// Limits of a page: positions, numbers added to the input (positions · d_model), heads drawn.
inline constexpr Index most_page_positions = 512;
inline constexpr Index most_page_inputs = 1 << 17;
inline constexpr Index most_page_heads = 16;

/// What an encoding does to one sequence in one layer, for explorer.js and for the words of panels.h:
///   name, positions, causal, d_model, heads, d_head, train_length
///   trained            whether it is from a checkpoint
///   step               whether the positions are evenly spaced
///   input              rows (L, d_model): what is added to the input
///   input_frequencies  of its sines
///   input_base         the base, if the input is the sinusoidal formula
///   frequencies        radians per position, for each rotated pair of a head
///   rotary             {base, width, rest, gamma, scale} if `products` is, at distance n,
///                        rest + Σ_i 2 fade_i(n) cos(n base^(-2i/width)),  i = 0 … width/2 - 1,
///                        fade_i(n) = ((2i/width + gamma)/(1 + gamma))^(n/scale), or 1 if scale is 0
///   products           q·k of a query and a key of all ones
///   bias               what is added to their score
///   bias_of_zeros      the same for a query and a key of all zeros
///   reads_content      whether what is added depends on queries, keys or the layer's input
/// Parts that it does not act on are left out; so is bias_of_zeros if content is not read. A function of a
/// query i and a key j that it sees is stored per head, or once if `same_heads`. It is a list in `curves`
/// over the ascending `distances` n = p_i - p_j or, if it depends on more than n, rows in `matrices` of
/// the tokens `drawn`, a subset if there are many. Row i ends with the last key that query i sees.
using EncodingNumbers = nlohmann::ordered_json;

/// Uses only the first most_page_heads heads. Throws PositionError for positions that the encoding
/// cannot serve.
EncodingNumbers encoding_numbers(const Effect<double>& effect, const std::string& name, bool trained);

/// All encodings of a page as the content of a <script> element. Numbers in lists are rounded to six digits.
std::string inside_page(EncodingNumbers encodings);

}  // namespace ordinal::experiments

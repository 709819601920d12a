// What the page of the program `encoding` shows of an encoding, as numbers: computed by its hooks for queries and keys
// that are the same at every position, so that what differs between positions is the work of the encoding.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/encoding/effect.h"

namespace ordinal::experiments {

/// What a page can hold: positions, numbers that are added to the input (positions · d_model), heads that are drawn.
inline constexpr Index most_page_positions = 512;
inline constexpr Index most_page_inputs = 1 << 17;
inline constexpr Index most_page_heads = 16;

/// What an encoding does to one sequence in one layer, for explorer.js and for the words of panels.h:
///   name, positions, causal, d_model, heads, d_head, train_length
///   trained            whether it is from a checkpoint
///   step               whether the positions are evenly spaced
///   input              rows (L, d_model): what is added to the input
///   input_frequencies  of its sines
///   input_base         if it is the sinusoidal formula with this base
///   frequencies        radians a position, of each rotated pair of a head
///   rotary             {base, width, rest, gamma, scale} if `products` is, at distance n,
///                        rest + Σ_i 2 fade_i(n) cos(n base^(-2i/width)),  i = 0 … width/2 - 1,
///                        fade_i(n) = ((2i/width + gamma)/(1 + gamma))^(n/scale), or 1 if scale is 0
///   products           q·k of a query and a key in which every number is 1
///   bias               what is added to their score
///   bias_of_zeros      the same where every number is 0
///   reads_content      whether what is added depends on queries, keys or the layer's input
/// Parts that it does not act on are left out, and bias_of_zeros if content is not read. A function of a query i and a key
/// j that it sees is, for each head (for one if `same_heads`), a list in `curves`, by the `distances` n = p_i - p_j in
/// ascending order; or, if it depends on more than n, rows in `matrices`, of the tokens `drawn`: not all of them if there
/// are many. Row i ends with the last key that query i sees.
using EncodingNumbers = nlohmann::ordered_json;

/// Of more than most_page_heads heads, the first ones are taken. Throws PositionError for positions that the encoding
/// cannot serve.
EncodingNumbers encoding_numbers(const Effect<double>& effect, const std::string& name, bool trained);

/// Those of all encodings of a page as the content of a <script> element. The numbers of lists are rounded to six digits.
std::string inside_page(EncodingNumbers encodings);

}  // namespace ordinal::experiments

// The numbers of the page of the program `encoding`, and the same as JSON for explorer.js, which draws them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// A function of a query i and a key j that it sees, for each head: what is added to their score, or their product.
struct PairFunction {
  bool same_heads = true;         // all heads have the values of the first, the only ones here
  std::vector<double> distances;  // n = p_i - p_j, ascending; empty if the values depend on more than n
  Tensor<double> curves;          // (heads, distances)
  std::vector<Index> drawn;       // else the tokens of `matrices`: not all of them if there are many
  Tensor<double> matrices;        // (heads, drawn, drawn); without meaning where i does not see j

  bool empty() const { return distances.empty() && drawn.empty(); }
  /// How many heads have values of their own.
  Index heads() const { return (distances.empty() ? matrices : curves).shape()[0]; }
};

/// The product of a query and a key in which every number is 1, at distance n:
///   rest + Σ_i 2 fade_i(n) cos(n base^(-2i/r)),  i = 0 … r/2 - 1,
///   fade_i(n) = ((2i/r + gamma)/(1 + gamma))^(n/scale), or 1 if scale is 0.
struct RotaryFormula {
  double base = 0.0;
  Index width = 0;  // r
  Index rest = 0;   // dimensions of a head that are not rotated
  double gamma = 0.0;
  double scale = 0.0;
};

/// What an encoding does to one sequence in one layer. Parts that it does not act on are empty.
struct EncodingNumbers {
  std::string name;
  std::vector<double> positions;
  bool causal = true;
  bool trained = false;  // from a checkpoint
  bool step = false;     // whether the positions are evenly spaced
  Index d_model = 0;
  Index heads = 0;
  Index d_head = 0;
  Index train_length = 0;

  Tensor<double> input;                   // (L, d_model): what is added to the input
  std::vector<double> input_frequencies;  // of its sines
  std::optional<double> input_base;       // set if it is the sinusoidal formula with this base
  std::vector<double> frequencies;        // radians a position, of each rotated pair of a head
  std::optional<RotaryFormula> rotary;    // set if `products` is this formula
  PairFunction products;                  // q·k of a query and a key in which every number is 1
  PairFunction bias;                      // what is added to their score
  PairFunction bias_of_zeros;             // the same where every number is 0; empty if content is not read
  bool reads_content = false;  // whether what is added depends on queries, keys or the layer's input
};

/// One JSON array with an object for each encoding, to be put inside a <script> element. Names are those of the structs;
/// what is empty is left out. `input` is a list of rows; row i of a matrix ends with the last key that query i sees.
/// Numbers are rounded to six digits.
std::string explorer_data(const std::vector<EncodingNumbers>& encodings);

}  // namespace ordinal::experiments

// The rotation of queries and keys that RoPE and xPos share.
#pragma once

#include <string>
#include <vector>

#include "framework/positional/positional_encoding.h"
#include "framework/positional/sinusoid_table.h"

namespace ordinal {

/// Which dimensions of a head form pair i of the n that are rotated.
///   interleaved   (2i, 2i + 1)   Su et al. 2021
///   half          (i, i + n)     GPT-NeoX, Llama
enum class Pairing { interleaved, half };

struct RotaryOptions {
  SinusoidOptions sines;
  std::string pairing = "interleaved";
  double rotary_fraction = 1.0;
  double turning = 1.0;  // share of the pairs, from the fastest, that turn
  double least_turns = 0.0;
  Index dimensions = 0;  // r, rotated dimensions of a head

  void visit(OptionVisitor& v);
  /// Throws ConfigError for an odd number of rotated dimensions, or none.
  void resolve(const ModelShape& shape);
};

/// θ_i of the d/2 pairs of d rotated dimensions, for sequences `stretch.factor` = s times as long as in training:
///   none   θ_i = base^(-2i/d)
///   ntk    the same with base' = base · s^(d/(d-2)): the fastest pair stays, the slowest is slowed by s
///          (bloc97 2023)
///   yarn   θ_i' = (1 - γ) θ_i/s + γ θ_i, γ = clamp((r - α)/(β - α), 0, 1), r = L θ_i/2π the turns of the pair
///          within the training length L (Peng et al. 2023, §3.2; their code ramps over i instead of r)
///   longrope  θ_i' = θ_i/λ_i, with the λ_i of stretch.slowing; where these are fewer or more than pairs, they are
///          spread over them evenly and interpolated geometrically between (Ding et al. 2024, §3)
std::vector<double> rotary_frequencies(Index d, double base, const Stretch& stretch);

/// Which pairs turn with the position: the first ⌈share · n⌉ of n (p-RoPE, Barbero et al. 2024), and of these the
/// ones that turn at least `least_turns` times within the training length (1: HoPE, Chen et al. 2024). The others
/// have frequency 0: they score content alone, the same at every distance.
struct TurningPairs {
  double share = 1.0;
  double least_turns = 0.0;
  double train_length = 0.0;

  /// How many of the pairs with these unstretched frequencies turn; they come first.
  Index count(const std::vector<double>& frequencies) const;
};

/// Rotates pair i of every head at position p by the angle p·θ_i:
///   (a, b) -> (a cos - b sin, a sin + b cos) · m,  m = 0.1 ln s + 1 for yarn, else 1.
/// Positions below stretch.unchanged turn as without a stretch.
template <typename T>
class Rotary {
 public:
  /// `options` must be resolved.
  Rotary(const ModelShape& shape, const RotaryOptions& options, const Scope& scope);

  /// "base 10000, 8 pairs (interleaved), table of 4096 bytes".
  std::string constants() const;
  /// θ_i under a stretch.
  std::vector<double> frequencies(const Stretch& stretch) const;
  /// Number of pairs n.
  Index pairs() const { return table_.cols() / 2; }
  /// The dimensions of a pair within a head.
  Index first(Index pair) const { return pairing_ == Pairing::half ? pair : 2 * pair; }
  Index second(Index pair) const { return pairing_ == Pairing::half ? pair + pairs() : 2 * pair + 1; }

  /// Computes the sines and cosines of all positions of the run.
  void begin_run(Pass<T>& pass) const;
  /// In place; rows are the tokens of the pass, columns heads side by side.
  void rotate(View<T> query, View<T> key, Pass<T>& pass) const;
  /// The gradient: the opposite rotation.
  void rotate_back(View<T> d_query, View<T> d_key, Pass<T>& pass) const;

 private:
  void turn(View<T> x, View<const T> angles, T direction) const;
  void turn_all(View<T> query, View<T> key, T direction, Pass<T>& pass) const;

  std::vector<double> with_stopped_pairs(std::vector<double> frequencies) const;

  Index d_head_;
  double base_;
  Index turning_;  // pairs that turn
  Pairing pairing_;
  TablePrecision precision_;
  SinusoidTable<T> table_;
  PreparedSlot angles_;  // (seq_len, or batch·seq_len, 2·pairs): sines, then cosines
};

/// Rows of W_Q or W_K (heads · d_head, columns) in the order that the other pairing needs, so that scores
/// stay the same: both rotate `pairs` pairs of each head.
template <typename T>
void convert_pairing(View<T> weight, Index d_head, Index pairs, Pairing from, Pairing to);

extern template class Rotary<float>;
extern template class Rotary<double>;

}  // namespace ordinal

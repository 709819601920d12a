// The rotation of queries and keys that RoPE and xPos share.
#pragma once

#include <string>
#include <vector>

#include "framework/positional/positional_encoding.h"
#include "framework/positional/run_rows.h"
#include "framework/positional/sinusoid_table.h"

namespace ordinal {

struct RotaryOptions {
  SinusoidOptions sines;
  std::string pairing = "interleaved";
  double rotary_fraction = 1.0;
  double turning = 1.0;
  double least_turns = 0.0;

  // Set by resolve().
  Index dimensions = 0;     // r, rotated dimensions of a head
  Index turning_pairs = 0;  // the first ones turn; the others have frequency 0: they score content alone

  void visit(OptionVisitor& v);
  void resolve(const ModelShape& shape);
  /// Throws ConfigError for an odd number of rotated dimensions of a head, or none; so does resolve().
  static void require_pairs(Index dimensions, const ModelShape& shape);
};

/// (a, b) -> (a cos - b sin, a sin + b cos) for n pairs of numbers, (x_i, x_{i+n}) or neighbours; direction -1 turns back.
template <bool neighbours = false, typename T>
void turn_pairs(T* x, Index n, const T* sine, const T* cosine, T direction) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    T& a = x[neighbours ? 2 * i : i];
    T& b = x[neighbours ? 2 * i + 1 : i + n];
    const T s = direction * sine[i];
    const T turned = a * cosine[i] - b * s;
    b = a * s + b * cosine[i];
    a = turned;
  }
}

/// Rotates pair i of every head at position p by the angle p·θ_i, and multiplies it by stretch.magnitude. Positions below
/// stretch.unchanged rotate as without a stretch. `options` must be resolved. The definition of rope has the formulas.
template <typename T>
class Rotary final : public EncodingPart<T> {
 public:
  Rotary(const ModelShape& shape, const RotaryOptions& options, const Scope& scope);

  /// θ_i under a stretch.
  std::vector<double> frequencies(const Stretch& stretch) const override;
  Index pairs() const { return table_.cols() / 2; }
  /// The dimensions of a pair within a head.
  Index first(Index pair) const { return half_ ? pair : 2 * pair; }
  Index second(Index pair) const { return half_ ? pair + pairs() : 2 * pair + 1; }

  /// The sines of all pairs at token t of a run, then their cosines.
  const T* angles(const Pass<T>& pass, Index t) const {
    const bool is_shared = pass.run().positions.is_shared();
    return angles_.of_run(pass).row(is_shared ? t % pass.seq_len() : t);
  }

  /// Rotates the heads of a row by the angles whose sines, then cosines are given.
  void turn_row(T* row, Index cols, const T* sine, T direction) const {
    const Index n = pairs();
    for (T* x = row; x < row + cols; x += d_head_)
      half_ ? turn_pairs(x, n, sine, sine + n, direction) : turn_pairs<true>(x, n, sine, sine + n, direction);
  }
  /// Sines and cosines as angles() gives them, of these positions.
  View<const T> angles_at(std::span<const double> positions, Pass<T>& pass) const {
    return table_.rows(positions, pass);
  }

  void begin_run(Pass<T>& pass) const override;
  void encode_query_key(View<T> query, View<T> key, const LayerAt& /*at*/, Pass<T>& pass) const override {
    turn(query, T(1), pass);
    turn(key, T(1), pass);
  }
  void encode_query_key_backward(View<T> d_query, View<T> d_key, const LayerAt& /*at*/,
                                 Pass<T>& pass) const override {
    turn(d_query, T(-1), pass);
    turn(d_key, T(-1), pass);
  }

 private:
  void turn(View<T> x, T direction, Pass<T>& pass) const;
  std::vector<double> with_stopped_pairs(std::vector<double> frequencies) const;

  Index d_head_;
  double base_;
  Index turning_;  // pairs that turn
  bool half_;      // pairs (i, i + n)
  std::string precision_;
  SinusoidTable<T> table_;
  RunRows<T> angles_;  // (seq_len, or batch·seq_len, 2·pairs): sines, then cosines
};

}  // namespace ordinal

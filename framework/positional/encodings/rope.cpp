// RoPE (Su et al. 2021): queries and keys are rotated by angles proportional to their position, so that their
// product depends only on the difference of positions. Values are not rotated.
#include <algorithm>
#include <array>
#include <cmath>

#include "framework/core/decode_cache.h"
#include "framework/math/blas.h"
#include "framework/positional/rotary.h"

namespace ordinal {
namespace {

/// Under FarDistances, in a test, q and k are also rotated to where they stand for far keys, and the scores of these are theirs.
template <typename T>
class Rope final : public EncodingPart<T> {
 public:
  Rope(const ModelShape& shape, const RotaryOptions& options, const Scope& scope)
      : shape_(shape), rotary_(shape, options, scope) {
    for (Index layer = 0; layer < shape.layers; ++layer)
      far_.push_back(TokenRows<T>((shape.heads + shape.n_kv_heads) * shape.d_head(), scope));
  }

  std::vector<double> frequencies(const Stretch& stretch) const override {
    return rotary_.frequencies(stretch);
  }
  void begin_run(Pass<T>& pass) const override { rotary_.begin_run(pass); }

  void encode_query_key(View<T> query, View<T> key, const LayerAt& at, Pass<T>& pass) const override {
    if (is_far(pass)) keep_far(query, key, at.number, pass);
    rotary_.encode_query_key(query, key, at, pass);
  }
  void encode_query_key_backward(View<T> d_query, View<T> d_key, const LayerAt& at,
                                 Pass<T>& pass) const override {
    rotary_.encode_query_key_backward(d_query, d_key, at, pass);
  }

  // Another encoding may have added to the scores before, so the near product is taken back.
  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const FarDistances& far = stretch_of(pass.run().positions).far;
    if (!is_far(pass) || !far.contains(block.key_positions.back() - block.key_positions.front())) return;
    const auto frame = pass.scratch_frame();
    const View<const T> rows = far_[static_cast<std::size_t>(block.layer)].of_keys(block, pass);
    const Index d = shape_.d_head();
    const Index key_head = shape_.heads + block.head / (shape_.heads / shape_.n_kv_heads);
    const View<T> change = pass.allocate(scores.rows, scores.cols);
    multiply<T>(block.query, transposed(block.key), change, -block.scale);
    multiply<T>(rows.row_range(block.first_query, scores.rows).col_range(block.head * d, d),
                transposed(rows.col_range(key_head * d, d)), change, block.scale, T(1));
    for (Index r = 0; r < scores.rows; ++r) {
      const double own = block.key_positions[static_cast<std::size_t>(block.first_query + r)];
      for (Index j = 0; j < block.visible(r); ++j)
        if (far.contains(own - block.key_positions[static_cast<std::size_t>(j)]))
          scores(r, j) += change(r, j);
    }
  }

 private:
  static bool is_far(const Pass<T>& pass) {
    return !pass.run().record && std::isfinite(stretch_of(pass.run().positions).far.near);
  }

  void keep_far(View<const T> query, View<const T> key, Index layer, Pass<T>& pass) const {
    const FarDistances& far = stretch_of(pass.run().positions).far;
    const View<T> rows = pass.allocate(query.rows, query.cols + key.cols);
    copy_rows<T>(query, rows.col_range(0, query.cols));
    copy_rows<T>(key, rows.col_range(query.cols, key.cols));
    for (Index t = 0; t < rows.rows; ++t) {
      const auto own = pass.run().positions.of(t / pass.seq_len());
      const double p = own[static_cast<std::size_t>(t % pass.seq_len())];
      const std::array<double, 2> stands = {far.query(p), far.key(p)};
      const View<const T> angles = rotary_.angles_at(stands, pass);
      rotary_.turn_row(rows.row(t), query.cols, angles.row(0), T(1));
      rotary_.turn_row(rows.row(t) + query.cols, key.cols, angles.row(1), T(1));
    }
    far_[static_cast<std::size_t>(layer)].keep(rows, pass, 0);
  }

  ModelShape shape_;
  Rotary<T> rotary_;
  std::vector<TokenRows<T>> far_;  // q of all heads, then k of all key heads, as they stand for far keys
};

// What happens to far scores is the scheme's; rope itself acts on queries and keys.
EncodingEntry described(EncodingEntry entry) {
  entry = describe_encoding<Rope, RotaryOptions>(std::move(entry));
  std::erase(entry.acts_on, Place::scores);
  return entry;
}

}  // namespace

EncodingEntry rope_encoding() {
  return described(
      {.name = "rope",
       .formula = "pairs of q and k rotated by pos θ_i, θ_i = base^(-2i/r), r dimensions of a head",
       .beyond =
           "runs, at angles that training has not shown; positions = interpolated, ntk, yarn … slow them",
       .source = "Su et al. 2021, §3.4",
       .positions = PositionUse::rotary,
       .shift_invariant = true,
       .maps_distances = true,
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

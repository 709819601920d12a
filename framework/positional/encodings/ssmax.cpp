// Scalable softmax (Nakanishi 2025): the scores of a query that sees n keys are multiplied by s ln n, so that
// attention stays as sharp over many keys as over few. It reads no positions. Combined, as in rope+ssmax, it
// sharpens another encoding.
#include <algorithm>
#include <cmath>

#include "framework/core/decode_cache.h"
#include "framework/math/vector_math.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {
namespace {

struct SsmaxOptions {
  double ssmax_scale = 0.0;
  bool ssmax_learned = true;

  void visit(OptionVisitor& v) {
    v.number("ssmax_scale", ssmax_scale, {.low = 0, .above_low = true, .automatic = "auto"},
             "s, or its initial value if learned; auto: 1 over the mean of ln n over the training length, "
             "1 / ln of that length if s is fixed");
    v.flag("ssmax_learned", ssmax_learned, "learn s for each head of each layer");
  }
  void resolve(const ModelShape& shape) {
    if (ssmax_scale > 0.0) return;
    const double length = static_cast<double>(std::max<Index>(shape.train_length, 2));
    // Σ ln n = ln L!
    ssmax_scale = 1.0 / (ssmax_learned ? std::lgamma(length + 1.0) / length : std::log(length));
  }
};

/// q_i becomes s_h ln(n_i) q_i. The paper multiplies all scores; it has no biases. Here the queries are scaled because a bias such
/// as ALiBi's already grows with distance, and because that adds no cost per score.
template <typename T>
class Ssmax final : public EncodingPart<T> {
 public:
  Ssmax(const ModelShape& shape, const SsmaxOptions& options, const Scope& scope)
      : d_head_(shape.d_head()), learns_(options.ssmax_learned), start_(options.ssmax_scale) {
    if (learns_) scale_ = scope.add("scale", {shape.layers, shape.heads}, constant(start_));
  }

  void encode_query_key(View<T> query, View<T> /*key*/, const LayerAt& at, Pass<T>& pass) const override {
    if (learns_ && pass.run().record) {
      const View<T> before = pass.allocate(query.rows, query.cols);
      copy_rows<T>(query, before);
      pass.save("Ssmax", before);
    }
    scale_rows(query, at, pass);
  }

  // q' = s ln(n) q:   dq = s ln(n) dq',   ds += ln(n) dq'·q, summed over all tokens.
  void encode_query_key_backward(View<T> d_query, View<T> /*d_key*/, const LayerAt& at,
                                 Pass<T>& pass) const override {
    if (learns_) {
      const View<const T> query = pass.restore("Ssmax");
      T* d_scale = pass.gradient(scale_).row(at.number);
      for (Index r = 0; r < query.rows; ++r) {
        const T log_n = log_seen(r, at.sight, pass);
        for (Index h = 0; h < scale_.cols; ++h) {
          const Index column = h * d_head_;
          d_scale[h] += log_n * vmath::dot(d_query.row(r) + column, query.row(r) + column, d_head_);
        }
      }
    }
    scale_rows(d_query, at, pass);
  }

 private:
  // ln of the number of keys that the query in this row of the run sees: itself and earlier ones, or all.
  static T log_seen(Index row, const Sight& sight, const Pass<T>& pass) {
    const DecodeCache<T>* cache = pass.run().cache;
    const Index before = cache != nullptr ? cache->length() : 0;
    const KeyRange seen = sight.of(before + row % pass.seq_len(), before + pass.seq_len());
    return static_cast<T>(std::log(static_cast<double>(seen.count())));
  }

  void scale_rows(View<T> query, const LayerAt& at, const Pass<T>& pass) const {
    for (Index r = 0; r < query.rows; ++r) {
      const T log_n = log_seen(r, at.sight, pass);
      for (Index column = 0; column < query.cols; column += d_head_) {
        const T s = learns_ ? pass.value(scale_)(at.number, column / d_head_) : static_cast<T>(start_);
        vmath::scale(s * log_n, query.row(r) + column, d_head_);
      }
    }
  }

  Index d_head_;
  bool learns_;
  double start_;
  Slot scale_;  // s (layers, heads), if it is learned
};

}  // namespace

EncodingEntry ssmax_encoding() {
  return describe_encoding<Ssmax, SsmaxOptions>(
      {.name = "ssmax",
       .formula = "s ln(n) q·k/√d_h where a query sees n keys",
       .beyond = "runs, with sharper scores",
       .source = "Nakanishi 2025",
       .positions = PositionUse::nothing,
       .shift_invariant = true,
       .definition =
           R"(score_ij = s_h ln(n_i) q_i·k_j/√d_h,  n_i the number of keys that query i sees: i + 1 for i = 0, 1, … in a
causal model, all in an encoder, and at most as many as a window of the layer or test holds. It scales the
queries after the projection: terms of other encodings that contain q (rope, xpos, shaw, transformer_xl without
its u and v, cope with its gates) are scaled too, and biases (alibi, t5, kerple, fire) are not. The first query
of a causal model has the factor 0 and one key. The positions of tokens are not read.
ssmax_learned = true: s is learned and starts at ssmax_scale (auto: L/ln L!, 1 over the mean of ln n for
n = 1 … L, L the training length, at least 2). ssmax_learned = false: s = ssmax_scale in all heads (auto: 1/ln L,
a factor of 1 at L).
Parameters:
  positional.ssmax.scale  s  (layers, H), none if ssmax_learned = false  ssmax_scale)"});
}

}  // namespace ordinal

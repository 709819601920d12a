// DAPE (Zheng et al. 2024): a small network reads the scores and the biases of all heads for a query and a key, and adds a term to
// each of these scores.
#include <algorithm>
#include <cmath>

#include "framework/core/decode_cache.h"
#include "framework/math/blas.h"
#include "framework/math/vector_math.h"
#include "framework/positional/positional_encoding.h"
#include "framework/positional/run_rows.h"

namespace ordinal {
namespace {

struct DapeOptions {
  std::string bias = "kerple_log";
  Index hidden = 32;

  void visit(OptionVisitor& v) {
    v.part("bias", bias, {"alibi", "kerple_log", "kerple_power", "fire", "t5"}, "the static bias b");
    v.integer("hidden", hidden, between(1, 4096), "hidden units of the network");
  }
  void resolve(const ModelShape& shape) { bias = resolved_text(encodings(), bias, shape); }
};

/// For a query and a key, z = (s_0, …, s_{H-1}, b_0, …, b_{H-1}) holds the scores and biases of all heads, and
///   score_h = s_h + b_h + W2_h φ(W1 z + c),   φ(a) = max(a, 0.01 a).
/// The heads run in turn, and each computes z again.
template <typename T>
class Dape final : public EncodingPart<T> {
 public:
  Dape(const ModelShape& shape, const DapeOptions& options, const Scope& scope)
      : shape_(shape), bias_(make_positional_encoding<T>(options.bias, shape, scope)) {
    const Index inputs = 2 * shape.heads;
    const double first = 1.0 / std::sqrt(static_cast<double>(inputs));
    const double second = 1.0 / std::sqrt(static_cast<double>(options.hidden));
    for (Index layer = 0; layer < shape.layers; ++layer) {
      const Scope own = scope.nested(std::to_string(layer));
      layers_.push_back({own.add("hidden.weight", {options.hidden, inputs}, uniform(first)),
                         own.add("hidden.bias", {options.hidden}, uniform(first)),
                         own.add("output.weight", {shape.heads, options.hidden}, uniform(second)),
                         TokenRows<T>((shape.heads + shape.n_kv_heads) * shape.d_head(), scope)});
    }
  }

  std::string note() const override { return bias_->note(); }
  std::set<Index> rows_read(std::span<const double> positions, bool /*causal*/) const override {
    return bias_->rows_read(positions).begin()->second;
  }
  bool keeps_prefixes() const override { return bias_->keeps_prefixes(); }
  void begin_run(Pass<T>& pass) const override { bias_->begin_run(pass); }

  // Keeps queries and keys, as the encodings before it leave them, because a block has those of one head.
  void encode_query_key(View<T> query, View<T> key, const LayerAt& at_layer, Pass<T>& pass) const override {
    const View<T> rows = pass.allocate(query.rows, query.cols + key.cols);
    copy_rows<T>(query, rows.col_range(0, query.cols));
    copy_rows<T>(key, rows.col_range(query.cols, key.cols));
    at(at_layer.number).rows.keep(rows, pass, rows.cols);
  }
  void encode_query_key_backward(View<T> d_query, View<T> d_key, const LayerAt& at_layer,
                                 Pass<T>& pass) const override {
    const View<T> d = at(at_layer.number).rows.gradient(pass);
    for (Index t = 0; t < d.rows; ++t) {
      vmath::add(d_query.row(t), d.row(t), d_query.row(t), d_query.cols);
      vmath::add(d_key.row(t), d.row(t) + d_query.cols, d_key.row(t), d_key.cols);
    }
  }

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const OfLayer& of = at(block.layer);
    const View<const T> z = inputs(block, pass);
    for_each_piece(block, z, pass, [&](Index first, Index rows, View<const T> piece) {
      const View<T> hidden = network(of, piece, pass);
      for (Index u = 0; u < hidden.rows; ++u) activate(hidden.row(u), hidden.cols);
      const View<T> added = pass.allocate(rows, block.key.rows);
      multiply<T>(pass.value(of.output).row_range(block.head, 1), hidden,
                  View<T>(added.data, 1, added.size()));
      const Index own_bias = shape_.heads + block.head;
      for (Index r = 0; r < rows; ++r) {
        T* score = scores.row(first + r);
        const Index seen = block.visible(first + r);
        vmath::add(score, z.row(own_bias * block.query.rows + first + r), score, seen);
        vmath::add(score, added.row(r), score, seen);
      }
    });
  }

  // With D the gradient of the scores and a = W1 z + c:
  //   dW2_h += Σ D φ(a),  da = φ'(a) W2_hᵀ D,  dW1 += da zᵀ,  dc += Σ da,  dz = W1ᵀ da,   and db_h += D.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const OfLayer& of = at(block.layer);
    const View<const T> z = inputs(block, pass);
    const View<T> d_z = pass.allocate(z.rows, z.cols);
    for_each_piece(block, z, pass, [&](Index first, Index rows, View<const T> piece) {
      const View<T> d = pass.allocate(rows, block.key.rows);
      copy_rows<T>(gradient.scores.row_range(first, rows), d);
      const View<T> hidden = network(of, piece, pass);
      for (Index u = 0; u < hidden.rows; ++u)
        unit_backward(pass.value(of.output)(block.head, u), d.data, hidden.row(u), hidden.cols,
                      pass.gradient(of.output)(block.head, u), pass.gradient(of.hidden_bias)(0, u));
      const View<T> d_weight =
          pass.allocate(piece.rows, hidden.rows);  // dW1ᵀ: hidden units fill whole vectors
      multiply<T>(piece, transposed(hidden), d_weight);
      for (Index i = 0; i < piece.rows; ++i)
        for (Index u = 0; u < hidden.rows; ++u) pass.gradient(of.hidden)(u, i) += d_weight(i, u);
      multiply<T>(transposed(pass.value(of.hidden)), hidden, piece_of(block, d_z, first, rows));
    });
    const View<T> d_bias = d_z.row_range((shape_.heads + block.head) * block.query.rows, block.query.rows);
    for (Index r = 0; r < d_bias.rows; ++r)
      vmath::add(d_bias.row(r), gradient.scores.row(r), d_bias.row(r), d_bias.cols);
    inputs_backward(block, d_z, pass);
  }

 private:
  struct OfLayer {
    Slot hidden;        // W1 (hidden, 2·heads)
    Slot hidden_bias;   // c (hidden)
    Slot output;        // W2 (heads, hidden)
    TokenRows<T> rows;  // q of all heads, then k of all key heads
  };
  static constexpr T leak = T(0.01);

  const OfLayer& at(Index layer) const { return layers_[static_cast<std::size_t>(layer)]; }

  // q of a head for the queries of a block, and k of its key head.
  template <typename Element>
  View<Element> query_of(const ScoreBlock<T>& block, View<Element> rows, Index head) const {
    return rows.row_range(block.first_query, block.query.rows)
        .col_range(head * shape_.d_head(), shape_.d_head());
  }
  template <typename Element>
  View<Element> key_of(View<Element> rows, Index head) const {
    const Index key_head = head / (shape_.heads / shape_.n_kv_heads);
    return rows.col_range((shape_.heads + key_head) * shape_.d_head(), shape_.d_head());
  }

  // A block as another head has it.
  ScoreBlock<T> for_head(ScoreBlock<T> block, View<const T> rows, Index head) const {
    block.query = query_of(block, rows, head);
    block.key = key_of(rows, head);
    block.head = head;
    return block;
  }

  // s of all heads, then b of all heads: (2·heads·rows, keys).
  View<const T> inputs(const ScoreBlock<T>& block, Pass<T>& pass) const {
    const View<const T> rows = at(block.layer).rows.of_keys(block, pass);
    const Index n = block.query.rows;
    const View<T> z = pass.zeros(2 * shape_.heads * n, block.key.rows);
    for (Index head = 0; head < shape_.heads; ++head) {
      const ScoreBlock<T> own = for_head(block, rows, head);
      multiply<T>(own.query, transposed(own.key), z.row_range(head * n, n), block.scale, T(0),
                  block.half(Triangle::Of::result));
      bias_->encode_scores(own, z.row_range((shape_.heads + head) * n, n), pass);
    }
    return z;
  }

  void inputs_backward(const ScoreBlock<T>& block, View<const T> d_z, Pass<T>& pass) const {
    const View<const T> rows = at(block.layer).rows.of_keys(block, pass);
    const View<T> d_rows = at(block.layer).rows.gradient_of_keys(block, pass);
    const Triangle half = block.half(Triangle::Of::left);
    const Index n = block.query.rows;
    for (Index head = 0; head < shape_.heads; ++head) {
      const ScoreBlock<T> own = for_head(block, rows, head);
      const View<T> d_query = query_of(block, d_rows, head);
      const View<T> d_key = key_of(d_rows, head);
      const View<const T> d_scores = d_z.row_range(head * n, n);
      multiply<T>(d_scores, own.key, d_query, block.scale, T(1), half);
      multiply<T>(transposed(d_scores), own.query, d_key, block.scale, T(1), half);
      bias_->encode_scores_backward(own, {d_z.row_range((shape_.heads + head) * n, n), d_query, d_key}, pass);
    }
  }

  // Some rows of a block, with one column for each of their pairs: (2·heads, rows·keys).
  template <typename Element>
  static View<Element> piece_of(const ScoreBlock<T>& block, View<Element> z, Index first, Index rows) {
    return {z.row(first), z.rows / block.query.rows, rows * z.cols, block.query.rows * z.cols};
  }

  // Calls visit(first, rows, piece) for pieces of a block whose hidden units fit in a cache.
  template <typename Visit>
  static void for_each_piece(const ScoreBlock<T>& block, View<const T> z, Pass<T>& pass, const Visit& visit) {
    constexpr Index pairs = 2048;
    const Index most = std::max<Index>(1, pairs / z.cols);
    for (Index first = 0; first < block.query.rows; first += most) {
      const auto frame = pass.scratch_frame();
      const Index rows = std::min(most, block.query.rows - first);
      visit(first, rows, piece_of(block, z, first, rows));
    }
  }

  // a = W1 z + c (hidden, pairs).
  View<T> network(const OfLayer& of, View<const T> z, Pass<T>& pass) const {
    const View<T> a = pass.allocate(of.hidden.rows, z.cols);
    for (Index u = 0; u < a.rows; ++u) std::fill_n(a.row(u), a.cols, pass.value(of.hidden_bias)(0, u));
    multiply_add<T>(pass.value(of.hidden), z, a);
    return a;
  }

  // φ in place.
  static void activate(T* a, Index n) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) {
      const T x = a[i];
      a[i] = x > T(0) ? x : leak * x;
    }
  }

  // Turns a of one unit into da, where `weight` leads to the score.
  static void unit_backward(T weight, const T* d, T* a, Index n, T& d_weight, T& d_bias) {
    activate(a, n);
    d_weight += vmath::dot(d, a, n);
#pragma omp simd
    for (Index i = 0; i < n; ++i) a[i] = (a[i] > T(0) ? weight : leak * weight) * d[i];
    d_bias += vmath::sum(a, n);
  }

  ModelShape shape_;
  std::unique_ptr<PositionalEncoding<T>> bias_;
  std::vector<OfLayer> layers_;
};

}  // namespace

EncodingEntry dape_encoding() {
  return describe_encoding<Dape, DapeOptions>(
      {.name = "dape",
       .formula = "s_h + b_h + W2_h φ(W1 (s, b) + c), s = q·k/√d_h and b a static bias of all heads",
       .beyond = "as bias",
       .source = "Zheng et al. 2024, §3",
       .shift_invariant = true,
       .definition =
           R"(With s_g = q_i·k_j/√d_h and b_g the bias of head g for this query and key, z = (s_0, …, s_{H-1}, b_0, …, b_{H-1}):
  score_h = s_h + b_h + W2_h φ(W1 z + c),   φ(a) = max(a, 0.01 a),   for heads h = 0 … H - 1.
b is what the encoding `bias` adds to the scores (--list kerple_log; to set its options, write
dape(bias=t5(buckets=16))). q and k are those that the encodings before it leave, so rope+dape is scored with
rotated ones. Each layer has a network of its own, as in the authors' code, but no output bias: it would add the
same to all scores of a row. With bias = fire a common offset changes it. Each head computes the scores of all
heads, so this costs H times the products of scores.
Parameters, the last two with bias = kerple_log:
  positional.dape.<layer>.hidden.weight  W1  (hidden, 2H)  uniform in ±1/√(2H)
  positional.dape.<layer>.hidden.bias    c   (hidden)      uniform in ±1/√(2H)
  positional.dape.<layer>.output.weight  W2  (H, hidden)   uniform in ±1/√hidden
  positional.dape.kerple_log.scale       a   (layers, H)   as kerple_log
  positional.dape.kerple_log.rate        b   (layers, H)   as kerple_log)"});
}

}  // namespace ordinal

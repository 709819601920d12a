// TUPE (Ke et al. 2021) scores content and positions separately, each with its own projections. Nothing is added to
// the input. The score of two positions is the same in all layers.
#include <numbers>

#include "framework/core/decode_cache.h"
#include "framework/math/blas.h"
#include "framework/math/vector_math.h"
#include "framework/positional/positional_encoding.h"
#include "framework/positional/run_rows.h"

namespace ordinal {
namespace {

struct TupeOptions {
  std::string embedding = "learned(init_sd=1)";

  void visit(OptionVisitor& v) {
    v.part("embedding", embedding, {"learned", "sinusoidal"}, "the vector p of a position");
  }
  void resolve(const ModelShape& shape) { embedding = resolved_text(encodings(), embedding, shape); }
};

/// p is what `embedding` adds to an input of zeros. Dividing by √2 keeps the variance of the two terms at that of one. U p and V p are computed once for all layers.
template <typename T>
class Tupe final : public EncodingPart<T> {
 public:
  Tupe(const ModelShape& shape, const TupeOptions& options, const Scope& scope)
      : d_head_(shape.d_head()),
        embedding_(make_positional_encoding<T>(options.embedding, shape, scope)),
        u_(scope.add("query", {shape.d_model, shape.d_model}, scope.initial_weights().inner(shape.d_model))),
        v_(scope.add("key", {shape.d_model, shape.d_model}, scope.initial_weights().inner(shape.d_model))),
        positions_(scope),
        queries_(scope),
        keys_(shape.d_model, scope) {}

  std::string note() const override { return embedding_->note(); }
  std::set<Index> rows_read(std::span<const double> positions, bool /*causal*/) const override {
    return embedding_->rows_read(positions).begin()->second;
  }
  bool keeps_prefixes() const override { return embedding_->keeps_prefixes(); }
  bool resize(const Slot& slot, View<const T> trained, View<T> own) const override {
    return embedding_->resize(slot, trained, own);
  }

  void begin_run(Pass<T>& pass) const override {
    embedding_->begin_run(pass);
    const Index tokens = pass.batch() * pass.seq_len();
    const View<const T> p = embedding_->encode_input(pass.zeros(tokens, u_.cols), pass);
    const View<T> queries = pass.allocate(tokens, u_.rows);
    const View<T> keys = pass.allocate(tokens, v_.rows);
    multiply<T>(p, transposed(pass.value(u_)), queries);
    multiply<T>(p, transposed(pass.value(v_)), keys);
    positions_.keep(p, pass);
    queries_.keep(queries, pass, u_.rows);
    keys_.keep(keys, pass, v_.rows);
  }

  // All layers have added to the gradients of a = U p and b = V p:
  //   dU += daᵀ p,   dV += dbᵀ p,   dp = da U + db V.
  void end_backward(Pass<T>& pass) const override {
    const View<const T> p = positions_.of_run(pass);
    const View<T> d_queries = queries_.gradient(pass);
    const View<T> d_keys = keys_.gradient(pass);
    multiply_add<T>(transposed(d_queries), p, pass.gradient(u_));
    multiply_add<T>(transposed(d_keys), p, pass.gradient(v_));
    const View<T> dp = pass.allocate(p.rows, p.cols);
    multiply<T>(d_queries, pass.value(u_), dp);
    multiply_add<T>(d_keys, pass.value(v_), dp);
    embedding_->encode_input_backward(dp, pass);
  }

  // Scales the content term: q·k/√d_h becomes q·k/√(2 d_h).
  void encode_query_key(View<T> query, View<T> /*key*/, const LayerAt& /*at*/,
                        Pass<T>& /*pass*/) const override {
    for (Index r = 0; r < query.rows; ++r) vmath::scale(share, query.row(r), query.cols);
  }
  void encode_query_key_backward(View<T> d_query, View<T> d_key, const LayerAt& at,
                                 Pass<T>& pass) const override {
    encode_query_key(d_query, d_key, at, pass);
  }

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    multiply<T>(own_rows(block, queries_.of_run(pass), pass),
                transposed(of_head(block, keys_.of_keys(block, pass))), scores, share * block.scale, T(1),
                block.half(Triangle::Of::result));
  }

  // da += share · scale · dS b,   db += share · scale · dSᵀ a.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const T scale = share * block.scale;
    const View<const T> keys = of_head(block, keys_.of_keys(block, pass));
    const View<T> d_keys = of_head(block, keys_.gradient_of_keys(block, pass));
    const Triangle half = block.half(Triangle::Of::left);
    multiply<T>(gradient.scores, keys, own_rows(block, queries_.gradient(pass), pass), scale, T(1), half);
    multiply<T>(transposed(gradient.scores), own_rows(block, queries_.of_run(pass), pass), d_keys, scale,
                T(1), half);
  }

 private:
  static constexpr T share = T(1) / std::numbers::sqrt2_v<T>;

  template <typename Element>
  View<Element> of_head(const ScoreBlock<T>& block, View<Element> rows) const {
    return rows.col_range(block.head * d_head_, d_head_);
  }

  // The rows for the queries of a block, which are among the tokens of the run.
  template <typename Element>
  View<Element> own_rows(const ScoreBlock<T>& block, View<Element> rows, const Pass<T>& pass) const {
    const DecodeCache<T>* cache = pass.run().cache;
    const Index older = cache != nullptr ? cache->length() : 0;
    return of_head(block, pass.rows_of(rows, block.sequence))
        .row_range(block.first_key + block.first_query - older, block.query.rows);
  }

  Index d_head_;
  std::unique_ptr<PositionalEncoding<T>> embedding_;
  Slot u_;  // U of all heads (heads·d_head, d_model), for all layers
  Slot v_;
  RunRows<T> positions_;  // p (tokens, d_model)
  RunRows<T> queries_;    // U p (tokens, heads·d_head), and the sum of its gradients
  TokenRows<T> keys_;     // V p, the same
};

}  // namespace

EncodingEntry tupe_encoding() {
  return describe_encoding<Tupe, TupeOptions>(
      {.name = "tupe",
       .formula = "(q·k + (U p_i)·(V p_j))/√(2 d_h)",
       .beyond = "as embedding: learned fails past its table, sinusoidal runs",
       .source = "Ke et al. 2021, §3.1 (TUPE-A)",
       .definition = R"(score_ij = (q_i·k_j + (U_h p_i)·(V_h p_j))/√(2 d_h),  h = 0 … H - 1,
U_h and V_h are rows h·d_h … (h + 1)·d_h - 1 of U and V. The content term is also divided by √(2 d_h), not √d_h:
q is divided by √2, and so is every term of another encoding that contains q. The position term is the same in
all layers and has no biases. Query heads that share a key head each have their own V_h. p_i is what `embedding`
adds to token i: a row of a table, or sines (--list learned, --list sinusoidal; to set their options, write
tupe(embedding=learned(overflow=clamp))). It is not added to the input. tupe+t5 is TUPE-R. There is no [CLS]
token, so nothing is untied from it. By default the rows of a table start at the size to which the authors' code
normalises them: init_sd = 1.
Parameters, the table only with embedding = learned:
  positional.tupe.learned.table  p  (max_seq_len, d_model)                  N(0, init_sd²)
  positional.tupe.query          U  (d_model, d_model), for all layers      model.init
  positional.tupe.key            V  (d_model, d_model), for all layers      model.init)"});
}

}  // namespace ordinal

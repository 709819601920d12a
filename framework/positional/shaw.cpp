// Relative position representations (Shaw et al. 2018): a learned vector for each distance is added to the
// key, so that a query can ask for a distance. Their second table, for the values, made no difference in their
// experiments and is left out.
#include <fmt/format.h>

#include "framework/core/blas.h"
#include "framework/positional/clipped_distance.h"
#include "framework/positional/score_distances.h"

namespace ordinal {
namespace {

template <typename T>
class Shaw final : public PositionalEncoding<T> {
 public:
  Shaw(const ModelShape& shape, const ClippedDistanceOptions& options, const Scope& scope)
      : k_(options.max_distance) {
    for (Index layer = 0; layer < shape.layers; ++layer) {
      tables_.push_back(
          scope.nested(std::to_string(layer)).add("key", {2 * k_ + 1, shape.d_head()}, normal(0.02)));
    }
  }

  std::string constants() const override { return fmt::format("k {}", k_); }

  // q_i (k_j + a_c)ᵀ / √d_h with c = clip(j - i): one product gives q aᵀ for all 2k + 1 distances.
  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const ScoreDistances<T> distances(block, pass);
    const View<T> products = pass.allocate(block.query.rows, 2 * k_ + 1);
    multiply<T>(block.query, transposed(pass.value(table(block))), products, block.scale);
    for (Index r = 0; r < scores.rows; ++r) {
      const T* distance = distances.distances().data + distances.first_of(r);
      for (Index j = 0; j < block.visible(r); ++j) scores(r, j) += products(r, clipped_row(distance[j], k_));
    }
  }

  // With D_ic = Σ dS_ij over the keys at distance c:  dq += D a / √d_h,  da += Dᵀ q / √d_h.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const ScoreDistances<T> distances(block, pass);
    const View<T> d_products = pass.allocate(block.query.rows, 2 * k_ + 1);
    std::fill_n(d_products.data, d_products.size(), T(0));
    for (Index r = 0; r < d_products.rows; ++r) {
      const T* distance = distances.distances().data + distances.first_of(r);
      for (Index j = 0; j < block.visible(r); ++j) {
        d_products(r, clipped_row(distance[j], k_)) += gradient.scores(r, j);
      }
    }
    multiply<T>(d_products, pass.value(table(block)), gradient.query, block.scale, T(1));
    multiply<T>(transposed(d_products), block.query, pass.gradient(table(block)), block.scale, T(1));
  }

 private:
  const Slot& table(const ScoreBlock<T>& block) const {
    return tables_[static_cast<std::size_t>(block.layer)];
  }

  Index k_;
  std::vector<Slot> tables_;  // for each layer (2k + 1, d_head), shared by its heads
};

}  // namespace

EncodingEntry shaw_encoding() {
  return describe_encoding<Shaw, ClippedDistanceOptions>(
      {.name = "shaw",
       .acts_on = {Place::scores},
       .formula = "q_i·(k_j + a[clip(j - i, -k, k) + k])/√d_h",
       .parameters = "key (2k + 1, d_h) of each layer",
       .beyond = "distances from k on share one vector",
       .source = "Shaw et al. 2018, §3.2",
       .shift_invariant = true,
       .definition = R"(score_ij = q_i·(k_j + a[c + k])/√d_h,  c = ρ clipped to -k … k,
where ρ = p_j - p_i is rounded to the nearest whole number, halves away from zero, and
k = max_distance (0: max(1, ⌊L/4⌋), L the training length). Row k is that of the token itself, rows below it
are for keys to the left. Shaw et al. add a second table to the values; here there is none.
Parameters:
  positional.shaw.<layer>.key  a  (2k + 1, d_h), for all heads of the layer  N(0, 0.02²))"});
}

}  // namespace ordinal

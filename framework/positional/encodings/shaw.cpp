// Relative position representations (Shaw et al. 2018): a learned vector for each distance is added to the key, so
// that a query can ask for a distance. Another one for the value made no difference in their experiments and is optional.
#include <algorithm>

#include "framework/math/blas.h"
#include "framework/math/vector_math.h"
#include "framework/positional/score_distances.h"

namespace ordinal {
namespace {

struct ShawOptions {
  ClippedDistanceOptions distances;
  bool value_table = false;

  void visit(OptionVisitor& v) {
    distances.visit(v);
    v.flag("value_table", value_table, "add the vectors of a second table to the values");
  }
  void resolve(const ModelShape& shape) { distances.resolve(shape); }
};

template <typename T>
class Shaw final : public EncodingPart<T> {
 public:
  Shaw(const ModelShape& shape, const ShawOptions& options, const Scope& scope)
      : k_(options.distances.max_distance) {
    const Shape table{2 * k_ + 1, shape.d_head()};
    for (Index layer = 0; layer < shape.layers; ++layer) {
      const Scope own = scope.nested(std::to_string(layer));
      keys_.push_back(own.add("key", table, normal(0.02)));
      if (options.value_table) values_.push_back(own.add("value", table, normal(0.02)));
    }
  }

  std::set<Index> rows_read(std::span<const double> positions, bool causal) const override {
    return rows_of_distances(positions, causal, [&](double n) { return clipped_row(n, k_); });
  }

  // One product gives q aᵀ for all 2k + 1 distances.
  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    add_products(block, block.query, of_layer(keys_, block), block.scale, scores, pass);
  }

  // With D_ic = Σ dS_ij over the keys at distance c:  dq += D a / √d_h,  da += Dᵀ q / √d_h.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const Slot& table = of_layer(keys_, block);
    const View<T> d_products = sums(block, gradient.scores, pass);
    multiply<T>(d_products, pass.value(table), gradient.query, block.scale, T(1));
    multiply<T>(transposed(d_products), block.query, pass.gradient(table), block.scale, T(1));
  }

  // With W_ic = Σ w_ij over the keys at distance c:  o += W b.
  void encode_values(const ScoreBlock<T>& block, View<const T> weights, View<T> out,
                     Pass<T>& pass) const override {
    if (values_.empty()) return;
    const auto frame = pass.scratch_frame();
    multiply_add<T>(sums(block, weights, pass), pass.value(of_layer(values_, block)), out);
  }

  void encode_values_backward(const ScoreBlock<T>& block, View<const T> d_out, View<T> d_weights,
                              Pass<T>& pass) const override {
    if (values_.empty()) return;
    add_products(block, d_out, of_layer(values_, block), T(1), d_weights, pass);
  }

  // db += Wᵀ do.
  void learn_values(const ScoreBlock<T>& block, View<const T> weights, View<const T> d_out,
                    Pass<T>& pass) const override {
    if (values_.empty()) return;
    const auto frame = pass.scratch_frame();
    multiply_add<T>(transposed(sums(block, weights, pass)), d_out, pass.gradient(of_layer(values_, block)));
  }

 private:
  static const Slot& of_layer(const std::vector<Slot>& tables, const ScoreBlock<T>& block) {
    return tables[static_cast<std::size_t>(block.layer)];
  }

  // out_ij += scale · x_i·table_c.
  void add_products(const ScoreBlock<T>& block, View<const T> x, const Slot& table, T scale, View<T> out,
                    Pass<T>& pass) const {
    const auto frame = pass.scratch_frame();
    const ScoreDistances<T> distances(block, pass);
    const View<T> products = pass.allocate(x.rows, 2 * k_ + 1);
    multiply<T>(x, transposed(pass.value(table)), products, scale);
    for (Index r = 0; r < out.rows; ++r) {
      for_each_run(distances, r, block.visible(r), [&](Index j, Index count, Index row, bool ascends) {
        T* to = out.row(r) + j;
        if (ascends) return vmath::add(to, products.row(r) + row, to, count);
        for (Index n = 0; n < count; ++n) to[n] += products(r, row);
      });
    }
  }

  // Row i: for each distance c, the sum of x_ij over the keys at that distance.
  View<T> sums(const ScoreBlock<T>& block, View<const T> x, Pass<T>& pass) const {
    const View<T> sums = pass.zeros(x.rows, 2 * k_ + 1);
    const auto frame = pass.scratch_frame();
    const ScoreDistances<T> distances(block, pass);
    for (Index r = 0; r < x.rows; ++r) {
      for_each_run(distances, r, block.visible(r), [&](Index j, Index count, Index row, bool ascends) {
        const T* from = x.row(r) + j;
        T* to = sums.row(r) + row;
        if (ascends) return vmath::add(to, from, to, count);
        *to += count == 1 ? *from : vmath::sum(from, count);
      });
    }
    return sums;
  }

  // Calls visit(j, count, row, ascends): keys j … j + count - 1 use this row of a table, or the rows from it on. Unit
  // steps give at most three such runs: clipped keys to the left, unclipped keys, and clipped keys to the right.
  template <typename Visit>
  void for_each_run(const ScoreDistances<T>& distances, Index r, Index visible, const Visit& visit) const {
    const T* distance = distances.distances().data + distances.first_of(r);
    if (!distances.unit_steps()) {
      for (Index j = 0; j < visible; ++j) visit(j, 1, clipped_row(distance[j], k_), false);
      return;
    }
    const auto first = static_cast<Index>(distance[0]);
    const Index left = std::clamp<Index>(first - k_, 0, visible);
    const Index right = std::clamp<Index>(first + k_, left, visible);
    if (left > 0) visit(0, left, 0, false);
    if (right > left) visit(left, right - left, left - first + k_, true);
    if (visible > right) visit(right, visible - right, 2 * k_, false);
  }

  Index k_;
  std::vector<Slot> keys_;    // a: for each layer (2k + 1, d_head), shared by its heads
  std::vector<Slot> values_;  // b: the same, or none
};

}  // namespace

EncodingEntry shaw_encoding() {
  return describe_encoding<Shaw, ShawOptions>(
      {.name = "shaw",
       .formula = "q_i·(k_j + a[clip(j - i, -k, k) + k])/√d_h",
       .beyond = "distances from k on share one vector",
       .source = "Shaw et al. 2018, §3.2",
       .shift_invariant = true,
       .maps_distances = true,
       .definition = R"(score_ij = q_i·(k_j + a[c + k])/√d_h,  c = ρ clipped to -k … k,
where ρ = p_j - p_i is rounded to the nearest whole number, halves away from zero, and
k = max_distance (0: max(1, ⌊L/4⌋), L the training length). Row k is for the token itself; lower rows are for
keys to the left. With value_table = true the output of a head is Σ_j P_ij (v_j + b[c + k]) with the same c.
P is the softmax of the scores. By default the output is Σ_j P_ij v_j, and there is no table b.
Parameters:
  positional.shaw.<layer>.key    a  (2k + 1, d_h), for all heads of the layer  N(0, 0.02²)
  positional.shaw.<layer>.value  b  (2k + 1, d_h), for all heads of the layer  N(0, 0.02²))"});
}

}  // namespace ordinal

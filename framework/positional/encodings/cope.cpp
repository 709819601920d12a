// CoPE (Golovneva et al. 2024): positions counted by content. Each query decides for each key whether it
// counts. The distance of a key is the number of counted keys from it up to the query.
#include <fmt/format.h>

#include <algorithm>

#include "framework/math/blas.h"
#include "framework/math/vector_math.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {
namespace {

struct CopeOptions {
  Index cope_positions = 0;
  void visit(OptionVisitor& v) {
    v.integer("cope_positions", cope_positions, automatic_or(1, 1e6),
              "rows of the table; 0: the training length");
  }
  void resolve(const ModelShape& shape) {
    if (cope_positions == 0) cope_positions = shape.train_length;
  }
};

template <typename T>
class Cope final : public EncodingPart<T> {
 public:
  Cope(const ModelShape& shape, const CopeOptions& options, const Scope& scope)
      : reached_((shape.train_length + 1) / 2) {
    for (Index layer = 0; layer < shape.layers; ++layer) {
      tables_.push_back(scope.nested(std::to_string(layer))
                            .add("table", {options.cope_positions, shape.d_head()}, normal(0.02)));
    }
  }

  std::string note() const override {
    if (tables_.front().rows <= reached_ + 1) return "";
    return fmt::format("training may not reach rows past {}", reached_);
  }

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const Counts counts = count(block, pass);
    for (Index r = 0; r < scores.rows; ++r) {
      const T* z = counts.z.row(r);
      T* score = scores.row(r);
      for_each_place(counts, r, block.visible(r), [&](Index j, const Place& place) {
        score[j] += z[place.low] + place.fraction * (z[place.high] - z[place.low]);
      });
    }
  }

  // The gradient D_ij of a score goes to z at both neighbours and, unless the count is capped, to p_ij with
  // slope z⌈p⌉ - z⌊p⌋. p_ij sums the gates of keys j…i, so dg_it = Σ_{j ≤ t} dp_ij: a running sum, in double
  // like the count.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const Counts counts = count(block, pass);
    const View<T> d_z = pass.zeros(counts.z.rows, counts.z.cols);
    const View<T> places = pass.allocate(2, block.key.rows);
    for (Index r = 0; r < d_z.rows; ++r) {
      const Index visible = block.visible(r);
      for_each_place(counts, r, visible, [&](Index j, const Place& place) {
        places(0, j) = static_cast<T>(place.low);
        places(1, j) = place.fraction;
      });
      const T* z = counts.z.row(r);
      T* gate = counts.gates.row(r);
      double d_gate = 0.0;
      for (Index j = 0; j < visible; ++j) {
        const T d = gradient.scores(r, j);
        const Place place = counts.at(static_cast<Index>(places(0, j)), places(1, j));
        d_z(r, place.low) += (T(1) - place.fraction) * d;
        d_z(r, place.high) += place.fraction * d;
        d_gate += static_cast<double>(d * (z[place.high] - z[place.low]));
        gate[j] = static_cast<T>(d_gate) * gate[j] * (T(1) - gate[j]);
      }
      std::fill(gate + visible, gate + block.key.rows, T(0));
    }
    const View<T>& d_product = counts.gates;  // each gate is read before its gradient overwrites it
    const Slot& table = tables_[static_cast<std::size_t>(block.layer)];
    const Triangle half = block.half(Triangle::Of::left);
    multiply<T>(d_z, pass.value(table), gradient.query, block.scale, T(1), up_to_counts(half));
    multiply<T>(transposed(d_z), block.query, pass.gradient(table), block.scale, T(1), up_to_counts(half));
    multiply<T>(d_product, block.key, gradient.query, block.scale, T(1), half);
    multiply<T>(transposed(d_product), block.query, gradient.key, block.scale, T(1), half);
  }

 private:
  // p_ij as ⌊p⌋ and p - ⌊p⌋: a float holds both to 1e-7, but a count in the thousands only to 1e-4.
  struct Place {
    Index low;
    Index high;  // equals low where the count is capped
    T fraction;
  };
  struct Counts {
    View<T> gates;  // (rows, keys)
    View<T> z;      // (rows, positions of the table)

    Place at(Index low, T fraction) const { return {low, std::min(low + 1, z.cols - 1), fraction}; }
  };

  // A count of n keys is at most n, and lies between the rows n and n + 1 of the table.
  static Triangle up_to_counts(const Triangle& half) { return {half.of, half.diagonal + 2}; }

  Counts count(const ScoreBlock<T>& block, Pass<T>& pass) const {
    const View<const T> table = pass.value(tables_[static_cast<std::size_t>(block.layer)]);
    const Index rows = block.query.rows;
    const Counts counts{pass.allocate(rows, block.key.rows), pass.allocate(rows, table.rows)};
    const Triangle half = block.half(Triangle::Of::result);
    multiply<T>(block.query, transposed(table), counts.z, block.scale, T(0), up_to_counts(half));
    multiply<T>(block.query, transposed(block.key), counts.gates, block.scale, T(0), half);
    for (Index r = 0; r < rows; ++r)
      vmath::sigmoid(counts.gates.row(r), counts.gates.row(r), block.visible(r));
    return counts;
  }

  // Calls visit(j, place) for each key that a row sees, from the last to the first.
  template <typename Visit>
  static void for_each_place(const Counts& counts, Index row, Index visible, const Visit& visit) {
    const T* gate = counts.gates.row(row);
    const auto limit = static_cast<double>(counts.z.cols - 1);
    double position = 0.0;
    for (Index j = visible - 1; j >= 0; --j) {
      position += static_cast<double>(gate[j]);
      const double count = std::min(position, limit);
      const Index low = count > 0.0 ? static_cast<Index>(count) : 0;  // NaN is not a place in a table
      visit(j, counts.at(low, static_cast<T>(count - static_cast<double>(low))));
    }
  }

  Index reached_;             // about the largest count in training: gates start near one half
  std::vector<Slot> tables_;  // for each layer (positions, d_head), shared by its heads
};

}  // namespace

EncodingEntry cope_encoding() {
  return describe_encoding<Cope, CopeOptions>(
      {.name = "cope",
       .formula = "q·k/√d_h + q·e[Σ_{t=j…i} σ(q_i·k_t/√d_h)]/√d_h, linear between rows",
       .beyond = "counts from the last row on share it",
       .source = "Golovneva et al. 2024, §3",
       .positions = PositionUse::nothing,
       .shift_invariant = true,
       .causal_only = true,
       .definition = R"(score_ij = q_i·k_j/√d_h + (1 - f) z_i[w] + f z_i[w + 1],  w = ⌊p_ij⌋,  f = p_ij - w,
  p_ij = min(Σ_{t = j … i} σ(q_i·k_t/√d_h), P - 1),   z_i[c] = q_i·e[c]/√d_h,   σ(x) = 1/(1 + e^-x).
Gates read queries and keys as rope and the like leave them, without what other encodings add to scores: in
path+cope they are σ(q_i·k_t/√d_h) without the H_t of path. The sum includes the gates of both ends, so p_ii is
the query's own gate. At p_ij = P - 1 the term is z_i[P - 1].
P = cope_positions (0: the training length). Gates start near 1/2, so at first training reaches only about half of
these rows, and longer tests may read rows that it never reached. The positions of tokens are not read.
Parameters:
  positional.cope.<layer>.table  e  (cope_positions, d_h), for all heads of the layer  N(0, 0.02²))"});
}

}  // namespace ordinal

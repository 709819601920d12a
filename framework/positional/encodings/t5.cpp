// T5's relative bias (Raffel et al. 2020): one learned number for each head and bucket of distances.
// t5_clipped is the simplified form: each whole distance up to k, on either side, is a bucket of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "framework/core/errors.h"
#include "framework/positional/distance_bias.h"

namespace ordinal {

Index t5_bucket(Index relative, bool causal, Index buckets, Index max_distance) {
  const Index side = causal ? buckets : buckets / 2;
  const Index first = !causal && relative > 0 ? side : 0;
  const Index distance = causal ? std::max<Index>(-relative, 0) : std::abs(relative);
  const Index exact = side / 2;
  if (distance < exact) return first + distance;
  const auto ratio = [&](Index n) { return std::log(static_cast<double>(n) / static_cast<double>(exact)); };
  const double steps = ratio(distance) / ratio(max_distance) * static_cast<double>(side - exact);
  // Rounding must not miss a boundary that is a whole number in exact arithmetic.
  return first + std::min(exact + static_cast<Index>(std::floor(steps + 1e-9)), side - 1);
}

namespace {

struct T5Options {
  Index buckets = 0;
  Index max_distance = 0;

  void visit(OptionVisitor& v) {
    v.integer("buckets", buckets, automatic_or(1, 1e6),
              "rows of the table; 0: 32, but at most the training length (an encoder: twice that)");
    v.integer("max_distance", max_distance, automatic_or(1, 1e6),
              "distance from which all share the last bucket; 0: the training length");
  }

  // Raffel et al. have 32 buckets. With more than L for a side, tests would read some that training never reaches. With L,
  // the distance L - 1 is in the last one.
  void resolve(const ModelShape& shape) {
    const Index sides = shape.causal ? 1 : 2;  // with buckets of their own
    if (buckets == 0) buckets = std::min<Index>(32, sides * std::max<Index>(shape.train_length, 2));
    const Index exact = buckets / sides / 2;  // buckets of a side with a single distance
    if (exact < 1)
      throw ConfigError(fmt::format("buckets = {}, expected at least {}", buckets, shape.causal ? 2 : 4));
    if (max_distance == 0) max_distance = std::max(shape.train_length, 2 * exact);
    if (max_distance > exact) return;
    throw ConfigError(
        fmt::format("max_distance = {} must exceed {}, the distances that {} buckets hold exactly",
                    max_distance, exact, buckets));
  }
};

template <typename T>
class T5Bias final : public DistanceBias<T> {
 public:
  T5Bias(const ModelShape& shape, const T5Options& options, const Scope& scope)
      : max_distance_(options.max_distance),
        table_(scope.add("bias", {options.buckets, shape.heads}, normal(0.02))) {
    for (Index n = -max_distance_; n <= max_distance_; ++n) {
      buckets_.push_back(t5_bucket(n, shape.causal, options.buckets, max_distance_));
    }
  }

  T5Bias(const ModelShape& shape, const ClippedDistanceOptions& options, const Scope& scope)
      : max_distance_(options.max_distance),
        buckets_(static_cast<std::size_t>(2 * max_distance_ + 1)),
        table_(scope.add("bias", {std::ssize(buckets_), shape.heads}, normal(0.02))) {
    std::iota(buckets_.begin(), buckets_.end(), Index{0});
  }

  std::set<Index> rows_read(std::span<const double> positions, bool causal) const override {
    return rows_of_distances(positions, causal, [&](double n) { return bucket(static_cast<T>(n)); });
  }

  void bias(View<const T> n, HeadAt at, View<T> out, Pass<T>& pass) const override {
    const View<const T> table = pass.value(table_);
    for (Index k = 0; k < n.cols; ++k) out(0, k) = table(bucket(n(0, k)), at.head);
  }

  // d b[bucket, h] = Σ dS_ij over all i, j in that bucket.
  void bias_backward(View<const T> n, View<const T> d, HeadAt at, Pass<T>& pass) const override {
    const View<T> d_table = pass.gradient(table_);
    for (Index k = 0; k < n.cols; ++k) d_table(bucket(n(0, k)), at.head) += d(0, k);
  }

 private:
  Index bucket(T distance) const {
    return buckets_[static_cast<std::size_t>(clipped_row(distance, max_distance_))];
  }

  Index max_distance_;
  std::vector<Index> buckets_;  // of relative positions -max_distance … max_distance
  Slot table_;                  // (buckets, heads)
};

}  // namespace

EncodingEntry t5_encoding() {
  return describe_encoding<T5Bias, T5Options>(
      {.name = "t5",
       .formula = "q·k/√d_h + b[bucket(j - i), h]; half of the buckets exact, half logarithmic",
       .beyond = "distances from max_distance on share the last bucket",
       .source = "Raffel et al. 2020, §2.1",
       .shift_invariant = true,
       .maps_distances = true,
       .definition =
           R"(score_ij = q_i·k_j/√d_h + b[bucket(ρ), h],  ρ = p_j - p_i rounded to the nearest whole number, halves away
from zero. T5 itself does not divide q·k by √d_h; the bias is not divided here either.
  causal model  B = buckets;        row n,                         n = max(-ρ, 0)
  encoder       B = ⌊buckets/2⌋;    row n for ρ ≤ 0, B + n for ρ > 0,  n = |ρ|
with, for e = ⌊B/2⌋ and D = max_distance (0: max(L, 2e), L the training length), n replaced by
  e + ⌊(B - e) ln(n/e)/ln(D/e)⌋, at most B - 1,   where n ≥ e.
1e-9 is added before rounding down, so that whole numbers stay whole. From n = D on, the row is B - 1.
buckets = 0 is 32, but at most L in a causal model and 2L in an encoder (at least 2 and 4), so that training
changes every row that longer tests read.
Parameters:
  positional.t5.bias  b  (buckets, H), for all layers  N(0, 0.02²))"});
}

EncodingEntry t5_clipped_encoding() {
  return describe_encoding<T5Bias, ClippedDistanceOptions>(
      {.name = "t5_clipped",
       .formula = "q·k/√d_h + b[clip(j - i, -k, k) + k, h]",
       .beyond = "distances from k on share one bias",
       .source = "Shaw et al. 2018; Raffel et al. 2020, simplified",
       .shift_invariant = true,
       .maps_distances = true,
       .definition = R"(score_ij = q_i·k_j/√d_h + b[c + k, h],  c = ρ clipped to -k … k,
where ρ = p_j - p_i is rounded to the nearest whole number, halves away from zero, and
k = max_distance (0: max(1, ⌊L/4⌋), L the training length). Row k is for the token itself; lower rows are for
keys to the left. The bias is not divided by √d_h.
Parameters:
  positional.t5_clipped.bias  b  (2k + 1, H), for all layers  N(0, 0.02²))"});
}

}  // namespace ordinal

// The simplified form of T5's bias: one learned number for each head and whole distance up to k, on either
// side. Larger distances share the number of k.
#include <fmt/format.h>

#include "framework/positional/distance_bias.h"

namespace ordinal {
namespace {

template <typename T>
class ClippedBias final : public DistanceBias<T> {
 public:
  ClippedBias(const ModelShape& shape, const ClippedDistanceOptions& options, const Scope& scope)
      : k_(options.max_distance), table_(scope.add("bias", {2 * k_ + 1, shape.heads}, normal(0.02))) {}

  std::string constants() const override { return fmt::format("k {}", k_); }

  std::set<Index> rows_read(std::span<const double> positions, bool causal) const override {
    return rows_of_distances(positions, causal, [&](double n) { return clipped_row(n, k_); });
  }

  void bias(View<const T> n, HeadAt at, View<T> out, Pass<T>& pass) const override {
    const View<const T> table = pass.value(table_);
    for (Index c = 0; c < n.cols; ++c) out(0, c) = table(clipped_row(n(0, c), k_), at.head);
  }

  // d b[clip(j - i) + k, h] = Σ dS_ij over all i, j at that distance.
  void bias_backward(View<const T> n, View<const T> d, HeadAt at, Pass<T>& pass) const override {
    const View<T> d_table = pass.gradient(table_);
    for (Index c = 0; c < n.cols; ++c) d_table(clipped_row(n(0, c), k_), at.head) += d(0, c);
  }

 private:
  Index k_;
  Slot table_;  // (2k + 1, heads)
};

}  // namespace

EncodingEntry t5_clipped_encoding() {
  return describe_encoding<ClippedBias, ClippedDistanceOptions>(
      {.name = "t5_clipped",
       .formula = "q·k/√d_h + b[clip(j - i, -k, k) + k, h]",
       .parameters = "bias (2k + 1, heads), shared by all layers",
       .beyond = "distances from k on share one bias",
       .source = "Shaw et al. 2018; Raffel et al. 2020, simplified",
       .shift_invariant = true,
       .definition = R"(score_ij = q_i·k_j/√d_h + b[c + k, h],  c = ρ clipped to -k … k,
where ρ = p_j - p_i is rounded to the nearest whole number, halves away from zero, and
k = max_distance (0: max(1, ⌊L/4⌋), L the training length). Row k is for the token itself; lower rows are for
keys to the left. The bias is not divided by √d_h.
Parameters:
  positional.t5_clipped.bias  b  (2k + 1, H), for all layers  N(0, 0.02²))"});
}

}  // namespace ordinal

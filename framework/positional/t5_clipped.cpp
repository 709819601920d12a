// The simplified form of T5's bias: one learned number for each head and whole distance up to k, to either
// side; beyond, that of k.
#include <fmt/format.h>

#include "framework/positional/clipped_distance.h"
#include "framework/positional/score_distances.h"

namespace ordinal {
namespace {

template <typename T>
class ClippedBias final : public PositionalEncoding<T> {
 public:
  ClippedBias(const EncodingConfig& config, const Scope& scope)
      : k_(clipping_distance(config)), table_(scope.add("bias", {2 * k_ + 1, config.heads}, normal(0.02))) {}

  std::string constants() const override { return fmt::format("k {}", k_); }

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const ScoreDistances<T> distances(block, pass);
    const View<const T> table = pass.value(table_);
    const View<T> bias = pass.allocate(1, distances.size());
    for (Index n = 0; n < bias.cols; ++n) {
      bias(0, n) = table(clipped_row(distances.distances()(0, n), k_), block.head);
    }
    distances.add(bias, scores);
  }

  // d b[clip(j - i) + k, h] = Σ dS_ij over all i, j of that distance.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const ScoreDistances<T> distances(block, pass);
    const View<T> d_table = pass.gradient(table_);
    const View<T> d_bias = pass.allocate(1, distances.size());
    distances.sum(gradient.scores, d_bias);
    for (Index n = 0; n < d_bias.cols; ++n) {
      d_table(clipped_row(distances.distances()(0, n), k_), block.head) += d_bias(0, n);
    }
  }

 private:
  Index k_;
  Slot table_;  // (2k + 1, heads)
};

}  // namespace

EncodingEntry t5_clipped_encoding() {
  return describe_encoding<ClippedBias>({.name = "t5_clipped",
                                         .acts_on = "scores",
                                         .formula = "q·k/√d_h + b[clip(j - i, -k, k) + k, h]",
                                         .parameters = "bias (2k + 1, heads), shared by all layers",
                                         .beyond = "distances from k on share one bias",
                                         .source = "Shaw et al. 2018; Raffel et al. 2020, simplified",
                                         .shift_invariant = true});
}

}  // namespace ordinal

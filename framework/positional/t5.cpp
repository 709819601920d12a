// T5's relative bias (Raffel et al. 2020): one learned number for each head and bucket of distances. The
// table serves all layers. T5 itself does not divide q·k by √d_h; here q·k is divided and the bias is not.
#include "framework/positional/t5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/core/errors.h"
#include "framework/positional/score_distances.h"

namespace ordinal {

Index t5_bucket(Index relative, bool causal, Index buckets, Index max_distance) {
  const Index side = causal ? buckets : buckets / 2;
  const Index first = !causal && relative > 0 ? side : 0;
  const Index distance = causal ? std::max<Index>(-relative, 0) : std::abs(relative);
  const Index exact = side / 2;
  if (distance < exact) return first + distance;
  const auto ratio = [&](Index n) { return std::log(static_cast<double>(n) / static_cast<double>(exact)); };
  const double steps = ratio(distance) / ratio(max_distance) * static_cast<double>(side - exact);
  // A boundary that is exact in real numbers must not be missed by a rounding error.
  return first + std::min(exact + static_cast<Index>(std::floor(steps + 1e-9)), side - 1);
}

namespace {

template <typename T>
class T5Bias final : public PositionalEncoding<T> {
 public:
  T5Bias(const EncodingConfig& config, const Scope& scope)
      : causal_(config.causal), max_distance_(config.max_distance), table_(make_table(config, scope)) {
    const Index exact = (causal_ ? table_.rows : table_.rows / 2) / 2;
    if (max_distance_ == 0) max_distance_ = std::max(config.train_length, 2 * exact);
    if (exact < 1) {
      throw ConfigError(
          fmt::format("t5: positional.buckets = {}, expected at least {}", table_.rows, causal_ ? 2 : 4));
    }
    if (max_distance_ <= exact) {
      throw ConfigError(fmt::format(
          "t5: positional.max_distance = {} must exceed {}, the distances that {} buckets hold exactly",
          max_distance_, exact, table_.rows));
    }
    for (Index n = -max_distance_; n <= max_distance_; ++n) {
      buckets_.push_back(t5_bucket(n, causal_, table_.rows, max_distance_));
    }
  }

  std::string constants() const override {
    return fmt::format("{} buckets, max_distance {}", table_.rows, max_distance_);
  }

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const ScoreDistances<T> distances(block, pass);
    const View<const T> table = pass.value(table_);
    const View<T> bias = pass.allocate(1, distances.size());
    for (Index n = 0; n < bias.cols; ++n) {
      bias(0, n) = table(bucket(distances.distances()(0, n)), block.head);
    }
    distances.add(bias, scores);
  }

  // d b[bucket, h] = Σ dS_ij over all i, j of that bucket.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const ScoreDistances<T> distances(block, pass);
    const View<T> d_table = pass.gradient(table_);
    const View<T> d_bias = pass.allocate(1, distances.size());
    distances.sum(gradient.scores, d_bias);
    for (Index n = 0; n < d_bias.cols; ++n) {
      d_table(bucket(distances.distances()(0, n)), block.head) += d_bias(0, n);
    }
  }

 private:
  static Slot make_table(const EncodingConfig& config, const Scope& scope) {
    return scope.add("bias", {config.buckets, config.heads}, normal(0.02));
  }
  // Distances that are no whole numbers go to the nearest.
  Index bucket(T distance) const {
    const auto relative = static_cast<Index>(std::llround(-distance));
    const Index entry = std::clamp(relative, -max_distance_, max_distance_) + max_distance_;
    return buckets_[static_cast<std::size_t>(entry)];
  }

  bool causal_;
  Index max_distance_;
  std::vector<Index> buckets_;  // of relative positions -max_distance … max_distance
  Slot table_;                  // (buckets, heads)
};

}  // namespace

EncodingEntry t5_encoding() {
  return describe_encoding<T5Bias>(
      {.name = "t5",
       .acts_on = "scores",
       .formula = "q·k/√d_h + b[bucket(j - i), h]; half of the buckets exact, half logarithmic",
       .parameters = "bias (buckets, heads), shared by all layers",
       .beyond = "distances from max_distance on share the last bucket",
       .source = "Raffel et al. 2020, §2.1",
       .shift_invariant = true});
}

}  // namespace ordinal

// ALiBi (Press et al. 2022): each head fades with distance at its own fixed rate. Nothing is learned, and
// nothing is added to the input.
#include "framework/positional/alibi.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "framework/positional/score_distances.h"

namespace ordinal {

std::vector<double> alibi_slopes(Index heads) {
  const auto power = static_cast<Index>(std::bit_floor(static_cast<std::size_t>(heads)));
  std::vector<double> slopes;
  for (Index h = 1; h <= power; ++h) {
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(power)));
  }
  for (Index h = 1; std::ssize(slopes) < heads; h += 2) {
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(2 * power)));
  }
  return slopes;
}

namespace {

template <typename T>
class Alibi final : public PositionalEncoding<T> {
 public:
  Alibi(const EncodingConfig& config, const Scope& /*scope*/)
      : slopes_(alibi_slopes(config.heads)), scale_(config.slope_scale) {}

  std::string constants() const override {
    return fmt::format("slopes {:.4g} to {:.4g}", scale_ * std::ranges::max(slopes_),
                       scale_ * std::ranges::min(slopes_));
  }

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const ScoreDistances<T> distances(block, pass);
    const View<T> bias = pass.allocate(1, distances.size());
    const auto slope = static_cast<T>(scale_ * slopes_[static_cast<std::size_t>(block.head)]);
    for (Index n = 0; n < bias.cols; ++n) bias(0, n) = -slope * std::abs(distances.distances()(0, n));
    distances.add(bias, scores);
  }

 private:
  std::vector<double> slopes_;  // one for each head
  double scale_;
};

}  // namespace

EncodingEntry alibi_encoding() {
  return describe_encoding<Alibi>({.name = "alibi",
                                   .acts_on = "scores",
                                   .formula = "q·k/√d_h - m_h |i - j|, m_h = 2^(-8h/H) for H a power of two",
                                   .parameters = "none",
                                   .beyond = "runs",
                                   .source = "Press et al. 2022, §3",
                                   .shift_invariant = true});
}

}  // namespace ordinal

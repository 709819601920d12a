// Transformer-XL's relative attention (Dai et al. 2019): beside the content q·k a query looks for a distance,
// and two learned vectors stand for what every query looks for.
#include <fmt/format.h>

#include <algorithm>

#include "framework/core/blas.h"
#include "framework/core/errors.h"
#include "framework/core/vector_math.h"
#include "framework/positional/positional_encoding.h"
#include "framework/positional/sinusoid_table.h"

namespace ordinal {
namespace {

/// score_ij = (q_i·k_j + q_i·r_ij + u·k_j + v·r_ij) / √d_h,  r_ij = W_r s(p_i - p_j), s the sines and cosines
/// of a distance; u, v (d_h) for each head, W_r (d_h, d_model) for each head and layer. §3.3.
///
/// The authors compute all (q + v)·W_r s(n) and shift each row by its position. Here the angle of a
/// difference is taken apart instead: with (A_m, B_m) = (q + v) W_r in the columns of sin(ω_m n) and cos(ω_m
/// n),
///   A sin ω(i - j) + B cos ω(i - j) = (B sin ωi - A cos ωi) sin ωj + (A sin ωi + B cos ωi) cos ωj,
/// so that one product of rows turned by their own position with the sines and cosines of the keys gives the
/// whole block, for any real positions.
template <typename T>
class TransformerXl final : public PositionalEncoding<T> {
 public:
  TransformerXl(const EncodingConfig& config, const Scope& scope)
      : d_head_(config.d_head()),
        base_(config.base),
        sinusoids_(frequencies_of(config), config.longest, SinusoidLayout::split,
                   table_precision(config.precision)),
        u_(scope.add("u", {config.heads, d_head_}, normal(0.02))),
        v_(scope.add("v", {config.heads, d_head_}, normal(0.02))) {
    for (Index layer = 0; layer < config.layers; ++layer) {
      weights_.push_back(scope.nested(std::to_string(layer))
                             .add("weight", {config.heads * d_head_, config.d_model}, normal(0.02)));
    }
  }

  std::string constants() const override {
    return fmt::format("base {:g}, table of {} bytes", base_, sinusoids_.memory_bytes());
  }

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const View<const T> keys = sinusoids_.rows(block.key_positions, pass);
    const View<T> turned = pass.allocate(block.query.rows, keys.cols);
    multiply<T>(with_v(block, pass), weight(block, pass), turned);
    turn(block, turned, pass);
    multiply<T>(turned, transposed(keys), scores, block.scale, T(1));
    const View<T> content = pass.allocate(1, block.key.rows);
    multiply<T>(pass.value(u_).row_range(block.head, 1), transposed(block.key), content, block.scale);
    for (Index r = 0; r < scores.rows; ++r) {
      vmath::add(scores.row(r), content.data, scores.row(r), block.visible(r));
    }
  }

  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    content_backward(block, gradient, pass);
    const View<const T> keys = sinusoids_.rows(block.key_positions, pass);
    const View<T> d_turned = pass.allocate(block.query.rows, keys.cols);
    multiply<T>(gradient.scores, keys, d_turned, block.scale);
    turn(block, d_turned, pass);  // the map is symmetric: its own transpose
    const View<T> d_query = pass.allocate(block.query.rows, d_head_);
    multiply<T>(d_turned, transposed(weight(block, pass)), d_query);
    View<T> d_weight = pass.gradient(weights_[static_cast<std::size_t>(block.layer)]);
    multiply<T>(transposed(with_v(block, pass)), d_turned, d_weight.row_range(block.head * d_head_, d_head_),
                T(1), T(1));
    T* d_v = pass.gradient(v_).row(block.head);
    for (Index r = 0; r < d_query.rows; ++r) {
      vmath::add(d_query.row(r), gradient.query.row(r), gradient.query.row(r), d_head_);
      vmath::add(d_query.row(r), d_v, d_v, d_head_);
    }
  }

 private:
  static std::vector<double> frequencies_of(const EncodingConfig& config) {
    if (config.d_model % 2 == 0) return sinusoidal_frequencies(config.d_model, config.base);
    throw ConfigError(fmt::format("transformer_xl: d_model {} is odd, expected an even one", config.d_model));
  }

  View<const T> weight(const ScoreBlock<T>& block, const Pass<T>& pass) const {
    const Slot& slot = weights_[static_cast<std::size_t>(block.layer)];
    return pass.value(slot).row_range(block.head * d_head_, d_head_);
  }

  View<T> with_v(const ScoreBlock<T>& block, Pass<T>& pass) const {
    const View<T> sum = pass.allocate(block.query.rows, d_head_);
    for (Index r = 0; r < sum.rows; ++r) {
      vmath::add(block.query.row(r), pass.value(v_).row(block.head), sum.row(r), d_head_);
    }
    return sum;
  }

  // (A, B) -> (B sin - A cos, A sin + B cos) at each query's own position.
  void turn(const ScoreBlock<T>& block, View<T> x, Pass<T>& pass) const {
    const View<const T> angles = sinusoids_.rows(block.query_positions, pass);
    const Index n = x.cols / 2;
    for (Index r = 0; r < x.rows; ++r) {
      T* a = x.row(r);
      T* b = a + n;
      const T* sine = angles.row(r);
      const T* cosine = sine + n;
      for (Index m = 0; m < n; ++m) {
        const T first = a[m];
        a[m] = b[m] * sine[m] - first * cosine[m];
        b[m] = first * sine[m] + b[m] * cosine[m];
      }
    }
  }

  // u·k_j adds the same to a whole column: with c_j = Σ_i dS_ij / √d_h,  du = Σ_j c_j k_j,  dk_j += c_j u.
  void content_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient, Pass<T>& pass) const {
    const View<T> column_sums = pass.allocate(1, block.key.rows);
    std::fill_n(column_sums.data, column_sums.cols, T(0));
    for (Index r = 0; r < gradient.scores.rows; ++r) {
      vmath::add_scaled(block.scale, gradient.scores.row(r), column_sums.data, block.visible(r));
    }
    const View<const T> u = pass.value(u_).row_range(block.head, 1);
    multiply_add<T>(column_sums, block.key, pass.gradient(u_).row_range(block.head, 1));
    multiply_add<T>(transposed(column_sums), u, gradient.key);
  }

  Index d_head_;
  double base_;
  SinusoidTable<T> sinusoids_;
  Slot u_;  // (heads, d_head), for all layers
  Slot v_;
  std::vector<Slot> weights_;  // W_r of each layer (heads·d_head, d_model)
};

}  // namespace

EncodingEntry transformer_xl_encoding() {
  return describe_encoding<TransformerXl>(
      {.name = "transformer_xl",
       .acts_on = "scores",
       .formula = "(q·k + q·r + u·k + v·r)/√d_h, r = W_r s(i - j), s sines and cosines of the distance",
       .parameters = "u, v (H, d_h), weight (d_model, d_model) of each layer",
       .beyond = "runs",
       .source = "Dai et al. 2019, §3.3",
       .shift_invariant = true});
}

}  // namespace ordinal

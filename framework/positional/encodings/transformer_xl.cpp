// Transformer-XL's relative attention (Dai et al. 2019): a query scores the content of a key and also its distance.
#include <fmt/format.h>

#include <algorithm>

#include "framework/core/errors.h"
#include "framework/math/vector_math.h"
#include "framework/positional/rotary.h"
#include "framework/positional/score_distances.h"

namespace ordinal {
namespace {

/// Evenly spaced positions have few distances. As the authors do, r is computed once per run for each distance, for all
/// heads, and the rows of (q + v) r for all distances are shifted by the query's position (§B). For all others, and for tables in
/// half precision, the addition theorems split the angle of a difference: with (A_m, B_m) = (q + v) W in the columns of
/// sin(ω_m n) and cos(ω_m n),
///   A sin ω(i - j) + B cos ω(i - j) = (B sin ωi - A cos ωi) sin ωj + (A sin ωi + B cos ωi) cos ωj,
/// so the whole block is one product: query rows turned by their own position, times the sines and cosines of the keys.
template <typename T>
class TransformerXl final : public EncodingPart<T> {
 public:
  TransformerXl(const ModelShape& shape, const SinusoidOptions& options, const Scope& scope)
      : d_head_(shape.d_head()),
        causal_(shape.causal),
        whole_precision_(options.precision == "float"),
        sinusoids_(sines_then_cosines(frequencies_of(shape, options)), rows_to_keep(shape.longest),
                   options.precision),
        rows_(scope),
        distances_(scope),
        u_(scope.add("u", {shape.heads, d_head_}, normal(0.02))),
        v_(scope.add("v", {shape.heads, d_head_}, normal(0.02))) {
    for (Index layer = 0; layer < shape.layers; ++layer) {
      weights_.push_back(scope.nested(std::to_string(layer))
                             .add("weight", {shape.heads * d_head_, shape.d_model},
                                  scope.initial_weights().inner(shape.d_model)));
      relative_.emplace_back(scope);
    }
  }

  void begin_run(Pass<T>& pass) const override {
    const Positions& positions = pass.run().positions;
    const bool even = whole_precision_ && pass.run().cache == nullptr && have_equal_steps(positions);
    const View<const T> rows = even ? rows_of_distances(positions.of(0), pass) : rows_of_run(pass);
    rows_.keep(rows, pass);
    distances_.keep(rows.row_range(0, even ? rows.rows : 0), pass);
    for (std::size_t layer = 0; even && layer < weights_.size(); ++layer) {
      const View<const T> weight = pass.value(weights_[layer]);
      const View<T> relative = pass.allocate(rows.rows, weight.rows);
      multiply<T>(rows, transposed(weight), relative);
      relative_[layer].keep(relative, pass, relative.cols);
    }
  }

  // R = S W_rᵀ:  dW_r += dRᵀ S.
  void end_backward(Pass<T>& pass) const override {
    for (std::size_t layer = 0; is_even(pass) && layer < weights_.size(); ++layer) {
      multiply_add<T>(transposed(relative_[layer].gradient(pass)), distances_.of_run(pass),
                      pass.gradient(weights_[layer]));
    }
  }

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    if (is_even(pass)) {
      const View<const T> relative = of_block(block, relative_of(block).of_run(pass));
      const View<T> all = pass.allocate(scores.rows, relative.rows);
      multiply<T>(with_v(block, pass), transposed(relative), all, block.scale);
      for (Index r = 0; r < scores.rows; ++r) {
        vmath::add(scores.row(r), all.row(r) + (scores.rows - 1 - r), scores.row(r), block.visible(r));
      }
    } else {
      const View<const T> keys = key_rows(block, pass);
      const View<T> turned = pass.allocate(block.query.rows, keys.cols);
      multiply<T>(with_v(block, pass), weight(block, pass), turned);
      turn(block, turned, pass);
      multiply<T>(turned, transposed(keys), scores, block.scale, T(1), block.half(Triangle::Of::result));
    }
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
    const View<T> d_query = pass.allocate(block.query.rows, d_head_);
    if (is_even(pass)) {
      distances_backward(block, gradient.scores, d_query, pass);
    } else {
      angles_backward(block, gradient.scores, d_query, pass);
    }
    T* d_v = pass.gradient(v_).row(block.head);
    for (Index r = 0; r < d_query.rows; ++r) {
      vmath::add(d_query.row(r), gradient.query.row(r), gradient.query.row(r), d_head_);
      vmath::add(d_query.row(r), d_v, d_v, d_head_);
    }
  }

 private:
  static std::vector<double> frequencies_of(const ModelShape& shape, const SinusoidOptions& options) {
    if (shape.d_model % 2 == 0) return sinusoidal_frequencies(shape.d_model, options.base);
    throw ConfigError(fmt::format("transformer_xl: d_model {} is odd, expected an even one", shape.d_model));
  }

  // Sines and cosines of all tokens that the run attends to: with a cache, the older ones first.
  View<const T> rows_of_run(Pass<T>& pass) const {
    const DecodeCache<T>* cache = pass.run().cache;
    if (cache == nullptr) return sinusoids_.rows(pass.run().positions, pass);
    std::vector<double> all;
    for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
      all.insert(all.end(), cache->positions(sequence).begin(), cache->positions(sequence).end());
    }
    return sinusoids_.rows(all, pass);
  }

  static bool have_equal_steps(const Positions& positions) {
    const auto step = [](std::span<const double> p) { return p.size() > 1 ? p[1] - p[0] : 0.0; };
    for (Index sequence = 0; sequence < (positions.is_shared() ? 1 : positions.batch()); ++sequence) {
      const std::span<const double> own = positions.of(sequence);
      if (!evenly_spaced(own) || step(own) != step(positions.of(0))) return false;
    }
    return true;
  }

  // Rows for all distances, from (last query - first key) down to 0 if causal, else down to (first query - last key).
  View<const T> rows_of_distances(std::span<const double> positions, Pass<T>& pass) const {
    std::vector<double> distances;
    for (auto key = positions.begin(); key != positions.end(); ++key)
      distances.push_back(positions.back() - *key);
    for (std::size_t query = positions.size() - 1; !causal_ && query > 0; --query)
      distances.push_back(positions[query - 1] - positions.back());
    return sinusoids_.rows(distances, pass);
  }

  bool is_even(const Pass<T>& pass) const { return distances_.of_run(pass).rows > 0; }

  const RunRows<T>& relative_of(const ScoreBlock<T>& block) const {
    return relative_[static_cast<std::size_t>(block.layer)];
  }

  // The rows for a block and a head. Row r and key j use row `rows - 1 - r + j`.
  template <typename Element>
  View<Element> of_block(const ScoreBlock<T>& block, View<Element> all) const {
    const Index length = causal_ ? all.rows : (all.rows + 1) / 2;
    const Index first = length - block.first_query - block.query.rows;
    const Index count = std::min(all.rows - first, block.query.rows + block.key.rows - 1);
    return all.row_range(first, count).col_range(block.head * d_head_, d_head_);
  }

  void distances_backward(const ScoreBlock<T>& block, View<const T> d_scores, View<T> d_query,
                          Pass<T>& pass) const {
    const View<const T> relative = of_block(block, relative_of(block).of_run(pass));
    const View<T> d_all = pass.zeros(d_scores.rows, relative.rows);
    for (Index r = 0; r < d_scores.rows; ++r)
      std::copy_n(d_scores.row(r), block.visible(r), d_all.row(r) + (d_scores.rows - 1 - r));
    multiply<T>(d_all, relative, d_query, block.scale);
    multiply<T>(transposed(d_all), with_v(block, pass), of_block(block, relative_of(block).gradient(pass)),
                block.scale, T(1));
  }

  void angles_backward(const ScoreBlock<T>& block, View<const T> d_scores, View<T> d_query,
                       Pass<T>& pass) const {
    const View<const T> keys = key_rows(block, pass);
    const View<T> d_turned = pass.allocate(block.query.rows, keys.cols);
    multiply<T>(d_scores, keys, d_turned, block.scale, T(0), block.half(Triangle::Of::left));
    turn(block, d_turned, pass);  // the map is symmetric: its own transpose
    multiply<T>(d_turned, transposed(weight(block, pass)), d_query);
    const View<T> d_weight = pass.gradient(weights_[static_cast<std::size_t>(block.layer)]);
    multiply_add<T>(transposed(with_v(block, pass)), d_turned,
                    d_weight.row_range(block.head * d_head_, d_head_));
  }

  View<const T> key_rows(const ScoreBlock<T>& block, const Pass<T>& pass) const {
    const View<const T> rows = rows_.of_run(pass);
    const bool shared = pass.run().cache == nullptr && pass.run().positions.is_shared();
    const Index first = shared ? 0 : block.sequence * (rows.rows / pass.batch());
    return rows.row_range(first + block.first_key, block.key.rows);
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
    const View<const T> angles = key_rows(block, pass).row_range(block.first_query, block.query.rows);
    const Index n = x.cols / 2;
    for (Index r = 0; r < x.rows; ++r) {
      turn_pairs(x.row(r), n, angles.row(r), angles.row(r) + n, T(1));
      vmath::scale(T(-1), x.row(r), n);
    }
  }

  // u·k_j adds the same term to a whole column: with c_j = Σ_i dS_ij / √d_h,  du = Σ_j c_j k_j,  dk_j += c_j u.
  void content_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient, Pass<T>& pass) const {
    const View<T> column_sums = pass.zeros(1, block.key.rows);
    for (Index r = 0; r < gradient.scores.rows; ++r) {
      vmath::add_scaled(block.scale, gradient.scores.row(r), column_sums.data, block.visible(r));
    }
    const View<const T> u = pass.value(u_).row_range(block.head, 1);
    multiply_add<T>(column_sums, block.key, pass.gradient(u_).row_range(block.head, 1));
    multiply_add<T>(transposed(column_sums), u, gradient.key);
  }

  Index d_head_;
  bool causal_;
  bool whole_precision_;
  SinusoidTable<T> sinusoids_;
  RunRows<T> rows_;       // s of the tokens that the run attends to (tokens, d_model)
  RunRows<T> distances_;  // s of all distances (L or 2 L - 1, d_model); no rows if steps are unequal
  Slot u_;                // (heads, d_head), for all layers
  Slot v_;
  std::vector<Slot> weights_;         // W_r of each layer (heads·d_head, d_model)
  std::vector<RunRows<T>> relative_;  // R = S W_rᵀ of each layer (distances, heads·d_head)
};

}  // namespace

EncodingEntry transformer_xl_encoding() {
  return describe_encoding<TransformerXl, SinusoidOptions>(
      {.name = "transformer_xl",
       .formula = "(q·k + q·r + u·k + v·r)/√d_h, r = W_r s(i - j), s sines and cosines of the distance",
       .source = "Dai et al. 2019, §3.3",
       .shift_invariant = true,
       .definition = R"(score_ij = (q_i·k_j + q_i·r_ij + u_h·k_j + v_h·r_ij)/√d_h,  r_ij = W_h s(p_i - p_j),
with s(n) of d = d_model numbers, all sines first and then all cosines:
  s(n)[m] = sin(n ω_m),  s(n)[d/2 + m] = cos(n ω_m),  ω_m = base^(-2m/d),  m = 0 … d/2 - 1.
n is signed, positive for keys to the left, and any real number. base = auto is max(10 L/2π, 2) for the
training length L. Heads h = 0 … H - 1; W_h is rows h·d_h … (h + 1)·d_h - 1 of the layer's weight W.
precision = half or bfloat16 rounds s(p_i) and s(p_j). The addition theorems then give s(p_i - p_j) from them.
So positions are rounded, not their difference, and a common offset changes the rounding.
Parameters:
  positional.transformer_xl.u                u  (H, d_h), for all layers  N(0, 0.02²)
  positional.transformer_xl.v                v  (H, d_h), for all layers  N(0, 0.02²)
  positional.transformer_xl.<layer>.weight   W  (d_model, d_model)        model.init)"});
}

}  // namespace ordinal

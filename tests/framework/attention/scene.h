// Two sequences through attention with grouped heads and an encoding: by the layer, and by loops over whole rows of scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/attention/attention.h"
#include "framework/core/decode_cache.h"
#include "tests/framework/attention/attention_map.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/layers/branch_setting.h"
#include "tests/framework/with_options.h"

namespace ordinal::testing {

struct SceneOf {
  std::string encoding = "none";
  AttentionOptions own = {};
  Index kv_heads = 2;
  bool causal = true;
  Index block_rows = 4;
  Index kept_length = 256;
  Index length = 13;
  bool evenly = false;  // positions 0, 1, 2, …; else with gaps that differ between the sequences

  bool encoded() const { return own.encoding == "all"; }
};

// The layer computes at once or step by step; the loops mask and scale whole rows of scores by hand.
template <typename T>
class SceneIn {
 public:
  static constexpr Index batch = 2;
  static constexpr Index width = 16;
  static constexpr Index head_count = 4;
  static constexpr Index d_head = width / head_count;
  const Index length;

  explicit SceneIn(const SceneOf& of)
      : length(of.length),
        of_(of),
        shape_{.d_model = width,
               .heads = head_count,
               .n_kv_heads = of.kv_heads,
               .layers = 1,
               .causal = of.causal,
               .train_length = 8},
        encoding_(make_positional_encoding<T>(
            with_options(of.encoding,
                         {{"buckets", "8"},
                          {"max_distance", "5"},
                          {"hidden", "4"},
                          {"max_seq_len", std::to_string(64 + 4 * of.length)},
                          {"xpos_scale", "100"},
                          {"embedding", "learned(max_seq_len=" + std::to_string(64 + 4 * of.length) + ")"}}),
            shape_, Scope(layout_, "positional"))),
        attention_({.shape = shape_, .encoding = encoding_.get()}, of.own, Scope(layout_, "attention"),
                   {of.block_rows, of.kept_length}),
        values_(layout_),
        x_({batch * length, width}),
        r_({batch * length, width}) {
    Random random({.seed = 1});
    const auto draw = [&](std::span<T> numbers, double scale) {  // equal in float and in double
      for (T& number : numbers) number = static_cast<T>(static_cast<float>(scale * random.normal()));
    };
    draw(values_.flat(), 0.5);
    draw(x_.span(), 1.0);
    draw(r_.span(), 1.0);
    for (Index b = 0; b < batch; ++b) {
      for (Index t = 0; t < length; ++t) {
        const Index position = of.evenly ? t : t + t / 4 + b * (t + 3);
        positions_.push_back(static_cast<double>(position));
      }
    }
  }

  // The layer, over `step` tokens at a time; 0: all at once, without a cache.
  Tensor<T> by_layer(const AttentionTest& limits, Index step = 0) const {
    std::optional<DecodeCache<T>> cache;
    if (step > 0) cache.emplace(layout_, batch, length);
    Tensor<T> y({batch * length, width});
    const Index count = step > 0 ? step : length;
    for (Index first = 0; first < length; first += count)
      run(first, std::min(count, length - first), limits, cache, y);
    return y;
  }

  Tensor<T> by_loops(const AttentionTest& limits) const {
    Tensor<T> mixed({batch * length, width});
    for (Index b = 0; b < batch; ++b) {
      Pass<T> pass(values_);
      const Tensor<T> qkv = projected(b, limits, pass);
      for (Index head = 0; head < head_count; ++head) {
        const Tensor<T> weights = probabilities(qkv, head, limits, pass);
        const View<const T> v = head_of(qkv, width + key_width(), head);
        for (Index i = 0; i < length; ++i) {
          for (Index j = 0; j < length; ++j) {
            for (Index c = 0; c < d_head; ++c)
              mixed(b * length + i, head * d_head + c) += weights(i, j) * v(j, c);
          }
        }
      }
    }
    return linear_by_loops(values_, "attention.output", mixed.view());
  }

  // The gradient of Σ y∘r, for random numbers r, in the input and all parameters.
  std::vector<T> gradient() const {
    Parameters<T> gradients(layout_);
    Pass<T> pass(values_, &gradients);
    pass.begin({.positions = Positions::per_sequence(batch, positions_), .record = true});
    encoding_->begin_run(pass);
    attention_.forward(x_.view(), pass);
    const View<const T> dx = attention_.backward(r_.view(), pass);
    std::vector<T> all(dx.data, dx.data + dx.size());
    encoding_->encode_input_backward(Tensor<T>({batch * length, width}).view(), pass);
    all.insert(all.end(), gradients.flat().begin(), gradients.flat().end());
    return all;
  }

  // The error of that gradient along one random direction, by central differences. No element of the direction is below 1, so that
  // a wrong element shows at least its own error.
  double gradient_error() {
    const std::vector<T> all = gradient();
    const std::vector<T*> moved = variables();
    std::vector<T> start;
    std::vector<T> direction;
    Random random({.seed = 3});
    for (const T* variable : moved) {
      start.push_back(*variable);
      const double normal = random.normal();
      direction.push_back(0.1 * normal + std::copysign(1.0, normal));
    }
    const auto move = [&](double step) {
      for (std::size_t i = 0; i < start.size(); ++i) *moved[i] = start[i] + step * direction[i];
    };
    const double numeric = slope(move);
    move(0.0);
    const double analytic = std::inner_product(all.begin(), all.end(), direction.begin(), 0.0);
    return larger_error(0.0, std::abs(numeric - analytic));
  }

  // Of the first sequence.
  Tensor<T> probabilities_by_loops(Index head, const AttentionTest& limits) const {
    Pass<T> pass(values_);
    const Tensor<T> qkv = projected(0, limits, pass);
    return probabilities(qkv, head, limits, pass);
  }

  Tensor<T> probabilities_by_observer(Index head, const AttentionTest& limits) const {
    std::optional<DecodeCache<T>> none;
    Tensor<T> y({batch * length, width});
    Tensor<T> map({length, length});
    run(0, length, limits, none, y, map_into(map, 0, head));
    return map;
  }

  // Of the last `count` tokens, after the others were read into a cache.
  Tensor<T> probabilities_of_last(Index count, Index head, const AttentionTest& limits) const {
    std::optional<DecodeCache<T>> cache(std::in_place, layout_, batch, length);
    Tensor<T> y({batch * length, width});
    run(0, length - count, limits, cache, y);
    Tensor<T> map({count, length});
    run(length - count, count, limits, cache, y, map_into(map, 0, head));
    return map;
  }

 private:
  // The input and all parameters.
  std::vector<T*> variables() {
    std::vector<T*> all;
    for (T& number : x_.span()) all.push_back(&number);
    for (T& number : values_.flat()) all.push_back(&number);
    return all;
  }

  // The derivative of Σ y∘r at 0 as `move` moves something.
  double slope(const auto& move) const {
    const auto loss = [&](double step) {
      move(step);
      const Tensor<T> y = by_layer({});
      return std::inner_product(y.span().begin(), y.span().end(), r_.span().begin(), 0.0);
    };
    constexpr double step = 1e-6;
    return (loss(step) - loss(-step)) / (2.0 * step);
  }

  std::span<const double> positions_of(Index sequence, Index first, Index count) const {
    return std::span(positions_)
        .subspan(static_cast<std::size_t>(sequence * length + first), static_cast<std::size_t>(count));
  }

  void run(Index first, Index count, const AttentionTest& limits, std::optional<DecodeCache<T>>& cache,
           Tensor<T>& y, const std::function<void(const AttentionRow<T>&)>& observe = {}) const {
    const AttentionRun<T> attention{limits, observe};
    std::vector<double> positions;
    Tensor<T> x({batch * count, width});
    for (Index b = 0; b < batch; ++b) {
      const auto part = positions_of(b, first, count);
      positions.insert(positions.end(), part.begin(), part.end());
      std::copy_n(x_.view().row(b * length + first), count * width, x.view().row(b * count));
    }
    Pass<T> pass(values_);
    pass.begin({.positions = Positions::per_sequence(batch, positions),
                .cache = cache ? &*cache : nullptr,
                .attention = &attention});
    if (cache) cache->begin_run(pass.run().positions);
    encoding_->begin_run(pass);
    const View<const T> out = attention_.forward(x.view(), pass);
    if (cache) cache->end_run();
    for (Index b = 0; b < batch; ++b) {
      std::copy_n(out.row(b * count), count * width, y.view().row(b * length + first));
    }
  }

  Index key_width() const { return of_.kv_heads * d_head; }
  // The columns of the key or value head that a head reads.
  View<const T> head_of(const Tensor<T>& qkv, Index first, Index head) const {
    return qkv.view().col_range(first + head * of_.kv_heads / head_count * d_head, d_head);
  }

  // Queries, keys and values of one sequence, encoded. Begins a run over it.
  Tensor<T> projected(Index sequence, const AttentionTest& limits, Pass<T>& pass) const {
    const auto own = positions_of(sequence, 0, length);
    pass.begin({.positions = Positions::shared(1, {own.begin(), own.end()})});
    encoding_->begin_run(pass);
    if (of_.encoded()) encoding_->encode_layer(x_.view().row_range(sequence * length, length), 0, pass);
    Tensor<T> qkv = linear_by_loops(values_, "attention.qkv", x_.view().row_range(sequence * length, length));
    if (of_.own.qk_norm != "none") {
      normalise(qkv.view().col_range(0, width), "query_norm");
      normalise(qkv.view().col_range(width, key_width()), "key_norm");
    }
    if (!of_.encoded()) return qkv;
    encoding_->encode_query_key(qkv.view().col_range(0, width), qkv.view().col_range(width, key_width()),
                                {0, {of_.causal, limits.window}}, pass);
    return qkv;
  }

  // RMSNorm of each head.
  void normalise(View<T> x, const std::string& norm) const {
    const OptionValues options = parse_part(of_.own.qk_norm).options;
    const double epsilon = options.contains("epsilon") ? std::stod(options.at("epsilon")) : 1e-5;
    const View<const T> gain = values_["attention." + norm + ".weight"];
    for (Index r = 0; r < x.rows; ++r) {
      for (Index column = 0; column < x.cols; column += d_head) {
        double squares = 0.0;
        for (Index c = 0; c < d_head; ++c) squares += x(r, column + c) * x(r, column + c);
        const double root = std::sqrt(squares / static_cast<double>(d_head) + epsilon);
        for (Index c = 0; c < d_head; ++c) x(r, column + c) *= gain(0, c) / root;
      }
    }
  }

  Tensor<T> probabilities(const Tensor<T>& qkv, Index head, const AttentionTest& limits,
                          Pass<T>& pass) const {
    const auto positions = pass.run().positions.of(0);
    const ScoreBlock<T> block{.head = head,
                              .sight = {of_.causal},
                              .scale = 1.0 / std::sqrt(static_cast<double>(d_head)),
                              .query = qkv.view().col_range(head * d_head, d_head),
                              .key = head_of(qkv, width, head),
                              .key_positions = positions};
    Tensor<T> scores({length, length});
    for (Index i = 0; i < length; ++i) {
      for (Index j = 0; j < length; ++j) {
        for (Index c = 0; c < d_head; ++c) scores(i, j) += block.scale * block.query(i, c) * block.key(j, c);
      }
    }
    if (of_.encoded()) encoding_->encode_scores(block, scores.view(), pass);
    Tensor<T> result({length, length});
    for (Index i = 0; i < length; ++i) {
      const Index first = limits.window > 0 ? std::max<Index>(0, i - limits.window + 1) : 0;
      const Index end = of_.causal ? i + 1 : length;
      const auto seen = static_cast<double>(end - first);
      const double log_n =
          limits.log_n_length > 0.0 ? std::max(1.0, std::log(seen) / std::log(limits.log_n_length)) : 1.0;
      const double cap = of_.own.softcap;
      for (Index j = first; j < end; ++j) {
        const double score = limits.factor * log_n * scores(i, j);
        result(i, j) = cap > 0.0 ? cap * std::tanh(score / cap) : score;
      }
      const auto row = std::span(result.view().row(i), static_cast<std::size_t>(end))
                           .subspan(static_cast<std::size_t>(first));
      take_softmax(row, of_.own.weights == "sink" ? std::exp(values_["attention.sink"](0, head)) : 0.0);
    }
    return result;
  }

  static void take_softmax(std::span<double> scores, double total) {
    for (double& score : scores) total += score = std::exp(score);
    for (double& score : scores) score /= total;
  }

  SceneOf of_;
  ParameterLayout layout_;
  ModelShape shape_;
  std::unique_ptr<PositionalEncoding<T>> encoding_;
  SelfAttention<T> attention_;
  Parameters<T> values_;
  Tensor<T> x_;
  Tensor<T> r_;
  std::vector<double> positions_;
};

using Scene = SceneIn<double>;

}  // namespace ordinal::testing

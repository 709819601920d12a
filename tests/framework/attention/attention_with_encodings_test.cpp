// Attention with every encoding, under windows and log-n scores, with and without a cache, against loops over whole rows of
// scores. Each with all kinds of weights.
#include "framework/attention/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>

#include "framework/core/decode_cache.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/layers/branch_setting.h"
#include "tests/framework/with_options.h"

namespace ordinal {
namespace {

using testing::largest_difference;

constexpr Index batch = 2;
constexpr Index length = 13;
constexpr Index width = 16;
constexpr Index head_count = 4;
constexpr Index d_head = width / head_count;

struct SceneOf {
  std::string encoding = "none";
  AttentionOptions own = {};
  Index kv_heads = 2;
  bool causal = true;
  Index block_rows = 4;

  bool encoded() const { return own.encoding == "all"; }
};

// Two sequences through attention with grouped heads and an encoding: by the layer, at once or step by
// step, and by loops over whole rows of scores, which are masked and scaled by hand.
class Scene {
 public:
  explicit Scene(const SceneOf& of)
      : of_(of),
        shape_{.d_model = width,
               .heads = head_count,
               .n_kv_heads = of.kv_heads,
               .layers = 1,
               .causal = of.causal,
               .train_length = 8},
        encoding_(make_positional_encoding<double>(
            testing::with_options(of.encoding, {{"buckets", "8"},
                                                {"max_distance", "5"},
                                                {"max_seq_len", "64"},
                                                {"embedding", "learned(max_seq_len=64)"}}),
            shape_, Scope(layout_, "positional"))),
        attention_({.d_model = width,
                    .heads = head_count,
                    .n_kv_heads = of.kv_heads,
                    .causal = of.causal,
                    .block_rows = of.block_rows,
                    .own = of.own},
                   *encoding_, Scope(layout_, "attention")),
        values_(layout_),
        x_({batch * length, width}) {
    Random random({.seed = 1});
    for (double& value : values_.flat()) value = 0.5 * random.normal();
    for (double& value : x_.span()) value = random.normal();
    for (Index b = 0; b < batch; ++b) {
      for (Index t = 0; t < length; ++t) positions_.push_back(static_cast<double>(t + t / 4 + b * (t + 3)));
    }
  }

  // The layer, over `step` tokens at a time; 0: all at once, without a cache.
  Tensor<double> by_layer(const AttentionTest& limits, Index step = 0) const {
    std::optional<DecodeCache<double>> cache;
    if (step > 0) cache.emplace(layout_, batch, length);
    Tensor<double> y({batch * length, width});
    const Index count = step > 0 ? step : length;
    for (Index first = 0; first < length; first += count)
      run(first, std::min(count, length - first), limits, cache, y);
    return y;
  }

  Tensor<double> by_loops(const AttentionTest& limits) const {
    Tensor<double> mixed({batch * length, width});
    for (Index b = 0; b < batch; ++b) {
      Pass<double> pass(values_);
      const Tensor<double> qkv = projected(b, limits, pass);
      for (Index head = 0; head < head_count; ++head) {
        const Tensor<double> weights = probabilities(qkv, head, limits, pass);
        const View<const double> v = head_of(qkv, width + key_width(), head);
        for (Index i = 0; i < length; ++i) {
          for (Index j = 0; j < length; ++j) {
            for (Index c = 0; c < d_head; ++c)
              mixed(b * length + i, head * d_head + c) += weights(i, j) * v(j, c);
          }
        }
      }
    }
    return testing::linear_by_loops(values_, "attention.output", mixed.view());
  }

  // The largest error of the gradient of Σ y∘r, for random numbers r, in the input and all parameters, by central differences.
  double gradient_error() {
    Tensor<double> r({batch * length, width});
    Random random({.seed = 2});
    for (double& value : r.span()) value = random.normal();
    Parameters<double> gradients(layout_);
    Pass<double> pass(values_, &gradients);
    pass.begin({.positions = Positions::per_sequence(batch, positions_), .record = true});
    encoding_->begin_run(pass);
    attention_.forward(x_.view(), pass);
    const View<const double> dx = attention_.backward(r.view(), pass);
    const std::vector<double> d_input(dx.data, dx.data + dx.size());
    encoding_->encode_input_backward(Tensor<double>({batch * length, width}).view(), pass);
    const auto loss = [&] {
      const Tensor<double> y = by_layer({});
      return std::inner_product(y.span().begin(), y.span().end(), r.span().begin(), 0.0);
    };
    const auto error_of = [&](std::span<double> variables, std::span<const double> gradient) {
      constexpr double step = 3e-6;
      double largest = 0.0;
      for (std::size_t i = 0; i < variables.size(); ++i) {
        const double kept = variables[i];
        variables[i] = kept + step;
        const double above = loss();
        variables[i] = kept - step;
        largest = std::max(largest, std::abs((above - loss()) / (2.0 * step) - gradient[i]));
        variables[i] = kept;
      }
      return largest;
    };
    return std::max(error_of(x_.span(), d_input), error_of(values_.flat(), gradients.flat()));
  }

  // Of the first sequence.
  Tensor<double> probabilities_by_loops(Index head, const AttentionTest& limits) const {
    Pass<double> pass(values_);
    const Tensor<double> qkv = projected(0, limits, pass);
    return probabilities(qkv, head, limits, pass);
  }

  Tensor<double> probabilities_by_probe(Index head, const AttentionTest& limits) const {
    AttentionProbe<double> probe{.layer = 0, .head = head};
    Pass<double> pass(values_);
    pass.begin({.positions = Positions::per_sequence(batch, positions_),
                .attention = limits,
                .observers = {.probe = &probe}});
    encoding_->begin_run(pass);
    attention_.forward(x_.view(), pass);
    return std::move(probe.probabilities);
  }

  // Of the last `count` tokens, after the others were read into a cache.
  Tensor<double> probabilities_of_last(Index count, Index head, const AttentionTest& limits) const {
    std::optional<DecodeCache<double>> cache(std::in_place, layout_, batch, length);
    Tensor<double> y({batch * length, width});
    run(0, length - count, limits, cache, y);
    AttentionProbe<double> probe{.layer = 0, .head = head};
    run(length - count, count, limits, cache, y, &probe);
    return std::move(probe.probabilities);
  }

 private:
  std::span<const double> positions_of(Index sequence, Index first, Index count) const {
    return std::span(positions_)
        .subspan(static_cast<std::size_t>(sequence * length + first), static_cast<std::size_t>(count));
  }

  void run(Index first, Index count, const AttentionTest& limits, std::optional<DecodeCache<double>>& cache,
           Tensor<double>& y, AttentionProbe<double>* probe = nullptr) const {
    std::vector<double> positions;
    Tensor<double> x({batch * count, width});
    for (Index b = 0; b < batch; ++b) {
      const auto part = positions_of(b, first, count);
      positions.insert(positions.end(), part.begin(), part.end());
      std::copy_n(x_.view().row(b * length + first), count * width, x.view().row(b * count));
    }
    Pass<double> pass(values_);
    pass.begin({.positions = Positions::per_sequence(batch, positions),
                .cache = cache ? &*cache : nullptr,
                .attention = limits,
                .observers = {.probe = probe}});
    if (cache) cache->begin_run(pass.run().positions);
    encoding_->begin_run(pass);
    const View<const double> out = attention_.forward(x.view(), pass);
    if (cache) cache->end_run();
    for (Index b = 0; b < batch; ++b) {
      std::copy_n(out.row(b * count), count * width, y.view().row(b * length + first));
    }
  }

  Index key_width() const { return of_.kv_heads * d_head; }
  // The columns of the key or value head that a head reads.
  View<const double> head_of(const Tensor<double>& qkv, Index first, Index head) const {
    return qkv.view().col_range(first + head * of_.kv_heads / head_count * d_head, d_head);
  }

  // Queries, keys and values of one sequence, encoded. Begins a run over it.
  Tensor<double> projected(Index sequence, const AttentionTest& limits, Pass<double>& pass) const {
    const auto own = positions_of(sequence, 0, length);
    pass.begin({.positions = Positions::shared(1, {own.begin(), own.end()}),
                .attention = {.window = limits.window}});
    encoding_->begin_run(pass);
    if (of_.encoded()) encoding_->encode_layer(x_.view().row_range(sequence * length, length), 0, pass);
    Tensor<double> qkv =
        testing::linear_by_loops(values_, "attention.qkv", x_.view().row_range(sequence * length, length));
    if (of_.own.qk_norm == "rmsnorm") {
      normalise(qkv.view().col_range(0, width), "query_norm");
      normalise(qkv.view().col_range(width, key_width()), "key_norm");
    }
    if (!of_.encoded()) return qkv;
    encoding_->encode_query_key(qkv.view().col_range(0, width), qkv.view().col_range(width, key_width()),
                                {0, {of_.causal, limits.window}}, pass);
    return qkv;
  }

  // RMSNorm of each head.
  void normalise(View<double> x, const std::string& norm) const {
    const View<const double> gain = values_["attention." + norm + ".weight"];
    for (Index r = 0; r < x.rows; ++r) {
      for (Index column = 0; column < x.cols; column += d_head) {
        double squares = 0.0;
        for (Index c = 0; c < d_head; ++c) squares += x(r, column + c) * x(r, column + c);
        const double root = std::sqrt(squares / static_cast<double>(d_head) + 1e-5);
        for (Index c = 0; c < d_head; ++c) x(r, column + c) *= gain(0, c) / root;
      }
    }
  }

  Tensor<double> probabilities(const Tensor<double>& qkv, Index head, const AttentionTest& limits,
                               Pass<double>& pass) const {
    const auto positions = pass.run().positions.of(0);
    const ScoreBlock<double> block{.head = head,
                                   .sight = {of_.causal},
                                   .scale = 1.0 / std::sqrt(static_cast<double>(d_head)),
                                   .query = qkv.view().col_range(head * d_head, d_head),
                                   .key = head_of(qkv, width, head),
                                   .query_positions = positions,
                                   .key_positions = positions};
    Tensor<double> scores({length, length});
    for (Index i = 0; i < length; ++i) {
      for (Index j = 0; j < length; ++j) {
        for (Index c = 0; c < d_head; ++c) scores(i, j) += block.scale * block.query(i, c) * block.key(j, c);
      }
    }
    if (of_.encoded()) encoding_->encode_scores(block, scores.view(), pass);
    Tensor<double> result({length, length});
    for (Index i = 0; i < length; ++i) {
      const Index first = limits.window > 0 ? std::max<Index>(0, i - limits.window + 1) : 0;
      const Index seen = of_.causal ? i + 1 : length;
      const double factor =
          limits.log_n_length > 0.0
              ? std::max(1.0, std::log(static_cast<double>(seen)) / std::log(limits.log_n_length))
              : 1.0;
      const double cap = of_.own.softcap;
      for (Index j = first; j < seen; ++j) {
        const double score = factor * scores(i, j);
        result(i, j) = cap > 0.0 ? cap * std::tanh(score / cap) : score;
      }
      const auto row = std::span(result.view().row(i), static_cast<std::size_t>(seen))
                           .subspan(static_cast<std::size_t>(first));
      if (of_.own.weights == "stick_breaking")
        break_stick(row);
      else
        take_softmax(row, of_.own.weights == "sink" ? std::exp(values_["attention.sink"](0, head)) : 0.0);
    }
    return result;
  }

  static void take_softmax(std::span<double> scores, double total) {
    for (double& score : scores) total += score = std::exp(score);
    for (double& score : scores) score /= total;
  }

  // From the nearest key on, each takes σ(score) of what is left; the own token, which is last, takes the rest.
  static void break_stick(std::span<double> scores) {
    double left = 1.0;
    for (std::size_t j = scores.size() - 1; j-- > 0;) {
      const double share = left / (1.0 + std::exp(-scores[j]));
      left -= scores[j] = share;
    }
    scores.back() = left;
  }

  SceneOf of_;
  ParameterLayout layout_;
  ModelShape shape_;
  std::unique_ptr<PositionalEncoding<double>> encoding_;
  SelfAttention<double> attention_;
  Parameters<double> values_;
  Tensor<double> x_;
  std::vector<double> positions_;
};

TEST(SelfAttention, EqualsTheLoopsForAnyKeyHeadsDirectionAndBlocks) {
  for (const Index kv_heads : {4, 2, 1}) {
    for (const bool causal : {true, false}) {
      for (const Index block_rows : {3, 13, 64}) {
        const Scene scene({.kv_heads = kv_heads, .causal = causal, .block_rows = block_rows});
        EXPECT_LT(largest_difference(scene.by_layer({}), scene.by_loops({})), 1e-11) << kv_heads << causal;
      }
    }
  }
}

// An encoding, and how scores become weights.
class AttentionWith : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  static Scene scene_of_case() {
    return Scene({.encoding = std::get<0>(GetParam()), .own = {.weights = std::get<1>(GetParam())}});
  }
};

TEST_P(AttentionWith, TheEncodingEqualsTheLoops) {
  const Scene scene = scene_of_case();
  EXPECT_LT(largest_difference(scene.by_layer({}), scene.by_loops({})), 1e-11);
  for (const Index step : {1, 3, 13}) {
    EXPECT_LT(largest_difference(scene.by_layer({}, step), scene.by_loops({})), 1e-11) << step;
  }
}

TEST_P(AttentionWith, AWindowOfWSeesTheLastWKeysOnly) {
  const Scene scene = scene_of_case();
  for (const Index window : {1, 2, 5, 6, 12}) {
    const Tensor<double> expected = scene.by_loops({.window = window});
    EXPECT_LT(largest_difference(scene.by_layer({.window = window}), expected), 1e-11) << window;
    for (const Index step : {1, 3, 9}) {
      EXPECT_LT(largest_difference(scene.by_layer({.window = window}, step), expected), 1e-11)
          << window << " in runs of " << step;
    }
    EXPECT_GT(largest_difference(scene.by_layer({}), expected), 1e-8) << window;
  }
}

TEST_P(AttentionWith, AWindowOfTheLayerIsThatOfATestAndOfTwoTheNarrowerCounts) {
  for (const Index window : {1, 3, 6}) {
    const Scene scene(
        {.encoding = std::get<0>(GetParam()), .own = {.weights = std::get<1>(GetParam()), .window = window}});
    const Tensor<double> expected = scene.by_loops({.window = window});
    EXPECT_LT(largest_difference(scene.by_layer({}), expected), 1e-11) << window;
    EXPECT_LT(largest_difference(scene.by_layer({.window = window + 2}, 3), expected), 1e-11) << window;
    EXPECT_LT(largest_difference(scene.by_layer({.window = 2}),
                                 scene.by_loops({.window = std::min<Index>(window, 2)})),
              1e-11)
        << window;
  }
}

TEST_P(AttentionWith, AWindowOfTheLayerHasItsGradient) {
  for (const Index window : {2, 6}) {
    Scene scene(
        {.encoding = std::get<0>(GetParam()), .own = {.weights = std::get<1>(GetParam()), .window = window}});
    EXPECT_LT(scene.gradient_error(), 1e-6) << window;
  }
}

TEST_P(AttentionWith, ALayerThatIsNotEncodedIsThatOfNoEncoding) {
  Scene plain(
      {.encoding = std::get<0>(GetParam()), .own = {.weights = std::get<1>(GetParam()), .encoding = "none"}});
  EXPECT_LT(largest_difference(plain.by_layer({}), plain.by_loops({})), 1e-11);
  EXPECT_LT(plain.gradient_error(), 1e-6);
}

TEST_P(AttentionWith, LogNScalesAllScoresOfAQueryThatSeesMoreThanLKeys) {
  const Scene scene = scene_of_case();
  for (const double train_length : {2.0, 5.0, 12.0}) {
    const Tensor<double> expected = scene.by_loops({.log_n_length = train_length});
    EXPECT_LT(largest_difference(scene.by_layer({.log_n_length = train_length}), expected), 1e-11)
        << train_length;
    for (const Index step : {1, 3, 9}) {
      EXPECT_LT(largest_difference(scene.by_layer({.log_n_length = train_length}, step), expected), 1e-11)
          << train_length << " in runs of " << step;
    }
    EXPECT_GT(largest_difference(scene.by_layer({}), expected), 1e-6) << train_length;
  }
}

TEST_P(AttentionWith, AWindowAsLongAsTheTextAndAnLAsLongChangeNothing) {
  const Scene scene = scene_of_case();
  const Tensor<double> plain = scene.by_layer({});
  for (const Index longer : {length, length + 20}) {
    EXPECT_EQ(largest_difference(scene.by_layer({.window = longer}), plain), 0.0);
    EXPECT_EQ(largest_difference(scene.by_layer({.log_n_length = static_cast<double>(longer)}), plain), 0.0);
  }
}

TEST_P(AttentionWith, AProbeShowsTheWeightsOfTheFirstSequence) {
  const Scene scene = scene_of_case();
  for (const AttentionTest& limits :
       {AttentionTest{}, AttentionTest{.window = 5}, AttentionTest{.log_n_length = 3.0}}) {
    for (Index head = 0; head < head_count; ++head) {
      const Tensor<double> shown = scene.probabilities_by_probe(head, limits);
      ASSERT_EQ(shown.shape(), (Shape{length, length}));
      EXPECT_LT(largest_difference(shown, scene.probabilities_by_loops(head, limits)), 1e-12);
      for (Index i = 0; i < length; ++i) {
        double total = 0.0;
        for (Index j = 0; j < length; ++j) {
          const bool hidden = j > i || (limits.window > 0 && j <= i - limits.window);
          EXPECT_TRUE(!hidden || shown(i, j) == 0.0) << i << " " << j;
          total += shown(i, j);
        }
        if (std::get<1>(GetParam()) == "sink")
          EXPECT_LT(total, 1.0 + 1e-12);
        else
          EXPECT_NEAR(total, 1.0, 1e-12);
      }
    }
  }
}

TEST_P(AttentionWith, AProbeOfARunWithACacheShowsTheOlderKeysToo) {
  const Scene scene = scene_of_case();
  for (const AttentionTest& limits : {AttentionTest{}, AttentionTest{.window = 5}}) {
    const Tensor<double> shown = scene.probabilities_of_last(2, 3, limits);
    ASSERT_EQ(shown.shape(), (Shape{2, length}));
    const Tensor<double> whole = scene.probabilities_by_loops(3, limits);
    for (Index i = 0; i < 2; ++i) {
      for (Index j = 0; j < length; ++j) EXPECT_NEAR(shown(i, j), whole(length - 2 + i, j), 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, AttentionWith,
                         ::testing::Combine(::testing::ValuesIn(encodings().names()),
                                            ::testing::ValuesIn(attention_weights().names())),
                         [](const auto& info) {
                           const bool plain = std::get<1>(info.param) == "softmax";
                           return std::get<0>(info.param) + (plain ? "" : "_" + std::get<1>(info.param));
                         });

// Everything that changes queries, keys and scores, in one layer: at once, step by step, and its gradient.
TEST(SelfAttention, WithNormsOfQueriesAndKeysASoftcapAndASinkEqualsTheLoops) {
  for (const std::string encoding :
       {"none", "rope", "t5", "shaw", "cope", "ssmax", "selective_rope+ssmax", "path+forgetting"}) {
    for (const std::string& weights : attention_weights().names()) {
      for (const Index window : {0, 5}) {
        Scene scene({.encoding = encoding,
                     .own = {.weights = weights, .window = window, .qk_norm = "rmsnorm", .softcap = 0.7}});
        const Tensor<double> expected = scene.by_loops({.window = window});
        EXPECT_LT(largest_difference(scene.by_layer({}), expected), 1e-11) << encoding << " " << weights;
        EXPECT_LT(largest_difference(scene.by_layer({}, 3), expected), 1e-11) << encoding << " " << weights;
        EXPECT_LT(scene.gradient_error(), 1e-6) << encoding << " " << weights << " " << window;
      }
    }
  }
}

TEST(SelfAttention, OfALayerThatNamesAnEncodingIsThatOfThisEncodingAlone) {
  const Scene both({.encoding = "rope+alibi"});
  for (const std::string one : {"rope", "alibi"}) {
    const Tensor<double> alone = Scene({.encoding = one}).by_layer({});
    EXPECT_EQ(
        largest_difference(Scene({.encoding = "rope+alibi", .own = {.encoding = one}}).by_layer({}), alone),
        0.0);
    EXPECT_GT(largest_difference(both.by_layer({}), alone), 1e-3);
  }
  EXPECT_EQ(
      largest_difference(Scene({.encoding = "rope+alibi", .own = {.encoding = "rope+alibi"}}).by_layer({}),
                         both.by_layer({})),
      0.0);
}

TEST(SelfAttention, RefusesALayerThatNamesNoEncodingThatActsInLayersOfTheModel) {
  for (const std::string names :
       {"t5", "rope+rope", "all+rope", "rope(base=500)", "sinusoidal", "rope+sinusoidal", ""}) {
    EXPECT_THAT([&] { Scene({.encoding = "rope+alibi+sinusoidal", .own = {.encoding = names}}); },
                ::testing::ThrowsMessage<ConfigError>(::testing::HasSubstr(
                    "got '" + names + "', expected one of all, none, rope, alibi, or several")));
  }
}

// A sink far above all scores takes nearly all of the weight, and one far below none of it.
TEST(SelfAttention, OfASinkStaysFiniteForAnySink) {
  for (const double sink : {-300.0, 0.0, 300.0}) {
    ParameterLayout layout;
    const auto weights = attention_weights().find("sink").build.in_float(1, Scope(layout, "attention"));
    Parameters<float> values(layout);
    values["attention.sink"](0, 0) = static_cast<float>(sink);
    Pass<float> pass(values);
    pass.begin({.positions = Positions::contiguous(1, 4)});
    Tensor<float> scores({1, 4}, std::vector<float>{1.0F, -2.0F, 3.0F, 0.5F});
    Tensor<float> sums({1, 2});
    ScoreBlock<float> block{};
    block.first_query = 3;
    weights->forward(block, scores.view(), sums.view(), pass);
    float total = 0.0F;
    for (const float e : scores.span()) total += e / sums(0, 1);
    EXPECT_NEAR(total, sink > 0.0 ? 0.0 : sink < 0.0 ? 1.0 : 0.9609, 1e-3) << sink;
  }
}

}  // namespace
}  // namespace ordinal

// Every hook that adds to scores against its paper's formula, evaluated for one query and one key at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>

#include "framework/core/random.h"
#include "framework/positional/positional_encoding.h"
#include "framework/positional/t5.h"
#include "tests/framework/with_options.h"

namespace ordinal {
namespace {

constexpr Index tokens = 11;
constexpr Index layer = 1;

// The queries and keys of a head at irregular positions, and parameters far from their initial values.
class Scene {
 public:
  Scene(const std::string& name, bool causal)
      : name_(name), shape_{.d_model = 16, .heads = 4, .causal = causal, .train_length = 12} {
    encoding_ = make_positional_encoding<double>(
        testing::with_options(
            name, {{"buckets", "8"}, {"max_distance", "5"}, {"hidden", "3"}, {"cope_positions", "3"}}),
        shape_, Scope(layout_, "positional"));
    values_ = std::make_unique<Parameters<double>>(layout_);
    Random random({.seed = 7});
    const auto fill = [&](std::span<double> span) {
      for (double& value : span) value = random.normal();
    };
    fill(values_->flat());
    fill(query_.span());
    fill(key_.span());
    for (Index i = 0; i < tokens; ++i) {
      const Index skipped = i / 3;
      positions_.push_back(static_cast<double>(i + skipped));
    }
  }

  // The term of queries `first`…`first + rows - 1` by the hook: (rows, keys).
  Tensor<double> hook(Index head, Index first, Index rows) const {
    const Index keys = shape_.causal ? first + rows : tokens;
    Pass<double> pass(*values_);
    pass.begin({.positions = Positions::shared(1, positions_)});
    encoding_->begin_run(pass);
    Tensor<double> scores({rows, keys});
    const std::span<const double> positions(positions_);
    const ScoreBlock<double> block{
        .layer = layer,
        .head = head,
        .first_query = first,
        .sight = {shape_.causal},
        .scale = 1.0 / root(),
        .query = query_.view().row_range(first, rows),
        .key = key_.view().row_range(0, keys),
        .query_positions = positions.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
        .key_positions = positions.first(static_cast<std::size_t>(keys))};
    encoding_->encode_scores(block, scores.view(), pass);
    return scores;
  }

  double parameter(const std::string& name, Index row, Index column) const {
    return (*values_)["positional." + name_ + "." + name](row, column);
  }
  double of_head(const std::string& name, Index head) const { return parameter(name, layer, head); }
  double of_layer(const std::string& name) const { return parameter(name, 0, layer); }
  double position(Index i) const { return positions_[static_cast<std::size_t>(i)]; }
  double distance(Index i, Index j) const { return std::abs(position(i) - position(j)); }
  double root() const { return std::sqrt(static_cast<double>(shape_.d_head())); }
  double query(Index i, Index c) const { return query_(i, c); }
  double key(Index j, Index c) const { return key_(j, c); }
  const ModelShape& shape() const { return shape_; }

  /// Σ_c a(c) b(c) over the dimensions of a head.
  template <typename A, typename B>
  double inner(const A& a, const B& b) const {
    double total = 0.0;
    for (Index c = 0; c < shape_.d_head(); ++c) total += a(c) * b(c);
    return total;
  }

 private:
  std::string name_;
  ModelShape shape_;
  ParameterLayout layout_;
  std::unique_ptr<PositionalEncoding<double>> encoding_;
  std::unique_ptr<Parameters<double>> values_;
  Tensor<double> query_{{tokens, 4}};
  Tensor<double> key_{{tokens, 4}};
  std::vector<double> positions_;
};

// Press et al. 2022: m_h = 2^(-8h/H), h = 1…H.
double alibi(const Scene& s, Index head, Index i, Index j) {
  return -std::exp2(-2.0 * static_cast<double>(head + 1)) * s.distance(i, j);
}

// Raffel et al. 2020; the bucket itself is compared with the published code in relative_test.cpp.
double t5(const Scene& s, Index head, Index i, Index j) {
  const auto relative = static_cast<Index>(s.position(j) - s.position(i));
  return s.parameter("bias", t5_bucket(relative, s.shape().causal, 8, 5), head);
}

Index clipped_row(const Scene& s, Index i, Index j) {
  return static_cast<Index>(std::clamp(s.position(j) - s.position(i), -5.0, 5.0)) + 5;
}

double t5_clipped(const Scene& s, Index head, Index i, Index j) {
  return s.parameter("bias", clipped_row(s, i, j), head);
}

// Shaw et al. 2018, equation 5, keys only.
double shaw(const Scene& s, Index /*head*/, Index i, Index j) {
  const auto q = [&](Index c) { return s.query(i, c); };
  const auto a = [&](Index c) { return s.parameter("1.key", clipped_row(s, i, j), c); };
  return s.inner(q, a) / s.root();
}

// Dai et al. 2019, §3.3: (q + v)·(W R_{i-j}) + u·k, with R = [sin, cos] of the distance.
double transformer_xl(const Scene& s, Index head, Index i, Index j) {
  const Index width = s.shape().d_model;
  const double n = s.position(i) - s.position(j);
  const auto r = [&](Index c) {
    double total = 0.0;
    for (Index m = 0; m < width / 2; ++m) {
      const double angle = n * std::pow(1e4, -2.0 * static_cast<double>(m) / static_cast<double>(width));
      total += s.parameter("1.weight", head * s.shape().d_head() + c, m) * std::sin(angle) +
               s.parameter("1.weight", head * s.shape().d_head() + c, width / 2 + m) * std::cos(angle);
    }
    return total;
  };
  const auto with_v = [&](Index c) { return s.query(i, c) + s.parameter("v", head, c); };
  const auto u = [&](Index c) { return s.parameter("u", head, c); };
  const auto k = [&](Index c) { return s.key(j, c); };
  return (s.inner(with_v, r) + s.inner(u, k)) / s.root();
}

// Chi et al. 2022, with r = 0.01 + |parameter|.
double kerple_log(const Scene& s, Index head, Index i, Index j) {
  const double r1 = 0.01 + std::abs(s.of_head("scale", head));
  const double r2 = 0.01 + std::abs(s.of_head("rate", head));
  return -r1 * std::log(1.0 + r2 * s.distance(i, j));
}

double kerple_power(const Scene& s, Index head, Index i, Index j) {
  const double r1 = 0.01 + std::abs(s.of_head("scale", head));
  return -r1 * std::pow(s.distance(i, j), 0.01 + std::abs(s.of_head("exponent", head)));
}

// Li et al. 2023: f(ψ(i - j) / ψ(max(L, i))), ψ(x) = log(|c| x + 1), f an MLP with one hidden layer. Where
// later tokens are seen, i in ψ(max(L, i)) is the position of the last one.
double fire(const Scene& s, Index head, Index i, Index j) {
  const auto psi = [&](double x) { return std::log(std::abs(s.of_layer("scale")) * x + 1.0); };
  const double limit = 12.0 * std::abs(s.of_layer("threshold"));
  const double last = s.position(s.shape().causal ? i : tokens - 1);
  const double x = psi(s.distance(i, j)) / (psi(std::max(limit, last)) + 1e-6);
  double total = 0.0;
  for (Index n = 0; n < 3; ++n) {
    const double hidden = s.parameter("hidden.weight", layer, n) * x + s.parameter("hidden.bias", layer, n);
    total += s.parameter("output.weight", layer * 4 + head, n) * std::max(hidden, 0.0);
  }
  return total;
}

// Golovneva et al. 2024: p_ij = Σ_{j ≤ n ≤ i} σ(q_i·k_n), at most the last row; between rows, interpolated.
double cope(const Scene& s, Index /*head*/, Index i, Index j) {
  const auto q = [&](Index c) { return s.query(i, c); };
  double position = 0.0;
  for (Index n = j; n <= i; ++n) {
    position += 1.0 / (1.0 + std::exp(-s.inner(q, [&](Index c) { return s.key(n, c); }) / s.root()));
  }
  position = std::min(position, 2.0);
  const auto row = [&](double p) {
    return s.inner(q, [&](Index c) { return s.parameter("1.table", static_cast<Index>(p), c); }) / s.root();
  };
  const double share = position - std::floor(position);
  return (1.0 - share) * row(std::floor(position)) + share * row(std::ceil(position));
}

// Ke et al. 2021, equation 10: only what is added, (U p_i)·(V p_j) / √(2 d).
double tupe(const Scene& s, Index head, Index i, Index j) {
  const auto projected = [&](const std::string& weight, Index token) {
    return [&s, weight, token, head](Index c) {
      double total = 0.0;
      for (Index m = 0; m < s.shape().d_model; ++m) {
        total += s.parameter(weight, head * s.shape().d_head() + c, m) *
                 s.parameter("learned.table", static_cast<Index>(s.position(token)), m);
      }
      return total;
    };
  };
  return s.inner(projected("query", i), projected("key", j)) / (std::sqrt(2.0) * s.root());
}

using Formula = double (*)(const Scene&, Index head, Index i, Index j);
const std::map<std::string, Formula> formulas = {
    {"alibi", alibi},
    {"t5", t5},
    {"t5_clipped", t5_clipped},
    {"shaw", shaw},
    {"kerple_log", kerple_log},
    {"transformer_xl", transformer_xl},
    {"fire", fire},
    {"kerple_power", kerple_power},
    {"cope", cope},
    {"tupe", tupe},
};

void expect_formula(const std::string& name, Formula formula) {
  const bool causal_only = find_encodings(name).front().causal_only;
  for (const bool causal : {true, false}) {
    if (!causal && causal_only) continue;
    const Scene scene(name, causal);
    for (const auto& [first, rows] : {std::pair<Index, Index>{0, tokens}, {4, 5}, {tokens - 1, 1}}) {
      for (Index head = 0; head < 4; ++head) {
        const Tensor<double> added = scene.hook(head, first, rows);
        for (Index i = 0; i < rows; ++i) {
          const Index visible = causal ? first + i + 1 : tokens;
          for (Index j = 0; j < visible; ++j) {
            ASSERT_NEAR(added(i, j), formula(scene, head, first + i, j), 1e-12)
                << (causal ? "causal" : "bidirectional") << ", head " << head << ", query " << first + i
                << ", key " << j;
          }
        }
      }
    }
  }
}

class ScoreFormula : public ::testing::TestWithParam<std::pair<const std::string, Formula>> {};

TEST_P(ScoreFormula, IsWhatTheHookAddsForEveryQueryAndKey) {
  expect_formula(GetParam().first, GetParam().second);
}

TEST(TransformerXl, TrapTheRelativeShiftEqualsTheDoubleLoop) {
  expect_formula("transformer_xl", transformer_xl);
}

TEST(TransformerXl, TrapWithoutBeginRunTheHookSaysSo) {
  ParameterLayout layout;
  const auto encoding =
      make_positional_encoding<double>("transformer_xl", {.d_model = 8, .heads = 2}, Scope(layout));
  const Parameters<double> values(layout);
  Pass<double> pass(values);
  pass.begin({.positions = Positions::contiguous(1, 1)});
  const Tensor<double> q({1, 4});
  Tensor<double> scores({1, 1});
  const std::vector<double> positions = {0.0};
  const ScoreBlock<double> block{
      .query = q.view(), .key = q.view(), .query_positions = positions, .key_positions = positions};
  EXPECT_THAT([&] { encoding->encode_scores(block, scores.view(), pass); },
              ::testing::ThrowsMessage<std::logic_error>(::testing::HasSubstr("begin_run()")));
}

INSTANTIATE_TEST_SUITE_P(Encodings, ScoreFormula, ::testing::ValuesIn(formulas),
                         [](const auto& info) { return info.param.first; });

}  // namespace
}  // namespace ordinal

#include "experiments/encoding/scores.h"

#include <algorithm>
#include <cmath>

#include "experiments/encoding/analysis.h"
#include "framework/core/blas.h"
#include "framework/core/random.h"

namespace ordinal::experiments {
namespace {

Tensor<double> normal_tensor(Shape shape, double deviation, const char* purpose, std::uint64_t seed) {
  Tensor<double> result(std::move(shape));
  Random random({.seed = seed, .purpose = hash_name(purpose)});
  for (double& value : result.span()) value = deviation * random.normal();
  return result;
}

Tensor<double> repeated(const Tensor<double>& token, Index rows) {
  Tensor<double> result({rows, token.size()});
  for (Index r = 0; r < rows; ++r) std::ranges::copy(token.span(), result.view().row(r));
  return result;
}

// x Wᵀ.
Tensor<double> product(const Tensor<double>& x, const Tensor<double>& weight) {
  Tensor<double> result({x.view().rows, weight.view().rows});
  multiply<double>(x.view(), transposed(weight.view()), result.view());
  return result;
}

Content projected(const Tensor<double>& x, const ScoreProbe& probe) {
  return {product(x, probe.query_weight), product(x, probe.key_weight)};
}

}  // namespace

ScoreProbe random_probe(const ModelShape& shape, std::uint64_t seed) {
  const Index d = shape.d_model;
  const double root = std::sqrt(static_cast<double>(d));
  return {normal_tensor({d}, 0.02 * root, "token", seed),
          normal_tensor({shape.heads * shape.d_head(), d}, 1.0 / root, "query weight", seed),
          normal_tensor({shape.n_kv_heads * shape.d_head(), d}, 1.0 / root, "key weight", seed)};
}

Content probe_content(const Effect<double>& effect, const ScoreProbe& probe) {
  return projected(effect.encoded_input(repeated(probe.token, effect.seq_len())), probe);
}

// q = W_q (x + p) = W_q x + W_q p, and what encodings do to queries and keys is linear.
Tensor<double> score_terms(const Effect<double>& effect, const ScoreProbe& probe) {
  const Content token = effect.encoded(projected(repeated(probe.token, effect.seq_len()), probe));
  const Content position = effect.encoded(projected(effect.input(), probe));
  const Index heads = effect.shape.heads;
  Tensor<double> result({4, heads, effect.seq_len(), effect.seq_len()});
  double* next = result.data();
  for (const Content* of_query : {&token, &position}) {
    for (const Content* of_key : {&token, &position}) {
      const Tensor<double> term = effect.pairs({of_query->query, of_key->key}, effect.scale(), false, heads);
      next = std::ranges::copy(term.span(), next).out;
    }
  }
  return result;
}

double ScoreStatistics::rounding() const {
  return 1e-9 * std::max({1.0, std::abs(smallest), std::abs(largest)});
}

ScoreStatistics score_statistics(const Tensor<double>& scores, std::span<const double> positions,
                                 bool causal) {
  ScoreStatistics result{.smallest = scores(0, 0), .largest = scores(0, 0)};
  const Index length = scores.view().cols;
  for (Index first = 0; first < scores.view().rows; first += length) {
    const View<const double> head = scores.view().row_range(first, length);
    double smallest = head(0, 0);
    double largest = smallest;
    for_each_pair(head, causal, [&](Index i, Index j) {
      smallest = std::min(smallest, head(i, j));
      largest = std::max(largest, head(i, j));
    });
    result.smallest = std::min(result.smallest, smallest);
    result.largest = std::max(result.largest, largest);
    result.spread = std::max(result.spread, largest - smallest);
  }
  result.deviation = distance_deviation(scores.view(), positions, causal);
  return result;
}

std::array<double, 4> term_sizes(const Tensor<double>& terms, bool causal) {
  const Index rows = terms.view().rows / 4;
  std::array<double, 4> sizes{};
  for (Index term = 0; term < 4; ++term) {
    const View<const double> scores = terms.view().row_range(term * rows, rows);
    double squares = 0.0;
    double pairs = 0.0;
    for_each_pair(scores, causal, [&](Index row, Index j) {
      squares += scores(row, j) * scores(row, j);
      pairs += 1.0;
    });
    sizes[static_cast<std::size_t>(term)] = std::sqrt(squares / pairs);
  }
  return sizes;
}

}  // namespace ordinal::experiments

#include "experiments/runs/encoding_scores.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "framework/core/blas.h"
#include "framework/core/random.h"
#include "framework/positional/analysis.h"

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

Tensor<double> copy_of(View<const double> x) {
  Tensor<double> result({x.rows, x.cols});
  for (Index r = 0; r < x.rows; ++r) std::copy_n(x.row(r), x.cols, result.view().row(r));
  return result;
}

// x Wᵀ.
Tensor<double> product(const Tensor<double>& x, const Tensor<double>& weight) {
  Tensor<double> result({x.view().rows, weight.view().rows});
  multiply<double>(x.view(), transposed(weight.view()), result.view());
  return result;
}

QueryKey projected(const Tensor<double>& x, const ScoreProbe& probe) {
  return {product(x, probe.query_weight), product(x, probe.key_weight)};
}

// A run of the encoding's hooks over one sequence.
class Hooks {
 public:
  explicit Hooks(const PlacedEncoding& placed) : placed_(placed), pass_(placed.values) {
    pass_.begin({.positions = placed.positions});
    placed_.encoding.begin_run(pass_);
    encode_no_content(placed_.encoding, placed_.shape, placed_.layer, pass_);
  }

  Tensor<double> input(const Tensor<double>& x) {
    return copy_of(placed_.encoding.encode_input(x.view(), pass_));
  }

  QueryKey query_key(QueryKey both) {
    placed_.encoding.encode_query_key(both.query.view(), both.key.view(), placed_.layer, pass_);
    return both;
  }

  // Writes S (L, L) of one head; `added`: with what the encoding adds to the scores.
  void scores(const Tensor<double>& query, const Tensor<double>& key, Index head, bool added,
              View<double> out) {
    const ScoreBlock<double> block = whole_block<double>(placed_.shape, placed_.layer, head, query.view(),
                                                         key.view(), placed_.positions.of(0));
    multiply<double>(block.query, transposed(block.key), out, block.scale);
    if (added) placed_.encoding.encode_scores(block, out, pass_);
    for (Index i = 0; i < out.rows; ++i) std::fill(out.row(i) + block.visible(i), out.row(i) + out.cols, 0.0);
  }

 private:
  const PlacedEncoding& placed_;
  Pass<double> pass_;
};

// Calls visit(score) for each pair of which the query sees the key, in scores (heads·L, L).
void for_each_visible(View<const double> scores, bool causal, const auto& visit) {
  Index query = 0;  // of the head of the row
  for (Index row = 0; row < scores.rows; ++row) {
    std::for_each_n(scores.row(row), causal ? query + 1 : scores.cols, visit);
    query = query + 1 == scores.cols ? 0 : query + 1;
  }
}

}  // namespace

template <typename T>
void encode_no_content(const PositionalEncoding<T>& encoding, const ModelShape& shape, Index layer,
                       Pass<T>& pass) {
  const View<T> zeros = pass.allocate(pass.batch() * pass.seq_len(), shape.d_model);
  std::fill_n(zeros.data, zeros.size(), T(0));
  encoding.encode_layer(zeros, layer, pass);
}

template <typename T>
ScoreBlock<T> whole_block(const ModelShape& shape, Index layer, Index head, View<const T> query,
                          View<const T> key, std::span<const double> positions) {
  const Index d_head = shape.d_head();
  const Index key_head = head / (shape.heads / shape.n_kv_heads);
  return {.layer = layer,
          .head = head,
          .causal = shape.causal,
          .scale = static_cast<T>(1.0 / std::sqrt(static_cast<double>(d_head))),
          .query = query.col_range(head * d_head, d_head),
          .key = key.col_range(key_head * d_head, d_head),
          .query_positions = positions,
          .key_positions = positions};
}

ScoreProbe random_probe(const ModelShape& shape, std::uint64_t seed) {
  const Index d = shape.d_model;
  const double root = std::sqrt(static_cast<double>(d));
  return {normal_tensor({d}, 0.02 * root, "token", seed),
          normal_tensor({shape.heads * shape.d_head(), d}, 1.0 / root, "query weight", seed),
          normal_tensor({shape.n_kv_heads * shape.d_head(), d}, 1.0 / root, "key weight", seed)};
}

QueryKey probe_query_key(const PlacedEncoding& placed, const ScoreProbe& probe) {
  return projected(Hooks(placed).input(repeated(probe.token, placed.seq_len())), probe);
}

Tensor<double> score_matrix(const PlacedEncoding& placed, const QueryKey& query_key) {
  check_query_key(query_key, placed.shape, placed.seq_len());
  const Index length = placed.seq_len();
  Hooks hooks(placed);
  const QueryKey encoded = hooks.query_key(query_key);
  Tensor<double> result({placed.shape.heads, length, length});
  for (Index head = 0; head < placed.shape.heads; ++head) {
    hooks.scores(encoded.query, encoded.key, head, true, result.view().row_range(head * length, length));
  }
  return result;
}

// q = W_q (x + p) = W_q x + W_q p, and what encodings do to queries and keys is linear.
Tensor<double> score_terms(const PlacedEncoding& placed, const ScoreProbe& probe) {
  const Index length = placed.seq_len();
  const Index heads = placed.shape.heads;
  Hooks hooks(placed);
  const Tensor<double> position = hooks.input(Tensor<double>({length, placed.shape.d_model}));
  const std::array<QueryKey, 2> parts = {hooks.query_key(projected(repeated(probe.token, length), probe)),
                                         hooks.query_key(projected(position, probe))};
  Tensor<double> result({4, heads, length, length});
  Index row = 0;
  for (const QueryKey& of_query : parts) {
    for (const QueryKey& of_key : parts) {
      for (Index head = 0; head < heads; ++head, row += length) {
        hooks.scores(of_query.query, of_key.key, head, false, result.view().row_range(row, length));
      }
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
    double smallest = scores(first, 0);
    double largest = smallest;
    for_each_visible(scores.view().row_range(first, length), causal, [&](double score) {
      smallest = std::min(smallest, score);
      largest = std::max(largest, score);
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
    double squares = 0.0;
    double pairs = 0.0;
    for_each_visible(terms.view().row_range(term * rows, rows), causal, [&](double score) {
      squares += score * score;
      pairs += 1.0;
    });
    sizes[static_cast<std::size_t>(term)] = std::sqrt(squares / pairs);
  }
  return sizes;
}

template void encode_no_content(const PositionalEncoding<float>&, const ModelShape&, Index, Pass<float>&);
template void encode_no_content(const PositionalEncoding<double>&, const ModelShape&, Index, Pass<double>&);
template ScoreBlock<float> whole_block(const ModelShape&, Index, Index, View<const float>, View<const float>,
                                       std::span<const double>);
template ScoreBlock<double> whole_block(const ModelShape&, Index, Index, View<const double>,
                                        View<const double>, std::span<const double>);

}  // namespace ordinal::experiments

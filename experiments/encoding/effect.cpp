#include "experiments/encoding/effect.h"

#include <algorithm>
#include <cmath>

#include "framework/core/random.h"
#include "framework/math/blas.h"

namespace ordinal::experiments {
namespace {

template <typename To, typename From>
Tensor<To> copy_of(View<const From> x) {
  Tensor<To> result({x.rows, x.cols});
  for (Index r = 0; r < x.rows; ++r) {
    std::transform(x.row(r), x.row(r) + x.cols, result.view().row(r),
                   [](From value) { return static_cast<To>(value); });
  }
  return result;
}

// x Wᵀ.
Tensor<double> product(const Tensor<double>& x, const Tensor<double>& weight) {
  Tensor<double> result({x.view().rows, weight.view().rows});
  multiply<double>(x.view(), transposed(weight.view()), result.view());
  return result;
}

// Entries N(0, deviation²).
Tensor<double> normal_tensor(Shape shape, double deviation, const char* purpose, std::uint64_t seed) {
  Tensor<double> result(std::move(shape));
  Random random({.seed = seed, .purpose = hash_name(purpose)});
  for (double& value : result.span()) value = deviation * random.normal();
  return result;
}

}  // namespace

Content random_content(const ModelShape& shape, Index seq_len, std::uint64_t seed) {
  return {normal_tensor({seq_len, shape.heads * shape.d_head()}, 1.0, "query", seed),
          normal_tensor({seq_len, shape.n_kv_heads * shape.d_head()}, 1.0, "key", seed)};
}

template <typename T>
Tensor<double> Effect<T>::encoded_input(const Tensor<double>& x) const {
  const Tensor<T> copy = copy_of<T>(x.view());
  Pass<T> pass(values);
  pass.begin({.positions = positions});
  encoding.begin_run(pass);
  return copy_of<double>(encoding.encode_input(copy.view(), pass));
}

template <typename T>
Tensor<double> Effect<T>::input() const {
  return acts(Place::input) ? encoded_input(Tensor<double>({seq_len(), shape.d_model})) : Tensor<double>();
}

template <typename T>
Tensor<double> Effect<T>::angles() const {
  const std::vector<double> frequencies = encoding.frequencies(positions.stretch());
  if (frequencies.empty()) return {};
  Tensor<double> angles({seq_len(), std::ssize(frequencies)});
  for (Index t = 0; t < seq_len(); ++t) {
    const double position = positions.of(0)[static_cast<std::size_t>(t)];
    std::ranges::transform(frequencies, angles.view().row(t), [&](double f) { return position * f; });
  }
  return angles;
}

template <typename T>
void Effect<T>::visit_pairs(const Content& content, bool products, bool added, const VisitRow& visit) const {
  constexpr Index block_rows = 64;
  const Index length = seq_len();
  Tensor<T> query = copy_of<T>(content.query.view());
  Tensor<T> key = copy_of<T>(content.key.view());
  const Tensor<T> input =
      content.input.size() > 0 ? copy_of<T>(content.input.view()) : Tensor<T>({length, shape.d_model});
  Pass<T> pass(values);
  pass.begin({.positions = positions});
  encoding.begin_run(pass);
  encoding.encode_layer(input.view(), layer, pass);
  if (products) encoding.encode_query_key(query.view(), key.view(), {layer, {shape.causal}}, pass);
  const T scale = static_cast<T>(1.0 / std::sqrt(static_cast<double>(shape.d_head())));
  const std::span<const double> at = positions.of(0);
  const Index d_head = shape.d_head();
  for (Index head = 0; head < shape.heads; ++head) {
    const Index key_head = head / (shape.heads / shape.n_kv_heads);
    for (Index first = 0; first < length; first += block_rows) {
      const auto frame = pass.scratch_frame();
      const Index rows = std::min(block_rows, length - first);
      const ScoreBlock<T> block{.layer = layer,
                                .head = head,
                                .first_query = first,
                                .sight = {shape.causal},
                                .scale = scale,
                                .query = query.view().row_range(first, rows).col_range(head * d_head, d_head),
                                .key = key.view().col_range(key_head * d_head, d_head),
                                .key_positions = at};
      const View<T> scores = pass.zeros(rows, length);
      if (products) multiply<T>(block.query, transposed(block.key), scores, scale);
      if (added) encoding.encode_scores(block, scores, pass);
      for (Index r = 0; r < rows; ++r)
        visit(head, first + r, {scores.row(r), static_cast<std::size_t>(block.visible(r))});
    }
  }
}

template <typename T>
Tensor<double> Effect<T>::pairs(const Content& content, bool products, bool added) const {
  Tensor<double> result({shape.heads, seq_len(), seq_len()});
  visit_pairs(content, products, added, [&](Index head, Index i, std::span<const T> row) {
    std::ranges::copy(row, result.view().row(head * seq_len() + i));
  });
  return result;
}

template struct Effect<float>;
template struct Effect<double>;

BuiltEncoding::BuiltEncoding(const std::string& part, const ModelShape& of, std::uint64_t seed)
    : text(part),
      shape(of),
      encoding(make_positional_encoding<double>(text, shape, Scope(layout, "positional"))),
      values(layout) {
  initialize(values, seed);
}

ScoreProbe::ScoreProbe(const ModelShape& shape, std::uint64_t seed) {
  const Index d = shape.d_model;
  const double root = std::sqrt(static_cast<double>(d));
  token = normal_tensor({1, d}, 1.0, "token", seed);
  query_weight = normal_tensor({shape.heads * shape.d_head(), d}, 1.0 / root, "query weight", seed);
  key_weight = normal_tensor({shape.n_kv_heads * shape.d_head(), d}, 1.0 / root, "key weight", seed);
}

Tensor<double> ScoreProbe::repeated(Index rows) const {
  Tensor<double> result({rows, token.size()});
  for (Index r = 0; r < rows; ++r) std::ranges::copy(token.span(), result.view().row(r));
  return result;
}

Content ScoreProbe::projected(const Tensor<double>& x) const {
  return {product(x, query_weight), product(x, key_weight), x};
}

// q = W_q (x + p) = W_q x + W_q p. Encodings act linearly on queries and keys, separately on each.
Tensor<double> ScoreProbe::terms(const Effect<double>& effect) const {
  const Content token = projected(repeated(effect.seq_len()));
  const Content position = projected(effect.input());
  const Index heads = effect.shape.heads;
  Tensor<double> result({4, heads, effect.seq_len(), effect.seq_len()});
  double* next = result.data();
  for (const Content* of_query : {&token, &position}) {
    for (const Content* of_key : {&token, &position}) {
      const Tensor<double> term = effect.pairs({of_query->query, of_key->key}, true, false);
      next = std::ranges::copy(term.span(), next).out;
    }
  }
  return result;
}

}  // namespace ordinal::experiments

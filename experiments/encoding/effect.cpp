#include "experiments/encoding/effect.h"

#include <algorithm>
#include <cmath>

#include "framework/core/random.h"
#include "framework/math/blas.h"
#include "framework/positional/rotary.h"

namespace ordinal::experiments {
namespace {

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

Tensor<double> Effect::encoded_input(const Tensor<double>& x) const {
  Pass<double> pass(of.values);
  pass.begin({.positions = positions});
  of.encoding->begin_run(pass);
  Tensor<double> encoded(x.shape());
  copy_rows(of.encoding->encode_input(x.view(), pass), encoded.view());
  return encoded;
}

Tensor<double> Effect::input() const {
  return acts(Place::input) ? encoded_input(Tensor<double>({seq_len(), of.shape.d_model})) : Tensor<double>();
}

Tensor<double> Effect::angles() const {
  const std::vector<double> frequencies = of.encoding->frequencies(stretch_of(positions));
  if (frequencies.empty()) return {};
  Tensor<double> angles({seq_len(), std::ssize(frequencies)});
  for (Index t = 0; t < seq_len(); ++t) {
    const double position = positions.of(0)[static_cast<std::size_t>(t)];
    std::ranges::transform(frequencies, angles.view().row(t), [&](double f) { return position * f; });
  }
  return angles;
}

void Effect::visit_pairs(const Content& content, bool products, bool added, const VisitRow& visit) const {
  constexpr Index block_rows = 32;
  const ModelShape& shape = of.shape;
  const Index length = seq_len();
  const Index d_head = shape.d_head();
  Tensor<double> query = content.query;
  Tensor<double> key = content.key;
  const Tensor<double> input =
      content.input.size() > 0 ? content.input : Tensor<double>({length, shape.d_model});
  Pass<double> pass(of.values);
  pass.begin({.positions = positions});
  of.encoding->begin_run(pass);
  of.encoding->encode_layer(input.view(), layer, pass);
  of.encoding->encode_query_key(query.view(), key.view(), {layer, {shape.causal}}, pass);
  if (!products) {  // an encoding may have kept what it needs of them
    query = content.query;
    key = content.key;
  }
  const double scale = 1.0 / std::sqrt(static_cast<double>(d_head));
  const std::span<const double> at = positions.of(0);
  for (Index head = 0; head < shape.heads; ++head) {
    const Index key_head = head / (shape.heads / shape.n_kv_heads);
    for (Index first = 0; first < length; first += block_rows) {
      const auto frame = pass.scratch_frame();
      const Index rows = std::min(block_rows, length - first);
      const ScoreBlock<double> block{
          .layer = layer,
          .head = head,
          .first_query = first,
          .sight = {shape.causal},
          .scale = scale,
          .query = query.view().row_range(first, rows).col_range(head * d_head, d_head),
          .key = key.view().col_range(key_head * d_head, d_head),
          .key_positions = at};
      const View<double> scores = pass.zeros(rows, length);
      if (products) multiply<double>(block.query, transposed(block.key), scores, scale);
      if (added) of.encoding->encode_scores(block, scores, pass);
      for (Index r = 0; r < rows; ++r)
        visit(head, first + r, {scores.row(r), static_cast<std::size_t>(block.visible(r))});
    }
  }
}

Tensor<double> Effect::pairs(const Content& content, bool products, bool added) const {
  Tensor<double> result({of.shape.heads, seq_len(), seq_len()});
  visit_pairs(content, products, added, [&](Index head, Index i, std::span<const double> row) {
    std::ranges::copy(row, result.view().row(head * seq_len() + i));
  });
  return result;
}

BuiltEncoding::BuiltEncoding(const PartList& part, const ModelShape& of, std::uint64_t seed)
    : text(part.text()),
      shape(of),
      encoding(make_positional_encoding<double>(part, shape, Scope(layout, "positional"))),
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
Tensor<double> ScoreProbe::terms(const Effect& effect) const {
  const Content token = projected(repeated(effect.seq_len()));
  const Content position = projected(effect.input());
  Tensor<double> result({4, effect.of.shape.heads, effect.seq_len(), effect.seq_len()});
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

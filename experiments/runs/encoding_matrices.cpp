#include "experiments/runs/encoding_matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "experiments/runs/encoding_scores.h"
#include "framework/core/random.h"

namespace ordinal::experiments {
namespace {

template <typename T>
Tensor<T> converted(const Tensor<double>& x) {
  Tensor<T> result(x.shape());
  std::ranges::transform(x.span(), result.data(), [](double value) { return static_cast<T>(value); });
  return result;
}

template <typename T>
Tensor<double> input_of(const PositionalEncoding<T>& encoding, const ModelShape& shape, Pass<T>& pass) {
  const Tensor<T> zeros({pass.seq_len(), shape.d_model});
  const View<const T> encoded = encoding.encode_input(zeros.view(), pass);
  Tensor<double> matrix(zeros.shape());
  for (Index r = 0; r < encoded.rows; ++r) std::copy_n(encoded.row(r), encoded.cols, matrix.view().row(r));
  return matrix;
}

template <typename T>
Tensor<double> angles_of(const PositionalEncoding<T>& encoding, const Positions& positions) {
  const std::vector<double> frequencies = encoding.frequencies(positions.stretch());
  if (frequencies.empty()) return {};
  Tensor<double> angles({positions.seq_len(), std::ssize(frequencies)});
  for (Index t = 0; t < positions.seq_len(); ++t) {
    for (Index i = 0; i < angles.view().cols; ++i) {
      angles(t, i) = positions.of(0)[static_cast<std::size_t>(t)] * frequencies[static_cast<std::size_t>(i)];
    }
  }
  return angles;
}

template <typename T>
Tensor<double> bias_of(const PositionalEncoding<T>& encoding, const ModelShape& shape, Index layer,
                       const QueryKey& query_key, Pass<T>& pass) {
  const Index length = pass.seq_len();
  encode_no_content(encoding, shape, layer, pass);
  const Tensor<T> query = converted<T>(query_key.query);
  const Tensor<T> key = converted<T>(query_key.key);
  Tensor<double> bias({shape.heads, length, length});
  for (Index head = 0; head < shape.heads; ++head) {
    Tensor<T> scores({length, length});
    const ScoreBlock<T> block =
        whole_block<T>(shape, layer, head, query.view(), key.view(), pass.run().positions.of(0));
    encoding.encode_scores(block, scores.view(), pass);
    for (Index i = 0; i < length; ++i) {
      std::copy_n(scores.view().row(i), block.visible(i), bias.view().row(head * length + i));
    }
  }
  return bias;
}

}  // namespace

QueryKey random_query_key(const ModelShape& shape, Index seq_len, std::uint64_t seed) {
  QueryKey result{Tensor<double>({seq_len, shape.heads * shape.d_head()}),
                  Tensor<double>({seq_len, shape.n_kv_heads * shape.d_head()})};
  Random query({.seed = seed, .purpose = hash_name("query")});
  Random key({.seed = seed, .purpose = hash_name("key")});
  for (double& value : result.query.span()) value = query.normal();
  for (double& value : result.key.span()) value = key.normal();
  return result;
}

void check_query_key(const QueryKey& query_key, const ModelShape& shape, Index seq_len) {
  const Shape query_shape = {seq_len, shape.heads * shape.d_head()};
  const Shape key_shape = {seq_len, shape.n_kv_heads * shape.d_head()};
  if (query_key.query.shape() == query_shape && query_key.key.shape() == key_shape) return;
  throw std::invalid_argument(
      fmt::format("got queries {} and keys {}, expected {} and {}", to_string(query_key.query.shape()),
                  to_string(query_key.key.shape()), to_string(query_shape), to_string(key_shape)));
}

template <typename T>
EncodingMatrices encoding_matrices(const PositionalEncoding<T>& encoding, const Parameters<T>& values,
                                   const std::string& name, const ModelShape& shape,
                                   const Positions& positions, Index layer, const QueryKey& query_key,
                                   const WantedMatrices& wanted) {
  check_query_key(query_key, shape, positions.seq_len());
  Pass<T> pass(values);
  pass.begin({.positions = positions});
  encoding.begin_run(pass);
  EncodingMatrices matrices;
  if (wanted.input && acts_on(name, Place::input)) matrices.input = input_of(encoding, shape, pass);
  if (wanted.angles) matrices.angles = angles_of(encoding, positions);
  if (wanted.bias && acts_on(name, Place::scores)) {
    matrices.bias = bias_of(encoding, shape, layer, query_key, pass);
  }
  return matrices;
}

template EncodingMatrices encoding_matrices<float>(const PositionalEncoding<float>&, const Parameters<float>&,
                                                   const std::string&, const ModelShape&, const Positions&,
                                                   Index, const QueryKey&, const WantedMatrices&);
template EncodingMatrices encoding_matrices<double>(const PositionalEncoding<double>&,
                                                    const Parameters<double>&, const std::string&,
                                                    const ModelShape&, const Positions&, Index,
                                                    const QueryKey&, const WantedMatrices&);

}  // namespace ordinal::experiments

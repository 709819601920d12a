// An encoding with parameters, gradients and a pass: what its hooks do, for the tests of encodings.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/random.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal::testing {

/// Numbers that are equal in float and in double.
template <typename T>
void randomize(std::span<T> values, std::uint64_t seed) {
  Random random({.seed = seed});
  for (T& value : values) value = static_cast<T>(static_cast<float>(random.normal()));
}

template <typename T = double>
Tensor<T> normal_tensor(Shape shape, std::uint64_t seed = 1) {
  Tensor<T> tensor(std::move(shape));
  randomize(tensor.span(), seed);
  return tensor;
}

template <typename T = double>
Tensor<T> ones(Shape shape) {
  Tensor<T> tensor(std::move(shape));
  std::ranges::fill(tensor.span(), T(1));
  return tensor;
}

template <typename T>
Tensor<T> tensor_of(View<const T> view, const Shape& shape) {
  return Tensor<T>(shape, {view.data, static_cast<std::size_t>(view.size())});
}

/// A block of scores: of a head of a layer, the rows from `first` on (0: all of them), and the keys (0: those that the rows see).
struct BlockAt {
  Index layer = 0;
  Index head = 0;
  Index sequence = 0;
  Index first = 0;
  Index rows = 0;
  Index keys = 0;
  double scale = 1.0;
};

template <typename T = double>
class Rig {
 public:
  using Build = std::function<std::unique_ptr<PositionalEncoding<T>>(const ModelShape&, const Scope&)>;

  explicit Rig(const std::string& text, const ModelShape& shape = {.d_model = 16})
      : Rig([&](const ModelShape& of, const Scope& in) { return make_positional_encoding<T>(text, of, in); },
            shape) {}
  Rig(const Build& build, const ModelShape& shape)
      : shape_(shape), encoding_(build(shape, Scope(layout_, "positional"))) {
    initialize(values_, 1);
  }

  const PositionalEncoding<T>* operator->() const { return encoding_.get(); }
  const ParameterLayout& layout() const { return layout_; }
  Parameters<T>& values() { return values_; }
  View<T> value(const std::string& name) { return values_["positional." + name]; }
  View<T> gradient(const std::string& name) { return gradients_["positional." + name]; }
  Parameters<T>& gradients() { return gradients_; }
  Pass<T>& pass() { return pass_; }
  /// Parameters far from their initial values.
  void randomize(std::uint64_t seed) { testing::randomize(values_.flat(), seed); }

  /// Begins a run. Queries and keys of a head are zeros until they are set.
  Rig& run(Run<T> run) {
    pass_.begin(std::move(run));
    encoding_->begin_run(pass_);
    query = Tensor<T>({pass_.seq_len(), shape_.d_head()});
    key = query;
    return *this;
  }
  Rig& at(const Positions& positions) { return run({.positions = positions, .record = true}); }
  Rig& at(const std::vector<double>& positions) { return at(Positions::shared(1, positions)); }
  /// At the positions 0, 1, 2, …
  Rig& over(Index length) { return at(Positions::contiguous(1, length)); }

  Tensor<T> input(const Tensor<T>& x) {
    return tensor_of(encoding_->encode_input(x.view(), pass_), x.shape());
  }
  Tensor<T> input_backward(const Tensor<T>& dy) {
    return tensor_of(encoding_->encode_input_backward(dy.view(), pass_), dy.shape());
  }
  /// Leaves NaN in the memory that the next run takes, which that run may then read nothing of.
  void poison() {
    constexpr Index much = 1 << 17;
    for (int i = 0; i < 2; ++i) {  // what grew in the first run is one block in the second
      over(1);
      const View<T> memory = pass_.allocate(1, much);
      std::fill_n(memory.data, much, std::numeric_limits<T>::quiet_NaN());
    }
  }
  /// Encodes queries (tokens, heads · d_head) and keys in place.
  void query_key(Tensor<T>& q, Tensor<T>& k) {
    encoding_->encode_query_key(q.view(), k.view(), {0, {shape_.causal, window}}, pass_);
  }

  ScoreBlock<T> block(const BlockAt& at) const {
    const std::span<const double> positions = pass_.run().positions.of(at.sequence);
    const Index rows = at.rows > 0 ? at.rows : pass_.seq_len() - at.first;
    const Index seen = shape_.causal ? at.first + rows : pass_.seq_len();
    const Index keys = at.keys > 0 ? at.keys : seen;
    return {.layer = at.layer,
            .head = at.head,
            .sequence = at.sequence,
            .first_query = at.first,
            .sight = {shape_.causal},
            .scale = static_cast<T>(at.scale),
            .query = query.view().row_range(at.first, rows),
            .key = key.view().row_range(0, keys),
            .key_positions = positions.first(static_cast<std::size_t>(keys))};
  }
  /// What is added to the scores of a block: (rows, keys).
  Tensor<T> scores(const BlockAt& at = {}) {
    const ScoreBlock<T> of = block(at);
    Tensor<T> scores({of.query.rows, of.key.rows});
    encoding_->encode_scores(of, scores.view(), pass_);
    return scores;
  }
  /// What is added to the output of a head whose query i gives the key j that it sees weight(i, j).
  Tensor<T> output(const std::function<double(Index i, Index j)>& weight, const BlockAt& at = {}) {
    const ScoreBlock<T> of = block(at);
    Tensor<T> weights({of.query.rows, of.key.rows});
    for (Index i = 0; i < of.query.rows; ++i) {
      for (Index j = 0; j < of.visible(i); ++j) weights(i, j) = static_cast<T>(weight(at.first + i, j));
    }
    Tensor<T> out({of.query.rows, shape_.d_head()});
    encoding_->encode_values(of, weights.view(), out.view(), pass_);
    return out;
  }
  /// Adds what a gradient of 1 in each score that a query of the block sees gives.
  void scores_backward(const BlockAt& at = {}) {
    const ScoreBlock<T> of = block(at);
    Tensor<T> d_scores({of.query.rows, of.key.rows});
    for (Index i = 0; i < of.query.rows; ++i) std::fill_n(d_scores.view().row(i), of.visible(i), T(1));
    Tensor<T> d_query({of.query.rows, shape_.d_head()});
    Tensor<T> d_key({of.key.rows, shape_.d_head()});
    encoding_->encode_scores_backward(of, {d_scores.view(), d_query.view(), d_key.view()}, pass_);
  }

  Tensor<T> query;
  Tensor<T> key;
  Index window = 0;  // of query_key(); 0: all

 private:
  ModelShape shape_;
  ParameterLayout layout_;
  std::unique_ptr<PositionalEncoding<T>> encoding_;
  Parameters<T> values_{layout_};
  Parameters<T> gradients_{layout_};
  Pass<T> pass_{values_, &gradients_};
};

}  // namespace ordinal::testing

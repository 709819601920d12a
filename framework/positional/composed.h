// Several encodings at once: `sinusoidal+t5` adds its sines to the input and its bias to the scores.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "framework/positional/positional_encoding.h"

namespace ordinal {

/// Applies its parts in order, and their backward hooks in the reverse order. Those that replace features of the input
/// must come before those that add to it.
template <typename T>
class ComposedEncoding final : public PositionalEncoding<T> {
 public:
  explicit ComposedEncoding(std::vector<std::unique_ptr<PositionalEncoding<T>>> parts)
      : parts_(std::move(parts)) {}

  std::string constants() const override;
  std::string note() const override;
  std::vector<double> frequencies(const Stretch& stretch) const override;
  std::vector<double> input_frequencies() const override;
  bool keeps_prefixes() const override;
  bool resize(const Slot& slot, View<const T> trained, View<T> own) const override;
  void begin_run(Pass<T>& pass) const override;
  View<const T> encode_input(View<const T> x, Pass<T>& pass) const override;
  View<const T> encode_input_backward(View<const T> dy, Pass<T>& pass) const override;
  void encode_layer(View<const T> x, Index layer, Pass<T>& pass) const override;
  void encode_layer_backward(View<T> dx, Index layer, Pass<T>& pass) const override;
  void encode_query_key(View<T> query, View<T> key, Index layer, Pass<T>& pass) const override;
  void encode_query_key_backward(View<T> d_query, View<T> d_key, Index layer, Pass<T>& pass) const override;
  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override;
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override;
  void encode_values(const ScoreBlock<T>& block, View<const T> weights, View<T> out,
                     Pass<T>& pass) const override;
  void encode_values_backward(const ScoreBlock<T>& block, View<const T> d_out, View<T> d_weights,
                              Pass<T>& pass) const override;
  void learn_values(const ScoreBlock<T>& block, View<const T> weights, View<const T> d_out,
                    Pass<T>& pass) const override;

 private:
  std::vector<std::unique_ptr<PositionalEncoding<T>>> parts_;
};

extern template class ComposedEncoding<float>;
extern template class ComposedEncoding<double>;

}  // namespace ordinal

#include "framework/positional/positional_encoding.h"

namespace ordinal {

template <typename T>
void PositionalEncoding<T>::begin_run(Pass<T>& /*pass*/) const {}

template <typename T>
View<const T> PositionalEncoding<T>::encode_input(View<const T> x, Pass<T>& /*pass*/) const {
  return x;
}
template <typename T>
View<const T> PositionalEncoding<T>::encode_input_backward(View<const T> dy, Pass<T>& /*pass*/) const {
  return dy;
}

template <typename T>
void PositionalEncoding<T>::encode_layer(View<const T> /*x*/, Index /*layer*/, Pass<T>& /*pass*/) const {}
template <typename T>
void PositionalEncoding<T>::encode_layer_backward(View<T> /*dx*/, Index /*layer*/, Pass<T>& /*pass*/) const {}

template <typename T>
void PositionalEncoding<T>::encode_query_key(View<T> /*query*/, View<T> /*key*/, Index /*layer*/,
                                             Pass<T>& /*pass*/) const {}
template <typename T>
void PositionalEncoding<T>::encode_query_key_backward(View<T> /*d_query*/, View<T> /*d_key*/, Index /*layer*/,
                                                      Pass<T>& /*pass*/) const {}

template <typename T>
void PositionalEncoding<T>::encode_scores(const ScoreBlock<T>& /*block*/, View<T> /*scores*/,
                                          Pass<T>& /*pass*/) const {}
template <typename T>
void PositionalEncoding<T>::encode_scores_backward(const ScoreBlock<T>& /*block*/,
                                                   const ScoreGradient<T>& /*gradient*/,
                                                   Pass<T>& /*pass*/) const {}

template <typename T>
void PositionalEncoding<T>::encode_values(const ScoreBlock<T>& /*block*/, View<const T> /*weights*/,
                                          View<T> /*out*/, Pass<T>& /*pass*/) const {}
template <typename T>
void PositionalEncoding<T>::encode_values_backward(const ScoreBlock<T>& /*block*/, View<const T> /*d_out*/,
                                                   View<T> /*d_weights*/, Pass<T>& /*pass*/) const {}
template <typename T>
void PositionalEncoding<T>::learn_values(const ScoreBlock<T>& /*block*/, View<const T> /*weights*/,
                                         View<const T> /*d_out*/, Pass<T>& /*pass*/) const {}

ORDINAL_INSTANTIATE(PositionalEncoding);

}  // namespace ordinal

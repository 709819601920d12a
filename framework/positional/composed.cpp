#include "framework/positional/composed.h"

#include <algorithm>

namespace ordinal {

template <typename T>
std::string ComposedEncoding<T>::constants() const {
  std::vector<std::string> all;
  for (const auto& part : parts_) {
    if (std::string own = part->constants(); !own.empty()) all.push_back(std::move(own));
  }
  return joined(all, "; ");
}

template <typename T>
std::string ComposedEncoding<T>::note() const {
  std::vector<std::string> all;
  for (const auto& part : parts_) {
    if (std::string own = part->note(); !own.empty()) all.push_back(std::move(own));
  }
  return joined(all);
}

// Of two rotations in a row, those of the first.
template <typename T>
std::vector<double> ComposedEncoding<T>::frequencies(const Stretch& stretch) const {
  for (const auto& part : parts_) {
    if (auto own = part->frequencies(stretch); !own.empty()) return own;
  }
  return {};
}

template <typename T>
std::vector<double> ComposedEncoding<T>::input_frequencies() const {
  for (const auto& part : parts_) {
    if (auto own = part->input_frequencies(); !own.empty()) return own;
  }
  return {};
}

template <typename T>
void ComposedEncoding<T>::begin_run(Pass<T>& pass) const {
  for (const auto& part : parts_) part->begin_run(pass);
}

template <typename T>
bool ComposedEncoding<T>::keeps_prefixes() const {
  return std::ranges::all_of(parts_, [](const auto& part) { return part->keeps_prefixes(); });
}

template <typename T>
bool ComposedEncoding<T>::resize(const Slot& slot, View<const T> trained, View<T> own) const {
  return std::ranges::any_of(parts_, [&](const auto& part) { return part->resize(slot, trained, own); });
}

template <typename T>
View<const T> ComposedEncoding<T>::encode_input(View<const T> x, Pass<T>& pass) const {
  for (const auto& part : parts_) x = part->encode_input(x, pass);
  return x;
}

template <typename T>
View<const T> ComposedEncoding<T>::encode_input_backward(View<const T> dy, Pass<T>& pass) const {
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part)
    dy = (*part)->encode_input_backward(dy, pass);
  return dy;
}

template <typename T>
void ComposedEncoding<T>::encode_layer(View<const T> x, Index layer, Pass<T>& pass) const {
  for (const auto& part : parts_) part->encode_layer(x, layer, pass);
}

template <typename T>
void ComposedEncoding<T>::encode_layer_backward(View<T> dx, Index layer, Pass<T>& pass) const {
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    (*part)->encode_layer_backward(dx, layer, pass);
  }
}

template <typename T>
void ComposedEncoding<T>::encode_query_key(View<T> query, View<T> key, Index layer, Pass<T>& pass) const {
  for (const auto& part : parts_) part->encode_query_key(query, key, layer, pass);
}

template <typename T>
void ComposedEncoding<T>::encode_query_key_backward(View<T> d_query, View<T> d_key, Index layer,
                                                    Pass<T>& pass) const {
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    (*part)->encode_query_key_backward(d_query, d_key, layer, pass);
  }
}

template <typename T>
void ComposedEncoding<T>::encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const {
  for (const auto& part : parts_) part->encode_scores(block, scores, pass);
}

template <typename T>
void ComposedEncoding<T>::encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                                                 Pass<T>& pass) const {
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    (*part)->encode_scores_backward(block, gradient, pass);
  }
}

template <typename T>
void ComposedEncoding<T>::encode_values(const ScoreBlock<T>& block, View<const T> weights, View<T> out,
                                        Pass<T>& pass) const {
  for (const auto& part : parts_) part->encode_values(block, weights, out, pass);
}

template <typename T>
void ComposedEncoding<T>::encode_values_backward(const ScoreBlock<T>& block, View<const T> d_out,
                                                 View<T> d_weights, Pass<T>& pass) const {
  for (const auto& part : parts_) part->encode_values_backward(block, d_out, d_weights, pass);
}

template <typename T>
void ComposedEncoding<T>::learn_values(const ScoreBlock<T>& block, View<const T> weights, View<const T> d_out,
                                       Pass<T>& pass) const {
  for (const auto& part : parts_) part->learn_values(block, weights, d_out, pass);
}

ORDINAL_INSTANTIATE(ComposedEncoding);

}  // namespace ordinal

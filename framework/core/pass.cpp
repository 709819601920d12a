#include "framework/core/pass.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace ordinal {

template <typename T>
void Pass<T>::begin(Run<T> run) {
  if (run.record && gradients_ == nullptr) {
    throw std::logic_error("Pass: a recorded run needs a gradient block, got none");
  }
  run_ = std::move(run);
  saved_.clear();
  arena_.reset();
}

template <typename T>
void Pass<T>::finish() {
  if (!saved_.empty()) {
    throw std::logic_error(
        fmt::format("Pass: {} saved something that no backward restored ({} left on the stack)",
                    saved_.back().layer, saved_.size()));
  }
  arena_.reset();
}

template <typename T>
void Pass<T>::save(std::string_view layer, View<const T> x) {
  if (run_.record) saved_.push_back({layer, x});
}

template <typename T>
View<const T> Pass<T>::restore(std::string_view layer) {
  if (saved_.empty()) throw std::logic_error(fmt::format("Pass: {} restores, but nothing is saved", layer));
  const Saved top = saved_.back();
  if (top.layer != layer) {
    throw std::logic_error(fmt::format(
        "Pass: {} restores what {} saved; backward must restore in the reverse order of the saves", layer,
        top.layer));
  }
  saved_.pop_back();
  return top.view;
}

template <typename T>
Random Pass<T>::random(std::uint32_t purpose, Index sequence) const {
  return Random({.seed = run_.seed,
                 .purpose = purpose,
                 .step = run_.step,
                 .example = run_.first_example + static_cast<std::uint32_t>(sequence)});
}

template class Pass<float>;
template class Pass<double>;

}  // namespace ordinal

#include "framework/core/pass.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace ordinal {
namespace {

template <typename Element>
void keep(std::vector<Element>& all, PreparedSlot slot, const Element& x) {
  const auto index = static_cast<std::size_t>(slot.index);
  if (all.size() <= index) all.resize(index + 1);
  all[index] = x;
}

template <typename Element>
Element kept(const std::vector<Element>& all, PreparedSlot slot) {
  const auto index = static_cast<std::size_t>(slot.index);
  if (index < all.size() && all[index].data != nullptr) return all[index];
  throw std::logic_error("Pass: nothing is prepared; a model calls begin_run() of its encoding in every run");
}

}  // namespace

template <typename T>
void Pass<T>::begin(Run<T> run) {
  if (run.positions.batch() < 1 || run.positions.seq_len() < 1) {
    throw std::invalid_argument(
        fmt::format("Pass: got {} sequences of {} tokens, expected at least 1 of each", run.positions.batch(),
                    run.positions.seq_len()));
  }
  if (run.record && gradients_ == nullptr) {
    throw std::logic_error("Pass: a recorded run needs a gradient block, got none");
  }
  if (run.record && run.cache != nullptr) {
    throw std::logic_error("Pass: a recorded run starts from nothing, got a cache");
  }
  run_ = std::move(run);
  saved_.clear();
  prepared_.clear();
  sums_.clear();
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
void Pass<T>::prepare(PreparedSlot slot, View<const T> x) {
  keep(prepared_, slot, x);
}

template <typename T>
View<const T> Pass<T>::prepared(PreparedSlot slot) const {
  return kept(prepared_, slot);
}

template <typename T>
void Pass<T>::start_sum(PreparedSlot slot, Index rows, Index cols) {
  keep(sums_, slot, zeros(rows, cols));
}

template <typename T>
View<T> Pass<T>::sum(PreparedSlot slot) const {
  return kept(sums_, slot);
}

template <typename T>
Random Pass<T>::random(std::uint32_t purpose, Index sequence) const {
  RandomKey key = run_.random;
  key.purpose = purpose;
  key.example += static_cast<std::uint32_t>(sequence);
  return Random(key);
}

ORDINAL_INSTANTIATE(Pass);

}  // namespace ordinal

#include "framework/core/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ordinal {

Initializer InitialWeights::of(double sd, Index fan_in) {
  if (fan_in < 1)
    throw std::invalid_argument(fmt::format("weights: got {} inputs, expected at least 1", fan_in));
  return normal(sd > 0.0 ? sd : 1.0 / std::sqrt(static_cast<double>(fan_in)));
}

double draw(const Initializer& initializer, Random& random) {
  if (initializer.kind == Initializer::Kind::normal) return initializer.scale * random.normal();
  if (initializer.kind == Initializer::Kind::uniform)
    return initializer.scale * (2.0 * random.uniform() - 1.0);
  return initializer.scale;
}

Slot ParameterLayout::add(std::string name, Shape shape, Initializer initializer, ParameterUse use) {
  if (find_if_there(name) != nullptr)
    throw std::invalid_argument(fmt::format("parameter {}: the name is taken", name));
  if (shape.empty() || shape.size() > 2) {
    throw std::invalid_argument(
        fmt::format("parameter {}: got shape {}, expected rank 1 or 2", name, to_string(shape)));
  }
  const Index size = element_count(shape);
  const Slot slot{flat_size_, shape.size() == 2 ? shape.front() : 1, shape.back()};
  specs_.push_back({std::move(name), std::move(shape), initializer, std::move(use), slot});
  flat_size_ += aligned_size(size);
  return slot;
}

StateSlot ParameterLayout::add_state(StateSpec spec) {
  states_.push_back(spec);
  return {std::ssize(states_) - 1};
}

Index ParameterLayout::count() const {
  Index count = 0;
  for (const ParameterSpec& spec : specs_) count += spec.size();
  return count;
}

const ParameterSpec& ParameterLayout::find(std::string_view name) const {
  const ParameterSpec* found = find_if_there(name);
  if (found == nullptr) throw std::out_of_range(fmt::format("parameter {}: not declared", name));
  return *found;
}

const ParameterSpec* ParameterLayout::find_if_there(std::string_view name) const {
  const auto found = std::ranges::find(specs_, name, &ParameterSpec::name);
  return found == specs_.end() ? nullptr : &*found;
}

std::vector<ParameterRange> parameter_ranges(const ParameterLayout& layout) {
  constexpr Index longest = 16384;
  std::vector<ParameterRange> ranges;
  for (const ParameterSpec& spec : layout.specs()) {
    for (Index done = 0; done < spec.size(); done += longest) {
      ranges.push_back({spec.slot.offset + done, std::min(longest, spec.size() - done), spec.use.decay,
                        !spec.use.matrices.empty()});
    }
  }
  return ranges;
}

void refuse_slot(Index end, Index size) {
  throw std::logic_error(fmt::format(
      "Parameters: got a parameter that ends at element {}, expected one of the {} declared when the "
      "block was made (build all layers of a layout before its first Parameters)",
      end, size));
}

}  // namespace ordinal

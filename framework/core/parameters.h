// Parameters are one flat block. Layers declare them by name, shape and initialiser while they are built;
// values live in one aligned buffer and gradients in another of the same layout, so that the optimizer, the
// gradient norm, a checkpoint, a copy and a sum over shards are each one loop over one array. A layer also
// declares the state that it carries from token to token in step-by-step decoding (see core/decode_cache.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/core/random.h"
#include "framework/core/tensor.h"

namespace ordinal {

/// The initial values of a parameter: a constant, N(0, scale^2), or U(-scale, scale).
struct Initializer {
  enum class Kind { constant, normal, uniform };
  Kind kind = Kind::constant;
  double scale = 0.0;
};

constexpr Initializer constant(double value) { return {Initializer::Kind::constant, value}; }
constexpr Initializer zeros() { return constant(0.0); }
constexpr Initializer ones() { return constant(1.0); }
constexpr Initializer normal(double standard_deviation) {
  return {Initializer::Kind::normal, standard_deviation};
}
constexpr Initializer uniform(double bound) { return {Initializer::Kind::uniform, bound}; }

/// What weights of products start with: N(0, sd²). By default, sd is 1/√fan_in (LeCun et al. 1998, §4.6), so that sums of fan_in
/// products are as large as their inputs, at any width. core/initial_weights.h has the choices of model.init.
struct InitialWeights {
  double sd = 0.0;       // 0: 1/√fan_in
  double last_sd = 0.0;  // of the last weights of each branch, whose output is added to x; 0: 1/√fan_in

  /// Of weights with this many inputs. Throws std::invalid_argument if there is no input.
  Initializer inner(Index fan_in) const { return of(sd, fan_in); }
  Initializer last(Index fan_in) const { return of(last_sd, fan_in); }

 private:
  static Initializer of(double sd, Index fan_in);
};

/// One value of a parameter.
double draw(const Initializer& initializer, Random& random);

/// The location of a declared parameter in the flat block, as a matrix. Layers keep it as a handle. A vector
/// of n elements is one row of n columns.
struct Slot {
  Index offset = 0;
  Index rows = 0;
  Index cols = 0;
};

/// What an optimizer needs to know of a parameter.
struct ParameterUse {
  bool decay = false;  // whether weight decay applies
  // Rows of each matrix between hidden layers that it stacks; none: it is no such matrix.
  std::vector<Index> matrices = {};
};

/// A declared parameter: dotted name, shape, initialiser, and how it is used.
struct ParameterSpec {
  std::string name;
  Shape shape;
  Initializer initializer;
  ParameterUse use;
  Slot slot;

  Index size() const { return slot.rows * slot.cols; }
};

/// The state that a layer carries from earlier tokens to later ones: a row of `cols` numbers for each
/// token, or `rows` rows in total.
struct StateSpec {
  Index rows = 0;  // 0: one per token
  Index cols = 0;
};

/// The index of such a state in a model. Layers keep it as a handle.
struct StateSlot {
  Index index = 0;
};

/// The handle to what several layers of a run share; see Pass::shared().
struct SharedSlot {
  Index index = 0;
};

/// All declared parameters in order of declaration. Each starts at a multiple of 64 bytes; the gaps stay
/// zero.
class ParameterLayout {
 public:
  explicit ParameterLayout(InitialWeights initial_weights = {}) : initial_weights_(initial_weights) {}

  const InitialWeights& initial_weights() const { return initial_weights_; }
  /// Declares a parameter. Throws std::invalid_argument if the name is taken or the rank of the shape is not 1 or 2.
  Slot add(std::string name, Shape shape, Initializer initializer, ParameterUse use = {});
  StateSlot add_state(StateSpec spec);
  SharedSlot add_shared() { return {shared_++}; }

  const std::vector<StateSpec>& states() const { return states_; }
  Index shared() const { return shared_; }

  const std::vector<ParameterSpec>& specs() const { return specs_; }
  /// Elements of the flat block, gaps included.
  Index flat_size() const { return flat_size_; }
  /// Number of parameters, gaps excluded.
  Index count() const;
  /// Throws std::out_of_range for a name that was not declared.
  const ParameterSpec& find(std::string_view name) const;
  /// Null for a name that was not declared.
  const ParameterSpec* find_if_there(std::string_view name) const;

 private:
  InitialWeights initial_weights_;
  std::vector<ParameterSpec> specs_;
  Index flat_size_ = 0;
  std::vector<StateSpec> states_;
  Index shared_ = 0;
};

/// The place in the name tree where a layer declares its parameters.
class Scope {
 public:
  explicit Scope(ParameterLayout& layout, std::string prefix = "")
      : layout_(&layout), prefix_(std::move(prefix)) {}

  /// Scope("block").nested("0").add("weight", …) declares `block.0.weight`.
  Scope nested(std::string_view name) const { return Scope(*layout_, dotted(name)); }
  /// A parameter without weight decay: a bias, the gain of a norm, a table of positions. Throws as ParameterLayout::add() does.
  Slot add(std::string_view name, Shape shape, Initializer initializer) const {
    return layout_->add(dotted(name), std::move(shape), initializer);
  }
  /// One with weight decay: the weights by which a layer multiplies its input, and the token embedding.
  Slot add_weight(std::string_view name, Shape shape, Initializer initializer) const {
    return layout_->add(dotted(name), std::move(shape), initializer, {.decay = true});
  }
  /// Such weights W of a product x Wᵀ from one hidden layer to another. `rows` are those of the matrices that W stacks, such as
  /// queries, keys and values: optimizers such as Muon treat each as a whole.
  Slot add_matrix(std::string_view name, std::vector<Index> rows, Index cols, Initializer initializer) const {
    const Index all = std::accumulate(rows.begin(), rows.end(), Index{0});
    return layout_->add(dotted(name), {all, cols}, initializer, {.decay = true, .matrices = std::move(rows)});
  }
  /// What weights of products start with in this model.
  const InitialWeights& initial_weights() const { return layout_->initial_weights(); }
  StateSlot add_state(StateSpec spec) const { return layout_->add_state(spec); }
  SharedSlot add_shared() const { return layout_->add_shared(); }
  /// The dotted name of this place, or of something in it.
  const std::string& prefix() const { return prefix_; }
  std::string dotted(std::string_view name) const {
    return prefix_.empty() ? std::string(name) : prefix_ + "." + std::string(name);
  }

 private:
  ParameterLayout* layout_;
  std::string prefix_;
};

/// Elements [first, first + count) of the flat block, all of one parameter.
struct ParameterRange {
  Index first = 0;
  Index count = 0;
  bool decay = false;   // whether weight decay applies to the parameter
  bool hidden = false;  // whether it is of matrices between hidden layers
};

/// Ranges of at most 16,384 elements that cover every parameter once, for elementwise work by several threads. They depend on
/// the layout alone, so sums over ranges have the same bits with any number of threads.
std::vector<ParameterRange> parameter_ranges(const ParameterLayout& layout);

/// Throws std::logic_error for a slot that ends at element `end`, past the end of a block of `size` elements.
[[noreturn]] void refuse_slot(Index end, Index size);

/// One flat block of a layout: the values, their gradients, or an optimizer's moments. Starts at zero. Holds
/// the parameters declared before it was made; access to later ones throws std::logic_error, and to a name that was not declared
/// std::out_of_range. The layout, which the model owns, must outlive the block; spans and views are valid as long as the block.
template <typename T>
class Parameters {
 public:
  explicit Parameters(const ParameterLayout& layout)
      : layout_(&layout), buffer_(static_cast<std::size_t>(layout.flat_size())) {}

  const ParameterLayout& layout() const { return *layout_; }
  std::span<T> flat() { return buffer_; }
  std::span<const T> flat() const { return buffer_; }

  View<T> operator[](const Slot& slot) { return {buffer_.data() + first_of(slot), slot.rows, slot.cols}; }
  View<const T> operator[](const Slot& slot) const {
    return {buffer_.data() + first_of(slot), slot.rows, slot.cols};
  }
  View<T> operator[](std::string_view name) { return (*this)[layout_->find(name).slot]; }
  View<const T> operator[](std::string_view name) const { return (*this)[layout_->find(name).slot]; }

 private:
  Index first_of(const Slot& slot) const {
    const Index end = slot.offset + slot.rows * slot.cols;
    if (end > std::ssize(buffer_)) refuse_slot(end, std::ssize(buffer_));
    return slot.offset;
  }

  const ParameterLayout* layout_;
  AlignedBuffer<T> buffer_;
};

/// The name of the first parameter that holds an infinite number or NaN; empty if there is none.
template <typename T>
std::string first_not_finite(const Parameters<T>& parameters) {
  for (const ParameterSpec& spec : parameters.layout().specs()) {
    const View<const T> values = parameters[spec.slot];
    if (!std::all_of(values.data, values.data + values.size(), [](T x) { return std::isfinite(x); }))
      return spec.name;
  }
  return "";
}

/// Fills every parameter from its initialiser. Each has a separate random stream, keyed by (seed, name), so
/// two models with a parameter of the same name and shape start with the same values for it, regardless of
/// their other parameters.
template <typename T>
void initialize(Parameters<T>& parameters, std::uint64_t seed) {
  for (const ParameterSpec& spec : parameters.layout().specs()) {
    Random random({.seed = seed, .purpose = hash_name(spec.name)});
    const View<T> values = parameters[spec.slot];
    for (Index i = 0; i < values.size(); ++i) values.data[i] = static_cast<T>(draw(spec.initializer, random));
  }
}

}  // namespace ordinal

// A layer by itself, with parameters, and the cases of branches: for the tests of layers.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/random.h"
#include "framework/layers/layer_registry.h"
#include "framework/positional/positional_encoding.h"
#include "tests/framework/positional/rig.h"

namespace ordinal::testing {

inline constexpr Index width = 8;
inline constexpr Index batch = 2;
inline constexpr Index seq_len = 15;

/// A branch and the model around it.
struct BranchCase {
  std::string branch;
  bool causal = true;
  bool bias = true;
  Index d_model = width;
  std::string encoding = "none";

  ModelShape shape() const {
    return {.d_model = d_model, .heads = 4, .n_kv_heads = 2, .layers = 1, .causal = causal};
  }
};

/// Values that an option accepts, other than its default.
inline std::vector<std::string> other_values(const OptionSpec& option,
                                             const std::vector<std::string>& integers,
                                             const std::vector<std::string>& reals) {
  std::vector<std::string> values = option.choices;
  if (option.type == OptionType::flag) values = {"true", "false"};
  if (option.type == OptionType::integer) values = integers;
  if (option.type == OptionType::real) values = reals;
  if (option.type == OptionType::text) values = {"none"};
  std::erase_if(values, [&](const std::string& value) {
    return value == option.value || !complaint(option, value).empty();
  });
  return values;
}

/// Every branch with its defaults, and with each option at other values that it accepts.
inline std::vector<std::string> branches_with_options() {
  std::vector<std::string> all;
  for (const LayerEntry& entry : layers(LayerKind::branch).entries()) {
    all.push_back(entry.name);
    for (const OptionSpec& option : entry.options()) {
      for (const std::string& value : other_values(option, {"5", "20"}, {"0.5", "3"}))
        all.push_back(fmt::format("{}({}={})", entry.name, option.name, value));
    }
  }
  return all;
}

/// A branch with the encoding that it may use, which begins each run as a model does.
template <typename T>
class Specimen final : public Layer<T> {
 public:
  Specimen(const BranchCase& what, const Scope& scope)
      : encoding_(make_positional_encoding<T>(what.encoding, what.shape(), scope.nested("positional"))),
        branch_(make_layer<T>(
            LayerKind::branch, what.branch,
            {.width = what.d_model, .shape = what.shape(), .bias = what.bias, .encoding = encoding_.get()},
            scope)) {}

  Index input_width() const override { return branch_->input_width(); }
  Index output_width() const override { return branch_->output_width(); }
  Mixing mixing() const override { return branch_->mixing(); }
  const PositionalEncoding<T>& encoding() const { return *encoding_; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    encoding_->begin_run(pass);
    return branch_->forward(x, pass);
  }
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    return branch_->backward(dy, pass);
  }

 private:
  std::unique_ptr<PositionalEncoding<T>> encoding_;
  std::unique_ptr<Layer<T>> branch_;
};

/// Some options are defined only in a causal model, and some values of one only with others.
inline bool is_defined(const BranchCase& what) {
  ParameterLayout layout;
  try {
    const Specimen<float> built(what, Scope(layout));
  } catch (const ConfigError&) {
    return false;
  }
  return true;
}

/// Every branch with each of its options, and some together, with and without biases, in decoders and encoders.
inline std::vector<BranchCase> branch_cases() {
  std::vector<std::string> branches = branches_with_options();
  const std::vector<std::string> together = {
      "attention(weights=softmax)",
      "conv(kernel=1)",
      "gated_linear(activation=relu, ff=6)",
      "feed_forward(activation=swiglu, ff=6)",
      "attention(weights=sink, window=5, qk_norm=layernorm, softcap=0.5)",
      "attention(window=20, qk_norm=rmsnorm, softcap=0.5)"};
  branches.insert(branches.end(), together.begin(), together.end());
  std::vector<BranchCase> all;
  for (const std::string& branch : branches) {
    for (const bool bias : {true, false}) {
      for (const bool causal : {true, false}) all.push_back({branch, causal, bias});
    }
  }
  std::erase_if(all, [](const BranchCase& what) { return !is_defined(what); });
  return all;
}

/// A name for GoogleTest: what it does not take becomes _.
inline std::string plain_name(std::string name) {
  std::erase_if(name, [](char c) { return c == ' ' || c == ')'; });
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

inline std::string name_of_branch(const BranchCase& of) {
  return plain_name(of.branch + (of.causal ? "_causal" : "_bidirectional") +
                    (of.bias ? "" : "_without_bias"));
}

template <typename T>
Tensor<T> copy_of(View<const T> view) {
  Tensor<T> tensor({view.rows, view.cols});
  for (Index r = 0; r < view.rows; ++r) std::copy_n(view.row(r), view.cols, tensor.view().row(r));
  return tensor;
}

/// x Wᵀ + b for the parameters `name`.weight and `name`.bias, one product after the other.
inline Tensor<double> linear_by_loops(const Parameters<double>& values, const std::string& name,
                                      View<const double> x) {
  const View<const double> weight = values[name + ".weight"];
  Tensor<double> y({x.rows, weight.rows});
  for (Index t = 0; t < x.rows; ++t) {
    for (Index r = 0; r < weight.rows; ++r) {
      y(t, r) = values[name + ".bias"](0, r);
      for (Index c = 0; c < weight.cols; ++c) y(t, r) += weight(r, c) * x(t, c);
    }
  }
  return y;
}

/// A layer with parameters away from their initial values, so that none is zero.
template <typename T, typename Built = Layer<T>>
struct LayerRig {
  explicit LayerRig(const std::function<std::unique_ptr<Built>(const Scope&)>& build)
      : built(build(Scope(layout, "layer"))), layer(*built), values(layout), gradients(layout) {
    initialize(values, 1);
    Random random({.seed = 4});
    for (const ParameterSpec& spec : layout.specs()) {
      T* value = values[spec.slot].data;
      for (Index i = 0; i < spec.size(); ++i) value[i] += static_cast<T>(0.3 * random.normal());
    }
  }

  Tensor<T> forward(const Tensor<T>& x, Index sequences = batch) const {
    Pass<T> pass(values);
    pass.begin({.positions = Positions::contiguous(sequences, x.view().rows / sequences)});
    return copy_of(layer.forward(x.view(), pass));
  }

  struct Results {
    Tensor<T> y;
    Tensor<T> dx;
  };
  Results forward_and_backward(const Tensor<T>& x, const Tensor<T>& dy, Index sequences = batch) {
    Pass<T> pass(values, &gradients);
    pass.begin({.positions = Positions::contiguous(sequences, x.view().rows / sequences), .record = true});
    Tensor<T> y = copy_of(layer.forward(x.view(), pass));
    Tensor<T> dx = copy_of(layer.backward(dy.view(), pass));
    pass.finish();
    return {std::move(y), std::move(dx)};
  }

  ParameterLayout layout;
  std::unique_ptr<Built> built;
  Built& layer;
  Parameters<T> values;
  Parameters<T> gradients;
};

template <typename T>
struct BranchSetting : LayerRig<T, Specimen<T>> {
  explicit BranchSetting(const BranchCase& what)
      : LayerRig<T, Specimen<T>>(
            [&](const Scope& scope) { return std::make_unique<Specimen<T>>(what, scope); }) {}
};

}  // namespace ordinal::testing

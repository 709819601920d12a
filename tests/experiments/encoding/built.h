// An encoding to look at.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiments/encoding/effect.h"

namespace ordinal::experiments::testing {

/// With initial parameters, in the second layer of a model.
class Built {
 public:
  Built(const std::string& text, const ModelShape& shape)
      : text_(text),
        shape_(shape),
        encoding_(make_positional_encoding<double>(text, shape, Scope(layout_, "positional"))),
        values_(layout_) {
    initialize(values_, 3);
  }

  const ModelShape& shape() const { return shape_; }
  Effect<double> at(const Positions& positions) const {
    return {*encoding_, values_, text_, shape_, positions, 1};
  }

 private:
  std::string text_;
  ModelShape shape_;
  ParameterLayout layout_;
  std::unique_ptr<PositionalEncoding<double>> encoding_;
  Parameters<double> values_;
};

/// Whether a model of an encoding may be causal.
inline std::vector<bool> directions(const std::string& encoding) {
  if (encodings().find(encoding).causal_only) return {true};
  return {true, false};
}

}  // namespace ordinal::experiments::testing

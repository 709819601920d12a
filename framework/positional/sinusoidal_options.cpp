#include "framework/positional/sinusoidal_options.h"

#include <fmt/format.h>

#include "framework/core/errors.h"

namespace ordinal {
namespace {

std::vector<double> column_dropout(const ModelShape& shape, const SinusoidalOptions& options) {
  std::vector<double> dropout;
  if (options.dropout_high == 0.0 && options.dropout_low == 0.0) return dropout;
  for (Index c = 0; c < shape.d_model; ++c) {
    const double share = static_cast<double>(c) / static_cast<double>(shape.d_model - 1);
    dropout.push_back(options.dropout_high + share * (options.dropout_low - options.dropout_high));
  }
  return dropout;
}

}  // namespace

void SinusoidalOptions::visit(OptionVisitor& v) {
  sines.visit(v);
  v.number("scale_pe", scale_pe, at_least(0),
           "factor of PE; with 1 it has √(d_model/2) in norm, 4.4 times an initial token embedding");
  v.flag("pad_odd", pad_odd, "with an odd d_model: pad by one, encode, drop the last column");
  v.number("dropout_high", dropout_high, between(0, 0.999999),
           "dropout of whole dimensions of PE, at the highest frequency", Binds::training);
  v.number("dropout_low", dropout_low, between(0, 0.999999), "the same at the lowest; linear in between",
           Binds::training);
}

void SinusoidalOptions::resolve(const ModelShape& shape) {
  sines.resolve(shape);
  if (shape.d_model % 2 == 0 || pad_odd) return;
  throw ConfigError(
      fmt::format("needs an even width, got {} (set pad_odd = true to pad it by one, or use another d_model)",
                  shape.d_model));
}

SinusoidalColumns columns_of(const ModelShape& shape, const SinusoidalOptions& options) {
  const Index padded = shape.d_model + shape.d_model % 2;
  return {sinusoidal_frequencies(padded, options.sines.base), column_dropout(shape, options)};
}

}  // namespace ordinal

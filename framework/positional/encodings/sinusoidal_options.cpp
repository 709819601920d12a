#include "framework/positional/encodings/sinusoidal_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/core/errors.h"
#include "framework/core/options.h"

namespace ordinal {
namespace {

bool has_pairs(const SinusoidalOptions& options) { return options.functions == "both"; }

Index width_of(const ModelShape& shape, const SinusoidalOptions& options) {
  return options.concatenated > 0 ? options.concatenated : shape.d_model;
}

// D/2 pairs, with D the width padded to an even number, or one frequency per column.
Index frequency_count(const ModelShape& shape, const SinusoidalOptions& options) {
  const Index width = width_of(shape, options);
  return has_pairs(options) ? (width + width % 2) / 2 : width;
}

SinusoidLayout layout_of(const SinusoidalOptions& options) {
  if (options.functions == "sine") return SinusoidLayout::sines;
  if (options.functions == "cosine") return SinusoidLayout::cosines;
  return options.layout == "halves" ? SinusoidLayout::split : SinusoidLayout::interleaved;
}

FrequencyBand band_of(double from, double to, Index count) {
  return {rounded_product(from, count), rounded_product(to, count), count};
}

FrequencyBand training_band(const SinusoidalOptions& options, Index count) {
  return band_of(options.band_from, options.band_to, count);
}

FrequencyBand test_band(const SinusoidalOptions& options, Index count) {
  const FrequencyBand training = training_band(options, count);
  const FrequencyBand test = band_of(options.test_band_from, options.test_band_to, count);
  return {std::max(training.first, test.first), std::min(training.end, test.end), count};
}

// Where column c would be if sines and cosines alternated: columns go from the highest frequency to the lowest.
Index interleaved_place(Index c, const SinusoidalColumns& columns) {
  const Index n = std::ssize(columns.frequencies);
  if (columns.layout != SinusoidLayout::split) return c;
  return c < n ? 2 * c : 2 * (c - n) + 1;
}

std::vector<char> mask_of(const FrequencyBand& band, const SinusoidalColumns& columns) {
  std::vector<char> mask;
  if (band.is_all()) return mask;
  const bool pairs = columns.layout == SinusoidLayout::interleaved || columns.layout == SinusoidLayout::split;
  for (Index c = 0; c < columns.width; ++c) {
    const Index frequency = interleaved_place(c, columns) / (pairs ? 2 : 1);
    mask.push_back(frequency >= band.first && frequency < band.end ? 1 : 0);
  }
  return mask;
}

std::vector<double> dropout_of(const SinusoidalOptions& options, const SinusoidalColumns& columns) {
  std::vector<double> dropout;
  if (options.dropout_high == 0.0 && options.dropout_low == 0.0) return dropout;
  const auto last = static_cast<double>(std::max<Index>(columns.width - 1, 1));
  for (Index c = 0; c < columns.width; ++c) {
    const double share = static_cast<double>(interleaved_place(c, columns)) / last;
    dropout.push_back(options.dropout_high + share * (options.dropout_low - options.dropout_high));
  }
  return dropout;
}

void check_width(const ModelShape& shape, const SinusoidalOptions& options) {
  if (options.concatenated >= shape.d_model) {
    throw ConfigError(fmt::format("concatenated = {} leaves no feature of {} to tokens, expected at most {}",
                                  options.concatenated, shape.d_model, shape.d_model - 1));
  }
  const Index width = width_of(shape, options);
  if (width % 2 == 0 || options.pad_odd || !has_pairs(options)) return;
  throw ConfigError(
      fmt::format("needs an even width, got {} (set pad_odd = true to pad it by one, functions = sine or "
                  "cosine, or use another {})",
                  width, options.concatenated > 0 ? "concatenated" : "d_model"));
}

void check_band(const FrequencyBand& band, const std::string& options) {
  if (!band.is_empty()) return;
  throw ConfigError(fmt::format("{} keep none of {} frequencies, expected at least one (widen the band)",
                                options, band.count));
}

}  // namespace

void SinusoidalOptions::visit(OptionVisitor& v) {
  sines.visit(v);
  v.choice("functions", functions, {"both", "sine", "cosine"},
           "pairs of sine and cosine, or one of them at d_model frequencies");
  v.choice("layout", layout, {"interleaved", "halves"},
           "sines and cosines alternate, or all sines come before all cosines");
  v.integer("concatenated", concatenated, between(0, largest_count),
            "number of features that PE replaces, the last ones of the embedding; 0: PE is added to all");
  v.number("scale_pe", scale_pe, at_least(0),
           "factor of PE; at 1 PE has norm √(d_model/2), and an initial token embedding √d_model");
  v.flag("pad_odd", pad_odd, "with an odd width: pad by one, encode, drop the last column");
  v.number("band_from", band_from, between(0, 1),
           "share of the frequencies, from the highest, whose columns are 0", Binds::training);
  v.number("band_to", band_to, between(0, 1), "share of the frequencies after which columns are 0",
           Binds::training);
  v.number("test_band_from", test_band_from, between(0, 1), "as band_from, in tests only", Binds::test);
  v.number("test_band_to", test_band_to, between(0, 1), "as band_to, in tests only", Binds::test);
  v.number("dropout_high", dropout_high, between(0, 0.999999),
           "dropout of whole dimensions of PE, at the highest frequency", Binds::training);
  v.number("dropout_low", dropout_low, between(0, 0.999999), "the same at the lowest; linear in between",
           Binds::training);
}

void SinusoidalOptions::resolve(const ModelShape& shape) {
  sines.resolve(shape);
  if (layout == "halves" && !has_pairs(*this)) {
    throw ConfigError(fmt::format(
        "layout = halves orders pairs, and functions = {} has none (set functions = both)", functions));
  }
  check_width(shape, *this);
  const Index count = frequency_count(shape, *this);
  check_band(training_band(*this, count), fmt::format("band_from = {} and band_to = {}", band_from, band_to));
  check_band(test_band(*this, count),
             fmt::format("test_band_from = {} and test_band_to = {}", test_band_from, test_band_to));
}

std::string variant_text(const SinusoidalOptions& options) {
  const std::vector<OptionSpec> defaults = specs_of<SinusoidalOptions>();
  const std::vector<OptionSpec> specs = specs_of(options);
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name == "base" || specs[i].value == defaults[i].value) continue;
    changed.push_back(specs[i].name + " " + specs[i].value);
  }
  return joined(changed);
}

SinusoidalColumns columns_of(const ModelShape& shape, const SinusoidalOptions& options) {
  const Index count = frequency_count(shape, options);
  SinusoidalColumns columns{.width = width_of(shape, options),
                            .frequencies = sinusoidal_frequencies(2 * count, options.sines.base),
                            .layout = layout_of(options),
                            .test_band = test_band(options, count)};
  columns.in_training = mask_of(training_band(options, count), columns);
  columns.in_test = mask_of(columns.test_band, columns);
  columns.dropout = dropout_of(options, columns);
  return columns;
}

}  // namespace ordinal

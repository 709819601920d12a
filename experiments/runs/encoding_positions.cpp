#include "experiments/runs/encoding_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/core/errors.h"
#include "framework/core/number.h"

namespace ordinal::experiments {
namespace {

constexpr double largest_position = 1e9;
constexpr double longest_table = 1e6;

double position_of(const std::string& text) {
  const auto position = parse_real(text);
  if (position && std::abs(*position) <= largest_position) return *position;
  throw ConfigError(
      fmt::format("encoding.positions: got '{}', expected real numbers up to 1e9, such as 0, 5, 7.5", text));
}

Index offset_of(const std::string& text) {
  const auto offset = parse_integer(text);
  if (offset && *offset >= 0) return *offset;
  throw ConfigError(
      fmt::format("encoding.offsets: got '{}', expected whole numbers from 0, such as 1, 5", text));
}

}  // namespace

std::vector<double> given_positions(const Settings& settings) {
  std::vector<double> positions;
  for (const std::string& text : settings.list("encoding.positions")) positions.push_back(position_of(text));
  if (!positions.empty() && settings.is_given("encoding.seq_len")) {
    throw ConfigError(
        fmt::format("encoding.positions are {} positions, and encoding.seq_len = {} sets their number; leave "
                    "one of them out",
                    positions.size(), settings.text("encoding.seq_len")));
  }
  return positions;
}

void check_given_positions(const std::string& encoding, const PositionScheme& scheme) {
  const bool counted = scheme.kind == PositionScheme::Kind::contiguous || scheme.stretches();
  if (!counted || scheme.offset != 0.0) {
    throw ConfigError(
        fmt::format("encoding.positions: the scheme {} chooses positions itself; leave encoding.positions "
                    "out, or choose contiguous, ntk or yarn without an offset",
                    scheme.describe(1)));
  }
  const auto reads = [](const EncodingEntry& entry) { return entry.positions != PositionUse::nothing; };
  if (std::ranges::any_of(find_encodings(encoding), reads)) return;
  throw ConfigError(fmt::format("encoding.positions would change nothing: {} takes no positions", encoding));
}

Index reach_of(std::span<const double> positions) {
  return static_cast<Index>(
      std::clamp(std::floor(*std::ranges::max_element(positions)) + 1.0, 1.0, longest_table));
}

bool evenly_spaced(std::span<const double> positions, double step) {
  if (positions.size() < 2) return true;
  if (step == 0.0) step = positions[1] - positions[0];
  for (std::size_t t = 1; t < positions.size(); ++t) {
    const double expected = positions[0] + static_cast<double>(t) * step;
    if (std::abs(positions[t] - expected) > 1e-9 * (1.0 + std::abs(expected))) return false;
  }
  return step > 0.0;
}

std::vector<Index> chosen_offsets(const Settings& settings, Index positions) {
  std::vector<Index> offsets;
  for (const std::string& text : settings.list("encoding.offsets")) {
    const Index offset = offset_of(text);
    if (offset < positions) {
      offsets.push_back(offset);
    } else if (settings.is_given("encoding.offsets")) {
      throw ConfigError(fmt::format("encoding.offsets: got {}, expected offsets below the {} positions",
                                    offset, positions));
    }
  }
  return offsets;
}

}  // namespace ordinal::experiments

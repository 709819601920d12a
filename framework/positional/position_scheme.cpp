#include "framework/positional/position_scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "framework/core/errors.h"

namespace ordinal {
namespace {

// Knuth's selection sampling: position p is taken with probability (still needed) / (still there).
void draw_subset(Index count, Index range, Random& random, std::vector<double>& positions) {
  Index needed = count;
  for (Index p = 0; needed > 0; ++p) {
    if (static_cast<Index>(random.below(static_cast<std::uint32_t>(range - p))) >= needed) continue;
    positions.push_back(static_cast<double>(p));
    --needed;
  }
}

void draw_reals(Index count, Index range, Random& random, std::vector<double>& positions) {
  const auto first = std::ssize(positions);
  for (Index t = 0; t < count; ++t) positions.push_back(random.uniform() * static_cast<double>(range));
  std::sort(positions.begin() + first, positions.end());
}

Positions drawn(const PositionScheme& scheme, Index batch, Index seq_len, const RandomKey& first) {
  std::vector<double> positions;
  for (Index b = 0; b < batch; ++b) {
    RandomKey key = first;
    key.purpose = hash_name("positions");
    key.example += static_cast<std::uint32_t>(b);
    Random random(key);
    const bool whole = scheme.kind == PositionScheme::Kind::randomized;
    (whole ? draw_subset : draw_reals)(seq_len, scheme.max_position, random, positions);
  }
  return Positions::per_sequence(batch, std::move(positions));
}

std::vector<double> spaced(Index seq_len, double step) {
  std::vector<double> positions;
  for (Index t = 0; t < seq_len; ++t) positions.push_back(static_cast<double>(t) * step);
  return positions;
}

}  // namespace

const std::vector<std::string>& position_scheme_names() {
  static const std::vector<std::string> names = {"contiguous", "interpolated", "ntk",          "dynamic_ntk",
                                                 "yarn",       "randomized",   "random_float", "spaced"};
  return names;
}

std::string position_scheme_help() {
  return "  contiguous    0, 1, 2, … (from positional.offset in the test)\n"
         "  interpolated  0, 1/s, 2/s, …, s = length / training length (*)\n"
         "  ntk, yarn     rotary frequencies slowed for sequences s times as long as in training (*)\n"
         "  dynamic_ntk   ntk for the tokens read so far (*)\n"
         "  randomized    a sorted random subset of 0 … max_position - 1 for each example (*)\n"
         "  random_float  sorted random reals below max_position for each example (*)\n"
         "  spaced        evenly spaced over the range of randomized (*)\n"
         "(*) A longer sequence changes earlier outputs: no prefix consistency, unless positional.scale "
         "fixes s.\n";
}

PositionScheme::Kind position_scheme(const std::string& name) {
  const auto& names = position_scheme_names();
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<PositionScheme::Kind>(found - names.begin());
  throw ConfigError(
      fmt::format("positional.positions: got '{}', expected one of {}", name, fmt::join(names, ", ")));
}

void check_positions(const std::string& encoding, const std::string& scheme) {
  const PositionScheme::Kind kind = position_scheme(scheme);
  if (kind == PositionScheme::Kind::contiguous) return;
  const auto parts = find_encodings(encoding);
  const auto has = [&](PositionUse use) {
    return std::ranges::find(parts, use, &EncodingEntry::positions) != parts.end();
  };
  if (PositionScheme{.kind = kind}.stretches() && !has(PositionUse::rotary)) {
    throw ConfigError(fmt::format(
        "positions = {} stretches the frequencies of a rotation, and {} rotates nothing (use rope or xpos)",
        scheme, encoding));
  }
  if (!has(PositionUse::rotary) && !has(PositionUse::any)) {
    throw ConfigError(
        fmt::format("positions = {} would change nothing: {} takes no positions", scheme, encoding));
  }
}

double stretch_factor(const PositionScheme& scheme, Index seq_len) {
  if (scheme.scale > 0.0 && !scheme.is_dynamic()) return scheme.scale;
  return std::max(1.0, static_cast<double>(seq_len) / static_cast<double>(scheme.train_length));
}

Positions make_positions(const PositionScheme& scheme, Index batch, Index seq_len, const RandomKey& first) {
  using Kind = PositionScheme::Kind;
  if (scheme.needs_range() && seq_len > scheme.max_position) {
    throw std::out_of_range(
        fmt::format("{} tokens need as many positions, got {} (raise positional.max_position)", seq_len,
                    scheme.max_position));
  }
  switch (scheme.kind) {
    case Kind::interpolated:
      return Positions::shared(batch, spaced(seq_len, 1.0 / stretch_factor(scheme, seq_len)));
    case Kind::ntk:
    case Kind::dynamic_ntk:
      return Positions::contiguous(batch, seq_len)
          .stretched({Stretch::Kind::ntk, stretch_factor(scheme, seq_len)});
    case Kind::yarn:
      return Positions::contiguous(batch, seq_len)
          .stretched({Stretch::Kind::yarn, stretch_factor(scheme, seq_len)});
    case Kind::randomized:
    case Kind::random_float:
      return drawn(scheme, batch, seq_len, first);
    case Kind::spaced: {
      std::vector<double> positions =
          spaced(seq_len, static_cast<double>(scheme.max_position) / static_cast<double>(seq_len));
      for (double& position : positions) position = std::floor(position);
      return Positions::shared(batch, std::move(positions));
    }
    case Kind::contiguous:
      break;
  }
  return Positions::contiguous(batch, seq_len, scheme.offset);
}

}  // namespace ordinal

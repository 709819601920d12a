#include "framework/positional/position_scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <set>

#include "framework/core/errors.h"

namespace ordinal {
namespace {

// More positions than this are not gone through one by one: that would take longer than a step.
constexpr Index largest_walk = Index{1} << 24U;

void draw_different(Index count, Index range, Random& random, std::vector<double>& positions) {
  std::set<std::uint32_t> chosen;
  while (std::ssize(chosen) < count) chosen.insert(random.below(static_cast<std::uint32_t>(range)));
  positions.insert(positions.end(), chosen.begin(), chosen.end());
}

// Knuth's selection sampling: position p is taken with probability (still needed) / (still there).
void draw_subset(Index count, Index range, Random& random, std::vector<double>& positions) {
  if (range > largest_walk) return draw_different(count, range, random, positions);
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

void draw_shift(Index count, Index range, Random& random, std::vector<double>& positions) {
  const auto first = static_cast<double>(random.below(static_cast<std::uint32_t>(range - count + 1)));
  for (Index t = 0; t < count; ++t) positions.push_back(first + static_cast<double>(t));
}

Random random_of(RandomKey key, Index example) {
  if (key.purpose == 0) key.purpose = hash_name("positions");
  key.example += static_cast<std::uint32_t>(example);
  return Random(key);
}

Positions drawn(const PositionScheme& scheme, Index batch, Index seq_len, const RandomKey& first) {
  std::vector<double> positions;
  for (Index b = 0; b < batch; ++b) {
    Random random = random_of(first, b);
    const auto draw = scheme.kind == PositionScheme::Kind::randomized     ? draw_subset
                      : scheme.kind == PositionScheme::Kind::random_float ? draw_reals
                                                                          : draw_shift;
    draw(seq_len, scheme.max_position, random, positions);
  }
  return Positions::per_sequence(batch, std::move(positions));
}

// "1 1.5 4": two or more factors of 1 or more. "auto": 1 and s, the factors of ntk.
std::vector<double> factors_of(const std::string& text, double s) {
  if (text == "auto") return {1.0, s};
  std::vector<double> factors;
  for (const std::string& word : split_outside_brackets(text, ' ')) {
    char* end = nullptr;
    factors.push_back(std::strtod(word.c_str(), &end));
    if (end == word.c_str() + word.size() && factors.back() >= 1.0 && std::isfinite(factors.back())) continue;
    throw ConfigError(
        fmt::format("longrope: got a factor '{}' in longrope_factors, expected numbers of at least 1", word));
  }
  if (factors.size() >= 2) return factors;
  throw ConfigError(
      "longrope: got one factor in longrope_factors, expected two or more (interpolated has one for all "
      "pairs)");
}

std::vector<double> spaced(Index seq_len, double step, double first = 0.0) {
  std::vector<double> positions;
  for (Index t = 0; t < seq_len; ++t) positions.push_back(first + static_cast<double>(t) * step);
  return positions;
}

}  // namespace

void PositionScheme::visit(OptionVisitor& v) {
  if (kind == Kind::contiguous) {
    v.number("offset", offset, at_least(0), "the first position; as a key, that of the test alone",
             Binds::test);
  }
  if (kind == Kind::interpolated || kind == Kind::ntk || kind == Kind::yarn || kind == Kind::longrope) {
    v.number("scale", scale, automatic_or(0), "factor s; 0: length / training length, at least 1",
             Binds::training);
  }
  if (needs_range()) {
    v.integer("max_position", max_position, automatic_or(1, largest_count),
              "positions lie below it; 0: twice the longest length", Binds::training);
  }
  if (of_task()) {
    v.choice("ids", ids, {"coupled", "abacus"},
             "tokens that belong together share one, or counted in each word", Binds::training);
  }
  if (kind == Kind::yarn) {
    v.number("yarn_alpha", yarn_alpha, at_least(0),
             "pairs with at most this many turns in training are slowed by s", Binds::training);
    v.number("yarn_beta", yarn_beta, automatic_or(0),
             "pairs with at least this many turns keep their speed; 0: min(32, length / 4π), at least α + 1",
             Binds::training);
  }
  if (kind == Kind::longrope) {
    v.text("longrope_factors", longrope_factors,
           "factors that slow the pairs, from the first to the last, with spaces between; auto: 1 and s",
           Binds::training);
    v.integer("longrope_unchanged", longrope_unchanged, between(0, largest_count),
              "positions below it are not slowed", Binds::training);
  }
}

void PositionScheme::resolve(Index known, Index longest) {
  train_length = known;
  if (needs_range() && max_position == 0) {
    max_position = std::min(2 * std::max(known, longest), static_cast<Index>(largest_count));
  }
  if (needs_range() && !of_task() && max_position < known) {
    throw ConfigError(fmt::format("max_position = {} is less than {}, expected as many positions as tokens",
                                  max_position, known));
  }
  if (kind == Kind::longrope) factors_of(longrope_factors, 1.0);
  if (kind != Kind::yarn) return;
  const double turns = static_cast<double>(known) / (4.0 * std::numbers::pi);
  if (yarn_beta == 0.0) yarn_beta = std::max(yarn_alpha + 1.0, std::min(turns, 32.0));
  if (yarn_alpha < yarn_beta) return;
  throw ConfigError(fmt::format("yarn: yarn_alpha = {} is not below yarn_beta = {}", yarn_alpha, yarn_beta));
}

std::string PositionScheme::describe(Index seq_len) const {
  std::string text = position_schemes().entries()[static_cast<std::size_t>(kind)].name;
  if (offset > 0.0) text += fmt::format(" from {:g}", offset);
  if (needs_range()) text += fmt::format(", below {}", max_position);
  if (!stretches() && kind != Kind::interpolated) return text;
  const double s = stretch_factor(*this, seq_len);
  text += fmt::format(", s {:.4g}", s);
  if (s == 1.0) return text + " (as contiguous)";
  if (kind == Kind::yarn) return fmt::format("{}, α {:.3g}, β {:.3g}", text, yarn_alpha, yarn_beta);
  if (kind != Kind::longrope) return text;
  return text + (longrope_factors == "auto" ? "" : ", λ " + longrope_factors) +
         (longrope_unchanged > 0 ? fmt::format(", from {} on", longrope_unchanged) : "");
}

const Registry<SchemeEntry>& position_schemes() {
  static const Registry<SchemeEntry> schemes = [] {
    struct Text {
      const char* name;
      const char* summary;
      const char* definition;
    };
    const std::vector<Text> all = {
        {"contiguous", "0, 1, 2, …, or from an offset", "p_t = offset + t for token t = 0, 1, …"},
        {"interpolated", "0, 1/s, 2/s, …: compressed into the range of training (*)",
         R"(p_t = t/s for token t = 0, 1, … of a sequence of ℓ tokens, s = scale (0: max(1, ℓ/L), L the training
length). Under the condition `shifted` its offset is added to t/s. Chen et al. 2023.)"},
        {"ntk",
         "rotary frequencies slowed for sequences s times as long as in training, the slow ones most (*)",
         R"(p_t = t, and the r rotated dimensions of a head (--list rope) turn with
  θ_i = base'^(-2i/r),  base' = base · s^(r/(r - 2)),  i = 0 … r/2 - 1   (for r = 2: base' = base):
pair 0 keeps its speed, the last one is slowed by s. s = scale (0: max(1, ℓ/L) for a sequence of ℓ tokens, L
the training length). Nothing else changes: no temperature. bloc97 2023.)"},
        {"dynamic_ntk", "ntk for the tokens read so far (*)",
         R"(As ntk with s = max(1, ℓ/L), ℓ the tokens read so far: one factor for all of them, so that each further
token beyond L turns the earlier ones by other angles, and no cache of rotated keys can be kept.)"},
        {"yarn", "rotary frequencies slowed for sequences s times as long, fast pairs not at all (*)",
         R"(p_t = t, and the r rotated dimensions of a head (--list rope) turn with
  θ_i' = (1 - γ_i) θ_i/s + γ_i θ_i,   θ_i = base^(-2i/r),  i = 0 … r/2 - 1,
  γ_i = clip((n_i - α)/(β - α), 0, 1),   n_i = L θ_i/2π, the turns of the pair in training.
Temperature: every rotated pair of q and of k is also multiplied by m = 0.1 ln s + 1, so that its share of the
score grows by m²; dimensions that are not rotated keep theirs. L is the training length, s = scale (0:
max(1, ℓ/L) for a sequence of ℓ tokens), α = yarn_alpha, β = yarn_beta (0: max(α + 1, min(32, L/4π))). With
s = 1 nothing changes. Peng et al. 2023, §3.2 and §3.4; their code ramps over i instead of n_i.)"},
        {"longrope",
         "the frequency of each rotary pair divided by a factor of its own, but for the first tokens (*)",
         R"(p_t = t, and the r = 2n rotated dimensions of a head (--list rope) turn with
  θ_i' = θ_i/λ_i at positions from longrope_unchanged on,  θ_i' = θ_i below,  θ_i = base^(-2i/r),  i = 0 … n - 1.
longrope_factors gives m ≥ 2 factors f with spaces between: with x = i (m - 1)/(n - 1) and w = min(⌊x⌋, m - 2),
λ_i = f_w^(1 - x + w) f_(w + 1)^(x - w), which is f_i for m = n; f_0 for a single pair. auto: 1 and s, for which
λ_i = s^(i/(n - 1)), as in ntk. s = scale (0: max(1, ℓ/L) for a sequence of ℓ tokens, L the training length);
with s = 1 nothing changes. No temperature. Ding et al. 2024, §3; their search for factors and their fine-tuning
in stages are left out.)"},
        {"randomized", "a sorted random subset of 0 … max_position - 1 for each example (*)",
         R"(p_0 < p_1 < … is a subset of {0, …, M - 1} of as many numbers as there are tokens, each subset equally
likely, drawn for each example in training and in the test. M = max_position (0: twice the longest length of
training and test). Ruoss et al. 2023.)"},
        {"random_float", "sorted random reals below max_position for each example (*)",
         R"(p_0 ≤ p_1 ≤ … are as many real numbers as there are tokens, independent and uniform in [0, M), sorted,
drawn for each example in training and in the test. M = max_position (0: twice the longest length of training
and test). Shimizu 2026.)"},
        {"spaced", "evenly spaced over the range of randomized (*)",
         R"(p_t = ⌊t M/ℓ⌋ for token t = 0, 1, … of a sequence of ℓ tokens, M = max_position (0: twice the longest
length of training and test).)"},
        {"random_shift", "0, 1, 2, … moved by a random whole number for each example (*)",
         R"(p_t = k + t for token t = 0, 1, … of a sequence of ℓ tokens, k a whole number uniform in 0 … M - ℓ, drawn for
each example in training and in the test (`@random_shift:contiguous` tests from 0). M = max_position (0: twice
the longest length of training and test). SHAPE, Kiyono et al. 2021.)"},
        {"task",
         "what addition, copy and reverse give their tokens, moved by a random number for each example (*)",
         R"(p_t = c_t + k for token t, c_t = 1, 2, … given by the task (--list addition, copy or reverse), or p_t = 0 for
a token without one; k is a whole number uniform in 0 … M - 1 - max c, drawn for each example in training and in
the test.
  ids = coupled   symbols that belong together share one number, digits of equal significance for example
                  (position coupling, Cho et al. 2024)
  ids = abacus    letters and digits are counted from 1 in each run of them; other tokens have none (Abacus,
                  McLeish et al. 2024)
M = max_position (0: twice the longest length of training and test). The papers test with k = 0.)"}};
    std::vector<SchemeEntry> entries;
    for (const Text& text : all) {
      const auto kind = static_cast<PositionScheme::Kind>(entries.size());
      entries.push_back({text.name, text.summary, text.definition, specs_of(PositionScheme{.kind = kind})});
    }
    return Registry<SchemeEntry>("positions", std::move(entries));
  }();
  return schemes;
}

PositionScheme make_position_scheme(const Part& part) {
  const auto& entries = position_schemes().entries();
  const SchemeEntry& entry = position_schemes().find(part.name);
  PositionScheme scheme{.kind = static_cast<PositionScheme::Kind>(&entry - entries.data())};
  OptionReader reader(part.name, part.options);
  scheme.visit(reader);
  reader.check();
  return scheme;
}

PositionScheme make_position_scheme(const std::string& text) {
  return make_position_scheme(parse_part(text));
}

void check_positions(const std::string& encoding, const PositionScheme& scheme) {
  if (scheme.kind == PositionScheme::Kind::contiguous) return;
  const auto parts = find_encodings(encoding);
  const auto has = [&](PositionUse use) {
    return std::ranges::find(parts, use, &EncodingEntry::positions) != parts.end();
  };
  const std::string& name = position_schemes().entries()[static_cast<std::size_t>(scheme.kind)].name;
  if (scheme.stretches() && !has(PositionUse::rotary)) {
    throw ConfigError(fmt::format(
        "positions = {} stretches the frequencies of a rotation, and {} rotates nothing (use rope or xpos)",
        name, encoding));
  }
  if (!has(PositionUse::rotary) && !has(PositionUse::any)) {
    throw ConfigError(
        fmt::format("positions = {} would change nothing: {} takes no positions", name, encoding));
  }
}

double stretch_factor(const PositionScheme& scheme, Index seq_len) {
  if (scheme.scale > 0.0 && !scheme.is_dynamic()) return scheme.scale;
  return std::max(1.0, static_cast<double>(seq_len) / static_cast<double>(scheme.train_length));
}

Positions make_positions(const PositionScheme& scheme, Index batch, Index seq_len, const RandomKey& first) {
  using Kind = PositionScheme::Kind;
  if (scheme.of_task()) {
    throw PositionError(
        "positions = task: there is no example of a task to take them from (set positional.test_positions = "
        "contiguous or another scheme)");
  }
  if (scheme.needs_range() && seq_len > scheme.max_position) {
    throw PositionError(fmt::format("{} tokens need as many positions, got {} (raise max_position)", seq_len,
                                    scheme.max_position));
  }
  switch (scheme.kind) {
    case Kind::interpolated:
      return Positions::shared(batch, spaced(seq_len, 1.0 / stretch_factor(scheme, seq_len), scheme.offset));
    case Kind::ntk:
    case Kind::dynamic_ntk:
      return Positions::contiguous(batch, seq_len, scheme.offset)
          .stretched({Stretch::Kind::ntk, stretch_factor(scheme, seq_len)});
    case Kind::yarn:
      return Positions::contiguous(batch, seq_len, scheme.offset)
          .stretched({Stretch::Kind::yarn, stretch_factor(scheme, seq_len),
                      static_cast<double>(scheme.train_length), scheme.yarn_alpha, scheme.yarn_beta});
    case Kind::longrope: {
      const double s = stretch_factor(scheme, seq_len);
      return Positions::contiguous(batch, seq_len, scheme.offset)
          .stretched({.kind = Stretch::Kind::longrope,
                      .factor = s,
                      .slowing = factors_of(scheme.longrope_factors, s),
                      .unchanged = static_cast<double>(scheme.longrope_unchanged)});
    }
    case Kind::randomized:
    case Kind::random_float:
    case Kind::random_shift:
      return drawn(scheme, batch, seq_len, first);
    case Kind::spaced: {
      std::vector<double> positions =
          spaced(seq_len, static_cast<double>(scheme.max_position) / static_cast<double>(seq_len));
      for (double& position : positions) position = std::floor(position);
      return Positions::shared(batch, std::move(positions));
    }
    case Kind::contiguous:
    case Kind::task:
      break;
  }
  return Positions::contiguous(batch, seq_len, scheme.offset);
}

Positions moved_positions(const PositionScheme& scheme, Index batch, std::span<const double> given,
                          const RandomKey& first) {
  std::vector<double> positions(given.begin(), given.end());
  const auto seq_len = std::ssize(positions) / batch;
  for (Index b = 0; b < batch; ++b) {
    const std::span<double> row = std::span(positions).subspan(static_cast<std::size_t>(b * seq_len),
                                                               static_cast<std::size_t>(seq_len));
    const auto free = scheme.max_position - static_cast<Index>(*std::ranges::max_element(row));
    if (free < 1) {
      throw PositionError(
          fmt::format("the task gives positions up to {}, expected them below {} (raise max_position)",
                      scheme.max_position - free, scheme.max_position));
    }
    const auto shift = static_cast<double>(random_of(first, b).below(static_cast<std::uint32_t>(free)));
    for (double& position : row) position += position > 0.0 ? shift : 0.0;
  }
  return Positions::per_sequence(batch, std::move(positions));
}

}  // namespace ordinal

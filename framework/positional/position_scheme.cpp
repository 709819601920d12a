#include "framework/positional/position_scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "framework/core/errors.h"

namespace ordinal {

#define ORDINAL_SCHEME(name) SchemeEntry name##_scheme();
#include "framework/positional/schemes.inc"
#undef ORDINAL_SCHEME

namespace {

void visit_options(const SchemeEntry& entry, PositionScheme& scheme, OptionVisitor& v) {
  if (entry.scales && !entry.is_dynamic) {
    v.number("scale", scheme.scale, automatic_or(1),
             "factor s, at least 1; 0: length / training length, or 1 if that is more", Binds::training);
  }
  if (entry.has_range) {
    v.integer("max_position", scheme.max_position, automatic_or(1, largest_count),
              "positions lie below it; 0: twice the longest length", Binds::training);
  }
  const auto rule = entry.build(scheme.rule.get());
  rule->visit(scheme, v);
  scheme.rule = rule;
}

const SchemeRule& rule_of(const PositionScheme& scheme) {
  static const SchemeRule counts;
  return scheme.rule ? *scheme.rule : counts;
}

}  // namespace

Registry<SchemeEntry>& position_schemes() {
  static Registry<SchemeEntry> all("positions", {
#define ORDINAL_SCHEME(name) name##_scheme(),
#include "framework/positional/schemes.inc"
#undef ORDINAL_SCHEME
                                                });
  return all;
}

SchemeEntry with_options(SchemeEntry entry) {
  OptionVisitor visitor;
  PositionScheme defaults;
  visit_options(entry, defaults, visitor);
  entry.options = visitor.specs();
  return entry;
}

const SchemeEntry& PositionScheme::entry() const { return position_schemes().entries()[number]; }

void PositionScheme::visit(OptionVisitor& v) { visit_options(entry(), *this, v); }

void PositionScheme::resolve(Index known, Index longest) {
  train_length = known;
  if (entry().has_range && max_position == 0) {
    max_position = std::min(2 * std::max(known, longest), static_cast<Index>(largest_count));
  }
  if (entry().has_range && !of_task() && max_position < known) {
    throw ConfigError(fmt::format("max_position = {} is less than {}, expected as many positions as tokens",
                                  max_position, known));
  }
  const auto resolved = entry().build(rule.get());
  resolved->resolve(train_length);
  rule = resolved;
}

std::string PositionScheme::describe(Index seq_len) const {
  std::string text = name();
  if (offset > 0.0) text += fmt::format(" from {:g}", offset);
  if (entry().has_range) text += fmt::format(", below {}", max_position);
  if (!entry().scales) return text;
  const double s = stretch_factor(*this, seq_len);
  text += fmt::format(", s {:.4g}", s);
  return text + (s == 1.0 ? " (as contiguous)" : rule_of(*this).describe());
}

PositionScheme make_position_scheme(const PartList& scheme) {
  const Part& part = scheme.only();
  const SchemeEntry& entry = position_schemes().find(part.name);
  const auto number = static_cast<std::size_t>(&entry - position_schemes().entries().data());
  return read_options(part.name, part.options, PositionScheme{.number = number});
}

void check_positions(const PartList& encoding, const PositionScheme& scheme) {
  if (scheme.name() == "contiguous") return;
  const auto parts = find_encodings(encoding);
  const auto has = [&](PositionUse use) {
    return std::ranges::find(parts, use, &EncodingEntry::positions) != parts.end();
  };
  const auto keeps_distances = [](const EncodingEntry& part) {
    return part.positions != PositionUse::nothing && !part.maps_distances;
  };
  if (const auto other = std::ranges::find_if(parts, keeps_distances);
      scheme.entry().maps_distances && other != parts.end()) {
    throw ConfigError(fmt::format(
        "positions = {} changes far distances, which {} does not score (use rope, or a bias by distance)",
        scheme.name(), other->name));
  }
  if (scheme.stretches() && !scheme.entry().maps_distances && !has(PositionUse::rotary)) {
    throw ConfigError(fmt::format(
        "positions = {} stretches fixed frequencies of a rotation, which {} does not have (use rope or xpos)",
        scheme.name(), encoding.text()));
  }
  if (!has(PositionUse::rotary) && !has(PositionUse::any)) {
    throw ConfigError(fmt::format("positions = {} would change nothing: {} takes no positions", scheme.name(),
                                  encoding.text()));
  }
}

double stretch_factor(const PositionScheme& scheme, Index seq_len) {
  if (scheme.scale > 0.0 && !scheme.entry().is_dynamic) return scheme.scale;
  return std::max(1.0, static_cast<double>(seq_len) / static_cast<double>(scheme.train_length));
}

Stretch stretch_at(const PositionScheme& scheme, Index seq_len) {
  return rule_of(scheme).stretch(scheme, stretch_factor(scheme, seq_len));
}

Random position_stream(RandomKey first, Index example) {
  if (first.purpose == 0) first.purpose = hash_name("positions");
  first.example += static_cast<std::uint32_t>(example);
  return Random(first);
}

Positions make_positions(const PositionScheme& scheme, Index batch, Index seq_len, const RandomKey& first) {
  const SchemeEntry& entry = scheme.entry();
  if (scheme.of_task()) {
    throw PositionError(
        "positions = task: there is no example of a task to take them from (choose others behind @, such as "
        "rope@contiguous)");
  }
  if (entry.has_range && seq_len > scheme.max_position) {
    throw PositionError(fmt::format("{} tokens need as many positions, got {} (raise max_position)", seq_len,
                                    scheme.max_position));
  }
  std::vector<double> positions;
  if (entry.is_random) {
    for (Index b = 0; b < batch; ++b) {
      Random random = position_stream(first, b);
      rule_of(scheme).draw(seq_len, scheme.max_position, random, positions);
    }
    return Positions::per_sequence(batch, std::move(positions));
  }
  for (Index t = 0; t < seq_len; ++t)
    positions.push_back(scheme.offset + rule_of(scheme).place(scheme, t, seq_len));
  const Positions shared = Positions::shared(batch, std::move(positions));
  if (!entry.stretches) return shared;
  return shared.stretched(std::make_shared<const Stretch>(stretch_at(scheme, seq_len)));
}

}  // namespace ordinal

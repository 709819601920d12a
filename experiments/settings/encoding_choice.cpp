#include "experiments/settings/encoding_choice.h"

#include <algorithm>

#include "framework/positional/position_scheme.h"

namespace ordinal {

EncodingChoice encoding_choice(const Settings& settings, const std::string& entry) {
  const std::size_t at = entry.find('@');
  const std::string schemes = at == std::string::npos ? "" : entry.substr(at + 1);
  const std::size_t colon = schemes.find(':');
  EncodingChoice choice{entry.substr(0, at), settings.text("positional.positions"),
                        settings.text("positional.test_positions")};
  if (at != std::string::npos) choice.training = schemes.substr(0, colon);
  if (at != std::string::npos) choice.test = colon == std::string::npos ? "same" : schemes.substr(colon + 1);
  if (choice.test == "same") choice.test = choice.training;
  find_encodings(choice.encoding);
  check_positions(choice.encoding, choice.training);
  check_positions(choice.encoding, choice.test);
  return choice;
}

bool has_part(const std::string& encoding, const std::string& part) {
  const auto parts = find_encodings(encoding);
  return std::ranges::find(parts, part, &EncodingEntry::name) != parts.end();
}

bool heeds_scale(const EncodingChoice& choice) {
  const auto scales = [](const std::string& name) {
    const PositionScheme scheme{.kind = position_scheme(name)};
    return scheme.kind == PositionScheme::Kind::interpolated || (scheme.stretches() && !scheme.is_dynamic());
  };
  return scales(choice.training) || scales(choice.test);
}

bool heeds_offset(const EncodingChoice& choice) {
  const bool takes_positions = std::ranges::any_of(find_encodings(choice.encoding), [](const auto& entry) {
    return entry.positions != PositionUse::nothing;
  });
  return takes_positions && position_scheme(choice.test) == PositionScheme::Kind::contiguous;
}

EncodingConfig encoding_config(const Settings& settings, const std::string& entry) {
  return {.name = encoding_choice(settings, entry).encoding,
          .base = positional_base(settings),
          .overflow = settings.text("positional.overflow"),
          .pad_odd = settings.flag("positional.pad_odd"),
          .dropout_high = settings.real("positional.dropout_high"),
          .dropout_low = settings.real("positional.dropout_low"),
          .precision = settings.text("positional.precision"),
          .pairing = settings.text("positional.pairing"),
          .rotary_fraction = settings.real("positional.rotary_fraction"),
          .yarn_alpha = settings.real("positional.yarn_alpha"),
          .yarn_beta = settings.real("positional.yarn_beta"),
          .xpos_gamma = settings.real("positional.xpos_gamma"),
          .xpos_scale = settings.real("positional.xpos_scale"),
          .slope_scale = settings.real("positional.slope_scale"),
          .buckets = settings.integer("positional.buckets"),
          .max_distance = settings.integer("positional.max_distance"),
          .hidden = settings.integer("positional.hidden"),
          .cope_positions = settings.integer("positional.cope_positions")};
}

}  // namespace ordinal

// The registry of positional encodings: to add one, write its file and add its line to encodings.inc.
#include <fmt/format.h>

#include <algorithm>

#include "framework/core/errors.h"
#include "framework/positional/composed.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

#define ORDINAL_ENCODING(name) EncodingEntry name##_encoding();
#include "framework/positional/encodings.inc"
#undef ORDINAL_ENCODING

const std::vector<EncodingEntry>& encoding_registry() {
  static const std::vector<EncodingEntry> registry = {
#define ORDINAL_ENCODING(name) name##_encoding(),
#include "framework/positional/encodings.inc"
#undef ORDINAL_ENCODING
  };
  return registry;
}

namespace {

std::string known_names() {
  std::string names;
  for (const EncodingEntry& entry : encoding_registry()) names += (names.empty() ? "" : ", ") + entry.name;
  return names;
}

EncodingEntry find_encoding(const std::string& name) {
  const auto found = std::ranges::find(encoding_registry(), name, &EncodingEntry::name);
  if (found == encoding_registry().end()) {
    throw ConfigError(fmt::format(
        "positional encoding: got '{}', expected one of {} or several joined by '+'", name, known_names()));
  }
  return *found;
}

std::unique_ptr<PositionalEncoding<float>> build(const EncodingEntry& entry, const EncodingConfig& config,
                                                 const Scope& scope, float /*type*/) {
  return entry.build_float(config, scope);
}
std::unique_ptr<PositionalEncoding<double>> build(const EncodingEntry& entry, const EncodingConfig& config,
                                                  const Scope& scope, double /*type*/) {
  return entry.build_double(config, scope);
}

}  // namespace

std::vector<EncodingEntry> find_encodings(const std::string& name) {
  std::vector<EncodingEntry> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t plus = name.find('+', start);
    parts.push_back(find_encoding(name.substr(start, plus - start)));
    if (std::ranges::count(parts, parts.back().name, &EncodingEntry::name) > 1) {
      throw ConfigError(
          fmt::format("positional encoding: got '{}', expected {} only once", name, parts.back().name));
    }
    if (plus == std::string::npos) return parts;
    start = plus + 1;
  }
}

template <typename T>
std::unique_ptr<PositionalEncoding<T>> make_positional_encoding(const EncodingConfig& config,
                                                                const Scope& scope) {
  std::vector<std::unique_ptr<PositionalEncoding<T>>> parts;
  for (const EncodingEntry& entry : find_encodings(config.name)) {
    if (entry.causal_only && !config.causal) {
      throw ConfigError(
          fmt::format("{} has a meaning only where each token sees no later one (model.causal)", entry.name));
    }
    EncodingConfig part = config;
    part.name = entry.name;
    parts.push_back(build(entry, part, scope.nested(entry.name), T()));
  }
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<ComposedEncoding<T>>(std::move(parts));
}

template std::unique_ptr<PositionalEncoding<float>> make_positional_encoding<float>(const EncodingConfig&,
                                                                                    const Scope&);
template std::unique_ptr<PositionalEncoding<double>> make_positional_encoding<double>(const EncodingConfig&,
                                                                                      const Scope&);

}  // namespace ordinal

// The registry of positional encodings. To add one, write its file and add its line to encodings.inc.
#include <fmt/format.h>

#include <stdexcept>
#include <tuple>

#include "framework/core/errors.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

#define ORDINAL_ENCODING(name) EncodingEntry name##_encoding();
#include "framework/positional/encodings.inc"
#undef ORDINAL_ENCODING

Registry<EncodingEntry>& encodings() {
  static Registry<EncodingEntry> all("positional encoding", {
#define ORDINAL_ENCODING(name) name##_encoding(),
#include "framework/positional/encodings.inc"
#undef ORDINAL_ENCODING
                                                            });
  return all;
}

std::vector<Part> encoding_parts(const PartList& encoding) {
  std::vector<Part> parts = encoding.joined_by('+');
  for (const Part& part : parts) {
    encodings().find(part.name);
    const bool is_beside = part.name == "none" && parts.size() > 1;
    if (!is_beside && std::ranges::count(parts, part.name, &Part::name) == 1) continue;
    throw ConfigError(fmt::format("positional encoding: got '{}', expected {} {}", encoding.text(), part.name,
                                  is_beside ? "alone" : "only once"));
  }
  return parts;
}

std::vector<EncodingEntry> find_encodings(const PartList& encoding) {
  std::vector<EncodingEntry> entries;
  for (const Part& part : encoding_parts(encoding)) entries.push_back(encodings().find(part.name));
  return entries;
}

bool acts_on(const PartList& encoding, Place place) {
  return std::ranges::any_of(find_encodings(encoding), [&](const EncodingEntry& entry) {
    return std::ranges::find(entry.acts_on, place) != entry.acts_on.end();
  });
}

std::string places_text(const std::vector<Place>& places) {
  static const char* const names[] = {"input", "query, key", "scores", "values"};
  std::vector<std::string> words;
  for (const Place place : places) words.emplace_back(names[static_cast<int>(place)]);
  return words.empty() ? "nothing" : joined(words);
}

template <typename T>
PositionalEncoding<T> PositionalEncoding<T>::only(const std::string& names) const {
  if (names == "all") return *this;
  if (names == "none") return PositionalEncoding({}, shape_);
  const std::vector<std::string> wanted = split_outside_brackets(names, '+');
  Parts chosen;
  std::vector<std::string> known;
  for (const Named& named : parts_) {
    if (!named.acts(Place::query_key) && !named.acts(Place::scores) && !named.acts(Place::values)) continue;
    known.push_back(named.name);
    if (std::ranges::count(wanted, named.name) > 0) chosen.push_back(named);
  }
  if (!std::ranges::equal(chosen, wanted, {}, &Named::name)) {
    throw ConfigError(
        fmt::format("encoding of an attention layer: got '{}', expected all, none, or some of {}, each once, "
                    "in this order, and joined by + (name others in model.encoding)",
                    names, known.empty() ? "(model.encoding has none)" : joined(known)));
  }
  return PositionalEncoding(std::move(chosen), shape_);
}

namespace {

void check_shape(const ModelShape& shape) {
  using Size = std::tuple<const char*, Index, Index>;
  for (const auto& [name, value, least] :
       {Size{"d_model", shape.d_model, 1}, Size{"heads", shape.heads, 1},
        Size{"n_kv_heads", shape.n_kv_heads, 1}, Size{"layers", shape.layers, 0},
        Size{"train_length", shape.train_length, 1}, Size{"positions", shape.positions, 1},
        Size{"longest", shape.longest, 0}}) {
    if (value < least)
      throw std::invalid_argument(
          fmt::format("ModelShape: got {} {}, expected at least {}", name, value, least));
  }
}

std::string constants_of(const EncodingEntry& entry, const Part& part, const ModelShape& shape) {
  std::vector<std::string> texts;
  auto standard = entry.options.begin();
  for (const OptionSpec& option : entry.resolve(part, shape)) {
    if (option.value != (standard++)->value) texts.push_back(option.name + " " + option.value);
  }
  return joined(texts);
}

}  // namespace

template <typename T>
std::unique_ptr<PositionalEncoding<T>> make_positional_encoding(const PartList& encoding,
                                                                const ModelShape& shape, const Scope& scope) {
  check_shape(shape);
  typename PositionalEncoding<T>::Parts parts;
  for (const Part& part : encoding_parts(encoding)) {
    const EncodingEntry& entry = encodings().find(part.name);
    if (entry.causal_only && !shape.causal) {
      throw ConfigError(
          fmt::format("{} is defined only where no token sees later ones (a causal model)", part.name));
    }
    const auto build = std::get<EncodingBuilder<T>>(entry.build);
    parts.push_back({part.name, build(part, shape, scope.nested(part.name)), entry.acts_on,
                     constants_of(entry, part, shape)});
  }
  return std::make_unique<PositionalEncoding<T>>(std::move(parts), shape);
}

ORDINAL_INSTANTIATE(PositionalEncoding);
template std::unique_ptr<PositionalEncoding<float>> make_positional_encoding(const PartList&,
                                                                             const ModelShape&, const Scope&);
template std::unique_ptr<PositionalEncoding<double>> make_positional_encoding(const PartList&,
                                                                              const ModelShape&,
                                                                              const Scope&);

}  // namespace ordinal

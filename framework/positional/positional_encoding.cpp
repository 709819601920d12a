// The registry of positional encodings. To add one, write its file and add its line to encodings.inc.
#include <fmt/format.h>

#include <stdexcept>

#include "framework/core/errors.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

#define ORDINAL_ENCODING(name) EncodingEntry name##_encoding();
#include "framework/positional/encodings.inc"
#undef ORDINAL_ENCODING

namespace {

Registry<EncodingEntry>& encoding_registry() {
  static Registry<EncodingEntry> encodings("positional encoding", {
#define ORDINAL_ENCODING(name) name##_encoding(),
#include "framework/positional/encodings.inc"
#undef ORDINAL_ENCODING
                                                                  });
  return encodings;
}

}  // namespace

const Registry<EncodingEntry>& encodings() { return encoding_registry(); }

void register_encoding(EncodingEntry entry) { encoding_registry().add(std::move(entry)); }

std::vector<Part> encoding_parts(const std::string& text) {
  std::vector<Part> parts = parse_parts(text, '+');
  for (const Part& part : parts) {
    encodings().find(part.name);
    if (std::ranges::count(parts, part.name, &Part::name) == 1) continue;
    throw ConfigError(fmt::format("positional encoding: got '{}', expected {} only once", text, part.name));
  }
  return parts;
}

std::vector<EncodingEntry> find_encodings(const std::string& text) {
  std::vector<EncodingEntry> entries;
  for (const Part& part : encoding_parts(text)) entries.push_back(encodings().find(part.name));
  return entries;
}

bool acts_on(const std::string& text, Place place) {
  return std::ranges::any_of(find_encodings(text), [&](const EncodingEntry& entry) {
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
bool acts_in_layers(const EncodingPart<T>& part) {
  return dynamic_cast<const OnQueryKey<T>*>(&part) != nullptr ||
         dynamic_cast<const OnScores<T>*>(&part) != nullptr ||
         dynamic_cast<const OnValues<T>*>(&part) != nullptr;
}

template <typename T>
PositionalEncoding<T> PositionalEncoding<T>::only(const std::string& names) const {
  if (names == "all") return *this;
  if (names == "none") return PositionalEncoding({}, shape_);
  Parts known = parts_;
  std::erase_if(known, [](const Named& named) { return !acts_in_layers(*named.part); });
  const std::vector<std::string> wanted = split_outside_brackets(names, '+');
  for (const std::string& name : wanted) {
    if (std::ranges::count(known, name, &Named::name) != 1 || std::ranges::count(wanted, name) != 1) {
      std::string all = "all, none";
      for (const Named& named : known) all += ", " + named.name;
      throw ConfigError(
          fmt::format("encoding of an attention layer: got '{}', expected one of {}, or several, each once "
                      "and joined by + (name "
                      "others in model.encoding)",
                      names, all));
    }
  }
  std::erase_if(known, [&](const Named& named) { return std::ranges::count(wanted, named.name) == 0; });
  if (!std::ranges::equal(known, wanted, {}, &Named::name)) {
    std::vector<std::string> ordered;
    for (const Named& named : known) ordered.push_back(named.name);
    throw ConfigError(
        fmt::format("encoding of an attention layer: got '{}', expected {}, the order of model.encoding",
                    names, joined(ordered, "+")));
  }
  return PositionalEncoding(std::move(known), shape_);
}

ORDINAL_INSTANTIATE(PositionalEncoding);

namespace {

void check_shape(const ModelShape& shape) {
  const auto check = [](const char* name, Index value, Index least) {
    if (value >= least) return;
    throw std::invalid_argument(
        fmt::format("ModelShape: got {} {}, expected at least {}", name, value, least));
  };
  check("d_model", shape.d_model, 1);
  check("heads", shape.heads, 1);
  check("n_kv_heads", shape.n_kv_heads, 1);
  check("layers", shape.layers, 0);
  check("train_length", shape.train_length, 1);
  check("positions", shape.positions, 1);
  check("longest", shape.longest, 0);
}

}  // namespace

template <typename T>
std::unique_ptr<PositionalEncoding<T>> make_positional_encoding(const std::string& text,
                                                                const ModelShape& shape, const Scope& scope) {
  check_shape(shape);
  typename PositionalEncoding<T>::Parts parts;
  for (const Part& part : encoding_parts(text)) {
    const EncodingEntry& entry = encodings().find(part.name);
    if (entry.causal_only && !shape.causal) {
      throw ConfigError(
          fmt::format("{} is defined only where no token sees later ones (a causal model)", part.name));
    }
    parts.push_back({part.name, entry.build.of<T>()(part, shape, scope.nested(part.name))});
  }
  return std::make_unique<PositionalEncoding<T>>(std::move(parts), shape);
}

template std::unique_ptr<PositionalEncoding<float>> make_positional_encoding(const std::string&,
                                                                             const ModelShape&, const Scope&);
template std::unique_ptr<PositionalEncoding<double>> make_positional_encoding(const std::string&,
                                                                              const ModelShape&,
                                                                              const Scope&);

}  // namespace ordinal

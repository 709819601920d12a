// The encoding of a model, assembled from its parts, and the registry of encodings. positional/encoding_part.h says what a
// part does and how to add one.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/core/options.h"
#include "framework/core/part.h"
#include "framework/core/registry.h"
#include "framework/positional/encoding_part.h"

namespace ordinal {

/// Where an encoding acts.
enum class Place { input, query_key, scores, values };

/// One or more parts, as in "sinusoidal+t5". At each place the parts act in order, and their backward forms in reverse order.
template <typename T>
class PositionalEncoding {
 public:
  struct Named {
    std::string name;
    std::shared_ptr<const EncodingPart<T>> part;
    std::vector<Place> acts_on = {};
    std::string constants =
        {};  // the options in effect that are not the defaults: "buckets 32, max_distance 64"

    bool acts(Place place) const { return std::ranges::find(acts_on, place) != acts_on.end(); }
  };
  using Parts = std::vector<Named>;

  PositionalEncoding(Parts parts, const ModelShape& shape) : parts_(std::move(parts)), shape_(shape) {
    std::stable_partition(parts_.begin(), parts_.end(),  // Clang 14 cannot compile the std::ranges version
                          [](const Named& named) { return named.part->replaces_features(); });
  }

  /// The parts that an attention layer selects: all, none, or names joined by + in the order of the parts. This encoding still
  /// begins and ends their runs. Throws ConfigError for other names and another order.
  PositionalEncoding only(const std::string& names) const;

  /// The attention shape that it was built for, if it acts on queries, keys or scores. Attention with other heads, widths or
  /// direction rejects it.
  std::optional<ModelShape> attention_shape() const {
    const auto acts = [](const Named& part) {
      return part.acts(Place::query_key) || part.acts(Place::scores);
    };
    return std::ranges::any_of(parts_, acts) ? std::optional(shape_) : std::nullopt;
  }

  std::string constants() const {
    return texts("; ", [](const Named& named) { return named.constants; });
  }

  // What the parts report; see EncodingPart.
  std::string note() const {
    return texts(", ", [](const Named& named) { return named.part->note(); });
  }
  /// With two rotations in a row, the frequencies of the first.
  std::vector<double> frequencies(const Stretch& stretch) const {
    return first([&](const auto& part) { return part.frequencies(stretch); });
  }
  /// Throws ConfigError for a stretch that a part cannot have.
  void check_stretch(const Stretch& stretch) const {
    for (const Named& named : parts_) named.part->frequencies(stretch);
  }
  std::vector<double> input_frequencies() const {
    return first([](const auto& part) { return part.input_frequencies(); });
  }
  /// The rows of the tables of the parts, by their names.
  std::map<std::string, std::set<Index>> rows_read(std::span<const double> positions) const {
    std::map<std::string, std::set<Index>> read;
    for (const Named& named : parts_) read[named.name] = named.part->rows_read(positions, shape_.causal);
    return read;
  }
  bool keeps_prefixes() const {
    return std::ranges::all_of(parts_, [](const Named& named) { return named.part->keeps_prefixes(); });
  }
  bool resize(const Slot& slot, View<const T> trained, View<T> own) const {
    return std::ranges::any_of(parts_,
                               [&](const Named& named) { return named.part->resize(slot, trained, own); });
  }

  // What the parts do; see EncodingPart.
  void begin_run(Pass<T>& pass) const { each(Direction::forward, &Hooks::begin_run, pass); }

  View<const T> encode_input(View<const T> x, Pass<T>& pass) const {
    for (const Named& named : parts_) x = named.part->encode_input(x, pass);
    return x;
  }
  /// Ends the backward pass.
  View<const T> encode_input_backward(View<const T> dy, Pass<T>& pass) const {
    const auto call = [&](const Named& named) { dy = named.part->encode_input_backward(dy, pass); };
    std::for_each(parts_.rbegin(), parts_.rend(), call);
    each(Direction::backward, &Hooks::end_backward, pass);
    return dy;
  }

  void encode_layer(View<const T> x, Index layer, Pass<T>& pass) const {
    each(Direction::forward, &Hooks::encode_layer, x, layer, pass);
  }
  void encode_layer_backward(View<T> dx, Index layer, Pass<T>& pass) const {
    each(Direction::backward, &Hooks::encode_layer_backward, dx, layer, pass);
  }

  void encode_query_key(View<T> query, View<T> key, const LayerAt& at, Pass<T>& pass) const {
    each(Direction::forward, &Hooks::encode_query_key, query, key, at, pass);
  }
  void encode_query_key_backward(View<T> d_query, View<T> d_key, const LayerAt& at, Pass<T>& pass) const {
    each(Direction::backward, &Hooks::encode_query_key_backward, d_query, d_key, at, pass);
  }

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const {
    each(Direction::forward, &Hooks::encode_scores, block, scores, pass);
  }
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const {
    each(Direction::backward, &Hooks::encode_scores_backward, block, gradient, pass);
  }

  void encode_values(const ScoreBlock<T>& block, View<const T> weights, View<T> out, Pass<T>& pass) const {
    each(Direction::forward, &Hooks::encode_values, block, weights, out, pass);
  }
  void encode_values_backward(const ScoreBlock<T>& block, View<const T> d_out, View<T> d_weights,
                              Pass<T>& pass) const {
    each(Direction::backward, &Hooks::encode_values_backward, block, d_out, d_weights, pass);
  }
  void learn_values(const ScoreBlock<T>& block, View<const T> weights, View<const T> d_out,
                    Pass<T>& pass) const {
    each(Direction::forward, &Hooks::learn_values, block, weights, d_out, pass);
  }

 private:
  using Hooks = EncodingPart<T>;

  // Calls a hook of all parts: forward in their order, backward in reverse.
  template <typename Hook, typename... Arguments>
  void each(Direction direction, Hook hook, Arguments&... arguments) const {
    const auto call = [&](const Named& named) { std::invoke(hook, *named.part, arguments...); };
    if (direction == Direction::forward) std::for_each(parts_.begin(), parts_.end(), call);
    if (direction == Direction::backward) std::for_each(parts_.rbegin(), parts_.rend(), call);
  }
  template <typename Text>
  std::string texts(const char* separator, const Text& text) const {
    std::vector<std::string> all;
    for (const Named& named : parts_) all.push_back(text(named));
    std::erase(all, "");
    return joined(all, separator);
  }
  template <typename List>
  std::vector<double> first(const List& list) const {
    for (const Named& named : parts_) {
      if (auto own = list(*named.part); !own.empty()) return own;
    }
    return {};
  }

  Parts parts_;
  ModelShape shape_;
};

/// How an encoding uses the positions of tokens: not, as real numbers, or also with stretched frequencies (Stretch).
enum class PositionUse { nothing, any, rotary };

template <typename T>
using EncodingBuilder = std::unique_ptr<EncodingPart<T>> (*)(const Part&, const ModelShape&, const Scope&);

/// One entry of the registry: the description of an encoding, and how to build it.
struct EncodingEntry {
  std::string name;
  std::string formula = {};       // one line
  std::string beyond = {"runs"};  // what it does past the training length
  std::string source = {};        // paper, section
  PositionUse positions = PositionUse::any;
  bool shift_invariant =
      false;  // the same offset on all positions changes nothing, but the rounding of tables in 16 bits
  bool maps_distances = false;  // its scores follow far distances (FarDistances)
  bool causal_only = false;     // undefined if tokens see later ones
  std::string definition = {};  // everything needed to reimplement it; lines of up to 114 characters

  // Filled in by describe_encoding().
  std::vector<Place> acts_on = {};
  std::vector<OptionSpec> options = {};
  std::vector<OptionSpec> (*resolve)(const Part&, const ModelShape&) = nullptr;
  ForBoth<EncodingBuilder> build = {};
};

template <template <typename> class Encoding, typename Options, typename T>
std::unique_ptr<EncodingPart<T>> build_encoding(const Part& part, const ModelShape& shape,
                                                const Scope& scope) {
  return std::make_unique<Encoding<T>>(shape, resolved_options<Options>(part.name, part.options, shape),
                                       scope);
}

/// Fills in the places, options and builders of `entry` for a class template Encoding<T> with a constructor
/// (const ModelShape&, const Options&, const Scope&).
template <template <typename> class Encoding, typename Options = NoOptions>
EncodingEntry describe_encoding(EncodingEntry entry) {
  using Base = EncodingPart<float>;
  using Own = Encoding<float>;
  // The type of a pointer to a member function names the class that overrides it last.
  const auto acts = [&](Place place, auto own, auto base) {
    if (!std::is_same_v<decltype(own), decltype(base)>) entry.acts_on.push_back(place);
  };
  acts(Place::input, &Own::encode_input, &Base::encode_input);
  acts(Place::query_key, &Own::encode_query_key, &Base::encode_query_key);
  acts(Place::scores, &Own::encode_scores, &Base::encode_scores);
  acts(Place::values, &Own::encode_values, &Base::encode_values);
  entry.options = specs_of<Options>();
  entry.resolve = resolved_specs<Options>;
  entry.build = {build_encoding<Encoding, Options, float>, build_encoding<Encoding, Options, double>};
  return entry;
}

/// All registered encodings, in the order of encodings.inc.
Registry<EncodingEntry>& encodings();

/// The parts of "sinusoidal+t5(buckets=16)". Throws ConfigError for an unknown or repeated part.
std::vector<Part> encoding_parts(const PartList& encoding);
/// The registry entries of these parts.
std::vector<EncodingEntry> find_encodings(const PartList& encoding);
/// Whether any of these parts acts at `place`.
bool acts_on(const PartList& encoding, Place place);
/// The places as text: "query, key", "scores", "nothing".
std::string places_text(const std::vector<Place>& places);

/// Builds the encoding with the parameters of each part under its name in `scope`. Throws ConfigError for
/// options that it cannot have, std::invalid_argument for a shape with a size out of range.
template <typename T>
std::unique_ptr<PositionalEncoding<T>> make_positional_encoding(const PartList& encoding,
                                                                const ModelShape& shape, const Scope& scope);

}  // namespace ordinal

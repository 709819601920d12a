// Which positions tokens get in training and in a test, independently of encodings. To add a scheme, write one file in
// positional/schemes/ and one line in positional/schemes.inc. See schemes/yarn.cpp for one that stretches rotary frequencies.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/core/positions.h"
#include "framework/core/random.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

struct SchemeEntry;
class SchemeRule;

/// A scheme and its options. L is the training length. The `definition` of a scheme says what it computes.
struct PositionScheme {
  std::size_t number = 0;  // index in position_schemes(); 0 is contiguous
  Index train_length = 0;  // L
  double scale = 0.0;      // 0: computed from the length
  Index max_position = 0;
  double offset = 0.0;       // added to positions that are not drawn and not spaced over a range
  std::string ids = "auto";  // the name of positions that the task gives; auto: its first
  std::shared_ptr<const SchemeRule> rule =
      {};  // with the options of this scheme alone; null: it counts tokens

  const SchemeEntry& entry() const;
  const std::string& name() const;
  bool of_task() const { return name() == "task"; }
  bool stretches() const;

  void visit(OptionVisitor& v);
  /// Computes the options left at 0, for a model trained on `known` tokens and tested on up to `longest`. Throws ConfigError.
  void resolve(Index known, Index longest);
  /// The name and the values in effect for sequences of seq_len tokens: "yarn, s 4, α 1, β 5.1".
  std::string describe(Index seq_len) const;
};

/// What one scheme does, with the options of this scheme alone. By default it counts tokens and has no options.
class SchemeRule {
 public:
  virtual ~SchemeRule() = default;

  /// Visits the options but `scale` and `max_position`, which SchemeEntry says that it has.
  virtual void visit(PositionScheme& /*scheme*/, OptionVisitor& /*v*/) {}
  /// Computes the options left at 0, for the training length L. Throws ConfigError.
  virtual void resolve(Index /*train_length*/) {}
  /// The values in effect: ", α 1". Not called if s is 1.
  virtual std::string describe() const { return ""; }

  /// The position of token t of every sequence of seq_len tokens, to which the offset is added.
  virtual double place(const PositionScheme& /*scheme*/, Index t, Index /*seq_len*/) const {
    return static_cast<double>(t);
  }
  /// If positions are random: appends those of `count` tokens, below `range`.
  virtual void draw(Index /*count*/, Index /*range*/, Random& /*random*/,
                    std::vector<double>& /*positions*/) const {}
  /// The stretch for sequences s times as long as in training.
  virtual Stretch stretch(const PositionScheme& /*scheme*/, double /*s*/) const { return {}; }
};

/// One entry of the registry.
struct SchemeEntry {
  std::string name;
  std::string summary;          // one line
  std::string definition;       // its formulas, one per line
  bool is_random = false;       // positions differ between examples
  bool has_range = false;       // they lie below max_position, an option
  bool scales = false;          // by a factor s, which describe() reports: the option `scale`
  bool maps_distances = false;  // its stretch changes far distances instead of frequencies
  bool is_dynamic = false;      // s is computed from the number of tokens read so far

  // Filled in by describe_scheme().
  bool places = false;     // whether it has a place() of its own
  bool stretches = false;  // or a stretch()
  std::vector<OptionSpec> options = {};
  std::shared_ptr<SchemeRule> (*build)(const SchemeRule* like) = nullptr;  // a copy; of null: the defaults
};

/// Fills in the options of an entry that has a builder.
SchemeEntry with_options(SchemeEntry entry);

/// Adds the options and the builder to the entry of a class derived from SchemeRule.
template <typename Rule>
SchemeEntry describe_scheme(SchemeEntry entry) {
  // The type of a pointer to a member function names the class that overrides it last.
  entry.places = !std::is_same_v<decltype(&Rule::place), decltype(&SchemeRule::place)>;
  entry.stretches = !std::is_same_v<decltype(&Rule::stretch), decltype(&SchemeRule::stretch)>;
  entry.build = [](const SchemeRule* like) -> std::shared_ptr<SchemeRule> {
    return std::make_shared<Rule>(like != nullptr ? *static_cast<const Rule*>(like) : Rule());
  };
  return with_options(std::move(entry));
}

inline const std::string& PositionScheme::name() const { return entry().name; }
inline bool PositionScheme::stretches() const { return entry().stretches; }

/// All schemes, in the order of schemes.inc.
Registry<SchemeEntry>& position_schemes();

/// The scheme that "yarn" or "yarn(yarn_beta=8)" names. resolve() later computes what depends on lengths. Throws ConfigError.
PositionScheme make_position_scheme(const PartList& scheme);

/// Throws ConfigError if no part of the encoding takes positions, or the scheme stretches rotary frequencies and none is rotary.
void check_positions(const PartList& encoding, const PositionScheme& scheme);

/// s for a sequence of seq_len tokens, and the stretch by it, of factor 1 if the scheme does not stretch.
double stretch_factor(const PositionScheme& scheme, Index seq_len);
Stretch stretch_at(const PositionScheme& scheme, Index seq_len);

/// The key of the random positions of a validation example, distinct from those of a training step.
inline RandomKey validation_positions(std::uint64_t seed, std::uint32_t example = 0) {
  return {.seed = seed, .purpose = hash_name("positions.validation"), .example = example};
}

/// The random numbers for example `first.example + example`. If `first` has no purpose, it is "positions".
Random position_stream(RandomKey first, Index example);

/// Positions of `batch` examples of seq_len tokens. Example b draws from position_stream(first, b). Throws PositionError if
/// max_position is too small for the sequence, and for the scheme `task`, because only examples of a task have its positions.
Positions make_positions(const PositionScheme& scheme, Index batch, Index seq_len,
                         const RandomKey& first = {});

/// For the scheme `task`: shifts the positions 1, 2, … that a task gives the tokens of `batch` examples, row-major in `given`, as
/// the definition of the scheme says. 0 marks a token without a position. Draws like make_positions(). Throws PositionError if
/// max_position is too small.
Positions moved_positions(const PositionScheme& scheme, Index batch, std::span<const double> given,
                          const RandomKey& first);

}  // namespace ordinal

// Which positions tokens get in training and in a test, independently of encodings. To add a scheme, write one file in
// positional/schemes/ and one line in positional/schemes.inc. See schemes/yarn.cpp for one that stretches rotary frequencies.
#pragma once

#include <any>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "framework/core/positions.h"
#include "framework/core/random.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

struct SchemeEntry;

/// A scheme and its options. L is the training length. The `definition` of a scheme says what it computes.
struct PositionScheme {
  std::size_t number = 0;  // index in position_schemes(); 0 is contiguous
  Index train_length = 0;  // L
  double scale = 0.0;      // 0: computed from the length
  Index max_position = 0;
  double offset = 0.0;       // added to positions that are not drawn and not spaced over a range
  std::string ids = "auto";  // the name of positions that the task gives; auto: its first
  std::any own = {};         // the options of this scheme alone; see SchemeEntry

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

/// One entry of the registry. Functions may be null: a scheme without `place`, `draw` and `stretch` counts tokens.
struct SchemeEntry {
  std::string name;
  std::string summary;      // one line
  std::string definition;   // its formulas, one per line
  bool is_random = false;   // positions differ between examples
  bool has_range = false;   // they lie below max_position, an option
  bool scales = false;      // by a factor s, which describe() reports: the option `scale`
  bool is_dynamic = false;  // s is computed from the number of tokens read so far
  std::any own = {};        // a struct of the options of this scheme alone, with their defaults

  void (*visit)(PositionScheme& scheme, OptionVisitor& v) = nullptr;  // visits its other options
  void (*complete)(PositionScheme& scheme) = nullptr;                 // its own part of resolve()
  std::string (*describe)(const PositionScheme& scheme) = nullptr;    // ", α 1"; not called if s is 1
  /// The position of token t of every sequence of seq_len tokens, to which the offset is added.
  double (*place)(const PositionScheme& scheme, Index t, Index seq_len) = nullptr;
  /// Appends positions below `range` for `count` tokens.
  void (*draw)(Index count, Index range, Random& random, std::vector<double>& positions) = nullptr;
  /// The stretch for sequences s times as long as in training.
  Stretch (*stretch)(const PositionScheme& scheme, double s) = nullptr;

  std::vector<OptionSpec> options = {};  // filled in on registration
};

inline const std::string& PositionScheme::name() const { return entry().name; }
inline bool PositionScheme::stretches() const { return entry().stretch != nullptr; }

/// All schemes, in the order of schemes.inc.
const Registry<SchemeEntry>& position_schemes();

/// Adds a user-defined scheme, before the first use of a config. Throws std::invalid_argument if the name is taken.
void register_position_scheme(SchemeEntry entry);

/// The scheme that "yarn" or "yarn(yarn_beta=8)" names. resolve() later computes what depends on lengths. Throws ConfigError.
PositionScheme make_position_scheme(const std::string& text);

/// Throws ConfigError if no part of the encoding takes positions, or the scheme stretches rotary frequencies and none is rotary.
void check_positions(const std::string& encoding, const PositionScheme& scheme);

/// s for a sequence of seq_len tokens.
double stretch_factor(const PositionScheme& scheme, Index seq_len);

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

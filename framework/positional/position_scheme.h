// Which positions tokens are given, in training and in a test. Position schemes are independent of encodings,
// which all take real numbers. To add one: one file in positional/schemes/ and one line in positional/schemes.inc; see
// schemes/yarn.cpp for one that stretches rotary frequencies.
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

/// A scheme and its options. L is the training length; what each scheme computes is in its `definition`.
struct PositionScheme {
  std::size_t number = 0;  // in position_schemes(): contiguous
  Index train_length = 0;  // L
  double scale = 0.0;      // 0: from the length
  Index max_position = 0;
  double offset = 0.0;  // added to positions that are not drawn and not spaced over a range
  std::any own = {};    // the options that only this scheme has; see SchemeEntry

  const SchemeEntry& entry() const;
  const std::string& name() const;
  bool of_task() const { return name() == "task"; }
  bool stretches() const;

  /// The options that this scheme has.
  void visit(OptionVisitor& v);
  /// Works out the options left at 0, for a model that knows `known` tokens and is tested on up to `longest`.
  /// Throws ConfigError for options that do not fit together.
  void resolve(Index known, Index longest);
  /// The name and what is in force: "yarn, s 4, α 1, β 5.1" for sequences of seq_len tokens.
  std::string describe(Index seq_len) const;
};

/// One entry of the registry. What is null is not needed: a scheme without `place`, `draw` and `stretch` counts tokens.
struct SchemeEntry {
  std::string name;
  std::string summary;      // one line
  std::string definition;   // its formulas, one in a line
  bool is_random = false;   // positions differ between examples
  bool has_range = false;   // they lie below max_position
  bool scales = false;      // by s, which describe() tells
  bool is_dynamic = false;  // s is that of the tokens read so far
  std::any own = {};        // a struct of the options that only it has, with their defaults

  void (*visit)(PositionScheme& scheme, OptionVisitor& v) = nullptr;  // the options that it has
  void (*complete)(PositionScheme& scheme) = nullptr;                 // what resolve() does for it alone
  std::string (*describe)(const PositionScheme& scheme) = nullptr;    // ", α 1" unless s is 1
  /// The positions of all sequences of seq_len tokens.
  std::vector<double> (*place)(const PositionScheme& scheme, Index seq_len) = nullptr;
  /// Appends positions for `count` tokens below `range`.
  void (*draw)(Index count, Index range, Random& random, std::vector<double>& positions) = nullptr;
  /// For sequences s times as long as those of training.
  Stretch (*stretch)(const PositionScheme& scheme, double s) = nullptr;

  std::vector<OptionSpec> options = {};  // filled in when it is registered
};

inline void PositionScheme::visit(OptionVisitor& v) {
  if (entry().visit != nullptr) entry().visit(*this, v);
}
inline const std::string& PositionScheme::name() const { return entry().name; }
inline bool PositionScheme::stretches() const { return entry().stretch != nullptr; }

/// All schemes, in the order of schemes.inc.
const Registry<SchemeEntry>& position_schemes();

/// Adds a scheme of a user's. Before the first use of a config. Throws std::invalid_argument for a name that is taken.
void register_position_scheme(SchemeEntry entry);

/// Options that several schemes have.
void visit_scale(PositionScheme& scheme, OptionVisitor& v);
void visit_range(PositionScheme& scheme, OptionVisitor& v);

/// The scheme that "yarn" or "yarn(yarn_beta=8)" names; what depends on lengths is not worked out yet.
/// Throws ConfigError.
PositionScheme make_position_scheme(const std::string& text);
PositionScheme make_position_scheme(const Part& part);

/// Throws ConfigError, saying why, if a scheme makes no sense for an encoding: no part of it takes positions,
/// or rotary frequencies are to be stretched and no part is rotary.
void check_positions(const std::string& encoding, const PositionScheme& scheme);

/// s for a sequence of seq_len tokens.
double stretch_factor(const PositionScheme& scheme, Index seq_len);

/// The key of the random positions of a validation example: not those of a training step.
inline RandomKey validation_positions(std::uint64_t seed, std::uint32_t example = 0) {
  return {.seed = seed, .purpose = hash_name("positions.validation"), .example = example};
}

/// The random numbers for an example, counted from that of `first`; without a purpose it is "positions".
Random position_stream(RandomKey first, Index example);

/// Positions of `batch` examples of seq_len tokens. Example b draws from the stream of `first` with
/// first.example + b; without a purpose it is "positions". Throws PositionError if max_position is too small for the sequence, and for positions of
/// a task, which only its examples have (batch_positions).
Positions make_positions(const PositionScheme& scheme, Index batch, Index seq_len,
                         const RandomKey& first = {});

/// Which of the positions that a task gives: "coupled" or "abacus". For the scheme `task`.
const std::string& task_ids(const PositionScheme& scheme);

/// Positions that a task gives the tokens of `batch` examples, row-major in `given`: 1, 2, … become those plus k, with
/// k uniform in 0 … M - 1 - (the largest of the example); 0, a token without a position, stays 0. Draws as
/// make_positions() does. Throws PositionError if max_position is too small.
Positions moved_positions(const PositionScheme& scheme, Index batch, std::span<const double> given,
                          const RandomKey& first);

}  // namespace ordinal

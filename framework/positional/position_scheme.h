// Which positions tokens are given, in training and in a test. Position schemes are independent of encodings,
// which all take real numbers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/core/positions.h"
#include "framework/core/random.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

/// With L the training length, ℓ the length of a sequence, s = `scale` or else max(1, ℓ/L), M = max_position:
///   contiguous     offset, offset + 1, …
///   interpolated   0, 1/s, 2/s, …: compressed into the range of training (Chen et al. 2023)
///   ntk, yarn      0, 1, 2, …, with rotary frequencies stretched by s (rotary_frequencies)
///   dynamic_ntk    ntk with s = max(1, ℓ/L): each further token changes the angles of all earlier ones, so
///                  that rotated keys cannot be cached (is_dynamic)
///   longrope       0, 1, 2, …, with the frequency of each rotary pair divided by a factor of its own, but for the
///                  first tokens
///   randomized     a sorted random subset of 0 … M - 1, drawn for each example (Ruoss et al. 2023)
///   random_float   sorted real numbers, uniform in [0, M), drawn for each example (Shimizu 2026)
///   spaced         ⌊tM/ℓ⌋: evenly spaced over the range of randomized
///   random_shift   k, k + 1, … with k uniform in 0 … M - ℓ, drawn for each example (SHAPE, Kiyono et al. 2021)
///   task           what the task gives its tokens, moved by k for each example (Cho et al. 2024, McLeish et al. 2024)
struct PositionScheme {
  enum class Kind {
    contiguous,
    interpolated,
    ntk,
    dynamic_ntk,
    yarn,
    longrope,
    randomized,
    random_float,
    spaced,
    random_shift,
    task
  };
  Kind kind = Kind::contiguous;
  Index train_length = 0;  // L
  double scale = 0.0;      // 0: from the length
  Index max_position = 0;
  double offset = 0.0;          // added to positions that are not drawn and not spaced over a range
  std::string ids = "coupled";  // task: which of the positions that it gives
  double yarn_alpha = 1.0;
  double yarn_beta = 0.0;  // 0: min(32, L/4π), at least α + 1. The 32 of Peng et al. 2023 is for L in the
                           // thousands; at L = 64 the fastest pair turns only 10 times
  std::string longrope_factors = "auto";  // from the first pair to the last, with spaces between
  Index longrope_unchanged = 0;           // positions below it turn as in training

  bool is_random() const {
    return kind == Kind::randomized || kind == Kind::random_float || kind == Kind::random_shift || of_task();
  }
  bool of_task() const { return kind == Kind::task; }
  bool is_dynamic() const { return kind == Kind::dynamic_ntk; }
  bool needs_range() const { return is_random() || kind == Kind::spaced; }
  bool stretches() const {
    return kind == Kind::ntk || kind == Kind::yarn || kind == Kind::longrope || is_dynamic();
  }

  /// The options that this kind of scheme has.
  void visit(OptionVisitor& v);
  /// Works out the options left at 0, for a model that knows `known` tokens and is tested on up to `longest`.
  /// Throws ConfigError for options that do not fit together.
  void resolve(Index known, Index longest);
  /// The kind and what is in force: "yarn, s 4, α 1, β 5.1" for sequences of seq_len tokens.
  std::string describe(Index seq_len) const;
};

/// What is known about a scheme without building it.
struct SchemeEntry {
  std::string name;
  std::string summary;     // one line
  std::string definition;  // its formulas, one in a line
  std::vector<OptionSpec> options;
};

/// All schemes, in the order of PositionScheme::Kind.
const Registry<SchemeEntry>& position_schemes();

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

/// Positions of `batch` examples of seq_len tokens. Example b draws from the stream of `first` with
/// first.example + b; without a purpose it is "positions". Throws PositionError if max_position is too small for the sequence, and for positions of
/// a task, which only its examples have (batch_positions).
Positions make_positions(const PositionScheme& scheme, Index batch, Index seq_len,
                         const RandomKey& first = {});

/// Positions that a task gives the tokens of `batch` examples, row-major in `given`: 1, 2, … become those plus k, with
/// k uniform in 0 … M - 1 - (the largest of the example); 0, a token without a position, stays 0. Draws as
/// make_positions() does. Throws PositionError if max_position is too small.
Positions moved_positions(const PositionScheme& scheme, Index batch, std::span<const double> given,
                          const RandomKey& first);

}  // namespace ordinal

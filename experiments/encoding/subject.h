// The encoding under study, from settings alone or as learned in a checkpoint.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "experiments/encoding/effect.h"
#include "experiments/settings/command_line.h"
#include "framework/positional/position_scheme.h"

namespace ordinal::experiments {

/// The positions of encoding.positions, possibly none. Throws ConfigError if one is not a real number
/// from -1e9 to 1e9, or if encoding.seq_len is given too.
std::vector<double> given_positions(const Settings& settings);

/// Throws ConfigError if positions cannot be given explicitly, because `scheme` chooses them or no part
/// of `encoding` reads positions.
void check_given_positions(const std::string& encoding, const PositionScheme& scheme);

/// The reach: a model must know the tokens 0 … reach - 1 to cover these positions, 101 for 5, 100. From
/// 1 to 1e6, so that a table fits in memory.
Index reach_of(std::span<const double> positions);

/// Whether positions increase by a constant step, for M_k. `step` 0 allows any step.
bool evenly_spaced(std::span<const double> positions, double step = 0.0);

/// The offsets of encoding.offsets. Default offsets that are not below `positions` are dropped; a given
/// one is an error. Throws ConfigError.
std::vector<Index> chosen_offsets(const Settings& settings, Index positions);

class EncodingSubject {
 public:
  /// Reads section `encoding`, or with --model the encoding, width and layers of the checkpoint; given
  /// settings override those of the checkpoint. Throws ConfigError for options, positions, offsets or a
  /// layer that the encoding cannot have, or a name that is not the checkpoint's; CheckpointError for a
  /// file that does not hold it.
  explicit EncodingSubject(const CommandLine& command);

  const std::string& name() const { return name_; }
  /// The name with the options that keys set.
  const std::string& text() const { return text_; }
  const ModelShape& shape() const { return shape_; }
  Index seq_len() const { return seq_len_; }
  std::uint64_t seed() const { return seed_; }
  /// The effect in layer encoding.layer, at the positions of encoding.positions or else of the scheme
  /// in the test, drawn with the seed of the run.
  Effect<double> effect() const;
  /// Offsets k for matrices M_k.
  const std::vector<Index>& offsets() const { return offsets_; }
  /// Why there are no M_k; empty if there are.
  std::string why_no_offsets() const;

  /// A line with the positions, or the scheme and its values, and one with the constants of a model, which computes in float.
  std::string in_effect() const;

 private:
  void choose();
  void choose_from_checkpoint();
  void set_length(Index seq_len);
  void build();

  CommandLine command_;
  std::uint64_t seed_ = 0;
  std::uint64_t positions_seed_ = 0;     // seed of the run, for random positions
  std::vector<double> given_positions_;  // empty: those of the scheme
  std::string name_;                     // as given
  std::string text_;                     // with all options that are set
  ModelShape shape_;
  PositionScheme scheme_;
  Index seq_len_ = 0;
  Index reach_ = 0;  // tokens 0 … reach - 1 cover all positions
  Index layer_ = 0;
  std::vector<Index> offsets_;
  ParameterLayout layout_;
  std::unique_ptr<PositionalEncoding<double>> encoding_;
  std::unique_ptr<Parameters<double>> values_;
};

}  // namespace ordinal::experiments

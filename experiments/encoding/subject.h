// The encoding to be studied: from settings only, or as learned in a checkpoint.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "experiments/encoding/effect.h"
#include "experiments/settings/command_line.h"
#include "framework/positional/position_scheme.h"

namespace ordinal::experiments {

/// encoding.positions; empty if it is. Throws ConfigError for what is not a real number of at most 1e9, or
/// together with encoding.seq_len.
std::vector<double> given_positions(const Settings& settings);

/// Throws ConfigError if tokens cannot be given positions of their own: `scheme` chooses them, or no part of
/// `encoding` reads positions.
void check_given_positions(const std::string& encoding, const PositionScheme& scheme);

/// The tokens 0 … reach - 1 that a model must know to know these positions: 101 for 5, 100. From 1 to 1e6, so
/// that a table fits in memory.
Index reach_of(std::span<const double> positions);

/// Whether positions grow by the same step, for M_k: `step` 0 stands for any.
bool evenly_spaced(std::span<const double> positions, double step = 0.0);

/// encoding.offsets. Those of the default that are not below `positions` are left out; a given one is an
/// error. Throws ConfigError.
std::vector<Index> chosen_offsets(const Settings& settings, Index positions);

class EncodingSubject {
 public:
  /// Section `encoding`, or with --model the encoding, width and layers of the checkpoint; settings that
  /// are given override those of the checkpoint. Throws ConfigError for options, positions, offsets or a
  /// layer that the encoding cannot have, or a name that is not the checkpoint's, CheckpointError for a file
  /// that does not hold it.
  explicit EncodingSubject(const CommandLine& command);

  const std::string& name() const { return name_; }
  /// With the options that keys set.
  const std::string& text() const { return text_; }
  const ModelShape& shape() const { return shape_; }
  Index seq_len() const { return seq_len_; }
  std::uint64_t seed() const { return seed_; }
  /// At its positions, those of encoding.positions or of the scheme in the test, drawn with the seed of the run, in layer
  /// encoding.layer.
  Effect<double> effect() const;
  /// The queries of --query and the keys of --key instead of those there. Throws std::invalid_argument for another shape,
  /// DataError for a file that holds none.
  Content given(Content content) const;
  bool has_given_content() const { return !command_.query_file.empty() || !command_.key_file.empty(); }
  /// Offsets k for matrices M_k.
  const std::vector<Index>& offsets() const { return offsets_; }
  /// Why there are no M_k; empty if there are.
  std::string why_no_offsets() const;

  /// Its positions, or the scheme and its values in effect.
  std::string positions_text() const;
  /// The constants in effect in a model, which computes in float.
  std::string constants() const;
  /// Where its parameters come from; empty if it has none.
  std::string values_text() const;

 private:
  void choose();
  void choose_from_checkpoint();
  void set_length(Index seq_len);
  void build();

  CommandLine command_;
  std::uint64_t seed_ = 0;
  std::uint64_t positions_seed_ = 0;     // of the run, for random positions
  std::vector<double> given_positions_;  // empty: those of the scheme
  std::string name_;                     // as given
  std::string text_;                     // with all options that are set
  ModelShape shape_;
  PositionScheme scheme_;
  Index seq_len_ = 0;
  Index reach_ = 0;  // tokens 0 … reach - 1 hold all positions
  Index layer_ = 0;
  std::vector<Index> offsets_;
  ParameterLayout layout_;
  std::unique_ptr<PositionalEncoding<double>> encoding_;
  std::unique_ptr<Parameters<double>> values_;
};

}  // namespace ordinal::experiments

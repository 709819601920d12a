// The encoding under study, from settings alone or as learned in a checkpoint.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiments/encoding/effect.h"
#include "experiments/settings/command_line.h"
#include "framework/positional/position_scheme.h"

namespace ordinal::experiments {

class EncodingSubject {
 public:
  /// Reads section `encoding`, or with --model the encoding, width and layers of the checkpoint; given
  /// settings override those of the checkpoint. Throws ConfigError for options, positions, offsets or a
  /// layer that the encoding cannot have, or a name that is not the checkpoint's; CheckpointError for a
  /// file that does not hold it.
  explicit EncodingSubject(const CommandLine& command);

  const std::string& name() const { return name_; }
  /// Without its positions, and of a checkpoint with all options that are set.
  const std::string& text() const { return encoding_->text; }
  const ModelShape& shape() const { return encoding_->shape; }
  Index seq_len() const { return seq_len_; }
  std::uint64_t seed() const { return seed_; }
  /// The effect in layer encoding.layer, at the positions of encoding.positions or else of the scheme
  /// in the test, drawn with the seed of the run.
  Effect effect() const;
  /// Offsets k for matrices M_k, those of encoding.offsets; default offsets that are not below the number of positions are left
  /// out.
  const std::vector<Index>& offsets() const { return offsets_; }
  /// Why there are no M_k; empty if there are.
  std::string why_no_offsets() const;

  /// A line with the positions, or the scheme and its values, and one with the constants of a model, which computes in float.
  std::string in_effect() const;

 private:
  void choose(const Settings& settings);
  void load(const Settings& settings, const std::string& model);
  void choose_offsets(const Settings& settings);
  void set_length(Index seq_len);

  std::uint64_t seed_ = 0;
  std::uint64_t positions_seed_ = 0;     // seed of the run, for random positions
  std::vector<double> given_positions_;  // empty: those of the scheme
  std::string name_;                     // as given
  PositionScheme scheme_;
  Index seq_len_ = 0;
  Index reach_ = 0;  // tokens 0 … reach - 1 cover all positions
  Index layer_ = 0;
  std::vector<Index> offsets_;
  std::unique_ptr<BuiltEncoding> encoding_;
};

}  // namespace ordinal::experiments

// The encoding to be studied: from settings only, or as learned in a checkpoint.
#pragma once

#include <memory>
#include <string>

#include "experiments/runs/encoding_matrices.h"
#include "experiments/runs/encoding_scores.h"
#include "experiments/settings/command_line.h"
#include "framework/positional/position_scheme.h"

namespace ordinal::experiments {

class EncodingSubject {
 public:
  /// Section `encoding`, or with --model the encoding, width and layers of the checkpoint; settings that
  /// are given override those of the checkpoint. Throws ConfigError for options, positions, offsets or a
  /// layer that the encoding cannot have, or a name that is not the checkpoint's, CheckpointError for a file
  /// that does not hold it.
  explicit EncodingSubject(const CommandLine& command);

  const std::string& name() const { return name_; }
  /// With the options that keys set.
  const std::string& text() const { return encoding_text_; }
  const ModelShape& shape() const { return shape_; }
  Index seq_len() const { return seq_len_; }
  Index layer() const { return layer_; }
  /// Of one sequence in the test: those of encoding.positions, or of the scheme, drawn with the seed of the run.
  Positions positions() const;
  /// They, or the scheme and its values in effect.
  std::string positions_text() const;
  /// Offsets k for matrices M_k.
  const std::vector<Index>& offsets() const { return offsets_; }
  /// Why there are no M_k; empty if there are.
  std::string why_no_offsets() const;
  const PositionalEncoding<double>& encoding() const { return *encoding_; }
  const Parameters<double>& values() const { return *values_; }
  /// At its positions in layer encoding.layer.
  PlacedEncoding placed() const { return {*encoding_, *values_, shape_, positions(), layer_}; }
  /// Those of --query and --key, or random ones.
  QueryKey query_key(const CommandLine& command) const;
  /// Those of --query and --key, or of one token that is repeated.
  QueryKey score_query_key(const CommandLine& command) const;
  /// The terms of the scores of that token; empty if nothing is added to the input, or if queries or keys
  /// are given.
  Tensor<double> terms(const CommandLine& command) const;
  /// The constants in effect in a model, which computes in float.
  std::string constants() const;

 private:
  void choose(const Settings& settings);
  void choose_from(const std::string& model, const Settings& settings);
  void build();
  void set_length(Index seq_len);
  void choose_offsets(const Settings& settings);

  std::string name_;           // as given
  std::string encoding_text_;  // with all options that are set
  ModelShape shape_;
  PositionScheme scheme_;
  std::uint64_t positions_seed_ = 0;
  Index seq_len_ = 0;
  Index reach_ = 0;  // tokens 0 … reach - 1 hold all positions
  Index layer_ = 0;
  std::vector<double> given_positions_;  // empty: those of the scheme
  std::vector<Index> offsets_;
  ParameterLayout layout_;
  std::unique_ptr<PositionalEncoding<double>> encoding_;
  std::unique_ptr<Parameters<double>> values_;
};

}  // namespace ordinal::experiments

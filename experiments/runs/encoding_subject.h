// The encoding to be studied: from settings only, or as learned in a checkpoint.
#pragma once

#include <memory>
#include <string>

#include "experiments/runs/encoding_matrices.h"
#include "experiments/settings/command_line.h"
#include "framework/positional/position_scheme.h"

namespace ordinal::experiments {

class EncodingSubject {
 public:
  /// Section `encoding`, or with --model the encoding, width and layers of the checkpoint; settings that
  /// are given override those of the checkpoint. Throws ConfigError for options that the encoding cannot have
  /// or a name that is not the checkpoint's, CheckpointError for a file that does not hold it.
  explicit EncodingSubject(const CommandLine& command);

  const std::string& name() const { return name_; }
  /// With the options that keys set.
  const std::string& text() const { return encoding_text_; }
  const ModelShape& shape() const { return shape_; }
  Index seq_len() const { return seq_len_; }
  /// Of one sequence in the test.
  Positions positions() const { return make_positions(scheme_, 1, seq_len_); }
  /// The scheme and its values in effect.
  std::string positions_text() const { return scheme_.describe(seq_len_); }
  const PositionalEncoding<double>& encoding() const { return *encoding_; }
  const Parameters<double>& values() const { return *values_; }
  /// Those of --query and --key, or random ones.
  QueryKey query_key(const CommandLine& command) const;
  /// The constants in effect in a model, which computes in float.
  std::string constants() const;

 private:
  void choose(const Settings& settings);
  void choose_from(const std::string& model, const Settings& settings);
  void build();

  std::string name_;           // as given
  std::string encoding_text_;  // with all options that are set
  ModelShape shape_;
  PositionScheme scheme_;
  Index seq_len_ = 0;
  ParameterLayout layout_;
  std::unique_ptr<PositionalEncoding<double>> encoding_;
  std::unique_ptr<Parameters<double>> values_;
};

}  // namespace ordinal::experiments

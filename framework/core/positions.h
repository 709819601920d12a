// The positions given to tokens, independent of the encodings. Positions are real numbers everywhere;
// only a table needs whole numbers.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal {

struct Stretch;  // see positional/encoding_part.h

/// The positions of `batch` sequences of `seq_len` tokens each. Copies share the numbers, which never change. Throws
/// std::invalid_argument for a negative size, or if positions are not the same number for each sequence.
class Positions {
 public:
  Positions() = default;

  /// 0, 1, 2, … starting at `offset`, the same for every sequence. The offset is for incremental decoding.
  static Positions contiguous(Index batch, Index seq_len, double offset = 0.0);
  /// The same `positions` for every sequence.
  static Positions shared(Index batch, std::vector<double> positions);
  /// Separate positions for every sequence: `positions` is row-major (batch, seq_len).
  static Positions per_sequence(Index batch, std::vector<double> positions);

  /// The same positions, with a stretch; null: none.
  Positions stretched(std::shared_ptr<const Stretch> stretch) const;
  const std::shared_ptr<const Stretch>& stretch() const { return stretch_; }

  Index batch() const { return batch_; }
  Index seq_len() const { return seq_len_; }
  /// Whether all sequences have the same positions, so that work for one can be shared.
  bool is_shared() const { return shared_; }
  /// The seq_len positions of one sequence.
  std::span<const double> of(Index sequence) const;

 private:
  Positions(Index batch, Index seq_len, bool shared, std::vector<double> values);

  Index batch_ = 0;
  Index seq_len_ = 0;
  bool shared_ = true;
  std::shared_ptr<const Stretch> stretch_;
  std::shared_ptr<const std::vector<double>> values_;
};

}  // namespace ordinal

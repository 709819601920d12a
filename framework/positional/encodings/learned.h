// The learned absolute encoding: a trainable table with a row for each position, added to the input (Gehring
// et al. 2017; BERT; GPT-2). It has no rows for positions past its end; `overflow` says what happens there.
#pragma once

#include "framework/positional/positional_encoding.h"

namespace ordinal {

/// `overflow` says what happens at positions past the last row of the table.
///   error        PositionError
///   clamp        they use the last row
///   interpolate  all positions of the sequence are scaled by (max_seq_len - 1) / (largest position), so that
///                the largest falls on the last row; a sequence that fits is not changed
///   untrained    the table is sized for the test. Rows past the training length get no gradient: they keep
///                their initial values, apart from weight decay. Positions past this table: error
/// The scale of interpolate depends on the largest position. Past the table, a longer sequence therefore also moves
/// its earlier tokens, and decoding step by step with a cache differs from one full forward pass.
struct LearnedOptions {
  std::string overflow = "error";
  double init_sd = 0.5;  // standard deviation of the initial rows: about as large as what it is added to
  std::string grow = "initial";
  Index max_seq_len = 0;    // rows of the table; 0: as many as the training positions need
  bool ends_early = false;  // the table has fewer rows than training needs

  void visit(OptionVisitor& v);
  /// Throws ConfigError if the table is too short for training, unless overflow allows that.
  void resolve(const ModelShape& shape);
};

/// x + PE with PE(pos) = row pos of a table (max_seq_len, d_model), initialised as N(0, init_sd²). Between whole
/// positions it is linear: PE(p) = (1 - f) row(⌊p⌋) + f row(⌊p⌋ + 1), f = p - ⌊p⌋. Between the last row and
/// max_seq_len, where interpolated and random real positions may fall, it is the last row. A negative or infinite
/// position throws PositionError. Under error and untrained, so does a position of max_seq_len or more.
template <typename T>
class LearnedPositionalEncoding final : public EncodingPart<T>, public OnInput<T> {
 public:
  /// `options` must be resolved.
  LearnedPositionalEncoding(const ModelShape& shape, const LearnedOptions& options, const Scope& scope)
      : table_(scope.add("table", {options.max_seq_len, shape.d_model}, normal(options.init_sd))),
        overflow_(options.overflow),
        grows_by_interpolation_(options.grow == "interpolated") {}

  Index max_seq_len() const { return table_.rows; }
  /// The table's place among the parameters.
  const Slot& table() const { return table_; }

  std::string constants() const override;
  std::string note() const override { return "overflow = " + overflow_; }
  /// grow = initial: copies the rows that both tables have; the others keep their initial values.
  /// grow = interpolated: row r is the trained table at r (n - 1)/(N - 1), for n trained rows and N rows of its own.
  bool resize(const Slot& slot, View<const T> trained, View<T> own) const override;
  bool keeps_prefixes() const override { return overflow_ != "interpolate"; }
  View<const T> encode_input(View<const T> x, Pass<T>& pass) const override;
  View<const T> encode_input_backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  double scale_of(std::span<const double> positions) const;
  template <typename Visit>
  void for_each_token(const Positions& positions, const Visit& visit) const;

  Slot table_;
  std::string overflow_;
  bool grows_by_interpolation_;
};

}  // namespace ordinal

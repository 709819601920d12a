// What an encoding computes once for all layers, heads and blocks of a run, or once for each layer, and its gradients.
#pragma once

#include <stdexcept>

#include "framework/positional/encoding_part.h"

namespace ordinal {

/// A matrix that an encoding keeps until the run ends.
template <typename T>
class RunRows {
 public:
  explicit RunRows(const Scope& scope) : slot_(scope.add_shared()) {}

  /// If the run is recorded, also starts the sum of gradients, of `d_cols` numbers for each row.
  void keep(View<const T> rows, Pass<T>& pass, Index d_cols = 0) const {
    pass.shared(slot_).values = rows;
    if (d_cols > 0 && pass.run().record) pass.shared(slot_).gradients = pass.zeros(rows.rows, d_cols);
  }
  // Both throw std::logic_error if this run kept none.
  View<const T> of_run(const Pass<T>& pass) const { return kept(pass.shared(slot_).values); }
  View<T> gradient(const Pass<T>& pass) const { return kept(pass.shared(slot_).gradients); }

 private:
  template <typename Element>
  static View<Element> kept(View<Element> x) {
    if (x.data != nullptr) return x;
    throw std::logic_error("RunRows: none are kept; a model calls begin_run() of its encoding in every run");
  }

  SharedSlot slot_;
};

/// A row of `cols` numbers for each token of a run, which blocks of scores read. With a cache, later runs read it, too.
template <typename T>
class TokenRows {
 public:
  TokenRows(Index cols, const Scope& scope) : rows_(scope), older_(scope.add_state({.cols = cols})) {}

  void keep(View<const T> rows, Pass<T>& pass, Index d_cols) const {
    rows_.keep(rows, pass, d_cols);
    DecodeCache<T>* cache = pass.run().cache;
    for (Index sequence = 0; cache != nullptr && sequence < pass.batch(); ++sequence)
      cache->append(older_, sequence, pass.rows_of(rows, sequence));
  }
  View<const T> of_run(const Pass<T>& pass) const { return rows_.of_run(pass); }
  View<T> gradient(const Pass<T>& pass) const { return rows_.gradient(pass); }
  /// Those of all tokens of a sequence, older ones first.
  View<const T> of_sequence(Index sequence, const Pass<T>& pass) const {
    const DecodeCache<T>* cache = pass.run().cache;
    return cache != nullptr ? cache->rows(older_, sequence) : pass.rows_of(of_run(pass), sequence);
  }

  // The rows and gradients for the keys of a block, which include its queries.
  View<const T> of_keys(const ScoreBlock<T>& block, const Pass<T>& pass) const {
    return of_sequence(block.sequence, pass).row_range(block.first_key, block.key.rows);
  }
  View<T> gradient_of_keys(const ScoreBlock<T>& block, const Pass<T>& pass) const {
    return pass.rows_of(gradient(pass), block.sequence).row_range(block.first_key, block.key.rows);
  }

 private:
  RunRows<T> rows_;
  StateSlot older_;
};

}  // namespace ordinal

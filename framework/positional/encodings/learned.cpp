// The learned absolute encoding: a trainable table with a row for each position, added to the input.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/core/errors.h"
#include "framework/math/vector_math.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {
namespace {

struct LearnedOptions {
  std::string overflow = "error";
  double init_sd = 0.5;  // standard deviation of the initial rows: about as large as what it is added to
  std::string grow = "initial";
  Index max_seq_len = 0;    // rows of the table; 0: as many as the training positions need
  bool ends_early = false;  // the table has fewer rows than training needs

  // Only tests go past the table, unless it is too short for training itself.
  void visit(OptionVisitor& v) {
    v.choice("overflow", overflow, {"error", "clamp", "interpolate", "untrained"},
             "at positions past the table", ends_early ? Binds::training : Binds::test);
    v.number("init_sd", init_sd, at_least(0),
             "standard deviation of the initial rows; token embeddings have 1 (model.embedding_sd = 0)");
    v.choice(
        "grow", grow, {"initial", "interpolated"},
        "in fine-tuning with more rows than the checkpoint has: new ones keep their initial values, or the "
        "whole table is stretched",
        Binds::training);
    v.integer("max_seq_len", max_seq_len, automatic_or(1, largest_count),
              "rows of the table; 0: as many as training needs");
  }

  void resolve(const ModelShape& shape) {
    if (max_seq_len == 0) {
      max_seq_len = std::max(shape.train_length, shape.positions);
      if (overflow == "untrained") max_seq_len = std::max(max_seq_len, shape.longest);
    }
    if (static_cast<double>(max_seq_len) > largest_count) {
      throw ConfigError(
          fmt::format("a row for each of {} positions, expected at most {:g} (use smaller positions, or give "
                      "max_seq_len and set overflow to clamp or interpolate)",
                      max_seq_len, largest_count));
    }
    ends_early = max_seq_len < shape.positions;
    if (!ends_early || overflow == "clamp" || overflow == "interpolate") return;
    throw ConfigError(fmt::format(
        "max_seq_len = {} is less than the {} positions of training: there is no row "
        "for the others (a new model can have more; finetune.encoding = learned gives a trained one more; "
        "else set overflow to clamp or interpolate)",
        max_seq_len, shape.positions));
  }
};

/// Two neighbouring rows and the share of the second.
template <typename T>
struct RowPair {
  Index row = 0;
  Index next = 0;
  T fraction = T(0);

  RowPair(double place, Index rows)
      : row(std::min(static_cast<Index>(place), rows - 1)),
        next(std::min(row + 1, rows - 1)),
        fraction(static_cast<T>(place - static_cast<double>(row))) {}
};

template <typename T>
class LearnedPositionalEncoding final : public EncodingPart<T> {
 public:
  LearnedPositionalEncoding(const ModelShape& shape, const LearnedOptions& options, const Scope& scope)
      : table_(scope.add("table", {options.max_seq_len, shape.d_model}, normal(options.init_sd))),
        overflow_(options.overflow),
        grows_by_interpolation_(options.grow == "interpolated") {}

  std::string note() const override { return "overflow = " + overflow_; }

  bool resize(const Slot& slot, View<const T> trained, View<T> own) const override {
    if (slot.offset != table_.offset) return false;
    const double step = !grows_by_interpolation_ || own.rows < 2
                            ? 1.0
                            : static_cast<double>(trained.rows - 1) / static_cast<double>(own.rows - 1);
    const Index filled = grows_by_interpolation_ ? own.rows : std::min(own.rows, trained.rows);
    for (Index r = 0; r < filled; ++r) {
      const RowPair<T> place(static_cast<double>(r) * step, trained.rows);
      for (Index c = 0; c < own.cols; ++c) {
        own(r, c) = (T(1) - place.fraction) * trained(place.row, c) + place.fraction * trained(place.next, c);
      }
    }
    return true;
  }

  std::set<Index> rows_read(std::span<const double> positions, bool /*causal*/) const override {
    std::set<Index> rows;
    for_each_token(Positions::shared(1, {positions.begin(), positions.end()}),
                   [&](Index /*r*/, const RowPair<T>& place) {
                     rows.insert(place.row);
                     if (place.fraction != T(0)) rows.insert(place.next);
                   });
    return rows;
  }

  // Past the table, interpolation moves the earlier tokens of a longer sequence, too.
  bool keeps_prefixes() const override { return overflow_ != "interpolate"; }

  View<const T> encode_input(View<const T> x, Pass<T>& pass) const override {
    const View<const T> table = pass.value(table_);
    const View<T> y = pass.allocate(x.rows, x.cols);
    for_each_token(pass.run().positions, [&](Index r, const RowPair<T>& place) {
      vmath::add(x.row(r), table.row(place.row), y.row(r), x.cols);
      if (place.fraction == T(0)) return;
      vmath::add_scaled(-place.fraction, table.row(place.row), y.row(r), x.cols);
      vmath::add_scaled(place.fraction, table.row(place.next), y.row(r), x.cols);
    });
    return y;
  }

  // y_t = x_t + (1 - f) row(n) + f row(n + 1):   dx = dy,   d row(n) += (1 - f) dy_t,   d row(n + 1) += f dy_t,
  // summed over all tokens of the batch at that position.
  View<const T> encode_input_backward(View<const T> dy, Pass<T>& pass) const override {
    const View<T> d_table = pass.gradient(table_);
    for_each_token(pass.run().positions, [&](Index r, const RowPair<T>& place) {
      vmath::add_scaled(T(1) - place.fraction, dy.row(r), d_table.row(place.row), dy.cols);
      if (place.fraction != T(0))
        vmath::add_scaled(place.fraction, dy.row(r), d_table.row(place.next), dy.cols);
    });
    return dy;
  }

 private:
  // Rejects positions that have no row.
  double scale_of(std::span<const double> positions) const {
    const double last_row = static_cast<double>(table_.rows - 1);
    double largest = 0.0;
    for (const double position : positions) {
      if (!(position >= 0.0) || std::isinf(position)) {
        throw PositionError(fmt::format(
            "LearnedPositionalEncoding: got position {}, expected a finite one, 0 or greater", position));
      }
      largest = std::max(largest, position);
    }
    if (largest < last_row + 1.0 || overflow_ == "clamp") return 1.0;
    if (overflow_ == "interpolate") return last_row / largest;
    throw PositionError(fmt::format(
        "LearnedPositionalEncoding: sequence length {:.0f} exceeds max_seq_len {} (set overflow to "
        "clamp, interpolate or untrained, or raise max_seq_len)",
        std::floor(largest) + 1.0, table_.rows));
  }

  // Calls visit(row among all tokens, its place) for each token.
  template <typename Visit>
  void for_each_token(const Positions& positions, const Visit& visit) const {
    const auto last_row = static_cast<double>(table_.rows - 1);
    for (Index sequence = 0; sequence < positions.batch(); ++sequence) {
      const std::span<const double> places = positions.of(sequence);
      const double scale = scale_of(places);
      Index r = sequence * positions.seq_len();
      for (const double position : places)
        visit(r++, RowPair<T>(std::min(position * scale, last_row), table_.rows));
    }
  }

  Slot table_;
  std::string overflow_;
  bool grows_by_interpolation_;
};

}  // namespace

EncodingEntry learned_encoding() {
  return describe_encoding<LearnedPositionalEncoding, LearnedOptions>(
      {.name = "learned",
       .formula = "x + row pos of the table",
       .beyond = "overflow: error, clamp, interpolate (breaks prefixes) or untrained",
       .source = "Gehring et al. 2017; BERT; GPT-2",
       .definition =
           R"(x_t becomes x_t + PE(p_t), where x_t is the (scaled) token embedding. With N = max_seq_len rows E,
  PE(p) = (1 - f) E[⌊p⌋] + f E[⌊p⌋ + 1],  f = p - ⌊p⌋;   PE(p) = E[N - 1] for N - 1 ≤ p < N.
overflow says what happens to a sequence whose largest position P is at least N:
  error        it fails
  clamp        PE(p) = E[N - 1] for all p ≥ N
  interpolate  all its positions are multiplied by (N - 1)/P first
  untrained    as error, but N by default covers the test as well; rows past training keep exactly their
               initial values: weight decay does not apply to the table
A negative position fails in every mode. max_seq_len = 0 is the number of positions of training.
grow says how N rows are filled from n rows of a checkpoint (finetune.encoding = learned):
  initial       E[r] is the trained row r for r < n; other rows keep their initial values
  interpolated  E[r] is the trained table at r (n - 1)/(N - 1), interpolated linearly
Parameters:
  positional.learned.table  E  (max_seq_len, d_model)  N(0, init_sd²))"});
}

}  // namespace ordinal

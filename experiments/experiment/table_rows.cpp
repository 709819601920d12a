#include "experiments/experiment/table_rows.h"

#include <algorithm>
#include <span>
#include <vector>

#include "framework/core/errors.h"
#include "framework/positional/score_distances.h"

namespace ordinal::experiments {
namespace {

// The number of tokens at the end of an example that change no loss: in a causal model, those after its last target.
Index tokens_without_loss(const Plan& plan) {
  if (!plan.model.causal) return 0;
  const Index length = training_lengths(plan.settings).longest();
  const std::vector<Token> targets = make_batch(*plan.task, Split::training, 0, 0, 1, length).targets;
  const auto last = std::find_if(targets.rbegin(), targets.rend(), [](Token t) { return t != ignore_index; });
  return last - targets.rbegin();
}

// Whether one sequence does not show all rows that training changes.
bool varies(const Plan& plan) {
  const LengthScheme lengths = training_lengths(plan.settings);
  const bool by_length = lengths.has_short_batches(*plan.task) || lengths.has_long_batches();
  const SchemeEntry& scheme = plan.training_positions.entry();
  return scheme.is_random || (scheme.places && by_length);
}

// Unevenly spaced positions are compared in pairs, so there must not be too many.
constexpr Index most_uneven = 1024;

// The positions of the first tokens of a sequence; none if it cannot have any.
std::vector<double> positions_of(const PositionScheme& scheme, Index tokens, Index first) {
  try {
    const Positions positions = make_positions(scheme, 1, tokens);
    const auto own = positions.of(0).first(static_cast<std::size_t>(first));
    return {own.begin(), own.end()};
  } catch (const PositionError&) {  // the result will report that
    return {};
  }
}

// Adds the rows that a sequence at these positions reads; none if the encoding is not defined there.
void add_rows(const PositionalEncoding<float>& encoding, std::span<const double> positions, PartRows& rows) {
  try {
    for (auto& [part, read] : encoding.rows_read(positions)) rows[part].merge(read);
  } catch (const PositionError&) {
  }
}

bool has_tables(const PositionalEncoding<float>& encoding) {
  const std::vector<double> start = {0.0};
  return std::ranges::any_of(encoding.rows_read(start),
                             [](const auto& part) { return !part.second.empty(); });
}

}  // namespace

TableRows table_rows(const Plan& plan, const PositionalEncoding<float>& encoding) {
  constexpr Index longest = 1 << 16;  // longer trainings are not examined
  if (varies(plan) || plan.seq_len() > longest || !has_tables(encoding)) return {};
  const Index last = tokens_without_loss(plan);
  const std::vector<double> training =
      positions_of(plan.training_positions, plan.seq_len(), plan.seq_len() - last);
  if (!evenly_spaced(training) && std::ssize(training) > most_uneven) return {};
  TableRows rows{.known = true};
  add_rows(encoding, training, rows.trained);
  for (const Index length : evaluation_lengths(plan.settings)) {
    const Index tokens = std::min(plan.task->seq_len(length), 8 * plan.seq_len());
    std::vector<double> test = positions_of(plan.test_positions, tokens, std::max<Index>(tokens - last, 0));
    if (!evenly_spaced(test)) test.resize(std::min(test.size(), static_cast<std::size_t>(most_uneven)));
    add_rows(encoding, test, rows.tested);
  }
  return rows;
}

}  // namespace ordinal::experiments

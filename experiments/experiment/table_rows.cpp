#include "experiments/experiment/table_rows.h"

#include <algorithm>

#include "framework/core/errors.h"

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

bool varies(const Plan& plan) {
  const LengthScheme lengths = training_lengths(plan.settings);
  const bool by_length = lengths.has_short_batches(*plan.task) || lengths.has_long_batches();
  const SchemeEntry& scheme = plan.training_positions.entry();
  return scheme.is_random || (scheme.place != nullptr && by_length);
}

// The rows that all but the last tokens of a sequence read; none if there are no such rows.
std::map<std::string, std::set<Index>> rows_read(const PositionalEncoding<float>& encoding,
                                                 const PositionScheme& scheme, Index tokens, Index last) {
  try {
    const Positions positions = make_positions(scheme, 1, tokens);
    return encoding.rows_read(positions.of(0).first(static_cast<std::size_t>(tokens - last)));
  } catch (const PositionError&) {  // the result will report that
    return {};
  }
}

}  // namespace

TableRows table_rows(const Plan& plan, const PositionalEncoding<float>& encoding) {
  TableRows rows{.known = !varies(plan)};
  if (!rows.known) return rows;
  const Index last = tokens_without_loss(plan);
  rows.trained = rows_read(encoding, plan.training_positions, plan.seq_len(), last);
  for (const Index length : evaluation_lengths(plan.settings)) {
    const Index tokens = std::min(plan.task->seq_len(length), 8 * plan.seq_len());
    for (auto& [part, read] : rows_read(encoding, plan.test_positions, tokens, std::min(last, tokens)))
      rows.tested[part].merge(read);
  }
  return rows;
}

}  // namespace ordinal::experiments

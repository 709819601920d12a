#include "experiments/experiment/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ordinal::experiments {
namespace {

// Distinct trainings, and their floating-point operations for one seed.
struct Trained {
  std::set<std::string> identities = {};
  double flops = 0.0;

  // Returns whether the training is new.
  bool add(const Stage& stage) {
    const bool is_new = identities.insert(stage.identity).second;
    if (is_new) flops += stage.work.flops;
    return is_new;
  }
};

// The rows of the table, with the notes below each.
std::string table(const std::vector<Entrant>& entrants, int threads, Trained& trained) {
  std::size_t width = 24;
  for (const Entrant& entrant : entrants) width = std::max(width, entrant.row.label.size());
  const auto line = [&](const auto&... columns) {
    return fmt::format("{:<{}} {:>12} {:>24} {:>10} {:>11} {:>12}\n", columns...);
  };
  std::string text =
      line("row", width, "parameters", "steps × batch × tokens", "TFLOPs", "memory", "to score");
  for (const Entrant& entrant : entrants) {
    for (const Stage& stage : entrant.stages) {
      const Workload& work = stage.work;
      text +=
          line(&stage == &entrant.first() ? entrant.row.label : "  then fine-tuned", width, work.parameters,
               fmt::format("{} × {} × {}{}", work.steps, work.batch, work.one_length ? "" : "up to ",
                           work.seq_len),
               trained.add(stage) ? fmt::format("{:.3g}", work.flops / 1e12) : "shared",
               fmt::format("{:.1f} MB", work.training.bytes(threads) / 1e6),
               fmt::format("+ {:.1f} MB", work.scoring.bytes(threads) / 1e6));
      text += fmt::format("  {}{}{}\n", work.positions, work.constants.empty() ? "" : "; ", work.constants);
    }
    for (const std::string& note : entrant.notes()) text += fmt::format("  {}\n", note);
  }
  return text;
}

}  // namespace

std::string dry_run_text(const Settings& settings, const std::vector<Entrant>& entrants,
                         const std::vector<Entrant>& candidates, int threads) {
  const std::size_t count = seeds(settings).size();
  Trained choosing;
  for (const Entrant& candidate : candidates) choosing.add(candidate.first());
  Trained trained;
  const std::string rows = table(entrants, threads, trained);
  std::string text = fmt::format("{} cells = {} rows × {} seeds, {} trainings", entrants.size() * count,
                                 entrants.size(), count, trained.identities.size() * count);
  if (!candidates.empty()) text += fmt::format(", after {} that choose values", choosing.identities.size());
  text += "\n";
  std::set<std::string> tasks;
  for (const Entrant& entrant : entrants) tasks.insert(entrant.last().plan.task->describe());
  for (const std::string& task : tasks) text += fmt::format("task {}\n", task);
  for (const Factor& factor : settings.tuned()) {
    text += fmt::format("first, on seed {}, the best {} for each row: {}\n",
                        settings.integer("experiment.tune_seed"), factor.key, joined(factor.values));
  }
  const double flops = choosing.flops + trained.flops * static_cast<double>(count);
  return text + rows +
         fmt::format("all trainings: {:.3g} TFLOPs; scored at lengths {} ({})\n", flops / 1e12,
                     joined(settings.list("evaluate.lengths")), joined(settings.list("evaluate.conditions")));
}

}  // namespace ordinal::experiments

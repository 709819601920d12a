#include "experiments/experiment/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/training/workload.h"

namespace ordinal::experiments {
namespace {

// Distinct trainings, and their floating-point operations.
struct Trained {
  std::set<std::string> identities;
  double flops = 0.0;

  // Whether the training is new, and on how many seeds it runs.
  bool add(const Stage& stage, std::size_t seeds) {
    const bool is_new = identities.insert(stage.identity).second;
    if (is_new) flops += stage.work.flops * static_cast<double>(seeds);
    return is_new;
  }
};

// The positions and constants in effect.
std::string details(const Stage& stage) {
  const Transformer<float> model(stage.plan.model);
  const std::string constants = model.encoding().constants();
  return fmt::format("  {}{}{}\n", stage.work.positions(), constants.empty() ? "" : "; ", constants);
}

std::string heading(const Settings& settings, const std::vector<Entrant>& entrants, Index trainings,
                    std::size_t choosing) {
  const auto all = static_cast<std::size_t>(looks(settings).front());
  const std::size_t most = seeds(settings).size();
  const std::string more =
      most == all ? "" : fmt::format(", and up to {} seeds of rows about which something is undecided", most);
  const std::string before = choosing == 0 ? "" : fmt::format(", after {} that choose values", choosing);
  std::string text =
      fmt::format("{}: {} cells = {} rows × {} seeds, {} trainings{}{}\n", settings.text("experiment.name"),
                  entrants.size() * all, entrants.size(), all, trainings, before, more);
  std::set<std::string> tasks;
  for (const Entrant& entrant : entrants) tasks.insert(entrant.last().plan.task->describe());
  for (const std::string& task : tasks) text += fmt::format("task {}\n", task);
  for (const Factor& factor : settings.tuned()) {
    text += fmt::format("first, on seed {}, the best {} for each row: {}\n",
                        settings.integer("experiment.tune_seed"), factor.key, joined(factor.values));
  }
  return text;
}

}  // namespace

std::string dry_run_text(const Settings& settings, const std::vector<Entrant>& entrants,
                         const std::vector<Entrant>& candidates, Index trainings, int threads) {
  Trained choosing;
  for (const Entrant& candidate : candidates) choosing.add(candidate.stages.front(), 1);
  std::size_t width = 24;
  for (const Entrant& entrant : entrants) width = std::max(width, entrant.row.label.size());
  std::string text = heading(settings, entrants, trainings, choosing.identities.size());
  const auto line = [&](const std::string& row, const std::string& parameters, const std::string& shape,
                        const std::string& flops, const std::string& memory, const std::string& scoring) {
    text += fmt::format("{:<{}} {:>12} {:>24} {:>10} {:>11} {:>12}\n", row, width, parameters, shape, flops,
                        memory, scoring);
  };
  line("row", "parameters", "steps × batch × tokens", "TFLOPs", "memory", "to score");
  Trained trained;
  for (const Entrant& entrant : entrants) {
    for (const Stage& stage : entrant.stages) {
      const Workload& work = stage.work;
      const bool is_new = trained.add(stage, static_cast<std::size_t>(looks(settings).front()));
      line(&stage == &entrant.stages.front() ? entrant.row.label : "  then fine-tuned",
           std::to_string(stage.parameters),
           fmt::format("{} × {} × {}", work.steps, work.batch, work.seq_len),
           is_new ? fmt::format("{:.3g}", work.flops / 1e12) : "shared",
           fmt::format("{:.1f} MB", work.memory_bytes / 1e6),
           fmt::format("+ {:.1f} MB", work.scoring.bytes(threads) / 1e6));
      text += details(stage);
    }
    for (const std::string& note : entrant.notes()) text += fmt::format("  {}\n", note);
  }
  const double most = choosing.flops + trained.flops * static_cast<double>(looks(settings).back()) /
                                           static_cast<double>(looks(settings).front());
  const std::string up_to = looks(settings).size() > 1 ? fmt::format(" to {:.3g}", most / 1e12) : "";
  return text + fmt::format("all trainings: {:.3g}{} TFLOPs; scored at lengths {} ({})\n",
                            (choosing.flops + trained.flops) / 1e12, up_to,
                            joined(settings.list("evaluate.lengths")),
                            joined(settings.list("evaluate.conditions")));
}

}  // namespace ordinal::experiments

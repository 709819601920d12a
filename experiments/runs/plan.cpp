#include "experiments/runs/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/runs/configure.h"
#include "experiments/runs/workload.h"

namespace ordinal::experiments {
namespace {

// One stage of training of one row.
struct StageWork {
  explicit StageWork(const Stage& stage)
      : model(model_config(stage.settings, *stage.task)),
        work(workload(stage.settings, *stage.task, model)) {}

  // The positions and constants in effect.
  std::string details() const {
    const std::string constants = model.encoding().constants();
    return fmt::format("  {}{}{}\n", work.positions(), constants.empty() ? "" : "; ", constants);
  }

  Transformer<float> model;
  Workload work;
};

// The trainings that choose values, without duplicates.
struct Choosing {
  explicit Choosing(const std::vector<Entrant>& candidates) {
    std::set<std::string> counted;
    for (const Entrant& candidate : candidates) {
      const Stage& stage = candidate.stages.front();
      if (!counted.insert(stage.identity).second) continue;
      ++trainings;
      flops += StageWork(stage).work.flops;
    }
  }

  Index trainings = 0;
  double flops = 0.0;
};

std::string heading(const Settings& settings, const std::vector<Entrant>& entrants, Index trainings,
                    const Choosing& choosing) {
  const Index all = std::ssize(seeds(settings));
  const std::string before =
      choosing.trainings == 0 ? "" : fmt::format(", after {} that choose values", choosing.trainings);
  std::string text =
      fmt::format("{}: {} cells = {} rows × {} seeds, {} trainings{}\n", settings.text("experiment.name"),
                  std::ssize(entrants) * all, entrants.size(), all, trainings, before);
  std::set<std::string> tasks;
  for (const Entrant& entrant : entrants) tasks.insert(entrant.last().task->describe());
  for (const std::string& task : tasks) text += fmt::format("task {}\n", task);
  for (const Factor& factor : settings.tuned()) {
    text += fmt::format("first, on seed {}, the best {} for each row: {}\n",
                        settings.integer("experiment.tune_seed"), factor.key, joined(factor.values));
  }
  return text;
}

}  // namespace

std::string plan_text(const Settings& settings, const std::vector<Entrant>& entrants,
                      const std::vector<Entrant>& candidates, Index trainings, int threads) {
  const Choosing choosing(candidates);
  std::size_t width = 24;
  for (const Entrant& entrant : entrants) width = std::max(width, entrant.row.label.size());
  std::string text = heading(settings, entrants, trainings, choosing);
  const auto line = [&](const std::string& row, const std::string& parameters, const std::string& shape,
                        const std::string& flops, const std::string& memory, const std::string& scoring) {
    text += fmt::format("{:<{}} {:>12} {:>24} {:>10} {:>11} {:>12}\n", row, width, parameters, shape, flops,
                        memory, scoring);
  };
  line("row", "parameters", "steps × batch × tokens", "TFLOPs", "memory", "to score");
  double total = choosing.flops;
  std::set<std::string> counted;
  for (const Entrant& entrant : entrants) {
    for (const Stage& stage : entrant.stages) {
      const StageWork one(stage);
      const Workload& work = one.work;
      const bool is_new = counted.insert(stage.identity).second;
      if (is_new) total += work.flops * static_cast<double>(seeds(settings).size());
      line(&stage == &entrant.stages.front() ? entrant.row.label : "  then fine-tuned",
           std::to_string(one.model.layout().count()),
           fmt::format("{} × {} × {}", work.steps, work.batch, work.seq_len),
           is_new ? fmt::format("{:.3g}", work.flops / 1e12) : "shared",
           fmt::format("{:.1f} MB", work.memory_bytes / 1e6),
           fmt::format("+ {:.1f} MB", work.scoring.bytes(threads) / 1e6));
      text += one.details();
    }
  }
  return text + fmt::format("all trainings: {:.3g} TFLOPs; scored at lengths {} ({})\n", total / 1e12,
                            joined(settings.list("evaluate.lengths")),
                            joined(settings.list("evaluate.conditions")));
}

}  // namespace ordinal::experiments

#include "experiments/runs/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/runs/configure.h"
#include "models/summary.h"

namespace ordinal::experiments {
namespace {

// One stage of training of one row.
struct Work {
  explicit Work(const Stage& stage)
      : settings(stage.settings),
        task(*stage.task),
        model(model_config(stage.settings, *stage.task)),
        seq_len(stage.task->seq_len(stage.settings.integer("task.train_length"))) {}

  double flops() const {
    const Index tokens = settings.integer("train.steps") * settings.integer("train.batch") * seq_len *
                         settings.integer("train.accumulate");
    return static_cast<double>(tokens) * training_flops_per_token(model, seq_len);
  }

  std::string shape() const {
    return fmt::format("{} × {} × {}", settings.integer("train.steps"), settings.integer("train.batch"),
                       seq_len);
  }

  std::string memory() const {
    const Index shards = trainer_options(settings, seq_len, 1).shards;
    return fmt::format(
        "{:.1f} MB",
        training_memory_bytes(model, settings.integer("train.batch"), seq_len, shards, sizeof(float)) / 1e6);
  }

  // The positions and constants in force.
  std::string details() const {
    const std::string training = training_positions(settings, task).describe(seq_len);
    const Index longest = task.seq_len(evaluation_lengths(settings).back());
    const std::string test = test_positions(settings, task).describe(longest);
    const std::string constants = model.encoding().constants();
    return fmt::format("  positions {}{}{}{}\n", training, training == test ? "" : ", in the test " + test,
                       constants.empty() ? "" : "; ", constants);
  }

  const Settings& settings;
  const Task& task;
  Transformer<float> model;
  Index seq_len;
};

std::string heading(const Settings& settings, const std::vector<Entrant>& entrants, Index trainings) {
  const auto all = static_cast<Index>(seeds(settings).size());
  std::string text =
      fmt::format("{}: {} cells = {} rows × {} seeds, {} trainings\n", settings.text("experiment.name"),
                  std::ssize(entrants) * all, entrants.size(), all, trainings);
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

std::string plan_text(const Settings& settings, const std::vector<Entrant>& entrants, Index trainings) {
  std::size_t width = 24;
  for (const Entrant& entrant : entrants) width = std::max(width, entrant.row.label.size());
  std::string text = heading(settings, entrants, trainings);
  const auto line = [&](const std::string& row, const std::string& parameters, const std::string& shape,
                        const std::string& flops, const std::string& memory) {
    text += fmt::format("{:<{}} {:>12} {:>24} {:>10} {:>11}\n", row, width, parameters, shape, flops, memory);
  };
  line("row", "parameters", "steps × batch × tokens", "TFLOPs", "memory");
  double total = 0.0;
  std::set<std::string> counted;
  for (const Entrant& entrant : entrants) {
    for (const Stage& stage : entrant.stages) {
      const Work work(stage);
      const bool is_new = counted.insert(stage.identity).second;
      if (is_new) total += work.flops() * static_cast<double>(seeds(settings).size());
      line(&stage == &entrant.stages.front() ? entrant.row.label : "  then fine-tuned",
           std::to_string(work.model.layout().count()), work.shape(),
           is_new ? fmt::format("{:.3g}", work.flops() / 1e12) : "shared", work.memory());
      text += work.details();
    }
  }
  return text + fmt::format("all cells: {:.3g} TFLOPs of training; scored at lengths {} ({})\n", total / 1e12,
                            joined(settings.list("evaluate.lengths")),
                            joined(settings.list("evaluate.conditions")));
}

}  // namespace ordinal::experiments

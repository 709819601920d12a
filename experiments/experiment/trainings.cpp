#include "experiments/experiment/trainings.h"

#include <fmt/format.h>

namespace ordinal::experiments {
namespace {

// Where a stage is trained if no other cell has it: each in a subfolder of the previous stage's.
LockedPath own_folder(const Cell& cell, std::size_t stage) {
  return stage == 0 ? cell.folder : own_folder(cell, stage - 1) / "finetuned";
}

}  // namespace

void Trainings::plan(const std::vector<Cell>& cells) {
  folders_.clear();
  for (const bool only_begun : {true, false}) {
    for (const Cell& cell : cells) {
      for (std::size_t i = 0; i < cell.entrant.stages.size(); ++i) {
        const LockedPath own = own_folder(cell, i);
        if (only_begun && !std::filesystem::exists(own / "checkpoint.safetensors")) continue;
        folders_.emplace(std::pair(cell.entrant.stages[i].identity, cell.seed), own);
      }
    }
  }
}

LockedPath Trainings::folder(const Cell& cell, std::size_t stage) const {
  const auto found = folders_.find({cell.entrant.stages[stage].identity, cell.seed});
  return found == folders_.end() ? own_folder(cell, stage) : LockedPath(found->second, cell.folder.lock());
}

std::filesystem::path Trainings::folder(const Cell& cell) const {
  return folder(cell, cell.entrant.stages.size() - 1).native();
}

std::unique_ptr<TrainingRun> Trainings::train(const Cell& cell, const std::string& label, Threads& threads,
                                              Progress& progress, const InterruptGuard& interrupt) const {
  std::unique_ptr<TrainingRun> run;
  for (std::size_t i = 0; i < cell.entrant.stages.size(); ++i) {
    const Stage& stage = cell.entrant.stages[i];
    const LockedPath initial = run ? run->checkpoint_path() : LockedPath();
    const LockedPath place = folder(cell, i);
    run = std::make_unique<TrainingRun>(stage.plan, cell.seed, place, threads, one_rank(), initial);
    const std::string name = i == 0 ? label : label + " fine-tuning";
    if (run->steps() == 0 && !run->adoption().empty()) {
      progress.say(fmt::format("{}  {}", name, run->adoption()));
    }
    if (run->finished() && run->steps() > 0 && place != own_folder(cell, i)) {
      progress.say(fmt::format("{}  shares a training", name));
    } else if (!run->finished() && run->steps() > 0) {
      progress.say(fmt::format("{}  continues at step {}", name, run->steps()));
    }
    if (!run->machine_warning().empty()) progress.say(fmt::format("{}  {}", name, run->machine_warning()));
    if (!run->train(name, progress, interrupt)) return nullptr;
  }
  return run;
}

}  // namespace ordinal::experiments

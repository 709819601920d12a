#include "experiments/experiment/run_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/scoring/scoring.h"

namespace ordinal::experiments {
namespace {

void write_checkpoint(const Cell& cell, const ScoredModel& scored) {
  Metadata metadata = scored.file.metadata();
  for (const auto& [key, value] : cell.entrant.last().plan.metadata(cell.seed)) metadata[key] = value;
  const LockedPath path = checkpoint_in(cell.folder);
  writer_of<float>(scored.values, metadata).write(path, path.write_check());
}

}  // namespace

ScoredModel::ScoredModel(const Cell& cell)
    : file(cell.checkpoint), model(cell.entrant.last().plan.model), values(model.layout()) {
  load_parameters(file, values);
}

std::unique_ptr<TrainingRun> train(const Cell& cell, const std::string& label, Threads& threads,
                                   Progress& progress, const InterruptGuard& interrupt,
                                   const TimeLeftText& time_left) {
  std::unique_ptr<TrainingRun> run;
  const auto stages = static_cast<double>(cell.trainings.size());
  for (std::size_t i = 0; i < cell.trainings.size(); ++i) {
    const std::string name = label + (i == 0 ? "" : " fine-tuning");
    run = std::make_unique<TrainingRun>(cell.trainings[i], cell.seed, threads);
    const auto of_cell = [&](double share) { return time_left((static_cast<double>(i) + share) / stages); };
    if (!run->train(name, progress, interrupt, of_cell)) return nullptr;
  }
  return run;
}

CellResult score_cell(const Cell& cell, const TrainingRun* run, Threads& threads, Progress& progress,
                      const InterruptGuard& interrupt) {
  const ScoredModel scored(cell);
  CellResult result = empty_result(cell);
  if (run != nullptr) {
    result.training_curve = run->log().curve(run->steps());
    if (!result.training_curve.empty()) result.final_train_loss = result.training_curve.back().second;
    result.seconds = run->log().seconds();
  }
  const auto builds = scored.file.metadata().find("builds");
  if (builds != scored.file.metadata().end()) result.builds = builds->second;
  result.note = scored.model.encoding().note();
  result.weights_hash = weights_hash(scored.values);
  const std::optional<CellResult> earlier = finished_result(cell);
  if (earlier && earlier->weights_hash == result.weights_hash) {
    progress.say(cell.name() + "  already done, skipped");
    return *earlier;
  }
  const Subject subject{scored.model,    scored.values, cell.entrant.task(), cell.entrant.last().plan,
                        cell.evaluation, cell.seed};
  const Index at_once = std::max<Index>(threads.count(), cell.entrant.row.settings->train.batch);
  std::vector<Examples> batches;  // of one length
  for (Index drawn = 0; const auto& [length, condition] : tests_of(cell.entrant.row.settings)) {
    progress.update(fmt::format("{}  scoring length {}, {}", cell.name(), length, condition));
    if (length != std::exchange(drawn, length)) batches = validation_batches(subject, length, at_once);
    score_length(subject, length, condition, batches, threads, result, [&] { return interrupt.requested(); });
  }
  if (!cell.trainings.empty() && !cell.entrant.last().is_tested_as_trained) write_checkpoint(cell, scored);
  write_result(cell, result);
  return result;
}

}  // namespace ordinal::experiments

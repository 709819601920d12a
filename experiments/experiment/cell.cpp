#include "experiments/experiment/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "experiments/process/hash.h"
#include "experiments/scoring/references.h"
#include "experiments/scoring/scoring.h"
#include "experiments/settings/checks.h"
#include "experiments/settings/difference.h"
#include "experiments/training/adoption.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"
#include "framework/optimize/optimizer.h"
#include "framework/positional/rotary.h"
#include "framework/storage/atomic_file.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

// What `make` returns. What it refuses is refused with the row's label.
auto of_row(const Row& row, const auto& make) {
  try {
    return make();
  } catch (const std::exception& error) {
    const bool is_refusal = dynamic_cast<const ConfigError*>(&error) != nullptr ||
                            dynamic_cast<const std::invalid_argument*>(&error) != nullptr;
    if (!is_refusal) throw;
    throw ConfigError(row.label.empty() ? error.what() : fmt::format("[row {}] {}", row.label, error.what()));
  }
}

// Throws ConfigError if a rotation cannot be stretched for sequences of this many tokens.
void check_stretch(const Transformer<float>& model, const PositionScheme& scheme, Index tokens) {
  if (scheme.stretches())
    model.encoding().check_stretch(scheme.entry().stretch(scheme, stretch_factor(scheme, tokens)));
}

// `before` identifies the earlier stages.
Stage stage_of(Plan plan, const Transformer<float>& model, const std::string& before) {
  check_stretch(model, plan.training_positions, plan.seq_len());
  for (const Index length : evaluation_lengths(plan.settings))
    check_stretch(model, plan.test_positions, plan.task->seq_len(length));
  std::string identity = before + plan.task->data_hash();
  for (const auto& [key, value] : plan.text(Binds::training))
    identity += fmt::format("\n{} = {}", key, value);
  check_optimizer(plan.settings.text("train.optimizer"), model.layout());
  const Workload work = workload(plan, model);
  TableRows rows = table_rows(plan, model.encoding());
  return {std::move(plan), identity, work, std::move(rows)};
}

// The parts with rows that tests read and no stage of training changes, one line for each.
std::vector<std::string> untrained_rows(const Entrant& entrant) {
  std::vector<std::string> lines;
  for (const auto& [part, tested] : entrant.last().rows.tested) {
    std::set<Index> left = tested;
    for (const Stage& stage : entrant.stages) {
      if (!stage.rows.known) return {};
      const auto trained = stage.rows.trained.find(part);
      if (trained == stage.rows.trained.end()) continue;
      for (const Index row : trained->second) left.erase(row);
    }
    if (left.empty()) continue;
    const std::string count = left.size() == 1 ? "a row" : fmt::format("{} rows", left.size());
    lines.push_back(fmt::format("{}: tests read {} of {}'s table that training never changes",
                                entrant.row.label, count, part));
  }
  return lines;
}

// The size of a batch of evaluate.batches.
std::string batch_text(const Settings& evaluation) {
  if (evaluation.integer("evaluate.batch") > 0) return evaluation.text("evaluate.batch");
  return fmt::format("{} of length {}", evaluation.text("train.batch"), evaluation.text("task.train_length"));
}

CellSettings settings_of(const Cell& cell) {
  const Settings& row = cell.entrant.row.settings;
  CellSettings settings;
  settings.evaluation = {{"lengths", fmt::format("{}", fmt::join(evaluation_lengths(row), ", "))},
                         {"conditions", conditions_text(row)},
                         {"batches", cell.evaluation.text("evaluate.batches")},
                         {"batch", batch_text(cell.evaluation)}};
  for (const Stage& stage : cell.entrant.stages) settings.stages.push_back(stage.plan.metadata(cell.seed));
  return settings;
}

// Throws ConfigError if a result there, with these stages of training, is not of this cell's training or a shorter one.
void require_same_training(const Cell& cell, const std::vector<Metadata>& there) {
  for (std::size_t i = 0; i < std::min(there.size(), cell.entrant.stages.size()); ++i) {
    const Plan& plan = cell.entrant.stages[i].plan;
    const bool is_last = i + 1 == std::max(there.size(), cell.entrant.stages.size());
    const auto difference = first_difference(there[i], cell.folder.string(), plan, plan.metadata(cell.seed),
                                             Binds::training, is_last);
    if (!difference) continue;
    throw ConfigError(fmt::format("{}: it holds results{} with {}", cell.folder.string(),
                                  i == 0 ? "" : " of fine-tuning", explained(*difference)));
  }
}

}  // namespace

void Entrant::check_targets() const {
  of_row(row, [&] {
    for (const Stage& stage : stages) experiments::check_targets(stage.plan);
  });
}

std::vector<std::string> Entrant::notes() const {
  std::vector<std::string> notes = untrained_rows(*this);
  if (!tuned.empty()) notes.insert(notes.begin(), tuned);
  return notes;
}

std::shared_ptr<const Task> Entrants::task_of(const Settings& settings) {
  const Part part = task_part(settings);
  std::shared_ptr<const Task>& task = tasks_[to_string(part)];
  if (!task) task = make_task(part);
  task->check_length(training_lengths(settings).longest());
  return task;
}

Entrant Entrants::make(const Row& row) {
  return of_row(row, [&] {
    check_training(row.settings);
    Entrant entrant{row, {}};
    const Plan plan(row.settings, task_of(row.settings));
    const Transformer<float> model(plan.model);  // throws if the model cannot be built
    entrant.stages.push_back(stage_of(plan, model, ""));
    if (row.settings.integer("finetune.steps") > 0) {
      const Settings settings = plan.second_stage();
      const Plan second(settings, task_of(settings));
      const Transformer<float> second_model(second.model);
      check_adoption(model, second_model);
      entrant.stages.push_back(stage_of(second, second_model, entrant.first().identity + "\n\n"));
    }
    for (const Index length : evaluation_lengths(row.settings)) entrant.task().check_length(length);
    check_gate(entrant.task(), row.settings.real("evaluate.gate"));
    return entrant;
  });
}

std::string Cell::name() const { return fmt::format("{} seed {}", entrant.row.label, seed); }

void share_trainings(std::vector<Cell>& cells) {
  std::map<std::pair<std::string, std::uint64_t>, Training> trainings;  // by identity and seed
  const auto own = [](const Cell& cell, std::size_t stage) {
    return stage == 0 ? cell.folder : cell.folder / "finetuned";
  };
  for (const bool only_begun : {true, false}) {
    for (const Cell& cell : cells) {
      for (std::size_t i = 0; i < cell.entrant.stages.size(); ++i) {
        if (only_begun && !std::filesystem::exists(checkpoint_in(own(cell, i)))) continue;
        const Stage& stage = cell.entrant.stages[i];
        trainings.emplace(std::pair(stage.identity, cell.seed), Training{own(cell, i), &stage.plan});
      }
    }
  }
  for (Cell& cell : cells) {
    cell.trainings.clear();
    for (const Stage& stage : cell.entrant.stages)
      cell.trainings.push_back(trainings.at({stage.identity, cell.seed}));
    cell.checkpoint = checkpoint_in(cell.trainings.back().folder);
  }
}

std::string weights_hash(const Parameters<float>& values) {
  return fnv1a64_hex(std::as_bytes(values.flat()));
}

std::optional<CellResult> finished_result(const Cell& cell) {
  const auto path = cell.folder / "result.json";
  path.check();
  if (!std::filesystem::exists(path)) return std::nullopt;
  const std::string text = read_file(path, largest_document);
  CellResult result;
  try {
    result = cell_from_json(text, cell.entrant.task().metrics());
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", cell.folder.string(), error.what()));
  }
  const auto& stages = result.settings.stages;
  if (!cell.trainings.empty()) require_same_training(cell, stages);
  const CellSettings here = settings_of(cell);
  bool belongs = result.row == cell.entrant.row.label && result.seed == cell.seed &&
                 result.settings.evaluation == here.evaluation && stages.size() == here.stages.size();
  for (std::size_t i = 0; belongs && i < stages.size(); ++i)
    belongs =
        !first_difference(stages[i], path.string(), cell.entrant.stages[i].plan, here.stages[i], Binds::test);
  return belongs ? std::optional(std::move(result)) : std::nullopt;
}

CellResult empty_result(const Cell& cell) {
  CellResult result;
  result.settings = settings_of(cell);
  result.row = cell.entrant.row.label;
  result.seed = cell.seed;
  result.parameters = cell.entrant.last().work.parameters;
  result.train_length = cell.entrant.row.settings.integer("task.train_length");
  return result;
}

CellResult failed_result(const Cell& cell, const std::string& why, bool diverged) {
  CellResult result = empty_result(cell);
  for (const auto& [length, condition] : tests_of(cell.entrant.row.settings)) {
    // A score that has neither a number nor failed means that training diverged.
    const Score test{.row = result.row,
                     .seed = result.seed,
                     .length = length,
                     .condition = condition,
                     .failed = !diverged,
                     .why = why};
    add_unscored(cell.entrant.task(), test, result);
  }
  return result;
}

std::string score_text(const Cell& cell, const CellResult& result) {
  const MetricSpec metric = deciding_metric(cell.entrant.task());
  const Score* score = score_at(result.scores, metric.id, result.train_length);
  if (score == nullptr || !std::isfinite(score->value)) return "";
  return fmt::format("{} {:.3f} at {}", metric.title(false), score->value, result.train_length);
}

void write_result(const Cell& cell, const CellResult& result) {
  write_text(cell.folder / "result.json", to_json(result));
}

}  // namespace ordinal::experiments

#include "experiments/experiment/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "experiments/process/hash.h"
#include "experiments/process/machine.h"
#include "experiments/scoring/references.h"
#include "experiments/scoring/scoring.h"
#include "experiments/settings/checks.h"
#include "experiments/tasks/mapped_file.h"
#include "experiments/training/adoption.h"
#include "experiments/training/early_stop.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"
#include "framework/optimize/optimizer.h"
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
  model.encoding().check_stretch(stretch_at(scheme, tokens));
}

// A line for each setting that has an effect up to `last`, but for the number of steps.
std::string text_of(const Plan& plan, Binds last) {
  Metadata all = plan.text(last);
  all.erase("train.steps");
  all["data_hash"] = plan.task->data_hash();
  all["train.log_every"] = std::to_string(plan.settings->train.log_every);
  std::string text;
  for (const auto& [key, value] : all) text += fmt::format("{} = {}\n", key, value);
  return text;
}

// `before` is the text of the earlier stages.
Stage stage_of(Plan plan, const Transformer<float>& model, const std::string& before) {
  check_stretch(model, plan.training_positions, plan.seq_len());
  for (const Index length : evaluation_lengths(plan.settings))
    check_stretch(model, plan.test_positions, plan.task->seq_len(length));
  std::string text = before + text_of(plan, Binds::training);
  check_optimizer(plan.settings->train.optimizer, model.layout());
  const Workload work = workload(plan, model);
  TableRows rows = table_rows(plan, model.encoding());
  const bool as_trained = plan.is_tested_as_trained();
  return {std::move(plan), std::move(text), work, as_trained, std::move(rows)};
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
  if (evaluation->evaluate.batch > 0) return std::to_string(evaluation->evaluate.batch);
  return fmt::format("{} of length {}", evaluation->train.batch, evaluation->task.train_length);
}

std::string hash_of(std::string_view text) { return fnv1a64_hex(std::as_bytes(std::span(text))); }

// All that the weights of a stage depend on, but for the number of its steps.
std::string training_text(const Cell& cell, const Stage& stage) {
  std::string text = fmt::format("version = {}\nseed = {}\n{}", results_version(), cell.seed, stage.text);
  if (!cell.initial.empty()) text += fmt::format("initial = {}\n", hash_of(MappedFile(cell.initial).bytes()));
  return text;
}

// All that a result depends on.
std::string result_text(const Cell& cell) {
  const Settings& row = cell.entrant.row.settings;
  const Stage& last = cell.entrant.last();
  return fmt::format(
      "row = {}\n{}train.steps = {}\n{}evaluate.lengths = {}\nevaluate.conditions = {}\nevaluate.batches = "
      "{} of {}\n",
      cell.entrant.row.label, training_text(cell, last), last.plan.settings->train.steps,
      text_of(last.plan, Binds::test), fmt::join(evaluation_lengths(row), ", "), conditions_text(row),
      cell.evaluation->evaluate.batches, batch_text(cell.evaluation));
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
    check_early_stop(plan);
    const Transformer<float> model(plan.model);  // throws if the model cannot be built
    entrant.stages.push_back(stage_of(plan, model, ""));
    if (row.settings->finetune.steps > 0) {
      const Settings settings = plan.second_stage();
      const Plan second(settings, task_of(settings));
      const Transformer<float> second_model(second.model);
      check_adoption(model, second_model);
      entrant.stages.push_back(stage_of(second, second_model, entrant.first().whole_text() + "\n"));
    }
    for (const Index length : evaluation_lengths(row.settings)) entrant.task().check_length(length);
    check_gate(entrant.task(), row.settings->evaluate.gate);
    return entrant;
  });
}

std::string Cell::name() const { return fmt::format("{} seed {}", entrant.row.label, seed); }

void place_trainings(std::vector<Cell>& cells, const LockedPath& out) {
  for (Cell& cell : cells) {
    cell.trainings.clear();
    std::filesystem::path initial = cell.initial;
    for (const Stage& stage : cell.entrant.stages) {
      const std::string name =
          fmt::format("{}-{}", hash_of(training_text(cell, stage)), stage.plan.settings->train.steps);
      cell.trainings.push_back({out / "trainings" / name, &stage.plan, initial});
      initial = checkpoint_in(cell.trainings.back().folder);
    }
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
  return result.settings == result_text(cell) ? std::optional(std::move(result)) : std::nullopt;
}

CellResult empty_result(const Cell& cell) {
  CellResult result;
  result.settings = result_text(cell);
  result.row = cell.entrant.row.label;
  result.seed = cell.seed;
  result.parameters = cell.entrant.last().work.parameters;
  result.train_length = cell.entrant.row.settings->task.train_length;
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

void link_training(const Cell& cell) {
  if (cell.trainings.empty()) return;
  const auto link = [&](const std::string& name) {
    (cell.folder / name).check();
    link_atomically(cell.trainings.back().folder / name, cell.folder / name);
  };
  link("metrics.jsonl");
  if (cell.entrant.last().is_tested_as_trained) link("checkpoint.safetensors");
}

void write_result(const Cell& cell, const CellResult& result) {
  write_text(cell.folder / "result.json", to_json(result));
  link_training(cell);
}

}  // namespace ordinal::experiments

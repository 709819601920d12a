#include "experiments/experiment/outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "experiments/report/grid.h"
#include "experiments/scoring/references.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

void check_metrics(const std::vector<Entrant>& entrants) {
  const auto ids = [](const Entrant& entrant) { return joined(ids_of(entrant.task().metrics())); };
  const Entrant& first = entrants.front();
  for (const Entrant& entrant : entrants) {
    if (ids(entrant) != ids(first))
      throw ConfigError(fmt::format("{} and {} cannot be compared: their tasks are scored by {} and by {}",
                                    first.row.label, entrant.row.label, ids(first), ids(entrant)));
  }
}

LengthScheme lengths_of(const Stage& stage) { return training_lengths(stage.plan.settings); }

// The length mixture of the first stages if all rows have the same; else the longest length of any row.
std::string mixture_of(const std::vector<Entrant>& entrants) {
  std::set<std::string> all;
  Index longest = 0;
  for (const Entrant& entrant : entrants) {
    const LengthScheme lengths = lengths_of(entrant.first());
    all.insert(lengths.mixture());
    if (lengths.has_long_batches()) longest = std::max(longest, lengths.longest());
  }
  if (all.size() == 1) return *all.begin();
  return longest == 0 ? "" : fmt::format("and {} in some batches", longest);
}

std::string task_of(const Entrant& entrant) { return to_string(task_part(entrant.row.settings)); }

// The rows, all lengths and, if all rows share one, the training length.
void add_rows(const std::vector<Entrant>& entrants, ExperimentResult& result) {
  std::set<Index> lengths;
  result.train_length = entrants.front().row.settings->task.train_length;
  for (const Entrant& entrant : entrants) {
    if (entrant.row.settings->task.train_length != result.train_length) result.train_length = 0;
    result.rows.push_back({entrant.row.label, entrant.row.factors, entrant.notes(), task_of(entrant),
                           entrant.row.settings->model.config.encoding.text()});
    for (const Index length : evaluation_lengths(entrant.row.settings)) lengths.insert(length);
  }
  result.lengths.assign(lengths.begin(), lengths.end());
}

// All conditions, and the lengths of those that no row is tested under at some length.
void add_conditions(const std::vector<Entrant>& entrants, ExperimentResult& result) {
  for (const LimitedCondition& limited :
       limited_conditions(entrants.front().row.settings->evaluate.conditions))
    result.conditions.push_back(to_string(limited.condition));
  for (const Entrant& entrant : entrants)
    for (const auto& [length, condition] : tests_of(entrant.row.settings))
      result.limited[condition].insert(length);
  std::erase_if(result.limited, [&](const auto& one) { return one.second.size() == result.lengths.size(); });
}

// "64", or "64, and 256 in 5 % of the batches" where long batches were mixed in, or "64, in a second stage up to 128" if some
// row was trained further on longer sequences.
std::string trained_lengths(const std::vector<Entrant>& entrants, Index train_length) {
  Index longest = train_length;
  for (const Entrant& entrant : entrants)
    if (entrant.stages.size() > 1) longest = std::max(longest, lengths_of(entrant.last()).longest());
  const std::string mixture = mixture_of(entrants);
  return fmt::format("{}{}{}", train_length, mixture.empty() ? "" : ", " + mixture,
                     longest > train_length ? fmt::format(", in a second stage up to {}", longest) : "");
}

std::string question_of(const std::vector<Entrant>& entrants, const ExperimentResult& result) {
  const Entrant& first = entrants.front();
  const bool up_to = std::ranges::any_of(entrants, [](const Entrant& entrant) {
    return lengths_of(entrant.first()).has_short_batches(entrant.task());
  });
  const bool of_encodings = std::ranges::all_of(entrants, [](const Entrant& entrant) {
    return entrant.row.factors.size() == 1 && entrant.row.factors.front().first == "model.encoding";
  });
  const std::string trained =
      result.train_length == 0
          ? "Trained on short sequences"
          : fmt::format("Trained on sequences of {} {}", up_to ? "up to length" : "length",
                        trained_lengths(entrants, result.train_length));
  const std::string rows = entrants.size() == 1
                               ? first.row.label
                               : fmt::format("each {}", of_encodings ? "positional encoding" : "row");
  return fmt::format("{}, how does {} do on longer ones?", trained, rows);
}

// Distinct trainings by their identities, and the floating-point operations of each for one seed.
using Trained = std::map<std::string, double>;

double flops_of(const Trained& trained) {
  const auto add = [](double sum, const auto& training) { return sum + training.second; };
  return std::accumulate(trained.begin(), trained.end(), 0.0, add);
}

// The rows of the table, with the notes below each.
std::string table(const std::vector<Entrant>& entrants, int threads, Trained& trained) {
  std::size_t width = 17;  // a line has 78 columns, unless labels are longer
  for (const Entrant& entrant : entrants) width = std::max(width, entrant.row.label.size());
  const auto line = [&](const auto&... columns) {
    return fmt::format("{:<{}} {:>10} {:>22} {:>6} {:>8} {:>10}\n", columns...);
  };
  std::string text =
      line("row", width, "parameters", "steps × batch × tokens", "TFLOPs", "memory", "to score");
  for (const Entrant& entrant : entrants) {
    for (const Stage& stage : entrant.stages) {
      const Workload& work = stage.work;
      const Settings& settings = stage.plan.settings;
      text += line(
          &stage == &entrant.first() ? entrant.row.label : "  then fine-tuned", width, work.parameters,
          fmt::format("{} × {} × {}{}", settings->train.steps, settings->train.batch,
                      work.one_length ? "" : "up to ", stage.plan.seq_len()),
          trained.emplace(stage.whole_text(), work.flops).second ? fmt::format("{:.3g}", work.flops / 1e12)
                                                                 : "shared",
          fmt::format("{:.1f} MB", work.training.bytes(threads) / 1e6),
          fmt::format("+ {:.1f} MB", work.scoring.bytes(threads) / 1e6));
      text += fmt::format("  {}{}{}\n", work.positions, work.constants.empty() ? "" : "; ", work.constants);
    }
    for (const std::string& note : entrant.notes()) text += fmt::format("  {}\n", note);
  }
  return text;
}

// A line for each row that does not train.
std::string idle_rows(const std::vector<Entrant>& entrants) {
  std::string text;
  for (const Entrant& entrant : entrants) {
    const TrainSection& train = entrant.row.settings->train;
    if (train.steps > 0 && train.learning_rate > 0.0) continue;
    text += fmt::format("warning: {}: train.{} = 0: weights keep their initial values\n", entrant.row.label,
                        train.steps == 0 ? "steps" : "learning_rate");
  }
  return text;
}

// The scores of readers of a task, at the lengths of all rows that are tested on it.
std::vector<Score> reader_scores(const Task& task, const std::vector<Entrant>& entrants, std::uint64_t seed) {
  std::vector<const Entrant*> tested;
  std::set<Index> lengths;
  for (const Entrant& entrant : entrants) {
    if (&entrant.task() != &task) continue;
    tested.push_back(&entrant);
    for (const Index length : evaluation_lengths(entrant.row.settings)) lengths.insert(length);
  }
  return reference_scores(task, tested.front()->row.settings, {lengths.begin(), lengths.end()}, seed);
}

}  // namespace

ExperimentResult outline_of(const std::vector<Entrant>& entrants, const Entrants& makers) {
  check_metrics(entrants);
  ExperimentResult result;
  add_rows(entrants, result);
  add_conditions(entrants, result);
  result.metrics = entrants.front().task().metrics();
  std::stable_partition(result.metrics.begin(), result.metrics.end(),
                        [](const MetricSpec& metric) { return metric.headline; });
  result.question = question_of(entrants, result);
  std::vector<std::string> tasks;
  std::vector<std::string> hashes;
  for (const auto& [name, task] : makers.tasks()) {
    tasks.push_back(task->describe());
    hashes.push_back(task->data_hash());
  }
  result.task = joined(tasks, "; ");
  result.manifest = {{"data_hash", joined(hashes)}};
  return result;
}

void add_references(ExperimentResult& result, const std::vector<Entrant>& entrants, std::uint64_t seed) {
  std::vector<const Task*> tasks;
  for (const Entrant& entrant : entrants)
    if (std::ranges::count(tasks, &entrant.task()) == 0) tasks.push_back(&entrant.task());
  result.references.clear();
  for (const Task* task : tasks) {
    std::vector<Score> scores = reader_scores(*task, entrants, seed);
    for (std::size_t row = 0; row < entrants.size(); ++row) {
      const Settings& settings = entrants[row].row.settings;
      if (&entrants[row].task() == task)
        result.rows[row].gate =
            learning_gate(*task, settings->task.train_length, scores, settings->evaluate.gate);
    }
    const auto first = std::ranges::find(entrants, task, [](const Entrant& one) { return &one.task(); });
    const std::string of = tasks.size() > 1 ? " of " + task_of(*first) : "";
    for (Score& score : scores) {
      score.row += of;
      result.references.push_back(std::move(score));
    }
  }
}

std::string dry_run_text(const Settings& settings, const std::vector<Entrant>& entrants,
                         const std::vector<Entrant>& candidates, int threads) {
  const Index count = std::ssize(seeds(settings));
  Trained choosing;
  for (const Entrant& candidate : candidates)
    choosing.emplace(candidate.first().whole_text(), candidate.first().work.flops);
  Trained trained;
  const std::string lines = table(entrants, threads, trained);
  const Index rows = std::ssize(entrants);
  std::string text = fmt::format("{} = {} × {}, {}", counted(rows * count, "cell"), counted(rows, "row"),
                                 counted(count, "seed"), counted(std::ssize(trained) * count, "training"));
  if (!candidates.empty()) text += fmt::format(", after {} that choose values", choosing.size());
  text += "\n";
  std::set<std::string> tasks;
  for (const Entrant& entrant : entrants) tasks.insert(entrant.last().plan.task->describe());
  for (const std::string& task : tasks) text += fmt::format("task {}\n", task);
  for (const Factor& factor : settings.tuned()) {
    text += fmt::format("first, on seed {}, the best {} for each row: {}\n", settings->experiment.tune_seed,
                        factor.key, joined(factor.values));
  }
  const double flops = flops_of(choosing) + flops_of(trained) * static_cast<double>(count);
  return text + lines +
         fmt::format("all trainings: {:.3g} TFLOPs; scored at lengths {} ({})\n", flops / 1e12,
                     joined(settings->evaluate.lengths), settings->evaluate.conditions.text()) +
         idle_rows(entrants);
}

}  // namespace ordinal::experiments

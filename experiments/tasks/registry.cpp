// The registries of tasks and readers, and batches of examples. To add a task, write its file and add its line to tasks.inc.
#include <algorithm>
#include <iterator>

#include "experiments/tasks/reader.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {

#define ORDINAL_TASKS(file) std::vector<TaskEntry> file##_tasks();
#include "experiments/tasks/tasks.inc"
#undef ORDINAL_TASKS
#define ORDINAL_READERS(file) std::vector<Reader> file##_readers();
#include "experiments/tasks/readers.inc"
#undef ORDINAL_READERS

Registry<TaskEntry>& tasks() {
  static Registry<TaskEntry> all("task.name", [] {
    std::vector<TaskEntry> built_in;
#define ORDINAL_TASKS(file) std::ranges::move(file##_tasks(), std::back_inserter(built_in));
#include "experiments/tasks/tasks.inc"
#undef ORDINAL_TASKS
    return built_in;
  }());
  return all;
}

Registry<Reader>& readers() {
  static Registry<Reader> all("reader", [] {
    std::vector<Reader> built_in;
#define ORDINAL_READERS(file) std::ranges::move(file##_readers(), std::back_inserter(built_in));
#include "experiments/tasks/readers.inc"
#undef ORDINAL_READERS
    return built_in;
  }());
  return all;
}

const Reader* reader_of(const std::string& row) {
  const auto found = std::ranges::find(readers().entries(), row.substr(0, row.find(' ')), &Reader::name);
  return found == readers().entries().end() ? nullptr : &*found;
}

bool knows_at_most(const std::string& row, Knows most) {
  const Reader* reader = reader_of(row);
  return reader != nullptr && reader->knows <= most;
}

bool is_about(const std::string& row, const std::string& task) {
  const std::size_t of = row.find(" of ");
  return of == std::string::npos || row.substr(of + 4) == task;
}

std::optional<Gate> Task::gate() const {
  const MetricSpec first = metrics().front();
  if (first.is_fraction()) return Gate{.metric = first.id, .threshold = 0.9};
  return Gate{.metric = first.id, .reader = "bigram"};
}

std::unique_ptr<Task> make_task(const Part& part) { return tasks().find(part.name).build(part); }
std::unique_ptr<Task> make_task(const std::string& text) { return make_task(parse_part(text)); }

Alphabet task_alphabet(const Part& part) {
  const TaskEntry& entry = tasks().find(part.name);
  return entry.alphabet ? *entry.alphabet : entry.build(part)->alphabet();
}

std::vector<MetricSpec> task_metrics(const Part& part) {
  const TaskEntry& entry = tasks().find(part.name);
  return entry.metrics.empty() ? entry.build(part)->metrics() : entry.metrics;
}

bool lacks_file(const Part& part) { return tasks().find(part.name).lacks_file(part); }

Examples make_examples(const Task& task, Split split, std::uint64_t seed, std::uint32_t step, Index size,
                       Index length, std::uint32_t first_example) {
  Examples examples{{size, task.seq_len(length), {}, {}}};
  Batch& batch = examples.batch;
  batch.tokens.resize(static_cast<std::size_t>(size * batch.seq_len));
  batch.targets.resize(batch.tokens.size());
  const auto row = static_cast<std::size_t>(batch.seq_len);
  for (std::size_t at = 0; at < batch.tokens.size(); at += row) {
    const ExampleKey key{split, seed, step, first_example++};
    const std::vector<Label> known = task.example(key, length, std::span(batch.tokens).subspan(at, row),
                                                  std::span(batch.targets).subspan(at, row));
    if (at == 0) examples.labels.reserve(known.size() * static_cast<std::size_t>(size));
    examples.labels.insert(examples.labels.end(), known.begin(), known.end());
  }
  return examples;
}

Batch make_batch(const Task& task, Split split, std::uint64_t seed, std::uint32_t step, Index size,
                 Index length, std::uint32_t first_example) {
  return make_examples(task, split, seed, step, size, length, first_example).batch;
}

std::string ids_of(const PositionScheme& scheme, const Task& task) {
  const std::vector<std::string> known = task.position_ids();
  if (known.empty()) {
    throw ConfigError(
        "positions = task: the task gives its tokens none (use addition without hints and scratchpad, copy "
        "or reverse)");
  }
  if (scheme.ids == "auto") return known.front();
  check_values("positions = task", {{"ids", OptionType::choice, "", "", {}, known}}, {{"ids", scheme.ids}});
  return scheme.ids;
}

Batch with_positions(Batch batch, const Task& task, const PositionScheme& scheme) {
  if (!scheme.of_task()) return batch;
  const std::string ids = ids_of(scheme, task);
  const auto row = static_cast<std::size_t>(batch.seq_len);
  for (std::size_t first = 0; first < batch.tokens.size(); first += row) {
    const auto positions = task.positions(std::span(batch.tokens).subspan(first, row), ids);
    batch.positions.insert(batch.positions.end(), positions.begin(), positions.end());
  }
  return batch;
}

}  // namespace ordinal::experiments

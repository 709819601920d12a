// All tasks: to add one, write its file and add its line here.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/tasks/task.h"
#include "framework/core/errors.h"

namespace ordinal {

TaskEntry text_task();
TaskEntry language_task();
TaskEntry copy_task();
TaskEntry reverse_task();

namespace {

const std::vector<TaskEntry>& registry() {
  static const std::vector<TaskEntry> tasks = {text_task(), language_task(), copy_task(), reverse_task()};
  return tasks;
}

const TaskEntry& find_task(const std::string& name) {
  const auto found = std::ranges::find(registry(), name, &TaskEntry::name);
  if (found != registry().end()) return *found;
  std::string known;
  for (const std::string& one : task_names()) known += (known.empty() ? "" : ", ") + one;
  throw ConfigError(fmt::format("task.name: got '{}', expected one of {}", name, known));
}

}  // namespace

Index Task::evaluation_examples(Index /*length*/) const { return Index{1} << 31; }

std::unique_ptr<Task> make_task(const TaskConfig& config) { return find_task(config.name).build(config); }

const Alphabet& task_alphabet(const std::string& name) { return find_task(name).alphabet(); }

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const TaskEntry& task : registry()) names.push_back(task.name);
  return names;
}

Batch make_batch(const Task& task, Split split, std::uint64_t seed, std::uint32_t step, Index size,
                 Index length, std::uint32_t first_example) {
  Batch batch{size, task.seq_len(length), {}, {}};
  batch.tokens.resize(static_cast<std::size_t>(size * batch.seq_len));
  batch.targets.resize(batch.tokens.size());
  const auto row = static_cast<std::size_t>(batch.seq_len);
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
    task.example({split, seed, step, first_example + static_cast<std::uint32_t>(i)}, length,
                 std::span(batch.tokens).subspan(i * row, row),
                 std::span(batch.targets).subspan(i * row, row));
  }
  return batch;
}

}  // namespace ordinal

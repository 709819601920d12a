// The registry of tasks: to add one, write its file and add its line to tasks.inc.
#include "experiments/tasks/task.h"

namespace ordinal::experiments {

#define ORDINAL_TASK(name) TaskEntry name##_task();
#include "experiments/tasks/tasks.inc"
#undef ORDINAL_TASK

namespace {

Registry<TaskEntry>& registry() {
  static Registry<TaskEntry> all("task.name", {
#define ORDINAL_TASK(name) name##_task(),
#include "experiments/tasks/tasks.inc"
#undef ORDINAL_TASK
                                              });
  return all;
}

}  // namespace

const Registry<TaskEntry>& tasks() { return registry(); }

void register_task(TaskEntry entry) { registry().add(std::move(entry)); }

Index Task::evaluation_examples(Index /*length*/) const { return Index{1} << 31; }

std::unique_ptr<Task> make_task(const Part& part) { return tasks().find(part.name).build(part); }
std::unique_ptr<Task> make_task(const std::string& text) { return make_task(parse_part(text)); }

Alphabet task_alphabet(const Part& part) { return tasks().find(part.name).alphabet(part); }

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

}  // namespace ordinal::experiments

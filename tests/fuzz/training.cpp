// Parts with extreme options at work: the key that names them in the first line, the value after it, as for the target
// part. A small model is trained for a step and tested at twice the length.
#include <algorithm>
#include <cctype>

#include "experiments/settings/plan.h"
#include "experiments/tasks/task.h"
#include "framework/core/threads.h"
#include "framework/training/evaluation.h"
#include "framework/training/trainer.h"
#include "models/transformer.h"
#include "tests/fuzz/targets.h"

namespace ordinal::fuzz {
namespace {

using experiments::find_key;
using experiments::Key;
using experiments::make_task;
using experiments::Plan;
using experiments::Settings;
using experiments::Split;
using experiments::Task;

// Sizes that only need memory and time are not looked for.
bool has_long_number(const std::string& value) {
  std::size_t digits = 0;
  return std::ranges::any_of(value, [&](char c) {
    digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
    return digits > 3;
  });
}

void train(const Settings& settings) {
  const std::shared_ptr<const Task> task = make_task(task_part(settings));
  for (const Index length : {8, 16}) {
    task->check_length(length);
    if (task->seq_len(length) > 128) return;
  }
  const Plan plan(settings, task);
  const Transformer<float> model(plan.model);
  if (model.layout().flat_size() > 100'000) return;
  Threads threads(1);
  Trainer<float> trainer(model, plan.trainer(1), threads);
  const Batch batch =
      with_positions(make_batch(*task, Split::training, 1, 0, 2, 8), *task, trainer.positions());
  trainer.step({&batch, 1});
  const PositionScheme& scheme = plan.test_positions;
  const Batch longer = with_positions(make_batch(*task, Split::validation, 1, 0, 1, 16), *task, scheme);
  Evaluator<float>(model, trainer.values(), threads, scheme).score(longer);
}

}  // namespace

void training(const std::string& input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string value = input.substr(std::min(end + 1, input.size()));
  const Key* key = find_key(input.substr(0, end));
  if (key == nullptr || key->option.kind.empty() || value.find_first_of("\n\r") != std::string::npos) return;
  accepts([&] {
    if (has_long_number(value) || !complaint(*key, value).empty()) return;
    Settings settings;
    for (const auto& [name, small] :
         std::vector<std::pair<std::string, std::string>>{{"model.d_model", "16"},
                                                          {"model.heads", "2"},
                                                          {"model.layers", "1"},
                                                          {"task.train_length", "8"},
                                                          {"evaluate.lengths", "1x, 2x"},
                                                          {"train.steps", "2"},
                                                          {"train.warmup", "1"},
                                                          {"train.batch", "2"}}) {
      settings.set(name, small, "fuzz");
    }
    settings.set(key->name, value, "fuzz");
    train(settings);
  });
}

}  // namespace ordinal::fuzz

// train: one model on one task, from a config to a checkpoint. Run it again to continue where it was stopped.
#include <fmt/format.h>

#include "experiments/runs/checkpoint_settings.h"
#include "experiments/runs/configure.h"
#include "experiments/runs/machine.h"
#include "experiments/runs/scoring.h"
#include "experiments/runs/training_run.h"
#include "experiments/settings/driver.h"
#include "framework/storage/atomic_file.h"
#include "models/summary.h"

namespace ordinal {
namespace {

constexpr int interrupted_exit = 130;  // what a shell reports for Ctrl-C

void print_scores(TrainingRun& run, const Task& task, const Settings& settings, Threads& threads) {
  const bool accuracy = task.metric() == Metric::accuracy;
  fmt::print("{:>8}  {}\n", "length", accuracy ? "accuracy" : "bits per token");
  for (const Index length : evaluation_lengths(settings)) {
    const LengthScore score =
        score_length(run.model(), run.trainer().values(), task, settings,
                     test_positions(settings, task, settings.text("positional.encoding")), length, threads);
    fmt::print("{:>8}  {}\n", length,
               score.failed ? "fails: " + score.why : fmt::format("{:.4f}", score.value));
  }
}

// What the whole run takes.
std::string training_cost(const Settings& settings, const ModelConfig& config, Index seq_len) {
  const Index batch = settings.integer("train.batch");
  const Index tokens =
      settings.integer("train.steps") * batch * settings.integer("train.accumulate") * seq_len;
  const double flops = static_cast<double>(tokens) * training_flops_per_token(config, seq_len);
  const Transformer<float> model(config);
  return fmt::format("training: {} steps, {:.2f} TFLOPs, about {:.1f} MB of memory\n",
                     settings.integer("train.steps"), flops / 1e12,
                     training_memory_bytes(config, model.layout(), batch, seq_len,
                                           trainer_options(settings, seq_len, 1).shards, sizeof(float)) /
                         1e6);
}

int train(const CommandLine& command) {
  const Settings& settings = command.settings;
  Threads threads(command.threads);
  Progress progress(command.quiet);
  const auto task = make_task(task_config(settings));
  task->check_length(settings.integer("task.train_length"));
  for (const Index length : evaluation_lengths(settings)) task->check_length(length);
  const std::string encoding = settings.text("positional.encoding");
  const ModelConfig config = model_config(settings, *task, encoding);
  const Index seq_len = task->seq_len(settings.integer("task.train_length"));
  const std::string table = summary(Transformer<float>(config), seq_len);
  if (command.dry_run) {
    fmt::print("{}{}", table, training_cost(settings, config, seq_len));
    return 0;
  }
  const std::filesystem::path out = command.out.empty() ? "results/train" : command.out;
  const auto seed = static_cast<std::uint64_t>(settings.integer("train.seed"));
  TrainingRun run(settings, *task, encoding, seed, out, threads, command.model);
  write_file_atomically(out / "resolved.cfg", settings.resolved_config());
  progress.say(startup_line(threads.count()));
  progress.say(table);
  const InterruptGuard interrupt;
  if (run.trainer().steps() > 0) progress.say(fmt::format("continues at step {}", run.trainer().steps()));
  const bool finished = run.train(encoding, progress, interrupt);
  progress.finish_line();
  if (!finished) {
    fmt::print(stderr, "interrupted at step {}; continue with:\n  {}\n", run.trainer().steps(),
               command.invocation);
    return interrupted_exit;
  }
  print_scores(run, *task, settings, threads);
  fmt::print("checkpoint: {}\n", run.checkpoint_path().string());
  return 0;
}

}  // namespace
}  // namespace ordinal

int main(int argc, char** argv) {
  const ordinal::DriverDescription description{
      .name = "train",
      .summary =
          "Trains one model on one task and writes its checkpoint (safetensors). Run it again with the same "
          "settings to continue where it was stopped. With --model it starts from the parameters of a "
          "checkpoint, "
          "and what is not given of task, model and positions is the checkpoint's: fine-tuning at another "
          "length, on "
          "another text or with other positions.",
      .examples =
          {"train --task.name=text --task.file=book.txt --positional.encoding=sinusoidal --out results/book",
           "train --model results/book/checkpoint.safetensors --task.train_length=256 "
           "--positional.positions=interpolated --train.steps=200 --out results/longer"},
      .sections = {"task", "model", "positional", "train", "evaluate"},
      .options = {"out", "model"},
      .required = {},
      .encoding_key = "positional.encoding",
      .over_checkpoint = ordinal::fine_tuning_settings};
  return ordinal::run_driver(argc, argv, description, ordinal::train);
}

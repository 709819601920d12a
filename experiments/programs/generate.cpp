// generate: generates text from a checkpoint written by train.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/plan.h"
#include "experiments/tasks/task.h"
#include "experiments/training/summary.h"
#include "framework/core/errors.h"
#include "framework/storage/safetensors_header.h"
#include "framework/training/checkpoint.h"
#include "models/generation.h"

namespace ordinal::experiments {
namespace {

// The task says which token is which symbol. A model that answers for each symbol has no text to continue.
void check_writes(const Settings& settings, const std::string& path) {
  if (!settings.is_given("task.name"))
    throw CheckpointError(path +
                          ": its metadata lacks task.name, expected the task whose symbols the tokens are");
  const std::string name = task_part(settings).name;
  if (!tasks().find(name).writes)
    throw ConfigError(fmt::format(
        "task {} has an answer for each symbol, expected one whose text goes on (evaluate scores its models)",
        name));
}

int generate_text(const CommandLine& command) {
  const Settings& settings = command.settings;
  check_writes(settings, command.model);
  const Plan plan(settings);
  const SafetensorsFile file(command.model);
  const Transformer<float> model(plan.model);
  Parameters<float> values(model.layout());
  load_parameters(file, values);

  const Alphabet alphabet = task_alphabet(task_part(settings));
  const std::string prompt = settings->generate.prompt;
  const std::vector<Token> tokens = alphabet.encode(prompt.empty() ? alphabet.beginning() : prompt);
  const Index length = std::ssize(tokens) + settings->generate.options.length;
  if (command.dry_run) {
    say_on_stdout(fmt::format("{}positions {}\n{} tokens\n", summary(model, settings->task.train_length),
                              plan.test_positions.describe(length), length));
    return 0;
  }
  if (plan.test_positions.stretches() && plan.test_positions.scale == 0.0 && !command.quiet)
    say_on_stderr(
        fmt::format("positions {}, for the prompt and generate.length together; scale=… keeps a factor\n",
                    plan.test_positions.describe(length)));
  std::string unsaid;
  const auto say = [&](std::span<const Token> read) {
    unsaid += alphabet.decode(read);
    const auto last = unsaid.end() - std::min<std::ptrdiff_t>(3, std::ssize(unsaid));
    const auto begins_letter = [](char byte) { return static_cast<unsigned char>(byte) >= 0xC0; };
    std::string begun(std::find_if(last, unsaid.end(), begins_letter), unsaid.end());  // it may go on
    if (begun == whole_letters(begun)) begun.clear();
    say_on_stdout(whole_letters(unsaid.substr(0, unsaid.size() - begun.size())));
    unsaid = begun;
  };
  say(tokens);
  GenerationOptions options = settings->generate.options;
  options.positions = plan.test_positions;
  generate<float>(model, values, tokens, options, [&](Token token) { say(std::span(&token, 1)); });
  say_on_stdout(whole_letters(unsaid) + "\n");
  return 0;
}

}  // namespace
DriverDescription generate_driver() {
  return {.name = "generate",
          .summary =
              "Generates text from a checkpoint, token by token with a key/value cache. Task and model come "
              "from the checkpoint, and so do positions unless given. Where these are stretched without a "
              "scale, the factor is that of the prompt and generate.length together.",
          .examples = {"generate --model results/book/checkpoint.safetensors --generate.prompt='To be' "
                       "--generate.temperature=0.8 --generate.top_k=20"},
          .sections = {"generate"},
          .keys = {"model.encoding", "model.train_length"},
          .unread = {"model.positional_dropout", "model.dropout", "task.train_length"},
          .options = {"model"},
          .required = {"model"},
          .over_checkpoint = inference_settings,
          .body = generate_text};
}

}  // namespace ordinal::experiments

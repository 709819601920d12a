// generate: generates text from a checkpoint written by train.
#include <fmt/format.h>

#include <cstdio>
#include <span>
#include <utility>

#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/plan.h"
#include "experiments/tasks/task.h"
#include "experiments/training/summary.h"
#include "framework/core/decode_cache.h"
#include "framework/core/errors.h"
#include "framework/training/checkpoint.h"
#include "models/generation.h"

namespace ordinal::experiments {
namespace {

std::string memory(const Transformer<float>& model, const Plan& plan, const std::vector<Token>& prompt) {
  const Index tokens = std::ssize(prompt) + plan.settings.integer("generate.length");
  const Index cache = DecodeCache<float>(model.layout(), 1, model.can_continue() ? tokens : 0).memory_bytes();
  return fmt::format("positions {}\n{} tokens; parameters {:.1f} MB, cache {:.1f} MB\n",
                     plan.test_positions.describe(tokens), tokens,
                     static_cast<double>(model.layout().flat_size()) * sizeof(float) / 1e6,
                     static_cast<double>(cache) / 1e6);
}

// The task says which token is which symbol. A model that answers for each symbol has no text to continue.
void check_writes(const Settings& settings, const std::string& path) {
  if (!settings.is_given("task.name")) {
    throw CheckpointError(
        fmt::format("{}: its metadata lacks task.name, expected the task whose symbols the tokens are (such "
                    "as text for bytes)",
                    path));
  }
  const std::string name = task_part(settings).name;
  if (tasks().find(name).writes) return;
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
  const std::string prompt = settings.text("generate.prompt");
  const std::vector<Token> tokens = alphabet.encode(prompt.empty() ? alphabet.beginning() : prompt);
  if (command.dry_run) {
    say_on_stdout(fmt::format("{}{}", summary(model, settings.integer("task.train_length")),
                              memory(model, plan, tokens)));
    return 0;
  }
  std::string unsaid;
  const auto say = [&](std::span<const Token> read) {
    unsaid += alphabet.decode(read);
    if (unsaid.ends_with('\xC2')) return;  // it may start a two-byte control character
    give_on_stdout(std::exchange(unsaid, ""));
    std::fflush(stdout);
  };
  say(tokens);
  auto options = section_options<GenerationOptions>(settings, "generate");
  options.positions = plan.test_positions;
  generate<float>(model, values, tokens, options, [&](Token token) { say(std::span(&token, 1)); });
  give_on_stdout(unsaid + "\n");
  return 0;
}

}  // namespace
DriverDescription generate_driver() {
  return {.name = "generate",
          .summary =
              "Generates text from a checkpoint, token by token with a key/value cache. Task and model come "
              "from the checkpoint, and so do positions unless given.",
          .examples = {"generate --model results/book/checkpoint.safetensors --generate.prompt='To be' "
                       "--generate.temperature=0.8 --generate.top_k=20",
                       "generate --model results/book/checkpoint.safetensors --generate.length=1000 "
                       "--model.encoding='learned(overflow=clamp)'"},
          .sections = {"generate"},
          .keys = {"model.encoding", "model.train_length"},
          .unread = {"model.positional_dropout", "model.dropout", "task.train_length"},
          .options = {"model"},
          .required = {"model"},
          .over_checkpoint = inference_settings,
          .body = generate_text};
}

}  // namespace ordinal::experiments

// generate: text out of a checkpoint that train wrote.
#include <fmt/format.h>

#include <cstdio>

#include "experiments/runs/configure.h"
#include "experiments/settings/driver.h"
#include "framework/training/checkpoint.h"
#include "models/generation.h"
#include "models/summary.h"

namespace ordinal {
namespace {

int generate_text(const CommandLine& command) {
  const SafetensorsFile file(command.model);
  const Settings trained = settings_of(file, command.model);
  const Transformer<float> model(model_config(trained));
  if (command.dry_run) {
    fmt::print("{}", summary(model, trained.integer("task.train_length")));
    return 0;
  }
  Parameters<float> values(model.layout());
  load_parameters(file, values);

  const Alphabet& alphabet = task_alphabet(trained.text("task.name"));
  const std::string prompt = command.settings.text("generate.prompt");
  const std::vector<Token> tokens = alphabet.encode(prompt.empty() ? alphabet.beginning() : prompt);
  fmt::print("{}", alphabet.decode(tokens));
  GenerationOptions options = generation_options(command.settings);
  options.positions = test_positions(trained);
  generate<float>(model, values, tokens, options, [&](Token token) {
    fmt::print("{}", alphabet.decode(std::span(&token, 1)));
    std::fflush(stdout);
  });
  fmt::print("\n");
  return 0;
}

}  // namespace
}  // namespace ordinal

int main(int argc, char** argv) {
  const ordinal::DriverDescription description{
      .name = "generate",
      .summary = "Writes text from a checkpoint, token by token with a key/value cache.",
      .examples = {"generate --model results/book/checkpoint.safetensors --generate.prompt='To be' "
                   "--generate.temperature=0.8 --generate.top_k=20"},
      .sections = {"generate"},
      .options = {"model"},
      .required = {"model"},
      .encoding_key = ""};
  return ordinal::run_driver(argc, argv, description, ordinal::generate_text);
}

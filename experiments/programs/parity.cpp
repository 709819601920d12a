// parity: writes logits, loss and all gradients of a model on given tokens, for comparison with another
// framework.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/results/npy.h"
#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/plan.h"
#include "experiments/training/summary.h"
#include "framework/core/errors.h"
#include "framework/layers/cross_entropy.h"
#include "framework/training/checkpoint.h"
#include "framework/training/gradient.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

constexpr std::int64_t pytorch_ignore_index = -100;

struct Input {
  Shape shape;  // (B, L)
  std::vector<Token> tokens;
};

Input read_tokens(const std::string& path, Index vocab_size, bool targets) {
  const auto array = read_npy<std::int64_t>(path);
  if (array.shape.size() != 2 || array.shape[0] < 1 || array.shape[1] < 1) {
    throw DataError(fmt::format("{}: got shape {}, expected (B, L) with B and L at least 1", path,
                                ordinal::to_string(array.shape)));
  }
  Input input{array.shape, {}};
  for (const std::int64_t value : array.values) {
    const bool ignored = targets && (value == ignore_index || value == pytorch_ignore_index);
    if (!ignored && (value < 0 || value >= vocab_size)) {
      const Index place = std::ssize(input.tokens);
      throw DataError(fmt::format("{}: row {}, column {}: got {}, expected 0 to {} (vocab_size {}){}", path,
                                  place / input.shape[1], place % input.shape[1], value, vocab_size - 1,
                                  vocab_size, targets ? ", or -1 or -100 to ignore it" : ""));
    }
    input.tokens.push_back(ignored ? ignore_index : static_cast<Token>(value));
  }
  return input;
}

template <typename T>
void run(const SafetensorsFile& file, const Transformer<T>& model, const Positions& positions,
         const Input& tokens, const Input& targets, const CommandLine& command) {
  Parameters<T> values(model.layout());
  Parameters<T> gradients(model.layout());
  load_parameters(file, values);

  Pass<T> pass(values, &gradients);
  FiniteProbe<T> finite;
  pass.begin({.positions = positions, .record = true, .observer = &finite});
  const View<const T> logits = model.logits(model.hidden(tokens.tokens, pass), pass);
  pass.computed("output", ordinal::Direction::forward, logits);
  const auto count = static_cast<double>(std::max<Index>(1, count_targets(targets.tokens)));
  const View<T> d_logits = pass.allocate(logits.rows, logits.cols);
  const double loss =
      cross_entropy_backward(logits, targets.tokens, static_cast<T>(1.0 / count), d_logits) / count;
  model.backward(tokens.tokens, d_logits, pass);
  const T loss_value = static_cast<T>(loss);
  const std::string where = finite.describe_run(loss_value, gradients, 0, tokens.shape[1]);
  if (!where.empty())
    throw CheckpointError(fmt::format(
        "{}: {}; the weights are too large: use smaller ones, or --precision double", command.model, where));

  SafetensorsWriter writer;
  writer.add("logits", {tokens.shape[0], tokens.shape[1], logits.cols},
             std::span<const T>(logits.data, static_cast<std::size_t>(logits.size())));
  writer.add("loss", {}, std::span<const T>(&loss_value, 1));
  add_parameters(writer, gradients, "grad.");
  writer.set_metadata("parity", "logits, loss and gradients");
  writer.write(command.out);
  pass.finish();
  say_on_stdout(fmt::format("loss {:.9g} nats; logits, loss and {} gradients in {}\n", loss,
                            model.layout().specs().size(), command.out));
}

// Throws ConfigError if `out` exists, and is not what parity writes.
void check_replaced(const std::string& out) {
  const std::filesystem::file_status status = std::filesystem::symlink_status(out);
  if (!std::filesystem::exists(status)) return;
  try {
    if (std::filesystem::is_regular_file(status) && SafetensorsFile(out).metadata().contains("parity"))
      return;
  } catch (const std::exception&) {  // it is no such file
  }
  throw ConfigError(out + ": parity has not written it; choose another --out, or remove it");
}

int parity(const CommandLine& command) {
  std::vector<std::string> inputs = command.files;
  inputs.insert(inputs.end(), {command.model, command.tokens, command.targets});
  std::error_code missing;
  for (const std::string& input : inputs)
    if (std::filesystem::equivalent(input, command.out, missing))
      throw ConfigError(input + ": it cannot be both an input and the output; choose another --out");
  check_replaced(command.out);
  const SafetensorsFile file(command.model);
  const Plan plan(command.settings);
  const Transformer<float> model(plan.model);
  const Input tokens = read_tokens(command.tokens, plan.model.vocab_size, false);
  const Input targets = read_tokens(command.targets, plan.model.vocab_size, true);
  if (tokens.shape != targets.shape) {
    throw DataError(fmt::format("{}: got shape {}, expected that of the tokens, {}", command.targets,
                                ordinal::to_string(targets.shape), ordinal::to_string(tokens.shape)));
  }
  const Positions positions = make_positions(plan.test_positions, tokens.shape[0], tokens.shape[1],
                                             validation_positions(seed_of(file, command.model)));
  if (command.dry_run) {
    say_on_stdout(summary(model, tokens.shape[1]));
  } else if (command.precision == "double") {
    run(file, Transformer<double>(plan.model), positions, tokens, targets, command);
  } else {
    run(file, model, positions, tokens, targets, command);
  }
  return 0;
}

}  // namespace
DriverDescription parity_driver() {
  return {.name = "parity",
          .summary =
              "Writes logits, loss and the gradient of every parameter for given weights and tokens, for "
              "comparison with another framework. framework/README.md and --list NAME have the names and "
              "layouts of parameters. "
              "Positions are the checkpoint's test positions unless given.",
          .examples = {"parity --model model.safetensors --tokens tokens.npy --targets targets.npy "
                       "--precision double --out result.safetensors"},
          .keys = {"model.encoding", "model.train_length"},
          .unread = {"model.positional_dropout"},
          .options = {"model", "tokens", "targets", "precision", "out"},
          .required = {"model", "tokens", "targets", "out"},
          .over_checkpoint = inference_settings,
          .body = parity};
}

}  // namespace ordinal::experiments

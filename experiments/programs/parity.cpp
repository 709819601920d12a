// parity: logits, loss and every gradient of a model on given tokens, for comparison with another framework.
#include <fmt/format.h>

#include "experiments/runs/checkpoint_settings.h"
#include "experiments/runs/configure.h"
#include "experiments/runs/machine.h"
#include "experiments/runs/progress.h"
#include "experiments/settings/driver.h"
#include "framework/core/errors.h"
#include "framework/layers/cross_entropy.h"
#include "framework/storage/npy.h"
#include "framework/training/checkpoint.h"
#include "models/summary.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

constexpr std::int64_t pytorch_ignore_index = -100;

struct Input {
  Shape shape;  // (B, L)
  std::vector<Token> tokens;
};

Input read_tokens(const std::string& path, bool targets) {
  const NpyArray array = read_npy(path);
  if (array.shape.size() != 2) {
    throw DataError(fmt::format("{}: got shape {}, expected (B, L)", path, to_string(array.shape)));
  }
  Input input{array.shape, {}};
  for (const std::int64_t value : array.integers()) {
    const bool ignored = targets && value == pytorch_ignore_index;
    if (value < ignore_index || value > std::numeric_limits<Token>::max()) {
      if (!ignored)
        throw DataError(fmt::format("{}: got token {}, expected 0 to vocab_size - 1", path, value));
    }
    input.tokens.push_back(ignored ? ignore_index : static_cast<Token>(value));
  }
  return input;
}

template <typename T>
void run(const SafetensorsFile& file, const ModelConfig& config, const Positions& positions,
         const Input& tokens, const Input& targets, const std::string& out) {
  const Transformer<T> model(config);
  Parameters<T> values(model.layout());
  Parameters<T> gradients(model.layout());
  load_parameters(file, values);

  Pass<T> pass(values, &gradients);
  pass.begin({.positions = positions, .record = true});
  const View<const T> logits = model.logits(model.hidden(tokens.tokens, pass), pass);
  const auto count = static_cast<double>(std::max<Index>(1, count_targets(targets.tokens)));
  const View<T> d_logits = pass.allocate(logits.rows, logits.cols);
  const double loss =
      cross_entropy_backward(logits, targets.tokens, static_cast<T>(1.0 / count), d_logits) / count;

  SafetensorsWriter writer;
  const T loss_value = static_cast<T>(loss);
  writer.add("logits", {tokens.shape[0], tokens.shape[1], logits.cols},
             std::span<const T>(logits.data, static_cast<std::size_t>(logits.size())));
  writer.add("loss", {}, std::span<const T>(&loss_value, 1));
  model.backward(tokens.tokens, d_logits, pass);
  add_parameters(writer, gradients, "grad.");
  writer.write(out);
  pass.finish();
  fmt::print("loss {:.9g} nats; logits, loss and {} gradients in {}\n", loss, model.layout().specs().size(),
             out);
}

int parity(const CommandLine& command) {
  const SafetensorsFile file(command.model);
  const ModelConfig config = model_config(command.settings);
  const Input tokens = read_tokens(command.tokens, false);
  const Input targets = read_tokens(command.targets, true);
  if (tokens.shape != targets.shape) {
    throw DataError(fmt::format("{}: got shape {}, expected that of the tokens, {}", command.targets,
                                to_string(targets.shape), to_string(tokens.shape)));
  }
  const bool in_double = command.precision == "double";
  if (command.dry_run) {
    const Transformer<float> model(config);
    fmt::print("{}about {:.1f} MB of memory\n", summary(model, tokens.shape[1]),
               training_memory_bytes(model, tokens.shape[0], tokens.shape[1], 1,
                                     in_double ? Index{sizeof(double)} : Index{sizeof(float)}) /
                   1e6);
    return 0;
  }
  Progress(command.quiet).say(startup_line(1));
  const Positions positions =
      make_positions(test_positions(command.settings), tokens.shape[0], tokens.shape[1]);
  if (in_double) {
    run<double>(file, config, positions, tokens, targets, command.out);
  } else {
    run<float>(file, config, positions, tokens, targets, command.out);
  }
  return 0;
}

}  // namespace
DriverDescription parity_driver() {
  return {
      .name = "parity",
      .summary =
          "Writes logits, loss and the gradient of every parameter for given weights and tokens, to hold "
          "this "
          "framework against another. Names and layouts of parameters are in the README. Positions are those "
          "of the "
          "checkpoint in its test, unless given.",
      .examples =
          {"parity --model model.safetensors --tokens tokens.npy --targets targets.npy --precision double "
           "--out result.safetensors"},
      .sections = {"positional"},
      .options = {"model", "tokens", "targets", "precision", "out"},
      .required = {"model", "tokens", "targets", "out"},
      .builds = Builds::model,
      .over_checkpoint = inference_settings,
      .body = parity};
}

}  // namespace ordinal::experiments

// parity: logits, loss and every gradient of a model on given tokens, so that anyone can hold the framework
// against another one from outside.
#include <fmt/format.h>

#include "experiments/runs/configure.h"
#include "experiments/settings/driver.h"
#include "framework/core/errors.h"
#include "framework/layers/cross_entropy.h"
#include "framework/storage/npy.h"
#include "framework/training/checkpoint.h"
#include "models/summary.h"
#include "models/transformer.h"

namespace ordinal {
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
void run(const SafetensorsFile& file, const ModelConfig& config, const Input& tokens, const Input& targets,
         const std::string& out) {
  const Transformer<T> model(config);
  Parameters<T> values(model.layout());
  Parameters<T> gradients(model.layout());
  load_parameters(file, values);

  Pass<T> pass(values, &gradients);
  pass.begin({.positions = Positions::contiguous(tokens.shape[0], tokens.shape[1]), .record = true});
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
  const ModelConfig config = model_config(settings_of(file, command.model));
  const Input tokens = read_tokens(command.tokens, false);
  const Input targets = read_tokens(command.targets, true);
  if (tokens.shape != targets.shape) {
    throw DataError(fmt::format("{}: got shape {}, expected that of the tokens, {}", command.targets,
                                to_string(targets.shape), to_string(tokens.shape)));
  }
  if (command.dry_run) {
    fmt::print("{}", summary(Transformer<float>(config), tokens.shape[1]));
    return 0;
  }
  if (command.precision == "double") {
    run<double>(file, config, tokens, targets, command.out);
  } else {
    run<float>(file, config, tokens, targets, command.out);
  }
  return 0;
}

}  // namespace
}  // namespace ordinal

int main(int argc, char** argv) {
  const ordinal::DriverDescription description{
      .name = "parity",
      .summary =
          "Writes logits, loss and the gradient of every parameter for given weights and tokens, to hold "
          "this "
          "framework against another. Names and layouts of parameters are in the README.",
      .examples =
          {"parity --model model.safetensors --tokens tokens.npy --targets targets.npy --precision double "
           "--out result.safetensors"},
      .sections = {},
      .options = {"model", "tokens", "targets", "precision", "out"},
      .required = {"model", "tokens", "targets", "out"},
      .encoding_key = ""};
  return ordinal::run_driver(argc, argv, description, ordinal::parity);
}

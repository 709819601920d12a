// encoding: plots and exports a positional encoding.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/runs/checkpoint_settings.h"
#include "experiments/runs/encoding_study.h"
#include "experiments/runs/encoding_subject.h"
#include "experiments/runs/machine.h"
#include "experiments/runs/progress.h"
#include "experiments/settings/driver.h"
#include "framework/core/errors.h"
#include "framework/positional/position_scheme.h"
#include "framework/storage/npy.h"

namespace ordinal::experiments {
namespace {

WantedMatrices wanted_for(const std::string& dump) {
  const std::string what = std::filesystem::path(dump).filename().string();
  const WantedMatrices wanted{what == "input.npy", what == "angles.npy", what == "bias.npy"};
  if (dump.empty()) return {};
  if (wanted.input || wanted.angles || wanted.bias) return wanted;
  throw ConfigError(
      fmt::format("--dump: got a file called {}, expected input.npy, angles.npy or bias.npy", what));
}

int dump(const EncodingMatrices& matrices, const EncodingSubject& subject, const std::string& path) {
  for (const Tensor<double>* matrix : {&matrices.input, &matrices.angles, &matrices.bias}) {
    if (matrix->size() == 0) continue;  // all but the requested one are empty
    write_npy(path, matrix->shape(), matrix->span());
    fmt::print("{} {}\n", path, to_string(matrix->shape()));
    return 0;
  }
  throw ConfigError(
      fmt::format("--dump: {} has no {}", subject.name(), std::filesystem::path(path).filename().string()));
}

// The positions and constants in effect.
void print_in_force(const EncodingSubject& subject) {
  fmt::print("positions: {}\n", subject.positions_text());
  const std::string constants = subject.constants();
  if (!constants.empty()) fmt::print("constants: {}\n", constants);
}

void print_plan(const EncodingSubject& subject, const std::filesystem::path& out) {
  const auto squares = static_cast<double>(subject.shape().heads + 3);
  const auto length = static_cast<double>(subject.seq_len());
  const double bytes = 8.0 * length * (squares * length + static_cast<double>(subject.shape().d_model));
  fmt::print("{} at {} positions, d_model {}, would be written to {}; up to {:.0f} MB of memory\n",
             subject.name(), subject.seq_len(), subject.shape().d_model, out.string(), bytes / 1e6);
  print_in_force(subject);
}

int encoding(const CommandLine& command) {
  const EncodingSubject subject(command);
  const std::filesystem::path out = command.out.empty() ? "results/encoding-" + subject.name() : command.out;
  const Index layer = command.settings.integer("encoding.layer");
  if (layer >= subject.shape().layers) {
    throw ConfigError(
        fmt::format("encoding.layer: got {}, expected a layer below {}", layer, subject.shape().layers));
  }
  const WantedMatrices wanted = wanted_for(command.dump);
  if (command.dry_run) {
    print_plan(subject, out);
    return 0;
  }
  Progress(command.quiet).say(startup_line(1));
  const Positions positions = subject.positions();
  const EncodingMatrices matrices =
      encoding_matrices(subject.encoding(), subject.values(), subject.text(), subject.shape(), positions,
                        layer, subject.query_key(command), wanted);
  if (!command.dump.empty()) return dump(matrices, subject, command.dump);
  const EncodingStudy study =
      study_encoding(subject.name(), matrices, subject.encoding().input_frequencies(), out);
  fmt::print("{}", study.text);
  print_in_force(subject);
  if (study.files.empty()) fmt::print("{} has no effect to plot\n", subject.name());
  if (!study.plot_error.empty()) fmt::print(stderr, "{}\n", study.plot_error);
  if (!command.quiet) {
    for (const auto& file : study.files) fmt::print("{}\n", file.string());
  }
  return 0;
}

}  // namespace
DriverDescription encoding_driver() {
  return {
      .name = "encoding",
      .summary =
          "Plots (SVG) and exports (.npy) the effect of a positional encoding:\n"
          "  input.npy    (L, d)          what is added to the input, with its Gram matrix, similarity, "
          "statistics\n"
          "  angles.npy   (L, d_h/2)      rotation angle of each pair of a head, in radians, not wrapped\n"
          "  bias.npy     (heads, L, L)   what is added to the scores; 0 where a query does not see a key. "
          "Where\n"
          "                               it depends on queries and keys, they are random or given\n"
          "Learned parameters are plotted at their initial values (train.seed), or with --model at their "
          "trained values; then positions are the checkpoint's unless given.",
      .examples =
          {"encoding --encoding.name=sinusoidal --encoding.d_model=128 --out results/pe",
           "encoding --encoding.name=alibi --encoding.seq_len=64 --dump bias.npy",
           "encoding --encoding.name=rope --positional.positions=yarn --positional.scale=4 --dump angles.npy",
           "encoding --model results/book/checkpoint.safetensors --out results/book/encoding",
           "encoding --list"},
      .sections = {"encoding", "positional"},
      .keys = {"train.seed"},
      .unread = {"positional.encodings", "positional.dropout", "model.dropout", "task.train_length"},
      .instead = {{"positional.encodings", "encoding.name"},
                  {"positional.encoding", "encoding.name"},
                  {"model.d_model", "encoding.d_model"},
                  {"model.heads", "encoding.heads"},
                  {"model.causal", "encoding.causal"},

                  {"task.train_length", "encoding.seq_len"},
                  {"experiment.seed", "train.seed"},
                  {"generate.seed", "train.seed"}},
      .options = {"out", "model", "query", "key", "dump"},
      .builds = Builds::drawing,
      .over_checkpoint = inference_settings,
      .body = encoding};
}

}  // namespace ordinal::experiments

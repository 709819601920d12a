// encoding: draws and exports what a positional encoding is.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/runs/configure.h"
#include "experiments/runs/encoding_study.h"
#include "experiments/runs/machine.h"
#include "experiments/settings/driver.h"
#include "experiments/settings/encoding_choice.h"
#include "framework/core/errors.h"
#include "framework/positional/position_scheme.h"
#include "framework/storage/npy.h"

namespace ordinal {
namespace {

const char* positions_text(PositionUse use) {
  if (use == PositionUse::nothing) return "contiguous only: it does not read them";
  if (use == PositionUse::rotary) return "any, and ntk, dynamic_ntk and yarn";
  return "any but ntk, dynamic_ntk and yarn";
}

std::string contracts_text(const EncodingEntry& entry) {
  const std::string text =
      entry.shift_invariant ? "a common offset changes nothing" : "a common offset changes it";
  return text + (entry.causal_only ? "; causal models only" : "");
}

void print_list() {
  for (const EncodingEntry& entry : encoding_registry()) {
    fmt::print(
        "{}\n  acts on     {}\n  formula     {}\n  parameters  {}\n  positions   {}\n  contracts   {}\n  "
        "beyond "
        "     {}\n  source      {}\n",
        entry.name, entry.acts_on, entry.formula, entry.parameters, positions_text(entry.positions),
        contracts_text(entry), entry.beyond, entry.source);
  }
  fmt::print("\nSeveral at once: a+b. Positions (positional.positions, or a@positions):\n{}",
             position_scheme_help());
}

/// What is to be drawn: from settings alone, or as a checkpoint has learned it.
struct Subject {
  std::string name;
  EncodingConfig config;
  PositionScheme positions;
  Index seq_len = 0;
  ParameterLayout layout;
  std::unique_ptr<PositionalEncoding<double>> encoding;
  std::unique_ptr<Parameters<double>> values;
};

void build(Subject& subject) {
  subject.encoding = make_positional_encoding<double>(subject.config, Scope(subject.layout, "positional"));
  subject.values = std::make_unique<Parameters<double>>(subject.layout);
}

PositionScheme scheme_of(const Settings& settings, const std::string& entry, Index known, Index seq_len) {
  const Index range = settings.integer("positional.max_position");
  return {.kind = position_scheme(encoding_choice(settings, entry).test),
          .train_length = known,
          .scale = settings.real("positional.scale"),
          .max_position = range > 0 ? range : 2 * seq_len,
          .offset = settings.real("positional.offset")};
}

void from_settings(const Settings& settings, Subject& subject) {
  subject.name = settings.text("encoding.name");
  subject.seq_len = settings.integer("encoding.seq_len");
  const Index given = settings.integer("positional.train_length");
  const Index known = given > 0 ? given : subject.seq_len;
  subject.positions = scheme_of(settings, subject.name, known, subject.seq_len);
  subject.config = encoding_config(settings, subject.name);
  subject.config.d_model = settings.integer("encoding.d_model");
  subject.config.heads = settings.integer("encoding.heads");
  subject.config.n_kv_heads = subject.config.heads;
  subject.config.layers = settings.integer("encoding.layer") + 1;
  subject.config.causal = settings.flag("encoding.causal");
  subject.config.train_length = known;
  const Index rows = settings.integer("positional.max_seq_len");
  const Index needed = subject.positions.needs_range() ? subject.positions.max_position : known;
  subject.config.max_seq_len = rows > 0 ? rows : std::max(needed, subject.seq_len);
  build(subject);
  initialize(*subject.values, static_cast<std::uint64_t>(settings.integer("train.seed")));
}

// The encoding's parameters are declared before any other but the token embedding, under the same names.
void from_checkpoint(const CommandLine& command, Subject& subject) {
  const SafetensorsFile file(command.model);
  const Settings trained = settings_of(file, command.model);
  const ModelConfig model = model_config(trained);
  const bool given = command.settings.origin("encoding.seq_len") != "default";
  subject.name = trained.text("positional.encoding");
  subject.config = encoding_for(model);
  subject.seq_len = given ? command.settings.integer("encoding.seq_len") : model.encoding.train_length;
  subject.positions = scheme_of(trained, subject.name, model.encoding.train_length, subject.seq_len);
  build(subject);
  load_parameters(file, *subject.values);
}

Tensor<double> matrix_from(const std::string& path) {
  const NpyArray array = read_npy(path);
  if (array.shape.size() != 2)
    throw DataError(
        fmt::format("{}: got shape {}, expected (L, heads·d_head)", path, to_string(array.shape)));
  return Tensor<double>(array.shape, array.reals());
}

QueryKey query_key_of(const CommandLine& command, const Subject& subject) {
  QueryKey both = random_query_key(subject.config, subject.seq_len,
                                   static_cast<std::uint64_t>(command.settings.integer("train.seed")));
  if (!command.query.empty()) both.query = matrix_from(command.query);
  if (!command.key.empty()) both.key = matrix_from(command.key);
  return both;
}

int dump(const EncodingMatrices& matrices, const Subject& subject, const std::string& path) {
  const std::string what = std::filesystem::path(path).filename().string();
  const Tensor<double>* matrix = what == "input.npy"    ? &matrices.input
                                 : what == "angles.npy" ? &matrices.angles
                                 : what == "bias.npy"   ? &matrices.bias
                                                        : nullptr;
  if (matrix == nullptr) {
    throw ConfigError(
        fmt::format("--dump: got a file called {}, expected input.npy, angles.npy or bias.npy", what));
  }
  if (matrix->size() == 0) throw ConfigError(fmt::format("--dump: {} has no {}", subject.name, what));
  write_npy(path, matrix->shape(), matrix->span());
  fmt::print("{} {}\n", path, to_string(matrix->shape()));
  return 0;
}

int encoding(const CommandLine& command) {
  if (command.list) {
    print_list();
    return 0;
  }
  Subject subject;
  if (command.model.empty()) {
    from_settings(command.settings, subject);
  } else {
    from_checkpoint(command, subject);
  }
  const std::filesystem::path out = command.out.empty() ? "results/encoding-" + subject.name : command.out;
  if (command.dry_run) {
    fmt::print("{} of {} positions, d_model {}, would go to {}\n", subject.name, subject.seq_len,
               subject.config.d_model, out.string());
    return 0;
  }
  const Index layer = command.settings.integer("encoding.layer");
  if (layer >= subject.config.layers) {
    throw ConfigError(
        fmt::format("encoding.layer: got {}, expected a layer below {}", layer, subject.config.layers));
  }
  const Positions positions = make_positions(subject.positions, 1, subject.seq_len);
  const EncodingMatrices matrices = encoding_matrices(*subject.encoding, *subject.values, subject.config,
                                                      positions, layer, query_key_of(command, subject));
  if (!command.dump.empty()) return dump(matrices, subject, command.dump);
  const EncodingStudy study = study_encoding(subject.name, matrices, subject.config.base, out);
  fmt::print("{}", study.text);
  if (const std::string constants = subject.encoding->constants(); !constants.empty()) {
    fmt::print("constants: {}\n", constants);
  }
  if (study.files.empty()) fmt::print("{} adds nothing anywhere\n", subject.name);
  if (!study.plot_error.empty()) fmt::print(stderr, "{}\n", study.plot_error);
  if (!command.quiet) {
    for (const auto& file : study.files) fmt::print("{}\n", file.string());
  }
  return 0;
}

}  // namespace
}  // namespace ordinal

int main(int argc, char** argv) {
  const ordinal::DriverDescription description{
      .name = "encoding",
      .summary =
          "Draws (SVG) and exports (.npy) what a positional encoding does:\n"
          "  input.npy    (L, d)          what is added to the input, with its Gram matrix, similarity, "
          "statistics\n"
          "  angles.npy   (L, d_h/2)      by how much pairs of a head are turned, in radians, not wrapped\n"
          "  bias.npy     (heads, L, L)   what is added to the scores; 0 where a query does not see a key. "
          "Where\n"
          "                               it depends on queries and keys, they are random or given\n"
          "Learned parameters are drawn as they start (train.seed), or with --model as they were learned.",
      .examples =
          {"encoding --encoding.name=sinusoidal --encoding.seq_len=128 --encoding.d_model=64 --out "
           "results/pe",
           "encoding --encoding.name=alibi --encoding.seq_len=64 --dump bias.npy",
           "encoding --encoding.name=rope --positional.positions=yarn --positional.scale=4 --dump angles.npy",
           "encoding --model results/book/checkpoint.safetensors --out results/book/encoding",
           "encoding --list"},
      .sections = {"encoding", "positional"},
      .options = {"out", "list", "model", "query", "key", "dump"},
      .required = {},
      .encoding_key = "encoding.name"};
  return ordinal::run_driver(argc, argv, description, ordinal::encoding);
}

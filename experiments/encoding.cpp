// encoding: draws and exports what a positional encoding is.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/runs/encoding_study.h"
#include "experiments/runs/figures.h"
#include "experiments/runs/machine.h"
#include "experiments/settings/driver.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {
namespace {

void print_list() {
  for (const EncodingEntry& entry : encoding_registry()) {
    fmt::print("{}\n  acts on   {}\n  formula   {}\n  beyond    {}\n  source    {}\n", entry.name,
               entry.acts_on, entry.formula, entry.beyond, entry.source);
  }
}

EncodingConfig encoding_config(const Settings& settings) {
  EncodingConfig config;
  config.name = settings.text("encoding.name");
  config.d_model = settings.integer("encoding.d_model");
  config.heads = settings.integer("encoding.heads");
  config.n_kv_heads = config.heads;
  config.train_length = settings.integer("encoding.seq_len");
  config.max_seq_len = config.train_length;
  config.base = positional_base(settings);
  config.overflow = settings.text("positional.overflow");
  config.pad_odd = settings.flag("positional.pad_odd");
  return config;
}

int encoding(const CommandLine& command) {
  if (command.list) {
    print_list();
    return 0;
  }
  const EncodingConfig config = encoding_config(command.settings);
  ParameterLayout layout;
  const auto encoding = make_positional_encoding<double>(config, Scope(layout, "positional"));
  Parameters<double> values(layout);
  initialize(values, static_cast<std::uint64_t>(command.settings.integer("train.seed")));
  const std::filesystem::path out = command.out.empty() ? "results/encoding-" + config.name : command.out;
  if (command.dry_run) {
    fmt::print("{}: ({}, {}) and its analysis would go to {}\n", config.name, config.train_length,
               config.d_model, out.string());
    return 0;
  }
  const Tensor<double> pe = input_matrix(*encoding, values, config.train_length, config.d_model);
  const EncodingStudy study = study_encoding(config.name, pe, config.base, out);
  fmt::print("{}", study.text);
  if (std::ranges::all_of(pe.span(), [](double value) { return value == 0.0; })) {
    fmt::print("{} adds nothing to the input\n", config.name);
  }
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
          "Draws (SVG) and exports (.npy) what a positional encoding is: the matrix that it adds to the "
          "input, "
          "its Gram matrix, wavelengths, statistics and how exactly an offset is a rotation. A learned table "
          "is "
          "drawn as it starts (train.seed).",
      .examples = {"encoding --encoding.name=sinusoidal --encoding.seq_len=128 --encoding.d_model=64 --out "
                   "results/pe",
                   "encoding --list"},
      .sections = {"encoding", "positional"},
      .options = {"out", "list"},
      .required = {},
      .encoding_key = "encoding.name"};
  return ordinal::run_driver(argc, argv, description, ordinal::encoding);
}

// encoding: plots and exports a positional encoding.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "experiments/encoding/page.h"
#include "experiments/encoding/sentences.h"
#include "experiments/encoding/study.h"
#include "experiments/process/machine.h"
#include "experiments/process/progress.h"
#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"
#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {
namespace {

// Prints the positions and constants in effect.
void print_in_force(const EncodingSubject& subject) {
  say_on_stdout(fmt::format("positions: {}\n", subject.positions_text()));
  const std::string constants = subject.constants();
  if (!constants.empty()) say_on_stdout(fmt::format("constants: {}\n", constants));
}

void print_plan(const EncodingSubject& subject, const std::filesystem::path& out) {
  const ModelShape& shape = subject.shape();
  const bool of_input = acts_on(subject.text(), Place::input);
  Index squares = of_input ? 2 : 0;
  if (acts_on(subject.text(), Place::scores)) squares += shape.heads;
  if (subject.seq_len() <= most_scored) squares += shape.heads * (of_input ? 5 : 1);
  const Index numbers = subject.seq_len() * (squares * subject.seq_len() + shape.d_model);
  say_on_stdout(fmt::format(
      "{} at {} positions, d_model {}, would be written to {}; up to {:.0f} MB of memory\n", subject.name(),
      subject.seq_len(), shape.d_model, out.string(), 8.0 * static_cast<double>(numbers) / 1e6));
  print_in_force(subject);
}

std::optional<TwoOrders> orders_of(const Settings& settings) {
  return two_orders(settings.text("encoding.sentence"), settings.text("encoding.reordered"));
}

// Refuses options that exclude each other. Programs may share a file, so most of its keys are read where they apply.
void check_options(const CommandLine& command) {
  const Settings& settings = command.settings;
  const auto typed = [&](const char* key) { return settings.origin(key) == command_line_origin; };
  const auto refuse = [](bool wrong, const std::string& text) {
    if (wrong) throw ConfigError(text);
  };
  const bool names = typed("encoding.names");
  const bool reads_sentence = !command.page && orders_of(settings).has_value();
  for (const char* name : {"encoding.sentence", "encoding.reordered"}) {
    refuse(
        command.page && typed(name),
        fmt::format("{} would change nothing: --page writes a page and nothing else; leave out one of them",
                    name));
  }
  refuse(names && !command.page,
         "encoding.names is read with --page; add it, or set encoding.name to a single encoding");
  refuse(names && !command.model.empty(),
         fmt::format("encoding.names = {}, but a checkpoint has one encoding; leave it or --model out",
                     settings.text("encoding.names")));
  refuse(names && typed("encoding.name"),
         "encoding.name and encoding.names set the same; leave out one of them");
  refuse(reads_sentence && !command.model.empty(),
         "encoding.sentence is read by models of random weights; leave it or --model out");
}

int encoding(const CommandLine& command) {
  check_options(command);
  if (command.page) {
    write_encoding_page(command);
    return 0;
  }
  const std::optional<TwoOrders> orders = orders_of(command.settings);
  const EncodingSubject subject(command);
  const std::filesystem::path out =
      command.out.empty() ? "results/" + bounded_name("encoding-" + subject.name()) : command.out;
  if (command.dry_run) {
    print_plan(subject, out);
    return 0;
  }
  Progress(command.quiet).say(startup_line(1));
  // Compute everything before writing, so that positions that the encoding cannot use leave no files.
  const StudyMatrices matrices = study_matrices(subject);
  std::vector<OrderComparison> comparisons;
  if (orders) comparisons = compare_orders(*orders, subject.text(), subject.shape(), subject.seed());
  const FolderLock lock(out);
  print_in_force(subject);
  StudyFiles files{.folder = lock.path()};
  study_encoding(subject, matrices, files);
  files.print(command.quiet);
  if (!orders) return 0;
  StudyFiles of_orders{.folder = lock.path()};
  study_sentences(*orders, comparisons, of_orders);
  of_orders.print(command.quiet);
  return 0;
}

}  // namespace

DriverDescription encoding_driver() {
  return {.name = "encoding",
          .summary = R"(Plots (SVG) and exports (.npy) the effect of a positional encoding:
  input.npy    (L, d)           what is added to the input, with its Gram matrix, similarity, statistics
  shift-K.npy  (d, d)           M_K, the rotations that best map the row of a position to that of K later
  angles.npy   (L, d_h/2)       rotation angle of each pair of a head, in radians, not wrapped
  bias.npy     (heads, L, L)    what is added to the scores; 0 where a query does not see a key. Where
                                it depends on queries and keys, they are random
  scores.npy   (heads, L, L)    the whole score of query i and key j, for a token that is the same at every
                                position and random projections (train.seed); and whether it depends on
                                i - j alone
  terms.npy    (4, heads, L, L) its content-content, content-position, position-content and position-
                                position terms, if the encoding acts on the input
With --page it writes explorer.html instead: a page that explains one or several encodings, with
pictures that react.
With encoding.sentence, sentences.csv compares attention and outputs for two orders of the same words,
without and with the encoding.
Learned parameters are plotted at their initial values (train.seed), or with --model at their trained values; then positions are the checkpoint's unless given.)",
          .examples = {"encoding --encoding.name=sinusoidal --encoding.d_model=128 --out results/pe",
                       "encoding --encoding.name=alibi --encoding.seq_len=64",
                       "encoding --encoding.positions='5, 10, 15, 100, 1000' --out results/far",
                       "encoding --encoding.sentence='cats eat mice' --encoding.reordered='mice eat cats'",
                       "encoding --encoding.name=rope --positional.positions=yarn --positional.scale=4",
                       "encoding --model results/book/checkpoint.safetensors --out results/book/encoding",
                       "encoding --page --encoding.names='sinusoidal, rope, rope(base=500), alibi, t5'",
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
          .options = {"out", "model", "page"},
          .builds = Builds::drawing,
          .over_checkpoint = inference_settings,
          .body = encoding};
}

}  // namespace ordinal::experiments

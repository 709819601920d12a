// encoding: plots and exports a positional encoding.
#include <fmt/format.h>

#include <optional>

#include "experiments/runs/checkpoint_settings.h"
#include "experiments/runs/encoding_dump.h"
#include "experiments/runs/encoding_page.h"
#include "experiments/runs/encoding_study.h"
#include "experiments/runs/encoding_subject.h"
#include "experiments/runs/machine.h"
#include "experiments/runs/progress.h"
#include "experiments/runs/sentence_study.h"
#include "experiments/settings/driver.h"
#include "experiments/settings/rows.h"
#include "experiments/settings/streams.h"
#include "framework/core/errors.h"
#include "framework/storage/folder_lock.h"
#include "framework/storage/npy.h"

namespace ordinal::experiments {
namespace {

int dump(const EncodingSubject& subject, const CommandLine& command) {
  const Tensor<double> matrix = dumped_matrix(subject, command);
  write_npy(command.dump, matrix.shape(), matrix.span());
  say_on_stdout(fmt::format("{} {}\n", command.dump, to_string(matrix.shape())));
  return 0;
}

// The positions and constants in effect.
void print_in_force(const EncodingSubject& subject) {
  say_on_stdout(fmt::format("positions: {}\n", subject.positions_text()));
  const std::string constants = subject.constants();
  if (!constants.empty()) say_on_stdout(fmt::format("constants: {}\n", constants));
}

// Scores take heads·L² numbers, and their terms four times that.
constexpr Index most_scored = 4096;

bool has_scores(const EncodingSubject& subject) { return subject.seq_len() <= most_scored; }

void print_plan(const EncodingSubject& subject, const std::filesystem::path& out) {
  const bool has_terms = acts_on(subject.text(), Place::input);
  const Index of_scores = has_scores(subject) ? subject.shape().heads * (has_terms ? 5 : 1) : 0;
  const bool has_bias = acts_on(subject.text(), Place::scores);
  const auto squares =
      static_cast<double>(of_scores + (has_bias ? subject.shape().heads : 0) + (has_terms ? 2 : 0));
  const auto length = static_cast<double>(subject.seq_len());
  const double bytes = 8.0 * length * (squares * length + static_cast<double>(subject.shape().d_model));
  say_on_stdout(
      fmt::format("{} at {} positions, d_model {}, would be written to {}; up to {:.0f} MB of memory\n",
                  subject.name(), subject.seq_len(), subject.shape().d_model, out.string(), bytes / 1e6));
  print_in_force(subject);
}

StudyInput study_input(const EncodingSubject& subject, const CommandLine& command) {
  const Positions positions = subject.positions();
  const bool given = !command.query_file.empty() || !command.key_file.empty();
  return {.name = subject.name(),
          .positions = {positions.of(0).begin(), positions.of(0).end()},
          .causal = subject.shape().causal,
          .matrices = encoding_matrices(subject.encoding(), subject.values(), subject.text(), subject.shape(),
                                        positions, subject.layer(), subject.query_key(command)),
          .scores = has_scores(subject) ? score_matrix(subject.placed(), subject.score_query_key(command))
                                        : Tensor<double>(),
          .same_token = !given,
          .terms = has_scores(subject) ? subject.terms(command) : Tensor<double>(),
          .frequencies = subject.encoding().input_frequencies(),
          .offsets = subject.offsets(),
          .why_no_offsets = subject.why_no_offsets()};
}

// The orders to compare. A trained model has no words, and --dump writes no tables; a file may serve both.
std::optional<TwoOrders> wanted_orders(const CommandLine& command) {
  std::optional<TwoOrders> orders = two_orders(command.settings);
  if (orders && !command.model.empty()) {
    throw ConfigError("encoding.sentence is read by models of random weights; leave it or --model out");
  }
  const bool typed = command.settings.origin("encoding.sentence") == command_line_origin;
  if (orders && typed && !command.dump.empty()) {
    throw ConfigError(
        "encoding.sentence would change nothing: --dump writes one matrix; leave out one of them");
  }
  return orders;
}

void print_study(const EncodingStudy& study, bool quiet) {
  say_on_stdout(study.text);
  if (!study.plot_error.empty()) say_on_stderr(study.plot_error + "\n");
  for (const auto& file : study.files) {
    if (!quiet) say_on_stdout(fmt::format("{}\n", file.string()));
  }
}

int page(const CommandLine& command) {
  const auto subjects = page_subjects(command);
  const std::filesystem::path out = page_folder(subjects, command);
  if (command.dry_run) {
    say_on_stdout(fmt::format("a page of {} encoding{} at {} positions would be written to {}\n",
                              subjects.size(), subjects.size() > 1 ? "s" : "", subjects.front()->seq_len(),
                              out.string()));
    return 0;
  }
  const FolderLock lock(out);
  say_on_stdout(fmt::format("{}\n", write_encoding_page(subjects, command, lock.path()).string()));
  return 0;
}

int encoding(const CommandLine& command) {
  if (command.page) return page(command);
  if (command.settings.origin("encoding.names") == command_line_origin) {
    throw ConfigError(
        "encoding.names is read with --page; add it, or set encoding.name to a single encoding");
  }
  if (!command.dump.empty()) check_dump(command.dump);
  const std::optional<TwoOrders> orders = wanted_orders(command);
  const EncodingSubject subject(command);
  const std::filesystem::path out =
      command.out.empty() ? "results/" + bounded_name("encoding-" + subject.name()) : command.out;
  if (command.dry_run) {
    print_plan(subject, out);
    return 0;
  }
  const auto seed = static_cast<std::uint64_t>(command.settings.integer("train.seed"));
  Progress(command.quiet).say(startup_line(1));
  if (!command.dump.empty()) return dump(subject, command);
  // All numbers before the first file, so that positions that the encoding cannot serve leave none.
  const StudyInput input = study_input(subject, command);
  std::vector<OrderComparison> comparisons;
  if (orders) comparisons = compare_orders(*orders, subject.text(), subject.shape(), seed);
  const FolderLock lock(out);
  print_in_force(subject);
  print_study(study_encoding(input, lock.path()), command.quiet);
  if (orders) print_study(study_sentences(*orders, comparisons, lock.path()), command.quiet);
  return 0;
}

}  // namespace

DriverDescription encoding_driver() {
  return {
      .name = "encoding",
      .summary =
          "Plots (SVG) and exports (.npy) the effect of a positional encoding:\n"
          "  input.npy    (L, d)           what is added to the input, with its Gram matrix, similarity, "
          "statistics\n"
          "  shift-K.npy  (d, d)           M_K, the rotations that best map the row of a position to that of "
          "K later\n"
          "  angles.npy   (L, d_h/2)       rotation angle of each pair of a head, in radians, not wrapped\n"
          "  bias.npy     (heads, L, L)    what is added to the scores; 0 where a query does not see a key. "
          "Where\n"
          "                                it depends on queries and keys, they are random or given\n"
          "  scores.npy   (heads, L, L)    the whole score of query i and key j, for a token that is the "
          "same "
          "at every\n"
          "                                position and random projections (train.seed), or for the given "
          "queries\n"
          "                                and keys; and whether it depends on i - j alone\n"
          "  terms.npy    (4, heads, L, L) its content-content, content-position, position-content and "
          "position-\n"
          "                                position terms, if the encoding acts on the input\n"
          "With --page it writes explorer.html instead: a page that explains one or several encodings, with\n"
          "pictures that react.\n"
          "With encoding.sentence, sentences.csv compares attention and outputs for two orders of the same "
          "words,\nwithout and with the encoding.\n"
          "Learned parameters are plotted at their initial values (train.seed), or with --model at their "
          "trained values; then positions are the checkpoint's unless given.",
      .examples =
          {"encoding --encoding.name=sinusoidal --encoding.d_model=128 --out results/pe",
           "encoding --encoding.name=alibi --encoding.seq_len=64 --dump bias.npy",
           "encoding --encoding.positions='5, 10, 15, 100, 1000' --out results/far",
           "encoding --encoding.sentence='cats eat mice' --encoding.reordered='mice eat cats'",
           "encoding --encoding.name=rope --positional.positions=yarn --positional.scale=4 --dump angles.npy",
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
      .options = {"out", "model", "query", "key", "dump", "page"},
      .builds = Builds::drawing,
      .over_checkpoint = inference_settings,
      .body = encoding};
}

}  // namespace ordinal::experiments

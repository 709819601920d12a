// encoding: plots and exports a positional encoding.
#include <fmt/format.h>

#include <filesystem>

#include "experiments/process/results_folder.h"
#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/programs/encoding/gallery.h"
#include "experiments/programs/encoding/study.h"
#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// Refuses options that would change nothing. Programs may share a file, so its keys are read where they apply.
void check_options(const CommandLine& command) {
  const auto typed = [&](const char* key) { return command.settings.origin(key) == command_line_origin; };
  const bool names = typed("encoding.names");
  if (names && (typed("encoding.name") || !command.model.empty()))
    throw ConfigError("encoding.names draws a gallery; leave it out, or encoding.name and --model");
  for (const char* key : {"encoding.sentence", "encoding.reordered"})
    if (typed(key) && !names) throw ConfigError(fmt::format("{} is read with encoding.names; add it", key));
}

int encoding(const CommandLine& command) {
  check_options(command);
  if (command.model.empty() && !command.settings->encoding.names.empty()) {
    write_gallery(command);
    return 0;
  }
  const EncodingSubject subject(command);
  const std::filesystem::path out =
      command.out.empty() ? "results/" + folder_of("encoding-" + subject.name()) : command.out;
  if (command.dry_run) {
    say_on_stdout(fmt::format("{} at {} positions, d_model {}, would be written to {}\n{}", subject.name(),
                              subject.seq_len(), subject.shape().d_model, out.string(), subject.in_effect()));
    return 0;
  }
  check_results_folder(out, "what an encoding does");
  const EncodingStudy study = study_encoding(subject);
  const FolderLock lock(out, "what an encoding does");
  say_on_stdout(subject.in_effect() + study.text);
  for (const std::filesystem::path& file : study.write(lock.path()))
    if (!command.quiet) say_on_stdout(fmt::format("{}\n", file.string()));
  return 0;
}

}  // namespace

DriverDescription encoding_driver() {
  return {.name = "encoding",
          .summary = R"(Plots (SVG) and exports (.npy) the effect of a positional encoding:
  input.npy    (L, d)           what is added to the input, with its Gram matrix, similarity, statistics
  shift-K.npy  (d, d)           M_K, the rotations that best map the row of a position to that of K later
  angles.npy   (L, d_h/2)       rotation angle of each pair of a head, in radians, not wrapped
  bias.npy     (heads, L, L)    what is added to the scores; 0 where a query does not see a key
  scores.npy   (heads, L, L)    the whole score of query i and key j, for one token at every position, and
                                whether it depends on i - j alone
  terms.npy    (4, heads, L, L) its content-content, content-position, position-content and position-
                                position terms, if the encoding acts on the input
With encoding.names it writes encodings.html instead, one page with the definition, numbers and
pictures of each, and what attention sees of a sentence and its reordering, without and with it.
Learned parameters have their initial values, and queries, keys and projections are random (train.seed);
with --model, they are trained, and positions are the checkpoint's unless given.)",
          .examples = {"encoding --encoding.name='rope@yarn(scale=4)' --encoding.seq_len=64 --out results/pe",
                       "encoding --model results/book/checkpoint.safetensors --out results/book-encoding",
                       "encoding --encoding.names='sinusoidal, rope, rope(base=500), alibi, t5'"},
          .sections = {"encoding"},
          .keys = {"train.seed", "model.train_length"},
          .unread = {"model.positional_dropout", "model.dropout", "task.train_length"},
          .options = {"out", "model"},
          .over_checkpoint = inference_settings,
          .body = encoding};
}

}  // namespace ordinal::experiments

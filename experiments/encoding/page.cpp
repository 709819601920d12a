#include "experiments/encoding/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "experiments/encoding/numbers.h"
#include "experiments/encoding/panels.h"
#include "experiments/encoding/subject.h"
#include "experiments/process/streams.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {
namespace {

bool typed(const Settings& settings, const std::string& key) {
  return settings.origin(key) == command_line_origin;
}

// Options for other results than a page.
void check_options(const CommandLine& command) {
  const std::vector<std::pair<std::string, bool>> others = {
      {"--dump", !command.dump.empty()},
      {"--query", !command.query_file.empty()},
      {"--key", !command.key_file.empty()},
      {"encoding.sentence", typed(command.settings, "encoding.sentence")},
      {"encoding.reordered", typed(command.settings, "encoding.reordered")}};
  for (const auto& [name, given] : others) {
    if (given) {
      throw ConfigError(fmt::format(
          "{} would change nothing: --page writes a page and nothing else; leave out one of them", name));
    }
  }
}

void check_names(const CommandLine& command, const std::vector<std::string>& names) {
  if (names.empty()) return;
  const std::string& text = command.settings.text("encoding.names");
  if (!command.model.empty() && typed(command.settings, "encoding.names")) {
    throw ConfigError(
        fmt::format("encoding.names = {}, but a checkpoint has one encoding; leave it or --model out", text));
  }
  if (typed(command.settings, "encoding.names") && typed(command.settings, "encoding.name")) {
    throw ConfigError("encoding.name and encoding.names set the same; leave out one of them");
  }
  for (const std::string& name : names) {
    if (std::ranges::count(names, name) > 1)
      throw ConfigError(fmt::format("encoding.names: {} is listed more than once", name));
  }
}

void check_size(const EncodingSubject& subject) {
  if (subject.seq_len() > most_page_positions) {
    throw ConfigError(fmt::format("--page: got {} positions, expected at most {}; lower encoding.seq_len",
                                  subject.seq_len(), most_page_positions));
  }
  const Index inputs = subject.seq_len() * subject.shape().d_model;
  if (acts_on(subject.text(), Place::input) && inputs > most_page_inputs) {
    throw ConfigError(
        fmt::format("--page: got {} positions of {} dimensions, expected at most {} numbers; lower "
                    "encoding.seq_len or encoding.d_model",
                    subject.seq_len(), subject.shape().d_model, most_page_inputs));
  }
}

// A command that draws this encoding alone.
CommandLine only(const std::string& name, CommandLine command) {
  command.settings.set("encoding.name", name, "encoding.names");
  if (typed(command.settings, "encoding.offsets")) {  // the others may have no use for them
    command.settings.set("encoding.offsets", command.settings.text("encoding.offsets"), "encoding.names");
  }
  return command;
}

std::deque<EncodingSubject> subjects_of(const CommandLine& command) {
  check_options(command);
  const std::vector<std::string> names = command.settings.list("encoding.names");
  check_names(command, names);
  std::deque<EncodingSubject> subjects;
  if (names.empty() || !command.model.empty())
    subjects.emplace_back(command);
  else
    for (const std::string& name : names) subjects.emplace_back(only(name, command));
  std::ranges::for_each(subjects, check_size);
  return subjects;
}

EncodingNumbers numbers_of(const EncodingSubject& subject, bool trained) {
  EncodingNumbers numbers = encoding_numbers(subject.effect());
  numbers.name = subject.name();
  numbers.trained = trained;
  return numbers;
}

ExplorerSection section_of(const EncodingSubject& subject, const EncodingNumbers& numbers) {
  ExplorerSection section = encoding_section(numbers);
  const std::vector<Index>& offsets = subject.offsets();
  if (!offsets.empty()) section.offset = offsets[(offsets.size() - 1) / 2];
  section.facts.emplace_back(
      "drawn", fmt::format("{} model, d_model {}, {} heads of {}, trained up to length {}; positions {}",
                           numbers.causal ? "causal" : "bidirectional", numbers.d_model, numbers.heads,
                           numbers.d_head, numbers.train_length, subject.positions_text()));
  for (const auto& [name, value] :
       {std::pair{"constants", subject.constants()}, {"values", subject.values_text()}}) {
    if (!value.empty()) section.facts.emplace_back(name, value);
  }
  return section;
}

}  // namespace

void write_encoding_page(const CommandLine& command) {
  const std::deque<EncodingSubject> subjects = subjects_of(command);
  const bool several = subjects.size() > 1;
  const std::string name = several ? "encodings" : "encoding-" + folder_of(subjects.front().name());
  const std::filesystem::path out = command.out.empty() ? "results/" + name : command.out;
  if (command.dry_run) {
    say_on_stdout(fmt::format("a page of {} encoding{} at {} positions would be written to {}\n",
                              subjects.size(), several ? "s" : "", subjects.front().seq_len(), out.string()));
    return;
  }
  ExplorerPage page;
  std::vector<std::string> texts;
  for (const EncodingSubject& subject : subjects) {
    page.numbers.push_back(numbers_of(subject, !command.model.empty()));
    page.sections.push_back(section_of(subject, page.numbers.back()));
    texts.push_back(subject.text());
  }
  if (several) page.comparison = comparison_table(texts);
  page.command = command.invocation;
  const FolderLock lock(out);
  write_file_atomically(lock.path() / "explorer.html", explorer_page(page));
  say_on_stdout(fmt::format("{}\n", (out / "explorer.html").string()));
}

}  // namespace ordinal::experiments

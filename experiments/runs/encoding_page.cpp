#include "experiments/runs/encoding_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/runs/encoding_numbers.h"
#include "experiments/runs/encoding_panels.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"

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

std::string values_text(const EncodingSubject& subject, const CommandLine& command) {
  if (subject.values().flat().empty()) return "";
  const std::string origin = command.model.empty()
                                 ? "initial, of train.seed " + command.settings.text("train.seed")
                                 : "trained, from " + command.model;
  return subject.shape().layers > 1 ? fmt::format("{}; layer {} of 0 … {} (encoding.layer)", origin,
                                                  subject.layer(), subject.shape().layers - 1)
                                    : origin;
}

SectionFacts facts_of(const EncodingSubject& subject, const CommandLine& command) {
  return {subject.text(), subject.positions_text(), subject.constants(), values_text(subject, command),
          subject.offsets()};
}

}  // namespace

std::vector<std::unique_ptr<EncodingSubject>> page_subjects(const CommandLine& command) {
  check_options(command);
  const std::vector<std::string> names = command.settings.list("encoding.names");
  check_names(command, names);
  std::vector<std::unique_ptr<EncodingSubject>> subjects;
  if (names.empty() || !command.model.empty())
    subjects.push_back(std::make_unique<EncodingSubject>(command));
  else
    for (const std::string& name : names)
      subjects.push_back(std::make_unique<EncodingSubject>(only(name, command)));
  for (const auto& subject : subjects) check_size(*subject);
  return subjects;
}

std::filesystem::path page_folder(const std::vector<std::unique_ptr<EncodingSubject>>& subjects,
                                  const CommandLine& command) {
  if (!command.out.empty()) return command.out;
  const bool several = subjects.size() > 1;
  return std::filesystem::path("results") /
         (several ? "encodings" : "encoding-" + folder_of(subjects.front()->name()));
}

std::filesystem::path write_encoding_page(const std::vector<std::unique_ptr<EncodingSubject>>& subjects,
                                          const CommandLine& command, const LockedPath& out) {
  ExplorerPage page;
  std::vector<SectionFacts> facts;
  for (const auto& subject : subjects) {
    page.numbers.push_back(encoding_numbers(subject->placed(), subject->text()));
    page.numbers.back().name = subject->name();
    page.numbers.back().trained = !command.model.empty();
    facts.push_back(facts_of(*subject, command));
  }
  const LockedPath figures = out / "figures";
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    page.sections.push_back(
        encoding_section(page.numbers[i], facts[i], figures / folder_of(subjects[i]->name())));
  }
  if (subjects.size() > 1) page.comparison = comparison_table(facts);
  page.command = command.invocation;
  write_file_atomically(out / "explorer.html", explorer_page(page));
  return out / "explorer.html";
}

}  // namespace ordinal::experiments

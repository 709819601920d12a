#include "experiments/settings/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "experiments/settings/keys.h"
#include "framework/core/errors.h"
#include "framework/core/part.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/safetensors_header.h"

namespace ordinal::experiments {
namespace {

// " (did you mean compare?)"; empty for a section, or for one that none is like.
std::string meant_section(const std::string& name) {
  std::vector<std::string> known = {"compare"};
  for (const auto& [kind, own] : named_sections) known.push_back(kind);
  for (const Key& key : all_keys()) known.push_back(key.section());
  return std::ranges::count(known, name) > 0 ? "" : did_you_mean(name, known);
}

// Boost's reader of config files has no line numbers, cuts a value at a # inside it, and has undefined behaviour on an
// empty section.
class FileReader {
 public:
  explicit FileReader(const std::string& path) : path_(path) {}

  Source read(const std::string& text) {
    if (text.find('\0') != std::string::npos)
      return {{.problem = path_ + ": got a binary file, expected a text of lines key = value in UTF-8"}};
    std::istringstream stream(text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text);  // a byte order mark
    for (std::string raw; std::getline(stream, raw);) {
      ++number_;
      const std::string padded = " " + raw;
      const std::size_t comment = std::min(padded.find(" #"), padded.find("\t#"));
      const std::string line = trimmed(raw.substr(0, comment));
      if (line.empty()) continue;
      if (line.front() == '[' && line.back() == ']') {
        section(line);
      } else if (!nowhere_) {
        setting(line);
      }
    }
    return std::move(source_);
  }

 private:
  std::string place() const { return fmt::format("{}:{}", path_, number_); }
  void unreadable(const std::string& what) { source_.push_back({.problem = place() + ": " + what}); }

  void section(const std::string& line) {
    const std::string name = trimmed(line.substr(1, line.size() - 2));
    nowhere_ = name.empty() || line.find('[', 1) != std::string::npos;
    if (named_sections.contains(name)) {
      nowhere_ = true;
      return unreadable(fmt::format("got section {0}, expected [{1} NAME]", line, name));
    }
    if (nowhere_) return unreadable(fmt::format("got section {}, expected a name such as [train]", line));
    const std::size_t blank = std::min(name.find(' '), name.size());
    kind_ = name.substr(0, blank);
    id_ = trimmed(name.substr(blank));
    const std::string meant = meant_section(kind_);
    nowhere_ = !meant.empty() || (!id_.empty() && !named_sections.contains(kind_));
    if (nowhere_)
      return unreadable(fmt::format("got section {}, expected [train] or [row NAME]{}", line, meant));
    if (id_.empty()) kind_ = "";
    prefix_ = kind_.empty() ? name + "." : "";
    if (!kind_.empty()) source_.push_back({"", "", place(), kind_, id_});
  }

  void setting(const std::string& line) {
    const std::size_t equals = line.find('=');
    const std::string key = prefix_ + trimmed(line.substr(0, equals));
    if (equals == std::string::npos || key.empty() || key.ends_with('.'))
      return unreadable(fmt::format("got '{}', expected key = value or [section]", line));
    source_.push_back({key, trimmed(line.substr(equals + 1)), place(), kind_, id_});
  }

  const std::string& path_;
  Source source_;
  std::string prefix_;  // of the keys in the section
  std::string kind_;    // "claim" in a section [claim ID]
  std::string id_;
  int number_ = 0;
  bool nowhere_ = false;  // in a section that was refused
};

}  // namespace

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string ConfigEntry::name() const {
  return kind.empty() ? key : fmt::format("[{} {}] {}", kind, id, key);
}

std::string ConfigEntry::complaint(const std::string& why) const {
  return one_line(fmt::format("{}: {}: {}", origin, name(), why));
}

// Only the prompt is exempt: no run that writes these files reads it.
std::string ConfigEntry::why_unfit(const Key* known) const {
  if (key == "generate.prompt") return "";
  if (value.find_first_of("#\n\r") != std::string::npos)
    return "got a value with # or a line break, which a config cannot hold (put a space before a comment)";
  if (whole_letters(value) != value || whole_letters(id) != id)  // names of files may be any bytes
    return "got a text that is not UTF-8, which a checkpoint cannot hold; rename it, or link to it";
  const bool is_file = known != nullptr && known->option.type == OptionType::files;
  if (!is_file || value == trimmed(value)) return "";
  return fmt::format("got '{}', and a config cannot hold the spaces around it; rename it, or link to it",
                     value);
}

Source read_config_text(const std::string& text, const std::string& path) {
  return FileReader(path).read(text);
}

Source read_config_file(const std::string& path) {
  try {
    return read_config_text(read_file(path, largest_document), path);
  } catch (const DataError& error) {
    return {{.problem = fmt::format("config file {}", error.what())}};
  }
}

}  // namespace ordinal::experiments

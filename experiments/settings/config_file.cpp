#include "experiments/settings/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <sstream>

#include "experiments/settings/json_text.h"
#include "experiments/settings/settings.h"
#include "experiments/settings/words.h"
#include "framework/core/errors.h"
#include "framework/core/part.h"
#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {
namespace {

namespace po = boost::program_options;

// Boost parses each setting separately. Sections and comments are handled here, because Boost's messages have
// no line numbers, its handling of an empty section is undefined behaviour, and it silently cuts a value
// at a # inside it.
class FileReader {
 public:
  explicit FileReader(const std::string& path) : path_(path) {}

  Source read(const std::string& text) {
    std::istringstream stream(text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text);  // a byte order mark
    for (std::string raw; std::getline(stream, raw);) {
      ++number_;
      std::ranges::replace(raw, '\0', ' ');
      const std::size_t hash = raw.find('#');
      const std::string line = trimmed(raw.substr(0, hash));
      if (line.empty()) continue;
      if (line.front() == '[' && line.back() == ']') {
        section(line);
      } else if (!nowhere_) {
        setting(line, hash != std::string::npos && hash > 0 && raw[hash - 1] != ' ' && raw[hash - 1] != '\t');
      }
    }
    return std::move(source_);
  }

 private:
  std::string place() const { return fmt::format("{}:{}", path_, number_); }
  void unreadable(const std::string& what) { source_.unreadable(place() + ": " + what); }

  void unknown(const std::string& key, const std::string& nearest_key, const std::string& hint) {
    source_.problems.push_back(fmt::format("{}: unknown key {}{}", place(), key, hint));
    source_.wrong_keys.push_back(nearest_key);
  }

  void section(const std::string& line) {
    const std::string name = trimmed(line.substr(1, line.size() - 2));
    nowhere_ = name.empty() || line.find('[', 1) != std::string::npos;
    if (nowhere_) return unreadable(fmt::format("got section {}, expected a name such as [train]", line));
    const std::size_t blank = std::min(name.find(' '), name.size());
    kind_ = name.substr(0, blank);
    id_ = trimmed(name.substr(blank));
    if (id_.empty() || (kind_ != "row" && section_keys(kind_).empty())) kind_ = id_ = "";
    prefix_ = kind_.empty() ? name + "." : "";
    if (!kind_.empty()) source_.add({"", "", place(), kind_, id_}, nullptr);
  }

  void setting(const std::string& line, bool cut_by_comment) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos)
      return unreadable(fmt::format("got '{}', expected key = value or [section]", line));
    if (cut_by_comment) {
      unreadable(
          fmt::format("a # starts a comment and cuts the value to '{}'; put a space before a comment, and "
                      "avoid # in names",
                      trimmed(line.substr(equals + 1))));
    }
    std::istringstream stream(line);
    for (const po::option& option : po::parse_config_file(stream, po::options_description(), true).options)
      add({prefix_ + option.string_key, option.value.front(), place(), kind_, id_});
  }

  void add(const ConfigEntry& entry) {
    if (const auto& keys = section_keys(kind_); !keys.empty()) {
      if (std::ranges::find(keys, entry.key) != keys.end()) return source_.add(entry, nullptr);
      const std::string key = fmt::format("[{} {}] {}", kind_, id_, entry.key);
      return unknown(key, key, ", expected one of " + joined(keys));
    }
    const Key* key = kind_.empty() ? key_behind(entry.key) : find_key(entry.key);
    if (key != nullptr) return source_.add(entry, key);
    const std::string known = meant_by(entry.key);
    unknown(entry.key, known, fmt::format(" (did you mean {}?)", known));
  }

  const std::string& path_;
  Source source_;
  std::string prefix_;  // of the keys in the section
  std::string kind_;    // "claim" in a section [claim ID]
  std::string id_;
  int number_ = 0;
  bool nowhere_ = false;  // below a section that was refused
};

// Why resolved.cfg and the checkpoint could not hold an entry. The prompt is the only text that need not fit: no run
// that writes them reads it.
std::string why_unfit(const ConfigEntry& entry, const Key* key) {
  if (entry.key == "generate.prompt" || (key != nullptr && key->is_outside())) return "";
  if (entry.value.find_first_of("#\n\r") != std::string::npos) {
    return "got a value with # or a line break, which a config cannot hold";
  }
  if (!json_can_hold(entry.value) || !json_can_hold(entry.id)) {
    return "got a text that is not UTF-8, which a checkpoint cannot hold; rename it, or link to it";
  }
  const bool is_file = key != nullptr && key->name == entry.key && key->option.type == OptionType::files;
  if (!is_file || entry.value == trimmed(entry.value)) return "";
  return fmt::format("got '{}', and a config cannot hold the spaces around it; rename it, or link to it",
                     entry.value);
}

}  // namespace

void Source::add(const ConfigEntry& entry, const Key* key) {
  if (const std::string why = why_unfit(entry, key); !why.empty()) return refuse(entry, why);
  const bool is_plain = key != nullptr && key->name == entry.key;  // not behind compare.
  const auto section_and_target =
      std::pair(entry.kind + " " + entry.id, is_plain ? key->target() : entry.key);
  const auto [place, is_new] = first_.emplace(section_and_target, entries.size());
  if (!is_new && !entry.key.empty()) {
    ConfigEntry& first = entries[place->second];
    const std::string line = first.origin.substr(first.origin.rfind(':') + 1);
    const bool in_file = line != first.origin;
    if (first.key != entry.key) {
      wrong_keys.push_back(first.key);
      refuse(entry, fmt::format("{}{} sets the same, use only one of them", first.key,
                                in_file ? fmt::format(" (line {})", line) : ""));
    } else if (is_plain && key->option.type == OptionType::files) {
      first.value += "\n" + entry.value;
      return;
    } else if (in_file) {
      refuse(entry, "already set in line " + line);
    }
  }
  entries.push_back(entry);
}

void Source::refuse(const ConfigEntry& entry, const std::string& why) {
  const std::string section = entry.kind.empty() ? "" : fmt::format("[{} {}] ", entry.kind, entry.id);
  problems.push_back(one_line(fmt::format("{}: {}{}: {}", entry.origin, section, entry.key, why)));
  wrong_keys.push_back(entry.key);
}

void Source::unreadable(const std::string& problem) {
  problems.push_back(problem);
  all_read = false;
}

void Source::add_problems(const Source& other) {
  problems.insert(problems.end(), other.problems.begin(), other.problems.end());
  wrong_keys.insert(wrong_keys.end(), other.wrong_keys.begin(), other.wrong_keys.end());
  all_read = all_read && other.all_read;
}

const std::vector<std::string>& section_keys(const std::string& kind) {
  static const std::vector<std::string> claim = {"statement", "source", "expected", "note", "seeds"};
  static const std::vector<std::string> published = {"source", "metric", "lengths", "rows", "note", "seeds"};
  static const std::vector<std::string> none;
  return kind == "claim" ? claim : kind == "published" ? published : none;
}

Source read_config_text(const std::string& text, const std::string& path) {
  return FileReader(path).read(text);
}

Source read_config_file(const std::string& path) {
  try {
    return read_config_text(read_file(path, largest_document), path);
  } catch (const DataError& error) {
    Source none;
    none.unreadable(fmt::format("config file {}", error.what()));
    return none;
  }
}

}  // namespace ordinal::experiments

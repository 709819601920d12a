#include "experiments/settings/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <map>
#include <sstream>
#include <utility>

#include "experiments/settings/settings.h"
#include "framework/core/errors.h"
#include "framework/core/part.h"
#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {
namespace {

namespace po = boost::program_options;

// The NAME of a section [row NAME] or [claim NAME]; empty for another kind.
std::string name_in(const std::string& section, const std::string& kind) {
  return section.starts_with(kind + " ") ? trimmed(section.substr(kind.size())) : "";
}

// Boost parses each setting separately. Sections and comments are handled here, because Boost's messages have
// no line numbers, its handling of an empty section is undefined behaviour, and it silently cuts a value
// at a # inside it.
class Reader {
 public:
  Reader(const std::string& path, ConfigFile& file) : path_(path), file_(file) {}

  void read(const std::string& text) {
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
  }

 private:
  std::string place() const { return fmt::format("{}:{}", path_, number_); }

  void problem(const std::string& what) {
    file_.problems.push_back(fmt::format("{}: {}", place(), what));
    file_.all_read = false;
  }

  void wrong_key(const std::string& key, const std::string& what) {
    file_.problems.push_back(fmt::format("{}: {}", place(), what));
    file_.wrong_keys.push_back(key);
  }

  void section(const std::string& line) {
    const std::string name = trimmed(line.substr(1, line.size() - 2));
    nowhere_ = name.empty() || line.find('[', 1) != std::string::npos;
    if (nowhere_) return problem(fmt::format("got section {}, expected a name such as [train]", line));
    row_ = name_in(name, "row");
    kind_ = "";
    for (const std::string kind : {"claim", "published"}) {
      if (name_in(name, kind).empty()) continue;
      kind_ = kind;
      id_ = name_in(name, kind);
    }
    prefix_ = row_.empty() && kind_.empty() ? name + "." : "";
    if (prefix_.empty()) file_.entries.push_back({"", "", place(), row_, kind_, id_});
  }

  void setting(const std::string& line, bool cut_by_comment) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos)
      return problem(fmt::format("got '{}', expected key = value or [section]", line));
    if (cut_by_comment) {
      problem(
          fmt::format("a # starts a comment and cuts the value to '{}'; put a space before a comment, and "
                      "avoid # in names",
                      trimmed(line.substr(equals + 1))));
    }
    std::istringstream stream(line);
    try {
      for (const po::option& option : po::parse_config_file(stream, po::options_description(), true).options)
        add(prefix_ + option.string_key, option.value.empty() ? "" : option.value.front());
    } catch (const po::error& error) {
      problem(error.what());
    }
  }

  void add_to_section(const std::string& name, const std::string& value) {
    const std::string key = fmt::format("[{} {}] {}", kind_, id_, name);
    const std::vector<std::string>& keys = section_keys(kind_);
    if (std::ranges::find(keys, name) == keys.end()) {
      return wrong_key(key, fmt::format("unknown key {}, expected one of {}", key, joined(keys)));
    }
    const auto [first, is_new] = seen_.emplace(std::pair(kind_ + " " + id_, name), Seen{name, number_});
    if (!is_new) return wrong_key(key, fmt::format("{} is already set in line {}", key, first->second.line));
    file_.entries.push_back({name, value, place(), "", kind_, id_});
  }

  void add(const std::string& name, const std::string& value) {
    if (!kind_.empty()) return add_to_section(name, value);
    const Key* key = row_.empty() ? key_behind(name) : find_key(name);
    if (key == nullptr) {
      const std::string known = nearest(name, key_names());
      return wrong_key(known, fmt::format("unknown key {} (did you mean {}?)", name, known));
    }
    const std::string target = key->name == name ? key->target() : name;
    const auto [first, is_new] = seen_.emplace(std::pair(row_, target), Seen{name, number_});
    const Seen& earlier = first->second;
    if (!is_new && earlier.name != name) {
      return wrong_key(key->name, fmt::format("{} and {} (line {}) set the same, use only one of them", name,
                                              earlier.name, earlier.line));
    }
    if (!is_new && key->option.type != OptionType::files) {
      return wrong_key(key->name, fmt::format("{} is already set in line {}", name, earlier.line));
    }
    file_.entries.push_back({name, value, place(), row_});
  }

  struct Seen {
    std::string name;
    int line = 0;
  };

  const std::string& path_;
  ConfigFile& file_;
  std::string prefix_;  // of the keys in the section
  std::string row_;     // NAME in a section [row NAME]
  std::string kind_;    // "claim" in a section [claim ID]
  std::string id_;
  std::map<std::pair<std::string, std::string>, Seen> seen_;  // by row and what the key sets
  int number_ = 0;
  bool nowhere_ = false;  // below a section that was refused
};

}  // namespace

const std::vector<std::string>& section_keys(const std::string& kind) {
  static const std::vector<std::string> claim = {"statement", "source", "expected", "note", "seeds"};
  static const std::vector<std::string> published = {"source", "metric", "lengths", "rows", "note", "seeds"};
  static const std::vector<std::string> none;
  return kind == "claim" ? claim : kind == "published" ? published : none;
}

ConfigFile read_config_text(const std::string& text, const std::string& path) {
  ConfigFile file;
  Reader(path, file).read(text);
  return file;
}

ConfigFile read_config_file(const std::string& path) {
  try {
    return read_config_text(read_file(path, largest_document), path);
  } catch (const DataError& error) {
    return {{}, {fmt::format("config file {}", error.what())}, {}, false};
  }
}

}  // namespace ordinal::experiments

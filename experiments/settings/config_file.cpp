#include "experiments/settings/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <map>
#include <sstream>

#include "experiments/settings/keys.h"
#include "framework/core/errors.h"
#include "framework/core/part.h"
#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {
namespace {

namespace po = boost::program_options;

struct Line {
  int number = 0;
  std::string row;  // of the section that it stands in, if that is [row NAME]
};

// A section [row NAME].
std::string row_of(const std::string& section) {
  return section.starts_with("row ") ? trimmed(section.substr(4)) : "";
}

// What Boost would do badly is found here: an empty section is undefined behaviour there, a # inside a value
// cuts it silently, and messages have no line. What it can read goes to `accepted`.
class Reader {
 public:
  Reader(const std::string& path, ConfigFile& file) : path_(path), file_(file) {}

  void read(const std::string& text) {
    std::istringstream stream(text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text);  // a byte order mark
    for (std::string raw; std::getline(stream, raw);) {
      ++number_;
      std::replace(raw.begin(), raw.end(), '\0', ' ');
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

  const std::string& accepted() const { return accepted_; }
  const std::vector<Line>& lines() const { return lines_; }

 private:
  void problem(const std::string& what) {
    file_.problems.push_back(fmt::format("{}:{}: {}", path_, number_, what));
    file_.all_read = false;
  }

  void section(const std::string& line) {
    const std::string name = trimmed(line.substr(1, line.size() - 2));
    nowhere_ = name.empty() || line.find('[', 1) != std::string::npos;
    if (nowhere_) return problem(fmt::format("got section {}, expected a name such as [train]", line));
    row_ = row_of(name);
    if (!row_.empty()) file_.entries.push_back({"", "", fmt::format("{}:{}", path_, number_), row_});
    accepted_ += fmt::format("[{}]\n", row_.empty() ? name : "row " + row_);
  }

  void setting(const std::string& line, bool cut_by_comment) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos)
      return problem(fmt::format("got '{}', expected key = value or [section]", line));
    if (cut_by_comment) {
      problem(fmt::format(
          "a # starts a comment and cuts the value to '{}'; put a space before a comment, and avoid # in "
          "names",
          trimmed(line.substr(equals + 1))));
    }
    lines_.push_back({number_, row_});
    accepted_ += line + "\n";
  }

  const std::string& path_;
  ConfigFile& file_;
  std::vector<Line> lines_;
  std::string accepted_;
  std::string row_;
  int number_ = 0;
  bool nowhere_ = false;  // below a section that was refused
};

// The key that stands in a line, as `find_key` knows it; null if there is none.
const Key* key_of(const std::string& name) {
  for (const char* prefix : {"compare.tune.", "compare."}) {
    if (name.starts_with(prefix)) return find_key(name.substr(std::string(prefix).size()));
  }
  return find_key(name);
}

po::options_description nothing_known() { return po::options_description(); }

}  // namespace

ConfigFile read_config_text(const std::string& text, const std::string& path) {
  ConfigFile file;
  Reader reader(path, file);
  reader.read(text);
  std::istringstream stream(reader.accepted());
  std::map<std::string, int> seen;
  try {
    const auto parsed = po::parse_config_file(stream, nothing_known(), true);
    for (std::size_t i = 0; i < parsed.options.size(); ++i) {
      const po::option& option = parsed.options[i];
      const Line& line = reader.lines().at(i);
      std::string prefix = line.row.empty() ? "" : "row " + line.row;
      if (!prefix.empty() && !prefix.ends_with('.')) prefix += '.';  // as Boost does
      const std::string name = option.string_key.substr(std::min(prefix.size(), option.string_key.size()));
      const Key* key = line.row.empty() ? key_of(name) : find_key(name);
      if (key == nullptr) {
        const std::string known = nearest(name, key_names());
        file.problems.push_back(
            fmt::format("{}:{}: unknown key {} (did you mean {}?)", path, line.number, name, known));
        file.wrong_keys.push_back(known);
        continue;
      }
      const auto [earlier, first] = seen.emplace(option.string_key, line.number);
      if (!first && key->option.type != OptionType::files) {
        file.problems.push_back(
            fmt::format("{}:{}: {} is already set in line {}", path, line.number, name, earlier->second));
        file.wrong_keys.push_back(key->name);
        continue;
      }
      file.entries.push_back({name, option.value.empty() ? "" : option.value.front(),
                              fmt::format("{}:{}", path, line.number), line.row});
    }
  } catch (const po::error& error) {
    file.problems.push_back(fmt::format("{}: {}", path, error.what()));
    file.all_read = false;
  }
  return file;
}

ConfigFile read_config_file(const std::string& path) {
  try {
    return read_config_text(read_file(path), path);
  } catch (const DataError& error) {
    return {{}, {fmt::format("config file {}", error.what())}, {}, false};
  }
}

}  // namespace ordinal::experiments

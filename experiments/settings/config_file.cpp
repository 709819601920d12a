#include "experiments/settings/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <map>
#include <sstream>

#include "experiments/settings/keys.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"

namespace ordinal {
namespace {

namespace po = boost::program_options;

struct Line {
  int number = 0;
  std::string text;  // without comment and surrounding space
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// What Boost would do badly is found here: an empty section is undefined behaviour there, a # inside a value
// cuts it silently, and messages have no line. Returns the lines that hold a key, in order.
std::vector<Line> key_lines(const std::string& text, const std::string& path,
                            std::vector<std::string>& problems, std::string& accepted) {
  std::vector<Line> lines;
  std::istringstream stream(text.starts_with("\xEF\xBB\xBF") ? text.substr(3)
                                                             : text);  // without a byte order mark
  int number = 0;
  bool nowhere = false;  // below a section that was refused
  for (std::string raw; std::getline(stream, raw);) {
    ++number;
    std::replace(raw.begin(), raw.end(), '\0', ' ');
    const std::size_t hash = raw.find('#');
    const std::string line = trimmed(raw.substr(0, hash));
    const std::size_t equals = line.find('=');
    if (line.empty()) continue;
    if (line.front() == '[' && line.back() == ']') {
      if (trimmed(line.substr(1, line.size() - 2)).empty() || line.find('[', 1) != std::string::npos) {
        problems.push_back(
            fmt::format("{}:{}: got section {}, expected a name such as [train]", path, number, line));
        nowhere = true;
        continue;
      }
      nowhere = false;
    } else if (nowhere) {
      continue;
    } else if (equals == std::string::npos) {
      problems.push_back(
          fmt::format("{}:{}: got '{}', expected key = value or [section]", path, number, line));
      continue;
    } else {
      if (hash != std::string::npos && hash > 0 && raw[hash - 1] != ' ' && raw[hash - 1] != '\t') {
        problems.push_back(
            fmt::format("{}:{}: a # starts a comment and cuts the value to '{}'; put a space before a "
                        "comment, and avoid # in names",
                        path, number, trimmed(line.substr(equals + 1))));
      }
      lines.push_back({number, line});
    }
    accepted += line + "\n";
  }
  return lines;
}

po::options_description nothing_known() { return po::options_description(); }

}  // namespace

std::vector<ConfigEntry> read_config_text(const std::string& text, const std::string& path,
                                          std::vector<std::string>& problems) {
  std::string accepted;
  const std::vector<Line> lines = key_lines(text, path, problems, accepted);
  std::istringstream stream(accepted);
  std::vector<ConfigEntry> entries;
  std::map<std::string, int> seen;
  try {
    const auto parsed = po::parse_config_file(stream, nothing_known(), true);
    for (std::size_t i = 0; i < parsed.options.size(); ++i) {
      const po::option& option = parsed.options[i];
      const int line = lines.at(i).number;
      const Key* key = find_key(option.string_key);
      if (key == nullptr) {
        std::vector<std::string> names;
        for (const Key& known : all_keys()) names.push_back(known.name);
        problems.push_back(fmt::format("{}:{}: unknown key {} (did you mean {}?)", path, line,
                                       option.string_key, nearest(option.string_key, names)));
        continue;
      }
      const auto [earlier, first] = seen.emplace(key->name, line);
      if (!first && key->type != KeyType::files) {
        problems.push_back(
            fmt::format("{}:{}: {} is already set in line {}", path, line, key->name, earlier->second));
        continue;
      }
      entries.push_back(
          {key->name, option.value.empty() ? "" : option.value.front(), fmt::format("{}:{}", path, line)});
    }
  } catch (const po::error& error) {
    problems.push_back(fmt::format("{}: {}", path, error.what()));
  }
  return entries;
}

std::vector<ConfigEntry> read_config_file(const std::string& path, std::vector<std::string>& problems) {
  try {
    return read_config_text(read_file(path), path, problems);
  } catch (const DataError& error) {
    problems.push_back(fmt::format("config file {}", error.what()));
    return {};
  }
}

}  // namespace ordinal

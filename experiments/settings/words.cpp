#include "experiments/settings/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <map>
#include <set>

#include "experiments/settings/options.h"
#include "experiments/settings/rows.h"
#include "framework/core/printable.h"

namespace ordinal::experiments {
namespace {

namespace po = boost::program_options;

// The keys that the words name as options. Only these are made known to Boost, which is slow to learn hundreds of them.
std::set<std::string> named_keys(const std::vector<std::string>& words) {
  std::set<std::string> names;
  for (const std::string& word : words) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(2, word.find('=') - 2);
    const Key* key = key_behind(name);
    if (key != nullptr && (key->name == name || is_comparable(*key))) names.insert(name);
  }
  return names;
}

po::options_description known_options(const DriverDescription& driver,
                                      const std::vector<std::string>& words) {
  po::options_description known;
  for (const OutsideOption& option : outside_options()) {
    if (!takes(driver, option.name)) continue;
    if (option.argument.empty()) {
      known.add_options()(option.name.c_str(), "");
    } else {
      known.add_options()(option.name.c_str(), po::value<std::string>(), "");
    }
  }
  for (const std::string& name : named_keys(words)) {
    known.add_options()(name.c_str(), po::value<std::string>(), "");
  }
  return known;
}

// Boost refuses `--key=` but takes an empty word after `--key`. The name after --list may be left out.
std::vector<std::string> with_empty_values(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool empty_value = word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1;
    result.push_back(empty_value ? word.substr(0, word.size() - 1) : word);
    const bool nothing_listed = word == "--list" && (i + 1 == words.size() || words[i + 1].starts_with("-"));
    if (empty_value || nothing_listed) result.emplace_back();
  }
  return result;
}

// An option unknown to Boost, or a word that is not an option.
std::string unknown_option(const po::option& option, const DriverDescription& driver) {
  const std::string given =
      option.original_tokens.empty() ? option.string_key : option.original_tokens.front();
  if (!given.starts_with('-')) {
    return fmt::format("command line: got '{}', expected an option (for a config file: --config {})", given,
                       given);
  }
  if (!given.starts_with("--") || given == "--") {
    return fmt::format("command line: got '{}', expected an option such as --help", given);
  }
  std::vector<std::string> names = key_names();
  for (const OutsideOption& outside : outside_options()) {
    if (takes(driver, outside.name)) names.push_back(outside.name);
  }
  const std::string name = given.substr(2, given.find('=') - 2);
  const auto in_section =
      std::ranges::find_if(names, [&](const std::string& key) { return key.ends_with("." + name); });
  const std::string meant = in_section != names.end() ? *in_section : nearest(name, names);
  return fmt::format("command line: unknown option --{} (did you mean --{}?)", name, meant);
}

class Reader {
 public:
  explicit Reader(const DriverDescription& driver) : driver_(driver) {}

  Words read(const std::vector<std::string>& words) {
    if (std::ranges::find(words, "--") != words.end()) {
      // Boost would drop it and treat every later option as a word.
      unreadable("got '--', expected an option such as --help");
      return found_;
    }
    using Style = po::command_line_style::style_t;
    const int style = Style::allow_long | Style::long_allow_adjacent | Style::long_allow_next;  // no guessing
    try {
      const auto known = known_options(driver_, words);
      const auto parsed = po::command_line_parser(with_empty_values(words))
                              .options(known)
                              .style(style)
                              .allow_unregistered()
                              .run();
      read_all(parsed.options);
    } catch (const po::error& error) {
      unreadable(error.what());
    }
    return found_;
  }

 private:
  void problem(const std::string& text) { found_.problems.push_back(one_line(text)); }

  void unreadable(const std::string& why) {
    problem(fmt::format("command line: {}", why));
    found_.all_read = false;
  }

  void read_all(const std::vector<po::option>& options) {
    bool value_of_unknown = false;  // the word after an unknown option is not a second mistake
    for (const po::option& option : options) {
      if (value_of_unknown && option.position_key >= 0) {
        value_of_unknown = false;
        continue;
      }
      value_of_unknown = option.unregistered && option.string_key.find('=') == std::string::npos &&
                         option.original_tokens.front().find('=') == std::string::npos;
      read_option(option);
    }
  }

  void read_option(const po::option& option) {
    if (option.position_key >= 0 && !driver_.several.empty())
      return read_switch(driver_.several, option.value.front());
    if (option.unregistered || option.position_key >= 0) {
      problem(unknown_option(option, driver_));
      return;
    }
    const std::string& name = option.string_key;
    const std::string value = option.value.empty() ? "" : option.value.front();
    if (option.original_tokens.size() > 1 && value.starts_with("--")) {  // --out --quiet
      problem(fmt::format("command line: --{} has no value before {} (if that is the value: --{}={})", name,
                          value, name, value));
      found_.given.push_back(name);
      return;
    }
    if (find_key(name) != nullptr || name.starts_with(compare_prefix)) {
      read_setting(name, value);
    } else if (name == "config") {
      found_.config_files.push_back(value);
    } else {
      read_switch(name, value);
    }
  }

  void read_switch(const std::string& name, const std::string& value) {
    found_.switches.emplace_back(name, value);
    found_.given.push_back(name);
  }

  // If a key is repeated, the last value wins.
  void read_setting(const std::string& name, const std::string& value) {
    const Key* key = find_key(name);
    const auto [first, is_new] = names_.emplace(key != nullptr ? key->target() : name, name);
    if (first->second != name) {
      problem(fmt::format("command line: {} and {} set the same, use only one of them", first->second, name));
      found_.wrong_keys.insert(found_.wrong_keys.end(), {first->second, name});
    }
    found_.entries.push_back({name, value, command_line_origin});
  }

  const DriverDescription& driver_;
  Words found_;
  std::map<std::string, std::string> names_;  // by what a key sets, the first name under which it was given
};

}  // namespace

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string quoted_for_shell(const std::string& word) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) {
    const std::string shown = printable(std::string_view(&c, 1));
    text += c == '\'' ? "'\\''" : shown.size() > 1 ? "'$'" + shown + "''" : shown;
  }
  return text + "'";
}

Words read_words(const std::vector<std::string>& words, const DriverDescription& driver) {
  return Reader(driver).read(words);
}

}  // namespace ordinal::experiments

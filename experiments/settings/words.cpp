#include "experiments/settings/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <map>

#include "framework/core/printable.h"

namespace ordinal::experiments {
namespace {

namespace po = boost::program_options;

// Only the options that the words name are made known to Boost, which is slow to learn hundreds of them.
po::options_description named_options(const std::vector<std::string>& words,
                                      const DriverDescription& driver) {
  std::map<std::string, const Key*> named;
  for (const std::string& word : words) {
    const std::string name = word.starts_with("--") ? word.substr(2, word.find('=') - 2) : "";
    if (const Key* key = driver.find(name)) named[name] = key;
  }
  po::options_description known;
  for (const auto& [name, key] : named) {
    if (key->takes_value()) {
      known.add_options()(name.c_str(), po::value<std::string>(), "");
    } else {
      known.add_options()(name.c_str(), "");
    }
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

// Why an option is unknown to Boost, or a word is not an option.
std::string unknown_option(const po::option& option, const DriverDescription& driver) {
  const std::string given =
      option.original_tokens.empty() ? option.string_key : option.original_tokens.front();
  if (!given.starts_with('-')) {
    return fmt::format("got '{}', expected an option (for a config file: --config {})", given, given);
  }
  if (!given.starts_with("--") || given == "--") {
    return fmt::format("got '{}', expected an option such as --help", given);
  }
  std::vector<std::string> outside;
  for (const Key& option_outside : outside_options()) {
    if (driver.takes(option_outside.name)) outside.push_back(option_outside.name);
  }
  const std::string name = given.substr(2, given.find('=') - 2);
  return fmt::format("unknown option --{} (did you mean --{}?)", name, meant_by(name, outside));
}

class Reader {
 public:
  explicit Reader(const DriverDescription& driver) : driver_(driver) {}

  Source read(const std::vector<std::string>& words) {
    using Style = po::command_line_style::style_t;
    const int style = Style::allow_long | Style::long_allow_adjacent | Style::long_allow_next;  // no guessing
    try {
      // Boost would drop it and treat every later option as a word.
      if (std::ranges::find(words, "--") != words.end())
        throw po::error("got '--', expected an option such as --help");
      const po::options_description known = named_options(words, driver_);
      const po::parsed_options parsed = po::command_line_parser(with_empty_values(words))
                                            .options(known)
                                            .style(style)
                                            .allow_unregistered()
                                            .run();
      read_all(parsed.options);
    } catch (const po::error& error) {
      source_.unreadable(line(error.what()));
    }
    return std::move(source_);
  }

 private:
  static std::string line(const std::string& problem) { return one_line("command line: " + problem); }

  void read_all(const std::vector<po::option>& options) {
    bool value_of_unknown = false;  // the word after an unknown option is not a second mistake
    for (const po::option& option : options) {
      const bool is_word = option.position_key >= 0;
      if (!(value_of_unknown && is_word)) read_option(option);
      value_of_unknown = !is_word && option.unregistered &&
                         option.string_key.find('=') == std::string::npos &&
                         option.original_tokens.front().find('=') == std::string::npos;
    }
  }

  // If a key is repeated, the last value wins.
  void read_option(const po::option& option) {
    const bool is_word = option.position_key >= 0;
    if (is_word ? driver_.several.empty() : option.unregistered) {
      source_.problems.push_back(line(unknown_option(option, driver_)));
      return;
    }
    const std::string& name = is_word ? driver_.several : option.string_key;
    const std::string value = option.value.empty() ? "" : option.value.front();
    if (option.original_tokens.size() > 1 && value.starts_with("--")) {  // --out --quiet
      source_.wrong_keys.push_back(name);
      source_.problems.push_back(line(fmt::format(
          "--{} has no value before {} (if that is the value: --{}={})", name, value, name, value)));
      return;
    }
    source_.add({name, value, command_line_origin}, driver_.find(name));
  }

  const DriverDescription& driver_;
  Source source_;
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

Source read_words(const std::vector<std::string>& words, const DriverDescription& driver) {
  return Reader(driver).read(words);
}

}  // namespace ordinal::experiments

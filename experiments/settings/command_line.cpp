#include "experiments/settings/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>

#include "experiments/settings/config_file.h"
#include "experiments/settings/number.h"
#include "experiments/settings/options.h"
#include "framework/core/errors.h"

namespace ordinal {
namespace {

namespace po = boost::program_options;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

po::options_description known_options(const DriverDescription& driver) {
  po::options_description known;
  for (const OutsideOption& option : outside_options()) {
    if (!takes(driver, option.name)) continue;
    if (option.argument.empty()) {
      known.add_options()(option.name.c_str(), "");
    } else {
      known.add_options()(option.name.c_str(), po::value<std::string>(), "");
    }
  }
  for (const Key& key : all_keys()) known.add_options()(key.name.c_str(), po::value<std::string>(), "");
  return known;
}

// Boost refuses `--key=` but takes an empty word after `--key`.
std::vector<std::string> with_empty_values(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    const bool empty_value = word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1;
    result.push_back(empty_value ? word.substr(0, word.size() - 1) : word);
    if (empty_value) result.emplace_back();
  }
  return result;
}

// One option that Boost does not know, or a word that is none.
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
  std::vector<std::string> names;
  for (const Key& key : all_keys()) names.push_back(key.name);
  for (const OutsideOption& outside : outside_options()) {
    if (takes(driver, outside.name)) names.push_back(outside.name);
  }
  const std::string name = given.substr(2, given.find('=') - 2);
  return fmt::format("command line: unknown option --{} (did you mean --{}?)", name, nearest(name, names));
}

bool mentions(const std::string& text, const Key& key) { return text.find(key.name) != std::string::npos; }

bool mentions_a_key(const std::string& text) {
  return std::ranges::any_of(all_keys(), [&](const Key& key) { return mentions(text, key); });
}

// Where a setting was made, without the line: a warm-up and the steps in one file are meant together.
std::string source_of(const std::string& origin) { return origin.substr(0, origin.rfind(':')); }

class Parser {
 public:
  explicit Parser(const DriverDescription& driver) : driver_(driver) {}

  CommandLine parse(int argc, const char* const* argv) {
    for (int i = 0; i < argc; ++i) result_.invocation += (i > 0 ? " " : "") + quoted(argv[i]);
    read_options({argv + 1, argv + argc});
    if (result_.help) return result_;
    for (const std::string& path : config_files_) read_file_settings(path);
    for (const ConfigEntry& entry : options_) apply(entry);
    check_required();
    lay_over_checkpoint();
    fit_warmup();
    if (all_read_) check_contradictions();
    if (!problems_.empty()) throw_problems();
    return result_;
  }

 private:
  static std::string quoted(const std::string& word) {
    const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
  }

  void read_options(const std::vector<std::string>& words) {
    if (contains(words, "--")) {  // Boost would read on without it, and take every option for a word
      problems_.emplace_back("command line: got '--', expected an option such as --help");
      all_read_ = false;
      return;
    }
    using Style = po::command_line_style::style_t;
    const int style = Style::allow_long | Style::long_allow_adjacent | Style::long_allow_next;  // no guessing
    try {
      const auto known = known_options(driver_);
      const auto parsed = po::command_line_parser(with_empty_values(words))
                              .options(known)
                              .style(style)
                              .allow_unregistered()
                              .run();
      bool value_of_unknown = false;  // the word after an unknown option is no second mistake
      for (const po::option& option : parsed.options) {
        if (value_of_unknown && option.position_key >= 0) {
          value_of_unknown = false;
          continue;
        }
        value_of_unknown = option.unregistered && option.string_key.find('=') == std::string::npos &&
                           option.original_tokens.front().find('=') == std::string::npos;
        read_option(option);
      }
    } catch (const po::error& error) {
      problems_.push_back(fmt::format("command line: {}", error.what()));
      all_read_ = false;
    }
  }

  void read_option(const po::option& option) {
    if (option.unregistered || option.position_key >= 0) {
      problems_.push_back(unknown_option(option, driver_));
      return;
    }
    const std::string& name = option.string_key;
    const std::string value = option.value.empty() ? "" : option.value.front();
    if (option.original_tokens.size() > 1 && value.starts_with("--")) {  // --out --quiet
      problems_.push_back(fmt::format("command line: --{} has no value before {} (if that is it: --{}={})",
                                      name, value, name, value));
      given_.push_back(name);
      return;
    }
    if (find_key(name) != nullptr) {
      options_.push_back({name, value, "command line"});
    } else if (name == "config") {
      config_files_.push_back(value);
    } else {
      read_outside(name, value);
    }
  }

  void read_outside(const std::string& name, const std::string& value) {
    if (name == "help") result_.help = true;
    if (name == "print-config") result_.print_config = true;
    if (name == "dry-run") result_.dry_run = true;
    if (name == "list") result_.list = true;
    if (name == "quiet") result_.quiet = true;
    if (name == "out") result_.out = value;
    if (name == "model") result_.model = value;
    if (name == "tokens") result_.tokens = value;
    if (name == "targets") result_.targets = value;
    if (name == "json") result_.json = value;
    if (name == "query") result_.query = value;
    if (name == "key") result_.key = value;
    if (name == "dump") result_.dump = value;
    given_.push_back(name);
    if (name == "precision") {
      result_.precision = value;
      if (value != "float" && value != "double") {
        problems_.push_back(fmt::format("--precision: got '{}', expected float or double", value));
      }
    }
    if (name == "threads") {
      const auto threads = parse_integer(value);
      if (!threads || *threads < 0 || *threads > 1024) {
        problems_.push_back(
            fmt::format("--threads: got '{}', expected a whole number from 0 to 1024", value));
      } else {
        result_.threads = static_cast<int>(*threads);
      }
    }
  }

  void read_file_settings(const std::string& path) {
    const std::size_t before = problems_.size();
    for (const ConfigEntry& entry : read_config_file(path, problems_)) apply(entry);
    filled_.clear();
    all_read_ = all_read_ && std::ranges::all_of(problems_.begin() + static_cast<std::ptrdiff_t>(before),
                                                 problems_.end(), mentions_a_key);
  }

  void lay_over_checkpoint() {
    if (result_.model.empty() || !driver_.over_checkpoint) return;
    try {
      result_.settings = driver_.over_checkpoint(result_.settings, result_.model);
    } catch (const CheckpointError& error) {
      refuse_checkpoint(error.what());
    } catch (const ConfigError& error) {
      refuse_checkpoint(error.what());
    }
  }

  void refuse_checkpoint(const std::string& why) {
    problems_.push_back(why);
    all_read_ = false;
  }

  // A run that was asked to be shorter than the warm-up of a default or of another file is warmed up to its
  // end.
  void fit_warmup() {
    Settings& settings = result_.settings;
    const std::string origin = settings.origin("train.warmup");
    if (settings.integer("train.warmup") <= settings.integer("train.steps") || origin == "command line" ||
        source_of(origin) == source_of(settings.origin("train.steps"))) {
      return;
    }
    settings.set("train.warmup", settings.text("train.steps"), origin + ", cut to train.steps");
  }

  // A contradiction counts only if the settings that it names are what the person wrote.
  void check_contradictions() {
    const std::vector<std::string> wrong = problems_;
    const bool of_checkpoint = !result_.model.empty() && driver_.over_checkpoint;
    const std::string encoding_key = of_checkpoint ? "positional.encoding" : driver_.encoding_key;
    for (const std::string& contradiction : contradictions(result_.settings, encoding_key)) {
      const bool in_doubt = std::ranges::any_of(all_keys(), [&](const Key& key) {
        return mentions(contradiction, key) &&
               std::ranges::any_of(wrong, [&](const std::string& line) { return mentions(line, key); });
      });
      if (!in_doubt) problems_.push_back(contradiction);
    }
  }

  // A file key given again in the same source adds to the list; a later source starts it anew.
  void apply(const ConfigEntry& entry) {
    const Key& key = *find_key(entry.key);
    const std::string problem = complaint(key, entry.value);
    if (!problem.empty()) {
      problems_.push_back(fmt::format("{}: {}: {}", entry.origin, key.name, problem));
      return;
    }
    // The one text that resolved.cfg need not hold is the prompt: no run that writes one reads it.
    if (key.name != "generate.prompt" && entry.value.find_first_of("#\n\r") != std::string::npos) {
      problems_.push_back(fmt::format(
          "{}: {}: got a value with # or a line break, which a config cannot hold", entry.origin, key.name));
      return;
    }
    std::string value = entry.value;
    if (key.type == KeyType::files && contains(filled_, key.name)) {
      value = result_.settings.text(key.name) + "\n" + value;
    }
    filled_.push_back(key.name);
    result_.settings.set(key.name, value, entry.origin);
  }

  void check_required() {
    if (!all_read_) return;
    for (const std::string& name : driver_.required) {
      if (!contains(given_, name)) {
        problems_.push_back(fmt::format("--{} is missing (see {} --help)", name, driver_.name));
      }
    }
  }

  [[noreturn]] void throw_problems() const {
    std::string all;
    for (const std::string& problem : problems_) all += (all.empty() ? "" : "\n") + problem;
    throw ConfigError(all);
  }

  const DriverDescription& driver_;
  CommandLine result_;
  std::vector<std::string> config_files_;
  std::vector<ConfigEntry> options_;
  std::vector<std::string> given_;
  std::vector<std::string> filled_;  // keys set by the source that is being applied
  std::vector<std::string> problems_;
  bool all_read_ = true;  // false: something could not be read, so what is missing may well have been given
};

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv, const DriverDescription& driver) {
  return Parser(driver).parse(argc, argv);
}

}  // namespace ordinal

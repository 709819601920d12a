#include "experiments/settings/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>

#include "experiments/settings/checks.h"
#include "experiments/settings/config_file.h"
#include "experiments/settings/options.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"
#include "framework/core/number.h"
#include "framework/core/part.h"

namespace ordinal::experiments {
namespace {

namespace po = boost::program_options;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

const std::string compare_prefix = "compare.";
const std::string tune_prefix = "compare.tune.";

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
  for (const Key& key : all_keys()) {
    known.add_options()(key.name.c_str(), po::value<std::string>(), "");
    if (!is_comparable(key)) continue;
    known.add_options()((compare_prefix + key.name).c_str(), po::value<std::string>(), "");
    known.add_options()((tune_prefix + key.name).c_str(), po::value<std::string>(), "");
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
    check_encoding_read();
    lay_over_checkpoint();
    if (!rows_have_steps()) fit_warmup(result_.settings);
    if (all_read_) check_contradictions();
    if (!problems_.empty()) throw ConfigError(joined(problems_, "\n"));
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
    if (find_key(name) != nullptr || name.starts_with(compare_prefix)) {
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
    if (name == "list") {
      result_.list = true;
      result_.listed = value;
    }
    if (name == "quiet") result_.quiet = true;
    if (name == "out") result_.out = value;
    if (name == "model") result_.model = value;
    if (name == "tokens") result_.tokens = value;
    if (name == "targets") result_.targets = value;
    if (name == "json") result_.json = value;
    if (name == "query") result_.query_file = value;
    if (name == "key") result_.key_file = value;
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
    const ConfigFile file = read_config_file(path);
    for (const ConfigEntry& entry : file.entries) apply(entry);
    filled_.clear();
    problems_.insert(problems_.end(), file.problems.begin(), file.problems.end());
    wrong_keys_.insert(wrong_keys_.end(), file.wrong_keys.begin(), file.wrong_keys.end());
    all_read_ = all_read_ && file.all_read;
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

  // A contradiction counts only if the settings that it names are what the person wrote.
  void check_contradictions() {
    const bool of_checkpoint = !result_.model.empty() && driver_.over_checkpoint;
    for (const Contradiction& one :
         contradictions(result_.settings, of_checkpoint ? Builds::model : driver_.builds)) {
      const bool in_doubt =
          std::ranges::any_of(one.keys, [&](const auto& key) { return contains(wrong_keys_, key); });
      if (!in_doubt) problems_.push_back(one.text);
    }
  }

  void refuse(const ConfigEntry& entry, const std::string& why) {
    problems_.push_back(fmt::format("{}: {}{}: {}", entry.origin,
                                    entry.row.empty() ? "" : "[row " + entry.row + "] ", entry.key, why));
    wrong_keys_.push_back(entry.key);
  }

  // Whether the key may have the value; if not, says so.
  bool accept(const ConfigEntry& entry, const Key& key, const std::string& value) {
    const std::string problem = complaint(key, value);
    if (!problem.empty()) refuse(entry, problem);
    return problem.empty();
  }

  // A file is written for several programs; what stands on the command line is meant for this one.
  bool is_read(const ConfigEntry& entry) const {
    const bool compares = entry.key.starts_with(compare_prefix) || entry.key == "positional.encodings";
    if (compares) return driver_.builds == Builds::rows;
    const std::string section = find_key(entry.key)->section();
    const bool of_model = section == "task" || section == "model" || section == "positional";
    return contains(driver_.sections, section) || contains(driver_.keys, entry.key) ||
           (of_model && driver_.over_checkpoint);
  }

  // Then each row's warm-up is cut to its own steps.
  bool rows_have_steps() const {
    const auto is_steps = [](const auto& other) { return other.key == "train.steps"; };
    return std::ranges::any_of(result_.settings.factors(), is_steps) ||
           std::ranges::any_of(result_.settings.written_rows(), [&](const WrittenRow& row) {
             return std::ranges::any_of(row.changes, is_steps);
           });
  }

  // Rows and drawings have their own keys for the encoding.
  void check_encoding_read() {
    const Settings& settings = result_.settings;
    const auto& factors = settings.factors();
    const bool compared =
        factors.empty() ? settings.written_rows().empty()
                        : std::ranges::find(factors, "positional.encoding", &Factor::key) != factors.end();
    const bool rows = driver_.builds == Builds::rows && compared;
    const bool drawing = driver_.builds == Builds::drawing && result_.model.empty();
    if (settings.origin("positional.encoding") != "command line" || !(rows || drawing)) return;
    problems_.push_back(fmt::format(
        "positional.encoding = {0} would change nothing, {1} reads {2} (did you mean --{2}={0}?)",
        settings.text("positional.encoding"), driver_.name, rows ? "positional.encodings" : "encoding.name"));
  }

  void apply(const ConfigEntry& entry) {
    if (entry.origin == "command line" && !is_read(entry)) {
      const bool encodings = entry.key == "positional.encodings";
      return refuse(entry, fmt::format("{} does not read it{} (see {} --help)", driver_.name,
                                       encodings ? ", expected --positional.encoding" : "", driver_.name));
    }
    // The one text that resolved.cfg need not hold is the prompt: no run that writes one reads it.
    if (entry.key != "generate.prompt" && entry.value.find_first_of("#\n\r") != std::string::npos) {
      refuse(entry, "got a value with # or a line break, which a config cannot hold");
    } else if (!entry.row.empty()) {
      apply_to_row(entry);
    } else if (entry.key.starts_with(tune_prefix)) {
      apply_factor(entry, entry.key.substr(tune_prefix.size()), true);
    } else if (entry.key.starts_with(compare_prefix)) {
      apply_factor(entry, entry.key.substr(compare_prefix.size()), false);
    } else if (entry.key == "positional.encodings") {
      apply_factor(entry, "positional.encoding", false);
    } else {
      apply_value(entry, *find_key(entry.key));
    }
  }

  // A file key given again in the same source adds to the list; a later source starts it again.
  void apply_value(const ConfigEntry& entry, const Key& key) {
    if (!accept(entry, key, entry.value)) return;
    std::string value = entry.value;
    if (key.option.type == OptionType::files && contains(filled_, key.name)) {
      value = result_.settings.text(key.name) + "\n" + value;
    }
    filled_.push_back(key.name);
    result_.settings.set(key.name, value, entry.origin);
  }

  void apply_factor(const ConfigEntry& entry, const std::string& name, bool tuned) {
    const Key* key = find_key(name);
    if (key == nullptr || !is_comparable(*key)) {
      return refuse(entry,
                    "it cannot be compared, expected a key of task, model, positional, train or finetune");
    }
    // A block has commas of its own.
    const char separator = entry.value.find(';') == std::string::npos ? ',' : ';';
    Factor factor{name, split_outside_brackets(entry.value, separator), entry.origin};
    std::erase(factor.values, "");
    if (factor.values.empty()) return refuse(entry, "got none, expected at least one value");
    for (const std::string& value : factor.values) {
      if (!accept(entry, *key, value)) return;
    }
    tuned ? result_.settings.tune(std::move(factor)) : result_.settings.compare(std::move(factor));
  }

  // What a row says of a key so far.
  std::string row_value(const ConfigEntry& entry) const {
    for (const WrittenRow& row : result_.settings.written_rows()) {
      const auto change = std::ranges::find(row.changes, entry.key, &WrittenRow::Change::key);
      if (row.name == entry.row && change != row.changes.end()) return change->value;
    }
    return "";
  }

  void apply_to_row(const ConfigEntry& entry) {
    if (entry.key.empty()) return result_.settings.change_row(entry.row, {});
    const Key* key = find_key(entry.key);
    if (key == nullptr || !is_comparable(*key)) {
      return refuse(entry,
                    "rows cannot differ in it, expected a key of task, model, positional, train or finetune");
    }
    if (!accept(entry, *key, entry.value)) return;
    std::string value = entry.value;
    const std::string name = "row " + entry.row + "." + entry.key;
    if (key->option.type == OptionType::files && contains(filled_, name)) {
      value = row_value(entry) + "\n" + value;
    }
    filled_.push_back(name);
    result_.settings.change_row(entry.row, {entry.key, value, entry.origin});
  }

  void check_required() {
    if (!all_read_ || result_.list) return;
    for (const std::string& name : driver_.required) {
      if (!contains(given_, name)) {
        problems_.push_back(fmt::format("--{} is missing (see {} --help)", name, driver_.name));
      }
    }
  }

  const DriverDescription& driver_;
  CommandLine result_;
  std::vector<std::string> config_files_;
  std::vector<ConfigEntry> options_;
  std::vector<std::string> given_;
  std::vector<std::string> filled_;  // keys set by the source that is being applied
  std::vector<std::string> problems_;
  std::vector<std::string> wrong_keys_;  // whose values were refused
  bool all_read_ = true;  // false: something could not be read, so what is missing may well have been given
};

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv, const DriverDescription& driver) {
  return Parser(driver).parse(argc, argv);
}

}  // namespace ordinal::experiments

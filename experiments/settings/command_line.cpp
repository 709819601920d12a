#include "experiments/settings/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <string_view>
#include <utility>

#include "experiments/settings/checks.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

namespace po = boost::program_options;

// In bytes. A path has at most 4095, and a run appends the names of its folders and files.
constexpr std::size_t longest_out = 3000;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// The name of an option outside the sections, without what --help calls its value.
std::string name_of(const OptionSpec& spec) { return spec.name.substr(0, spec.name.find(' ')); }

// Parses "2/8"; nothing if the text is not a part.
std::optional<Share> share_of(const std::string& part) {
  const std::size_t slash = std::min(part.find('/'), part.size());
  const auto number = parse_integer(part.substr(0, slash));
  const auto count = parse_integer(slash < part.size() ? part.substr(slash + 1) : "");
  if (!number || !count || *number < 1 || *number > *count) return std::nullopt;
  return Share{*number - 1, *count};
}

// ---- Words: options and keys as Boost.Program_options reads them, without abbreviations ----

// Every option that the driver has, and every key.
po::options_description known_options(const DriverDescription& driver) {
  po::options_description known;
  const auto add = [&](const std::string& name) {
    const Key* key = driver.find(name);
    if (key == nullptr) return;
    if (key->takes_value()) {
      known.add_options()(name.c_str(), po::value<std::string>(), "");
    } else {
      known.add_options()(name.c_str(), "");
    }
  };
  for (const Key& option : outside_options()) add(option.name);
  for (const Key& key : all_keys()) {
    for (const std::string& prefix : {std::string(), compare_prefix, tune_prefix}) add(prefix + key.name);
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

std::string given(const po::option& option) {
  return option.original_tokens.empty() ? option.string_key : option.original_tokens.front();
}

// Options of the version before, and what to use instead.
constexpr std::pair<std::string_view, std::string_view> removed_options[] = {
    {"completion", "--help shows all options and keys, --list NAME a part with its options"},
    {"plan-ranks", "progress shows the time left after the first training"}};

// Why a word is unknown to Boost, or not an option.
std::string unknown_option(const std::string& given, const DriverDescription& driver) {
  if (!given.starts_with('-')) {
    return fmt::format("got '{0}', expected an option (for a config file: --config {0})", given);
  }
  if (!given.starts_with("--") || given == "--") {
    return fmt::format("got '{}', expected an option such as --help", given);
  }
  std::vector<std::string> outside;
  for (const Key& option_outside : outside_options()) {
    if (driver.takes(option_outside.name)) outside.push_back(option_outside.name);
  }
  const std::string name = given.substr(2, given.find('=') - 2);
  for (const auto& [option, instead] : removed_options)
    if (name == option) return fmt::format("--{} was removed: {}", name, instead);
  return fmt::format("unknown option --{} (did you mean --{}?)", name, meant_by(name, outside));
}

// Why a word or an option cannot be used; empty if it can.
std::string problem_of(const po::option& option, const ConfigEntry& entry, const DriverDescription& driver) {
  const bool is_word = option.position_key >= 0;
  if (is_word ? driver.several.empty() : option.unregistered) return unknown_option(given(option), driver);
  if (option.original_tokens.size() < 2 || !entry.value.starts_with("--")) return "";
  return fmt::format("--{0} has no value before {1} (if that is the value: --{0}={1})", entry.key,
                     entry.value);  // --out --quiet
}

// If a key is repeated, the last value wins. The word after an unknown option is not a second mistake.
void read_all(const std::vector<po::option>& options, const DriverDescription& driver, Source& source) {
  bool value_of_unknown = false;
  for (const po::option& option : options) {
    const bool is_word = option.position_key >= 0;
    const bool is_mistaken = value_of_unknown && is_word;
    value_of_unknown =
        !is_word && option.unregistered && option.original_tokens.front().find('=') == std::string::npos;
    if (is_mistaken) continue;
    const ConfigEntry entry{is_word ? driver.several : option.string_key,
                            option.value.empty() ? "" : option.value.front(), command_line_origin};
    const std::string problem = problem_of(option, entry, driver);
    if (problem.empty()) {
      source.add(entry, driver.find(entry.key));
    } else {
      source.add_problem(one_line("command line: " + problem));
    }
  }
}

Source read_words(const std::vector<std::string>& words, const DriverDescription& driver) {
  using Style = po::command_line_style::style_t;
  const int style = Style::allow_long | Style::long_allow_adjacent | Style::long_allow_next;  // no guessing
  Source source;
  try {
    // Boost would drop it and treat every later option as a word.
    if (std::ranges::find(words, "--") != words.end())
      throw po::error("got '--', expected an option such as --help");
    const po::options_description known = known_options(driver);
    read_all(po::command_line_parser(with_empty_values(words))
                 .options(known)
                 .style(style)
                 .allow_unregistered()
                 .run()
                 .options,
             driver, source);
  } catch (const po::error& error) {
    source.add_problem(one_line(std::string("command line: ") + error.what()));
  }
  return source;
}

// ---- Settings from words and files ----

// Sets the options outside the sections.
class OptionSetter final : public OptionVisitor {
 public:
  OptionSetter(const Source& words, std::vector<std::string>& problems)
      : words_(words), problems_(problems) {}

 private:
  void field(OptionSpec spec, const std::function<void(const std::string&)>& assign) override {
    const std::string name = name_of(spec);
    for (const ConfigEntry& entry : words_.entries) {
      if (entry.key != name || !entry.problem.empty()) continue;
      const std::string value = spec.type == OptionType::flag ? "true" : entry.value;
      const bool unnamed = value.empty() && spec.type == OptionType::text && name != "list";
      const std::string problem = unnamed ? "got an empty value, expected a name" : complaint(spec, value);
      if (problem.empty()) {
        assign(value);
      } else {
        problems_.push_back(one_line(fmt::format("--{}: {}", name, problem)));
      }
    }
  }

  const Source& words_;
  std::vector<std::string>& problems_;
};

class Parser {
 public:
  explicit Parser(const DriverDescription& driver) : driver_(driver) {}

  CommandLine parse(int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) result_.arguments += (i > 1 ? " " : "") + quoted_for_shell(argv[i]);
    result_.invocation = quoted_for_shell(argv[0]) + (argc > 1 ? " " : "") + result_.arguments;
    Source words = read_words({argv + 1, argv + argc}, driver_);
    problems_ = words.problems();
    std::erase_if(words.entries, [](const ConfigEntry& entry) { return !entry.problem.empty(); });
    read_options(words);
    if (result_.help) return result_;
    for (const ConfigEntry& entry : words.entries) {
      if (entry.key == "config" && !entry.value.empty()) apply_all(read_config_file(entry.value));
    }
    for (const ConfigEntry& entry : words.entries) {
      if (!result_.given.contains(entry.key)) apply(entry);
    }
    return finish();
  }

  CommandLine parse(const Source& config) {
    apply_all(config);
    return finish();
  }

 private:
  CommandLine finish() {
    lay_over_checkpoint();
    const bool of_each_row = result_.settings.rows_set("train.steps");  // then each row cuts its own
    if (!of_each_row) fit_warmup(result_.settings);
    if (problems_.empty()) check_settings();
    if (!problems_.empty()) throw ConfigError(joined(problems_, "\n"));
    return result_;
  }

  void refuse(const ConfigEntry& entry, const std::string& why) { problems_.push_back(entry.complaint(why)); }

  void read_options(const Source& words) {
    for (const ConfigEntry& entry : words.entries) {
      if (key_behind(entry.key) == nullptr) result_.given[entry.key] = entry.value;
      if (entry.key == driver_.several) result_.several.push_back(entry.value);
    }
    OptionSetter setter(words, problems_);
    result_.visit(setter);
    if (result_.out.size() > longest_out) {
      problems_.push_back(
          fmt::format("--out: got a path of {} bytes, expected at most {}: names of files come behind it",
                      result_.out.size(), longest_out));
    }
    if (result_.part.empty()) return;
    result_.share = share_of(result_.part);
    if (!result_.share) {
      problems_.push_back(one_line(fmt::format(
          "--part: got '{}', expected I/N, the part I of N, with I from 1 to N, such as 2/8", result_.part)));
    }
  }

  bool has_checkpoint() const { return !result_.model.empty() && driver_.over_checkpoint; }

  void lay_over_checkpoint() {
    if (!has_checkpoint()) return;
    try {
      result_.settings = driver_.over_checkpoint(result_.settings, result_.model);
    } catch (const CheckpointError& error) {
      problems_.emplace_back(error.what());
    } catch (const ConfigError& error) {
      problems_.emplace_back(error.what());
    }
  }

  // Checks for missing and contradictory settings. Other mistakes come first: they may hide what was meant.
  void check_settings() {
    const bool lists = result_.given.contains("list");
    for (const std::string& name : driver_.required) {
      if (!lists && !result_.given.contains(name))
        problems_.push_back(fmt::format("--{} is missing (see {} --help)", name, driver_.name));
    }
    const bool draws_trained = has_checkpoint() && driver_.builds == Builds::drawing;
    const Builds builds = draws_trained ? Builds::model : driver_.builds;
    if (problems_.empty()) problems_ = contradictions(result_.settings, builds);
    if (problems_.empty()) problems_ = unused_settings(result_.settings, builds);
  }

  // A file may be shared by several programs; the command line is for this one.
  bool is_read(const ConfigEntry& entry) const {
    if (entry.key.starts_with(compare_prefix)) return driver_.builds == Builds::rows;
    const Key& key = *find_key(entry.key);
    return driver_.uses(key) ||
           (has_checkpoint() && key.is_of_model() && !contains(driver_.unread, key.name));
  }

  // The equivalent key that this program reads, if there is one.
  std::string meant_instead(const ConfigEntry& entry) const {
    const auto other = driver_.instead.find(entry.key);
    return other == driver_.instead.end()
               ? fmt::format("see {} --help", driver_.name)
               : fmt::format("did you mean --{}={}?", other->second, quoted_for_shell(entry.value));
  }

  void apply_all(const Source& source) {
    for (const ConfigEntry& entry : source.entries)
      entry.problem.empty() ? apply(entry) : problems_.push_back(entry.problem);
  }

  void apply(const ConfigEntry& entry) {
    if (entry.origin == command_line_origin && !is_read(entry)) {
      return refuse(entry, fmt::format("{} does not read it ({})", driver_.name, meant_instead(entry)));
    }
    if (entry.key.empty() || (!entry.kind.empty() && entry.kind != "row"))
      return result_.settings.add_to_section(entry.kind, entry.id, entry.key, entry.value, entry.origin);
    const Key* key = find_key(entry.key);
    const std::string& target = key == nullptr ? entry.key : key->target();
    if (entry.kind == "row") {
      apply_to_rows(entry, key, entry.key, {entry.value});
    } else if (target.starts_with(compare_prefix)) {
      apply_to_rows(entry, key_behind(target), target.substr(compare_prefix.size()),
                    factor_values(entry.value));
    } else if (const std::string problem = complaint(*key, entry.value); !problem.empty()) {
      refuse(entry, problem + hint_of_list(*key, entry.value));
    } else if (key->short_for.empty()) {
      result_.settings.set(key->name, entry.value, entry.origin);
    } else if (entry.value != "none") {  // experiment.seed: a list of one
      result_.settings.set(target, entry.value + ",", entry.origin);
    }
  }

  // A list in place of a single value may be meant as rows.
  std::string hint_of_list(const Key& key, const std::string& value) const {
    if (driver_.builds != Builds::rows || !is_comparable(key)) return "";
    const std::vector<std::string> values = factor_values(value);
    const bool are_accepted =
        std::ranges::all_of(values, [&](const std::string& one) { return complaint(key, one).empty(); });
    return values.size() > 1 && are_accepted
               ? fmt::format("; {}{} makes a row of each", compare_prefix, key.name)
               : "";
  }

  // Adds the value of an explicit row, or the values to compare; `name` is that of the key in its section.
  void apply_to_rows(const ConfigEntry& entry, const Key* key, const std::string& name,
                     const std::vector<std::string>& values) {
    if (key == nullptr || !is_comparable(*key)) {
      return refuse(entry,
                    "rows cannot differ in it, expected a key of task, model, positional, train or finetune");
    }
    if (values.empty()) return refuse(entry, "got none, expected at least one value");
    for (const std::string& value : values) {
      if (const std::string problem = complaint(*key, value); !problem.empty()) return refuse(entry, problem);
    }
    const bool is_row = entry.kind == "row";
    result_.settings.add_to_section(is_row ? "row" : "compare", entry.id, name,
                                    is_row ? entry.value : factor_text(values), entry.origin);
  }

  const DriverDescription& driver_;
  CommandLine result_;
  std::vector<std::string> problems_;
};

}  // namespace

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

bool DriverDescription::takes(const std::string& option) const {
  static const std::vector<std::string> common = {"help",  "config",  "print-config", "dry-run",
                                                  "quiet", "threads", "list"};
  return contains(common, option) || contains(options, option);
}

bool DriverDescription::uses(const Key& key) const {
  if (contains(keys, key.name)) return true;
  // Without a checkpoint, encoding.name says what is drawn.
  if (builds == Builds::drawing && key.name == "positional.encoding") return false;
  return contains(sections, key.section()) && !contains(unread, key.name);
}

const Key* DriverDescription::find(const std::string& name) const {
  const auto outside = std::ranges::find(outside_options(), name, &Key::name);
  if (outside != outside_options().end()) return takes(name) ? &*outside : nullptr;
  const Key* key = key_behind(name);
  return key == nullptr || key->name == name || is_comparable(*key) ? key : nullptr;
}

void CommandLine::visit(OptionVisitor& v) {
  const auto count = [&](const char* option, int& value, double most, const char* text) {
    Index number = value;
    v.integer(option, number, between(0, most), text);
    value = static_cast<int>(number);
  };
  v.flag("help", help, "show this text");
  v.text("config FILE", config, "read settings from a file; repeatable, a later one wins");
  v.flag("print-config", print_config, "show every setting and its origin, and stop");
  v.flag("quiet", quiet, "no progress, results only");
  v.flag("dry-run", dry_run, "show what would run, and stop");
  v.text("list [NAME]", listed,
         "list all parts that a config can name with their options, or only NAME, and stop");
  v.text("out PATH", out, "where results go");
  count("threads N", threads, 1024,
        "number of threads; 0: one for each processor; results do not depend on it");
  count("jobs N", jobs, 1024,
        "trainings at the same time; 0: as many as pay off; results do not depend on it");
  v.text("part I/N", part,
         "train only the I-th of N parts of the cells, and write no report; without it: the rest, and the "
         "report");
  v.text("model FILE", model, "a checkpoint (safetensors)");
  v.text("tokens FILE", tokens, "input tokens: .npy, int64, shape (B, L)");
  v.text("targets FILE", targets, "target tokens: .npy, int64, shape (B, L); -100 or -1 is ignored");
  v.choice("precision P", precision, {"float", "double"}, "float or double");
}

const std::vector<Key>& outside_options() {
  static const std::vector<Key> options = [] {
    std::vector<Key> all;
    for (const OptionSpec& spec : specs_of<CommandLine>()) {
      const std::string name = name_of(spec);
      all.push_back({.name = name, .option = spec});
      if (name != spec.name) all.back().argument = spec.name.substr(name.size() + 1);
    }
    return all;
  }();
  return options;
}

CommandLine parse_command_line(int argc, const char* const* argv, const DriverDescription& driver) {
  return Parser(driver).parse(argc, argv);
}

Settings read_settings(const Source& config, const DriverDescription& driver) {
  return Parser(driver).parse(config).settings;
}

}  // namespace ordinal::experiments

#include "experiments/settings/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/settings/checks.h"
#include "experiments/settings/config_file.h"
#include "experiments/settings/options.h"
#include "experiments/settings/rows.h"
#include "experiments/settings/words.h"
#include "framework/core/errors.h"
#include "framework/core/number.h"
#include "framework/core/part.h"
#include "framework/storage/json_text.h"

namespace ordinal::experiments {
namespace {

// In bytes. A path has at most 4095, and the folders and files of a run come behind it.
constexpr std::size_t longest_out = 3000;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

class Parser {
 public:
  explicit Parser(const DriverDescription& driver) : driver_(driver) {}

  CommandLine parse(int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) result_.arguments += (i > 1 ? " " : "") + quoted_for_shell(argv[i]);
    result_.invocation = quoted_for_shell(argv[0]) + (argc > 1 ? " " : "") + result_.arguments;
    read_words_of({argv + 1, argv + argc});
    if (result_.help || (!result_.completion.empty() && problems_.empty())) return result_;
    for (const std::string& path : words_.config_files) read_file_settings(path);
    for (const ConfigEntry& entry : words_.entries) apply(entry);
    check_required();
    lay_over_checkpoint();
    const bool of_each_row = result_.settings.rows_set("train.steps");  // then each row's own is cut
    if (!of_each_row) fit_warmup(result_.settings);
    if (all_read_) check_contradictions();
    if (!problems_.empty()) throw ConfigError(joined(problems_, "\n"));
    return result_;
  }

 private:
  void read_words_of(const std::vector<std::string>& words) {
    words_ = read_words(words, driver_);
    problems_ = words_.problems;
    wrong_keys_ = words_.wrong_keys;
    all_read_ = words_.all_read;
    for (const auto& [name, value] : words_.switches) read_switch(name, value);
  }

  void read_switch(const std::string& name, const std::string& value) {
    result_.options[name] = value;
    static const std::map<std::string, bool CommandLine::*> flags = {
        {"help", &CommandLine::help},       {"print-config", &CommandLine::print_config},
        {"dry-run", &CommandLine::dry_run}, {"list", &CommandLine::list},
        {"quiet", &CommandLine::quiet},     {"page", &CommandLine::page}};
    static const std::map<std::string, std::string CommandLine::*> texts = {
        {"list", &CommandLine::listed},
        {"out", &CommandLine::out},
        {"model", &CommandLine::model},
        {"tokens", &CommandLine::tokens},
        {"targets", &CommandLine::targets},
        {"json", &CommandLine::json},
        {"query", &CommandLine::query_file},
        {"key", &CommandLine::key_file},
        {"dump", &CommandLine::dump},
        {"precision", &CommandLine::precision},
        {"completion", &CommandLine::completion}};
    if (const auto flag = flags.find(name); flag != flags.end()) result_.*flag->second = true;
    if (const auto text = texts.find(name); text != texts.end()) result_.*text->second = value;
    if (name == driver_.several) result_.several.push_back(value);
    const std::vector<std::string>& choices = find_outside_option(name)->choices;
    if (!choices.empty() && !contains(choices, value)) {
      problems_.push_back(
          one_line(fmt::format("--{}: got '{}', expected {}", name, value, joined(choices, " or "))));
    } else if (name == "out" && value.size() > longest_out) {
      problems_.push_back(
          fmt::format("--out: got a path of {} bytes, expected at most {}: names of files come behind it",
                      value.size(), longest_out));
    } else if (value.empty() && name != "list" && (texts.contains(name) || name == driver_.several)) {
      problems_.push_back(fmt::format("--{}: got an empty value, expected a name", name));
    }
    if (name == "threads") read_count(name, value, result_.threads);
    if (name == "jobs") read_count(name, value, result_.jobs);
    if (name == "plan-ranks") read_count(name, value, result_.plan_ranks, 65536);
  }

  void read_count(const std::string& name, const std::string& value, int& count, int most = 1024) {
    const auto number = parse_integer(value);
    if (!number || *number < 0 || *number > most) {
      problems_.push_back(
          one_line(fmt::format("--{}: got '{}', expected a whole number from 0 to {}", name, value, most)));
    } else {
      count = static_cast<int>(*number);
    }
  }

  void read_file_settings(const std::string& path) {
    if (path.empty()) {
      problems_.emplace_back("--config: got an empty value, expected a name");
      all_read_ = false;
      return;
    }
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

  // A contradiction counts only if the settings that it names are as the user wrote them.
  void check_contradictions() {
    const bool of_checkpoint = !result_.model.empty() && driver_.over_checkpoint;
    const bool draws_trained = of_checkpoint && driver_.builds == Builds::drawing;
    for (const Contradiction& one :
         contradictions(result_.settings, draws_trained ? Builds::model : driver_.builds)) {
      const bool in_doubt =
          (one.of_all && !problems_.empty()) ||
          std::ranges::any_of(one.keys, [&](const auto& key) { return contains(wrong_keys_, key); });
      if (!in_doubt) problems_.push_back(one.text);
    }
  }

  void refuse(const ConfigEntry& entry, const std::string& why) {
    problems_.push_back(one_line(fmt::format(
        "{}: {}{}: {}", entry.origin, entry.row.empty() ? "" : "[row " + entry.row + "] ", entry.key, why)));
    wrong_keys_.push_back(entry.key);
  }

  // Whether the key may have the value; if not, adds a problem.
  bool accept(const ConfigEntry& entry, const Key& key, const std::string& value) {
    const std::string problem = complaint(key, value);
    if (!problem.empty()) refuse(entry, problem);
    return problem.empty();
  }

  // A file may be shared by several programs; the command line is for this one.
  bool is_read(const ConfigEntry& entry) const {
    if (entry.key.starts_with(compare_prefix)) return driver_.builds == Builds::rows;
    const Key& key = *find_key(entry.key);
    const std::string section = key.section();
    const bool of_model = section == "task" || section == "model" || section == "positional";
    const bool with_model = !result_.model.empty() && driver_.over_checkpoint;
    return uses(driver_, key) || (of_model && with_model && !contains(driver_.unread, key.name));
  }

  // The equivalent key that this program reads, if there is one.
  std::string meant_instead(const ConfigEntry& entry) const {
    const auto other = driver_.instead.find(entry.key);
    return other == driver_.instead.end()
               ? fmt::format("see {} --help", driver_.name)
               : fmt::format("did you mean --{}={}?", other->second, quoted_for_shell(entry.value));
  }

  // Why resolved.cfg and the checkpoint could not hold an entry. The prompt is the only text that need not fit: no run
  // that writes them reads it.
  static std::string why_unfit(const ConfigEntry& entry) {
    if (entry.key == "generate.prompt") return "";
    if (entry.value.find_first_of("#\n\r") != std::string::npos) {
      return "got a value with # or a line break, which a config cannot hold";
    }
    if (!json_can_hold(entry.value) || !json_can_hold(entry.row)) {
      return "got a text that is not UTF-8, which a checkpoint cannot hold; rename it, or link to it";
    }
    const Key* key = find_key(entry.key);
    if (key == nullptr || key->option.type != OptionType::files || entry.value == trimmed(entry.value))
      return "";
    return fmt::format("got '{}', and a config cannot hold the spaces around it; rename it, or link to it",
                       entry.value);
  }

  void apply(const ConfigEntry& entry) {
    if (entry.origin == command_line_origin && !is_read(entry)) {
      return refuse(entry, fmt::format("{} does not read it ({})", driver_.name, meant_instead(entry)));
    }
    const std::string unfit = why_unfit(entry);
    if (!unfit.empty()) {
      refuse(entry, unfit);
    } else if (!entry.kind.empty()) {
      result_.settings.add_to_section(entry.kind, entry.id, entry.key, entry.value, entry.origin);
    } else if (!entry.row.empty()) {
      apply_to_row(entry);
    } else if (entry.key.starts_with(tune_prefix)) {
      apply_factor(entry, entry.key.substr(tune_prefix.size()), true);
    } else if (entry.key.starts_with(compare_prefix)) {
      apply_factor(entry, entry.key.substr(compare_prefix.size()), false);
    } else if (entry.key == "positional.encodings") {
      apply_factor(entry, "positional.encoding", false);
    } else if (entry.key == "experiment.seed") {
      apply_seed(entry);
    } else {
      apply_value(entry, *find_key(entry.key));
    }
  }

  // A file key given again in the same source adds to the list; a later source replaces it.
  void apply_value(const ConfigEntry& entry, const Key& key) {
    if (!accept(entry, key, entry.value)) return;
    std::string value = entry.value;
    if (key.option.type == OptionType::files && contains(filled_, key.name)) {
      value = result_.settings.text(key.name) + "\n" + value;
    }
    filled_.push_back(key.name);
    result_.settings.set(key.name, value, entry.origin);
  }

  // A list of one seed.
  void apply_seed(const ConfigEntry& entry) {
    if (!accept(entry, *find_key(entry.key), entry.value) || entry.value == "none") return;
    result_.settings.set("experiment.seeds", entry.value + ",", entry.origin);
  }

  void apply_factor(const ConfigEntry& entry, const std::string& name, bool tuned) {
    const Key* key = find_key(name);
    if (key == nullptr || !is_comparable(*key)) {
      return refuse(entry,
                    "it cannot be compared, expected a key of task, model, positional, train or finetune");
    }
    Factor factor{name, factor_values(entry.value), entry.origin};
    if (factor.values.empty()) return refuse(entry, "got none, expected at least one value");
    for (const std::string& value : factor.values) {
      if (!accept(entry, *key, value)) return;
    }
    tuned ? result_.settings.tune(std::move(factor)) : result_.settings.compare(std::move(factor));
  }

  // The value of a key that a row sets so far.
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
      if (!contains(words_.given, name)) {
        problems_.push_back(fmt::format("--{} is missing (see {} --help)", name, driver_.name));
      }
    }
  }

  const DriverDescription& driver_;
  CommandLine result_;
  Words words_;
  std::vector<std::string> filled_;  // keys set by the source that is being applied
  std::vector<std::string> problems_;
  std::vector<std::string> wrong_keys_;  // whose values were refused
  bool all_read_ = true;  // false: something could not be read, so a missing option may have been given
};

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv, const DriverDescription& driver) {
  return Parser(driver).parse(argc, argv);
}

}  // namespace ordinal::experiments

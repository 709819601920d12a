#include "experiments/settings/command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/settings/checks.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Why an option outside the sections may not have this value; empty if it may.
std::string option_problem(const Key& option, const std::string& value) {
  if (!option.takes_value()) return "";
  if (option.name == "out" && value.starts_with('~'))
    return fmt::format("got {}, which the shell did not expand; write --out with a space, or $HOME", value);
  const bool unnamed = value.empty() && option.option.type == OptionType::text && option.name != "list";
  return unnamed ? "got an empty value, expected a name" : complaint(option, value);
}

class Parser {
 public:
  explicit Parser(const DriverDescription& driver) : driver_(driver) {}

  CommandLine parse(int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) result_.arguments += (i > 1 ? " " : "") + quoted_for_shell(argv[i]);
    result_.invocation = quoted_for_shell(argv[0]) + (argc > 1 ? " " : "") + result_.arguments;
    const Source words = read_words({argv + 1, argv + argc}, driver_);
    read_outside_options(words);
    if (result_.help) return result_;
    for (const ConfigEntry& entry : words)
      if (entry.key == "config" && !entry.value.empty()) apply_file(entry.value);
    apply_all(words);
    return finish();
  }

  CommandLine parse(const Source& config) {
    apply_all(config);
    return finish();
  }

 private:
  // Mistakes in words and values come first, all at once: they may hide what was meant.
  CommandLine finish() {
    refuse_problems();
    for (const std::string& name : driver_.required)
      if (!result_.given.contains("list") && !result_.given.contains(name))
        problems_.push_back(fmt::format("--{} is missing (see {} --help)", name, driver_.name));
    refuse_problems();
    if (has_checkpoint()) result_.settings = driver_.over_checkpoint(result_.settings, result_.model);
    Settings used = result_.settings;
    if (has_checkpoint()) used.reset("finetune.encoding");  // it replaces that of the checkpoint
    problems_ = unused_settings(used, driver_.builds, result_.files);
    refuse_problems();
    return result_;
  }

  void refuse_problems() const {
    if (!problems_.empty()) throw ConfigError(joined(problems_, "\n"));
  }

  void refuse(const ConfigEntry& entry, const std::string& why) { problems_.push_back(entry.complaint(why)); }

  void read_outside_options(const Source& words) {
    OptionValues values;
    for (const ConfigEntry& entry : words) {
      const Key* option = driver_.find(entry.key);
      if (option == nullptr || !option->is_outside()) continue;
      result_.given[entry.key] = entry.value;
      if (entry.key == driver_.several) result_.several.push_back(entry.value);
      const std::string problem = option_problem(*option, entry.value);
      if (!problem.empty()) problems_.push_back(one_line(fmt::format("--{}: {}", entry.key, problem)));
      if (problem.empty()) values[option->option.name] = option->takes_value() ? entry.value : "true";
    }
    result_ = read_options(driver_.name, values, std::move(result_));
  }

  bool has_checkpoint() const { return !result_.model.empty() && driver_.over_checkpoint; }

  // A file may be shared by several programs; the command line is for this one.
  bool is_read(const ConfigEntry& entry) const {
    if (entry.key.starts_with(compare_prefix)) return driver_.builds == Builds::rows;
    const Key& key = *find_key(entry.key);
    return driver_.uses(key) ||
           (has_checkpoint() && key.is_of_model() && !contains(driver_.unread, key.name));
  }

  void apply_file(const std::string& path) {
    static const std::vector<std::string> programs = {"generate", "encoding", "claims", "benchmark"};
    const Source source = read_config_file(path);
    result_.files.push_back(path);
    const auto section = [](const ConfigEntry& entry) { return entry.key.substr(0, entry.key.find('.')); };
    // In a section that has the name of the program that reads it.
    const auto is_for_other = [&](const ConfigEntry& entry) {
      return contains(programs, section(entry)) && !contains(driver_.sections, section(entry));
    };
    if (source.empty() || !std::ranges::all_of(source, is_for_other)) return apply_all(source);
    problems_.push_back(fmt::format("{0}: got keys of [{1}] alone, expected those of {2}; start {1} with it",
                                    path, section(source.front()), driver_.name));
  }

  void apply_all(const Source& source) {
    first_.clear();
    for (const ConfigEntry& entry : source) {
      const bool is_outside = entry.origin == command_line_origin && result_.given.contains(entry.key);
      if (!entry.problem.empty()) problems_.push_back(entry.problem);
      if (entry.problem.empty() && !is_outside) apply(entry);
    }
  }

  void apply(const ConfigEntry& entry) {
    if (entry.kind.empty() && entry.key == "model") return start_from(entry);
    const Key* key = entry.kind.empty() ? key_behind(entry.key) : find_key(entry.key);
    if (const std::string problem = entry.why_unfit(key); !problem.empty()) return refuse(entry, problem);
    const auto own = named_sections.find(entry.kind);
    const bool is_own = own != named_sections.end() && !own->second.empty();
    if (!entry.key.empty() && (is_own ? !contains(own->second, entry.key) : key == nullptr)) {
      const std::string hint =
          is_own ? ", expected one of " + joined(own->second) : hint_for(entry.key, entry.value);
      return problems_.push_back(
          one_line(fmt::format("{}: unknown key {}{}", entry.origin, entry.name(), hint)));
    }
    if (entry.origin == command_line_origin && !is_read(entry))
      return refuse(entry, fmt::format("{0} does not read it (see {0} --help)", driver_.name));
    const auto [first, is_new] = first_.emplace(entry.name(), entry);
    if (!is_new && key != nullptr && key->name == entry.key && key->option.type == OptionType::files) {
      first->second.value += "\n" + entry.value;
      return add(first->second, key);
    }
    if (is_new || entry.key.empty() || entry.origin == command_line_origin)
      return add(entry, key);  // the last one wins
    const std::string& origin = first->second.origin;
    refuse(entry, "already set in line " + origin.substr(origin.rfind(':') + 1));
  }

  // The checkpoint from which `train` started, in its resolved.cfg.
  void start_from(const ConfigEntry& entry) {
    if (driver_.builds == Builds::rows)
      return refuse(entry, fmt::format("got {}, from which train starts, not {} (start train with this file)",
                                       entry.value, driver_.name));
    if (driver_.builds == Builds::model && driver_.takes("model") && result_.model.empty())
      result_.model = entry.value;
  }

  void add(const ConfigEntry& entry, const Key* key) {
    Settings& settings = result_.settings;
    const bool is_compared = entry.key.starts_with(compare_prefix);
    if ((is_compared || entry.kind == "row") && key != nullptr && !is_comparable(*key))
      return refuse(entry, "rows cannot differ in it, expected a key of task, model, train or finetune");
    const std::vector<std::string> values =
        is_compared ? factor_values(entry.value) : std::vector<std::string>{entry.value};
    if (values.empty() && settings.forget_compared(entry.key.substr(compare_prefix.size()))) return;
    if (values.empty()) return refuse(entry, "got none, expected at least one value");
    for (const std::string& value : values) {
      const std::string problem = key == nullptr ? "" : complaint(*key, value);
      if (!problem.empty()) return refuse(entry, problem);
    }
    if (is_compared) {
      settings.add_to_section("compare", "", entry.key.substr(compare_prefix.size()), entry.value,
                              entry.origin);
    } else if (entry.kind.empty()) {
      settings.set(key->name, entry.value, entry.origin);
    } else {
      settings.add_to_section(entry.kind, entry.id, entry.key, entry.value, entry.origin);
    }
  }

  const DriverDescription& driver_;
  CommandLine result_;
  std::vector<std::string> problems_;
  std::map<std::string, ConfigEntry> first_;  // of a file or a command line, by section and key
};

}  // namespace

bool DriverDescription::takes(const std::string& option) const {
  static const std::vector<std::string> common = {"help",  "config",  "print-config", "dry-run",
                                                  "quiet", "threads", "list"};
  return contains(common, option) || contains(options, option);
}

bool DriverDescription::uses(const Key& key) const {
  return contains(keys, key.name) || (contains(sections, key.section()) && !contains(unread, key.name));
}

const Key* DriverDescription::find(const std::string& name) const {
  const auto outside = std::ranges::find(outside_options(), name, &Key::name);
  if (outside != outside_options().end()) return takes(name) ? &*outside : nullptr;
  return key_behind(name);
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
  v.text("model FILE", model, "a checkpoint (safetensors)");
  v.text("tokens FILE", tokens, "input tokens: .npy, int64, shape (B, L)");
  v.text("targets FILE", targets, "target tokens: .npy, int64, shape (B, L); -100 or -1 is ignored");
  v.choice("precision P", precision, {"float", "double"}, "float or double");
}

const std::vector<Key>& outside_options() {
  static const std::vector<Key> options = [] {
    std::vector<Key> all;
    for (const OptionSpec& spec : specs_of<CommandLine>()) {
      const std::size_t end = std::min(spec.name.find(' '), spec.name.size());
      all.push_back({.name = spec.name.substr(0, end), .option = spec, .argument = spec.name.substr(end)});
    }
    return all;
  }();
  return options;
}

CommandLine parse_command_line(int argc, const char* const* argv, const DriverDescription& driver) {
  return Parser(driver).parse(argc, argv);
}

Settings read_values(const std::map<std::string, std::string>& values, const std::string& origin) {
  Source config;
  for (const auto& [name, value] : values) {
    const Key* key = find_key(name);
    const bool are_files = key != nullptr && key->option.type == OptionType::files;
    if (name.find('.') == std::string::npos) continue;
    for (const std::string& one : are_files ? split_outside_brackets(value, '\n') : std::vector{value})
      config.push_back({name, one, origin});
  }
  return read_settings(config, {});
}

Settings read_settings(const Source& config, const DriverDescription& driver) {
  return Parser(driver).parse(config).settings;
}

}  // namespace ordinal::experiments

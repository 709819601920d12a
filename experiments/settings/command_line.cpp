#include "experiments/settings/command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/settings/checks.h"
#include "experiments/settings/rows.h"
#include "experiments/settings/words.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

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

  // Checks for missing settings, and for those without effect. Other mistakes come first: they may hide what was meant.
  void check_settings() {
    const bool lists = result_.given.contains("list");
    for (const std::string& name : driver_.required) {
      if (!lists && !result_.given.contains(name))
        problems_.push_back(fmt::format("--{} is missing (see {} --help)", name, driver_.name));
    }
    if (!problems_.empty()) return;
    try {
      problems_ = unused_settings(result_.settings, driver_.builds);
    } catch (const ConfigError& error) {
      problems_.emplace_back(error.what());
    }
  }

  // A file may be shared by several programs; the command line is for this one.
  bool is_read(const ConfigEntry& entry) const {
    if (entry.key.starts_with(compare_prefix)) return driver_.builds == Builds::rows;
    const Key& key = *find_key(entry.key);
    return driver_.uses(key) ||
           (has_checkpoint() && key.is_of_model() && !contains(driver_.unread, key.name));
  }

  void apply_all(const Source& source) {
    for (const ConfigEntry& entry : source.entries)
      entry.problem.empty() ? apply(entry) : problems_.push_back(entry.problem);
  }

  void apply(const ConfigEntry& entry) {
    if (entry.origin == command_line_origin && !is_read(entry)) {
      return refuse(entry, fmt::format("{0} does not read it (see {0} --help)", driver_.name));
    }
    if (entry.key.empty() || (!entry.kind.empty() && entry.kind != "row"))
      return result_.settings.add_to_section(entry.kind, entry.id, entry.key, entry.value, entry.origin);
    const Key* key = key_behind(entry.key);
    if (entry.kind == "row") {
      apply_to_rows(entry, key, entry.key, {entry.value});
    } else if (entry.key.starts_with(compare_prefix)) {
      apply_to_rows(entry, key, entry.key.substr(compare_prefix.size()), factor_values(entry.value));
    } else if (const std::string problem = complaint(*key, entry.value); !problem.empty()) {
      refuse(entry, problem + hint_of_list(*key, entry.value));
    } else {
      result_.settings.set(key->name, entry.value, entry.origin);
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
      return refuse(entry, "rows cannot differ in it, expected a key of task, model, train or finetune");
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

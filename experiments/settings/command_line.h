// Turns files and options into settings. Boost.Program_options parses options. This code reports all problems at once,
// with line numbers for files, and suggests the nearest known key.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/process/streams.h"
#include "experiments/settings/config_file.h"
#include "experiments/settings/settings.h"

namespace ordinal::experiments {

/// What a driver trains: nothing, one model, or the rows of an experiment.
enum class Builds { nothing, model, rows };

struct CommandLine;

/// What a driver is and which settings it uses; for --help and for the options that it takes.
struct DriverDescription {
  std::string name;
  std::string summary;
  std::vector<std::string> examples = {};
  std::vector<std::string> sections = {};  // of the keys that it uses
  std::vector<std::string> keys = {};      // of other sections that it also uses
  std::vector<std::string> unread = {};    // of these sections, that it does not use
  std::vector<std::string> options = {};   // outside the sections, in addition to those of every driver
  std::vector<std::string> required = {};  // of those, the ones that must be given
  std::string several = {};  // the option that takes several values: --model a b, or words without an option
  Builds builds = Builds::nothing;
  // Overrides the settings of the checkpoint at --model with the given ones.
  std::function<Settings(const Settings& given, const std::string& model)> over_checkpoint = {};
  std::function<int(const CommandLine&)> body = {};  // returns the exit code

  /// Whether it has this option outside the sections; some belong to every driver.
  bool takes(const std::string& option) const;
  /// Whether it uses a key without a checkpoint: --help shows it.
  bool uses(const Key& key) const;
  /// Its option, or any key of that name, with or without compare. or compare.tune. in front; null if there is none.
  const Key* find(const std::string& name) const;
};

/// The parsed command line.
struct CommandLine {
  Settings settings;
  std::map<std::string, std::string> given;  // options outside the sections, as they were written
  std::vector<std::string> several;          // values of the option that takes several
  std::string arguments;                     // all words after the program, to repeat the command
  std::string invocation;                    // the whole command

  bool help = false;
  std::string config;              // the last one
  std::vector<std::string> files;  // all, in their order
  bool print_config = false;
  bool quiet = false;
  bool dry_run = false;
  std::string listed;  // what to list; empty: all
  std::string out;
  int threads = 0;  // 0: one for each processor
  int jobs = 0;     // 0: as many as pay off
  std::string model;
  std::string tokens;
  std::string targets;
  std::string precision = "float";

  /// The options outside the sections, of all drivers. Each name is followed by what --help calls its value.
  void visit(OptionVisitor& v);
};

/// The same in the order of --help.
const std::vector<Key>& outside_options();

/// Reads --config files (a later one wins) and options (which override files). Throws ConfigError with all
/// problems, one line each.
CommandLine parse_command_line(int argc, const char* const* argv, const DriverDescription& driver);

/// Its words, read with Boost.Program_options, without abbreviations: options outside the sections, and keys. What is neither is
/// a problem.
Source read_words(const std::vector<std::string>& words, const DriverDescription& driver);

/// A word as a shell reads it, quoted where necessary; control characters as $'\x1b', which bash and zsh understand.
std::string quoted_for_shell(const std::string& word);

/// The settings of one config file, as this program reads it. Throws ConfigError like parse_command_line().
Settings read_settings(const Source& config, const DriverDescription& driver);

/// The settings with these values by key, as in the metadata of a checkpoint. Ignores names outside the sections. `origin` is where
/// the values come from. Throws ConfigError with a line for each that a config may not have.
Settings read_values(const std::map<std::string, std::string>& values, const std::string& origin);

/// The text of --help, folded as a terminal needs it.
std::string help_text(const DriverDescription& driver, const std::optional<Terminal>& terminal = {});

}  // namespace ordinal::experiments

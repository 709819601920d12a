// From files and options to settings. Boost.Program_options reads both; this adds what it lacks: line
// numbers, all problems at once, the nearest known key.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/settings/settings.h"

namespace ordinal::experiments {

/// What a driver makes from the settings: nothing that has to be checked first, the model of
/// positional.encoding, the rows of an experiment, or a drawing of encoding.name.
enum class Builds { nothing, model, rows, drawing };

struct CommandLine;

/// What a driver is and which settings it uses; for --help and for the options that it takes.
struct DriverDescription {
  std::string name;
  std::string summary;
  std::vector<std::string> examples = {};
  std::vector<std::string> sections = {};           // of the keys that it uses
  std::vector<std::string> keys = {};               // of other sections, that it uses too
  std::vector<std::string> unread = {};             // of these sections, that it does not use
  std::map<std::string, std::string> instead = {};  // for a key that it does not use, the one that it does
  std::vector<std::string> options = {};   // outside the sections, besides those that every driver takes
  std::vector<std::string> required = {};  // of those, the ones that must be given
  Builds builds = Builds::nothing;
  // Lays the settings that were given over those of the checkpoint at --model.
  std::function<Settings(const Settings& given, const std::string& model)> over_checkpoint = {};
  std::function<int(const CommandLine&)> body = {};  // returns the exit code
};

/// What a person asked for.
struct CommandLine {
  Settings settings;
  bool help = false;
  bool print_config = false;
  bool dry_run = false;
  bool list = false;
  std::string listed;  // what to list; empty: all
  bool quiet = false;
  int threads = 0;  // 0: one for each processor
  std::string out;
  std::string model;
  std::string tokens;
  std::string targets;
  std::string json;
  std::string query_file;
  std::string key_file;
  std::string dump;
  std::string precision = "float";
  std::string invocation;  // the whole command, to type again
};

/// Reads --config files (a later one wins) and options (they win over files). Throws ConfigError that holds
/// all problems, one line each.
CommandLine parse_command_line(int argc, const char* const* argv, const DriverDescription& driver);

/// The text of --help.
std::string help_text(const DriverDescription& driver);

}  // namespace ordinal::experiments

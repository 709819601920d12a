// The settings of a run: a value for every key and where it came from. Read keys.h for what there is,
// command_line.h for how files and options become settings.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "experiments/settings/keys.h"
#include "framework/core/tensor.h"

namespace ordinal {

class Settings {
 public:
  /// Every key at its default.
  Settings();

  /// Values of keys by name, such as a checkpoint's metadata holds; names that are no keys are passed over.
  /// Throws ConfigError if a value is not one that its key may have; `origin` says where they come from.
  static Settings from_map(const std::map<std::string, std::string>& values, const std::string& origin);

  /// Each throws std::out_of_range for a name that is no key.
  Index integer(const std::string& key) const;
  double real(const std::string& key) const;
  bool flag(const std::string& key) const;
  const std::string& text(const std::string& key) const;
  /// A repeatable or comma-separated key.
  std::vector<std::string> list(const std::string& key) const;

  /// "default", "configs/x.cfg:12" or "command line".
  const std::string& origin(const std::string& key) const;

  /// Replaces the value of a key.
  void set(const std::string& key, const std::string& value, const std::string& origin);

  /// A config file that gives these settings again.
  std::string resolved_config() const;
  /// A table: key, value, origin.
  std::string print_config() const;

 private:
  struct Value {
    std::string text;
    std::string origin;
  };
  const Value& at(const std::string& key) const;

  std::map<std::string, Value> values_;
};

/// experiment.seeds: n stands for 1 … n, a list for itself. Throws ConfigError.
std::vector<std::uint64_t> seeds(const Settings& settings);

/// evaluate.lengths, ascending, with multiples such as 4x worked out. Throws ConfigError.
std::vector<Index> evaluation_lengths(const Settings& settings);

/// positional.base, with `auto` worked out for the training length. Throws ConfigError.
double positional_base(const Settings& settings);

/// All contradictions between settings, one line each: what, got, expected, way out. `encoding_key` is the
/// key that says which encodings the driver builds, empty if none.
std::vector<std::string> contradictions(const Settings& settings, const std::string& encoding_key);

}  // namespace ordinal

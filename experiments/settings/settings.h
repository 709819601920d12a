// The settings of a run: a value for every key and where it came from, and which settings an experiment
// compares. See keys.h for the list of keys, command_line.h for how files and options become settings, rows.h
// for what is compared.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "experiments/settings/keys.h"
#include "experiments/settings/sections.h"
#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// The origin of a setting that was given on the command line.
inline const std::string command_line_origin = "command line";

/// Values of one key that are compared, or from which the best is chosen: compare.model.d_model = 32, 64.
struct Factor {
  std::string key;
  std::vector<std::string> values;
  std::string origin;
};

/// Values of a factor as they are written: separated by commas, or by semicolons if there are any.
std::vector<std::string> factor_values(const std::string& text);

/// A section other than those of keys. [compare] says in what rows differ, and [row NAME] is an explicit row. [claim ID]
/// is about the results, and [withdrawn ID] a claim that was given up. See named_sections.
struct WrittenSection {
  struct Setting {
    std::string key;
    std::string value;
    std::string origin;
  };
  std::string kind;
  std::string id;
  std::string origin;
  std::vector<Setting> settings = {};

  /// The value of a key, or null.
  const std::string* find(const std::string& key) const;
};

/// Every key is at its default until it is set.
class Settings {
 public:
  /// All values, by section: settings->train.steps.
  const Sections* operator->() const { return &sections_; }

  // These throw std::out_of_range for a name that is not a key.
  /// The value as it was written.
  const std::string& text(const std::string& key) const;
  /// "default", "configs/x.cfg:12" or "command line".
  const std::string& origin(const std::string& key) const;
  bool is_given(const std::string& key) const { return origin(key) != "default"; }

  /// Replaces the value of a key.
  void set(const std::string& key, const std::string& value, const std::string& origin);
  /// Resets a key to its default.
  void reset(const std::string& key);

  /// What is compared, in the order in which it was first given.
  std::vector<Factor> factors(bool tuned = false) const;
  /// Keys whose best value is chosen for each row: compare.tune.….
  std::vector<Factor> tuned() const { return factors(true); }
  /// Whether rows are given; else there is one, of these settings.
  bool has_rows() const { return !factors().empty() || !sections("row").empty(); }
  /// Whether a row or a factor sets the key.
  bool rows_set(const std::string& key) const;
  void forget_comparison() { written_.clear(); }
  /// Removes what is compared of a key, also with tune. in front: its values, and the rows that are written out with it. False
  /// if there is nothing of it.
  bool forget_compared(const std::string& key);

  /// All sections of a kind, in the order of the file.
  std::vector<WrittenSection> sections(const std::string& kind) const;
  /// Sets a key of the section of that kind and ID, creating it if needed; an empty key sets nothing.
  void add_to_section(const std::string& kind, const std::string& id, const std::string& key,
                      const std::string& value, const std::string& origin);

  /// A config file that reproduces these settings.
  std::string resolved_config() const { return config(false); }
  /// The same with the origin of each setting behind it, as a comment.
  std::string print_config() const { return config(true); }

 private:
  struct Value {
    std::string text;
    std::string origin;
  };
  std::string config(bool with_origins) const;

  void read(const Key& key, const std::string& text);

  Sections sections_;
  std::map<std::string, Value> given_;
  std::vector<WrittenSection> written_;
};

/// experiment.seeds: n means 1 … n; a list means itself. Throws ConfigError.
std::vector<std::uint64_t> seeds(const Settings& settings);

/// The length that a text means: 128, or 1.5x for that multiple of `train_length`, rounded; 0 if it is no length.
Index parse_length(const std::string& text, Index train_length);

/// evaluate.lengths, ascending, with multiples such as 4x resolved. Throws ConfigError.
std::vector<Index> evaluation_lengths(const Settings& settings);

/// A length at which a model is tested, and the condition.
struct LengthTest {
  Index length = 0;
  std::string condition;
};

/// Those of evaluate.lengths and evaluate.conditions, by length, then in the order of the conditions. Throws ConfigError for a
/// condition at a length that evaluate.lengths does not have, and for a first condition, that of the main tables, that does not have
/// all of them.
std::vector<LengthTest> tests_of(const Settings& settings);

/// evaluate.conditions with lengths in tokens, for conditions that do not have all. Throws ConfigError as tests_of() does.
std::string conditions_text(const Settings& settings);

/// A line about lengths in tokens that may be meant as multiples, because they are shorter than the training length and stand
/// beside multiples; empty if there are none.
std::string doubtful_lengths(const Settings& settings);

/// A length as given for `key`: 128, or 4x for four times task.train_length. Throws ConfigError.
Index length_of(const Settings& settings, const std::string& key, const std::string& text);

}  // namespace ordinal::experiments

#include "experiments/settings/unused.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "experiments/settings/choices.h"
#include "experiments/settings/parts.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal::experiments {
namespace {

// The keys of options and of positions that the parts of some settings read, and those that an inline option
// overrides: for rope(base=500), positional.base does.
class Reading {
 public:
  explicit Reading(const Settings& settings) : settings_(settings) {
    for (const Key& key : all_keys()) {
      if (key.kind.empty() || key.section() == "positional" || key.section() == "encoding") continue;
      const std::string& text = settings.text(key.name);
      const bool of_second = key.section() == "finetune";  // by default no part of its own
      if (of_second && (settings.integer("finetune.steps") == 0 || text == key.option.value)) continue;
      add(part_kind(key.kind), text, key.separator(), of_second && key.kind == "positions");
    }
    const auto [encoding, training, test, has_positions] = written_encoding(settings);
    add(part_kind("positional encodings"), encoding, '+', false);
    for (const char* key : {"positional.positions", "positional.test_positions"}) {
      has_positions ? written_[key].insert(settings.text("positional.encoding")) : read_.insert(key);
    }
    if (takes_positions(encoding)) {  // a key sets the offset of the test only; see choices.cpp
      add(part_kind("positions"), parse_part(training), true);
      add(part_kind("positions"), parse_part(test == "same" ? training : test), false);
    }
  }

  bool reads(const std::string& key) const { return read_.contains(key); }
  /// By key, the parts that set it themselves.
  const std::map<std::string, std::set<std::string>>& written() const { return written_; }

 private:
  static bool takes_positions(const std::string& encoding) {
    return std::ranges::any_of(find_encodings(encoding), [](const EncodingEntry& entry) {
      return entry.positions != PositionUse::nothing;
    });
  }

  void add(const PartKind& kind, const std::string& text, char separator, bool of_training) {
    for (const std::string& piece : split_outside_brackets(text, separator)) {
      if (!piece.empty()) add(kind, parse_part(piece), of_training);
    }
  }

  void add(const PartKind& kind, const Part& part, bool of_training) {
    const PartInfo* info = kind.find(part.name);
    if (info == nullptr) return;
    for (const OptionSpec& option : info->options) {
      const std::string key = kind.section + "." + option.name;
      if (part.options.contains(option.name)) {
        written_[key].insert(to_string(part));
      } else if (!of_training || option.binds != Binds::test) {
        read_.insert(key);
      }
      if (option.type != OptionType::part) continue;
      const auto set = with_keys(part, kind, settings_).options;
      const auto inner = set.find(option.name);
      add(kind_of_option(option), parse_part(inner == set.end() ? option.value : inner->second), false);
    }
  }

  const Settings& settings_;
  std::set<std::string> read_;
  std::map<std::string, std::set<std::string>> written_;
};

class Unused {
 public:
  Unused(const Settings& settings, const std::vector<Row>& rows) : settings_(settings), rows_(rows) {
    for (const Row& row : rows) readings_.emplace_back(row.settings);
  }

  std::vector<Contradiction> find() {
    for (const Key& key : all_keys()) {
      if (settings_.origin(key.name) == command_line_origin) check(key);
    }
    for (const Factor& factor : settings_.factors()) check_factor(factor, "compare.");
    for (const Factor& factor : settings_.tuned()) check_factor(factor, "compare.tune.");
    return found_;
  }

 private:
  static bool has(const std::vector<std::string>& keys, const std::string& key) {
    return std::ranges::find(keys, key) != keys.end();
  }

  void refuse(const std::string& key, const std::string& why) {
    refuse(key, fmt::format("{} = {}", key, joined(split_outside_brackets(settings_.text(key), '\n'))), why);
  }

  void refuse(const std::string& key, const std::string& setting, const std::string& why) {
    found_.push_back({{key}, fmt::format("{} would change nothing: {}", setting, why), true});
  }

  void check(const Key& key) {
    if (const std::string others = set_by_all_rows(key.name); !others.empty()) {
      const std::string meant =
          key.name == "positional.encoding"
              ? fmt::format("did you mean --positional.encodings='{}'?", settings_.text(key.name))
              : "leave out one of them";
      return refuse(key.name, fmt::format("every row sets it itself ({}); {}", others, meant));
    }
    if (is_of_parts(key)) {
      if (!is_read(key.name, false)) refuse(key.name, why_unread(key));
    } else if (key.section() == "finetune" && !fine_tunes()) {
      refuse(key.name, rows_.size() == 1 && rows_.front().label.empty()
                           ? "it needs a checkpoint: --model FILE"
                           : "no row has finetune.steps above 0");
    } else if (key.name == "experiment.tune_seed" && settings_.tuned().empty()) {
      refuse(key.name, "no compare.tune.… is set");
    }
  }

  void check_factor(const Factor& factor, const std::string& prefix) {
    const Key& key = *find_key(factor.key);
    if (factor.origin != command_line_origin || !is_of_parts(key) || is_read(key.name, true)) return;
    refuse(key.name, fmt::format("{}{} = {}", prefix, key.name, joined(factor.values)), why_unread(key));
  }

  // Whether only some parts or spellings read the key.
  static bool is_of_parts(const Key& key) {
    return key.is_option() || key.name == "positional.positions" || key.name == "positional.test_positions";
  }

  // Whether some row reads it. A value given for all rows acts on those that do not set it themselves.
  bool is_read(const std::string& key, bool by_own_value) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (readings_[i].reads(key) && (by_own_value || !has(rows_[i].own, key))) return true;
    }
    return false;
  }

  bool fine_tunes() const {
    return std::ranges::any_of(rows_,
                               [](const Row& row) { return row.settings.integer("finetune.steps") > 0; });
  }

  std::string why_unread(const Key& key) const {
    std::set<std::string> written;
    for (const Reading& reading : readings_) {
      const auto found = reading.written().find(key.name);
      if (found != reading.written().end()) written.insert(found->second.begin(), found->second.end());
    }
    if (!written.empty()) {
      return fmt::format("it is set in {}; leave out one of them",
                         joined({written.begin(), written.end()}, " and in "));
    }
    return fmt::format("it is an option of {}, and none of them is in use", joined(key.parts));
  }

  // The source of the value in every row, if that is not the key itself; else empty.
  std::string set_by_all_rows(const std::string& key) const {
    const auto is_key = [&](const Factor& factor) { return factor.key == key; };
    const auto tuned = std::ranges::find_if(settings_.tuned(), is_key);
    if (tuned != settings_.tuned().end()) {
      return fmt::format("compare.tune.{} = {}", key, joined(tuned->values));
    }
    if (!std::ranges::all_of(rows_, [&](const Row& row) { return has(row.own, key); })) return "";
    const auto factor = std::ranges::find_if(settings_.factors(), is_key);
    if (factor != settings_.factors().end())
      return fmt::format("compare.{} = {}", key, joined(factor->values));
    if (settings_.written_rows().empty()) {  // only the default encodings are compared
      return fmt::format("positional.encodings = {}", settings_.text("positional.encodings"));
    }
    std::vector<std::string> sections;
    for (const Row& row : rows_) sections.push_back(fmt::format("[row {}]", row.label));
    return joined(sections);
  }

  const Settings& settings_;
  const std::vector<Row>& rows_;
  std::vector<Reading> readings_;
  std::vector<Contradiction> found_;
};

}  // namespace

bool is_option_read(const Settings& settings, const std::string& key) { return Reading(settings).reads(key); }

std::vector<Contradiction> unused_settings(const Settings& settings, const std::vector<Row>& rows) {
  return Unused(settings, rows).find();
}

}  // namespace ordinal::experiments

#include "experiments/settings/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "framework/core/errors.h"
#include "framework/core/number.h"
#include "framework/core/part.h"
#include "framework/core/printable.h"

namespace ordinal::experiments {
namespace {

void replace_or_add(std::vector<Factor>& factors, Factor factor) {
  const auto same = std::ranges::find(factors, factor.key, &Factor::key);
  if (same == factors.end()) {
    factors.push_back(std::move(factor));
  } else {
    *same = std::move(factor);
  }
}

// Values of a factor as written in a config: separated by commas, or by semicolons if a value contains
// commas.
std::string factor_text(const Factor& factor) {
  const bool has_commas = std::ranges::any_of(
      factor.values, [](const std::string& value) { return split_outside_brackets(value, ',').size() > 1; });
  return has_commas ? joined(factor.values, "; ") + (factor.values.size() == 1 ? ";" : "")
                    : joined(factor.values);
}

// The lines of one section of a config.
class ConfigText {
 public:
  void begin(const std::string& section) {
    if (section != section_) text_ += fmt::format("{}[{}]\n", section_.empty() ? "" : "\n", section);
    section_ = section;
  }
  void add(const std::string& section, const std::string& name, const std::string& value) {
    begin(section);
    text_ += fmt::format("{} = {}\n", name, value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string section_;
  std::string text_;
};

// "5," is a list of the single seed 5.
bool is_one_seed(const std::string& seeds) {
  return seeds.ends_with(',') && std::ranges::count(seeds, ',') == 1;
}

// Files are written one per line.
std::vector<std::string> lines_of(const std::string& key, const std::string& value) {
  if (find_key(key)->option.type != OptionType::files) return {value};
  return split_outside_brackets(value, '\n');
}

}  // namespace

const Key* key_behind(const std::string& name) {
  for (const std::string& prefix : {tune_prefix, compare_prefix}) {
    if (name.starts_with(prefix)) return find_key(name.substr(prefix.size()));
  }
  return find_key(name);
}

std::vector<std::string> factor_values(const std::string& text) {
  std::vector<std::string> values =
      split_outside_brackets(text, text.find(';') == std::string::npos ? ',' : ';');
  std::erase(values, "");
  return values;
}

const std::map<std::string, Settings::Value>& Settings::defaults() {
  static const std::map<std::string, Value> values = [] {
    std::map<std::string, Value> of_keys;
    for (const Key& key : all_keys()) of_keys[key.name] = {key.option.value, "default"};
    return of_keys;
  }();
  return values;
}

Settings Settings::from_map(const std::map<std::string, std::string>& values, const std::string& origin) {
  Settings settings;
  for (const auto& [name, value] : values) {
    const Key* key = find_key(name);
    if (key == nullptr) continue;
    const std::string problem = complaint(*key, value);
    if (!problem.empty()) throw ConfigError(fmt::format("{}: {}: {}", origin, name, printable(problem)));
    settings.set(name, value, origin);
  }
  return settings;
}

const Settings::Value& Settings::at(const std::string& key) const {
  if (const auto given = given_.find(key); given != given_.end()) return given->second;
  const auto found = defaults().find(key);
  if (found == defaults().end()) throw std::out_of_range(fmt::format("Settings: no key {}", key));
  return found->second;
}

Index Settings::integer(const std::string& key) const { return parse_integer(at(key).text).value(); }
double Settings::real(const std::string& key) const { return parse_real(at(key).text).value(); }
bool Settings::flag(const std::string& key) const { return at(key).text == "true"; }
const std::string& Settings::text(const std::string& key) const { return at(key).text; }
const std::string& Settings::origin(const std::string& key) const { return at(key).origin; }

std::vector<std::string> Settings::list(const std::string& key) const {
  const std::string& text = at(key).text;
  const char separator = find_key(key)->option.type == OptionType::files ? '\n' : ',';
  std::vector<std::string> items = split_outside_brackets(text, separator);
  std::erase(items, "");
  return items;
}

void Settings::set(const std::string& key, const std::string& value, const std::string& origin) {
  at(key);
  given_[key] = {value, origin};
}

void Settings::reset(const std::string& key) {
  at(key);
  given_.erase(key);
}

void Settings::compare(Factor factor) { replace_or_add(factors_, std::move(factor)); }
void Settings::tune(Factor factor) { replace_or_add(tuned_, std::move(factor)); }

void Settings::change_row(const std::string& row, WrittenRow::Change change) {
  auto found = std::ranges::find(written_rows_, row, &WrittenRow::name);
  if (found == written_rows_.end()) found = written_rows_.insert(written_rows_.end(), {row, {}});
  const auto same = std::ranges::find(found->changes, change.key, &WrittenRow::Change::key);
  if (same != found->changes.end()) {
    *same = std::move(change);
  } else if (!change.key.empty()) {
    found->changes.push_back(std::move(change));
  }
}

void Settings::forget_comparison() {
  factors_.clear();
  tuned_.clear();
  written_rows_.clear();
  sections_.clear();
}

bool Settings::rows_set(const std::string& key) const {
  const auto is_key = [&](const auto& other) { return other.key == key; };
  return std::ranges::any_of(factors_, is_key) ||
         std::ranges::any_of(written_rows_,
                             [&](const WrittenRow& row) { return std::ranges::any_of(row.changes, is_key); });
}

std::vector<WrittenSection> Settings::sections(const std::string& kind) const {
  std::vector<WrittenSection> of_kind;
  std::ranges::copy_if(sections_, std::back_inserter(of_kind),
                       [&](const WrittenSection& section) { return section.kind == kind; });
  return of_kind;
}

void Settings::add_to_section(const std::string& kind, const std::string& id, const std::string& key,
                              const std::string& value, const std::string& origin) {
  auto found = std::ranges::find_if(
      sections_, [&](const WrittenSection& section) { return section.kind == kind && section.id == id; });
  if (found == sections_.end()) found = sections_.insert(sections_.end(), {kind, id, {}, origin});
  if (!key.empty()) found->values[key] = value;
}

// A short key has passed its value on, except for the encodings that are compared by default.
bool Settings::is_in_force(const Key& key) const {
  const bool default_encodings =
      key.name == "positional.encodings" && factors_.empty() && written_rows_.empty();
  return key.short_for.empty() || default_encodings;
}

// An option that is not given is left out: its default is the part's. So is a warm-up that each row cuts to its steps.
std::string Settings::resolved_config() const {
  ConfigText config;
  const bool of_encodings = written_rows_.empty() && factors_.size() == 1 &&
                            factors_.front().key == "positional.encoding";  // which have a short form
  for (const Key& key : all_keys()) {
    if (key.is_option() && !is_given(key.name)) continue;
    if (key.name == "positional.encodings" && of_encodings) {
      config.add("positional", "encodings", joined(factors_.front().values));
      continue;
    }
    const bool fits_rows = key.name == "train.warmup" && !is_given(key.name) && rows_set("train.steps");
    if (!is_in_force(key) || fits_rows) continue;
    if (key.name == "experiment.seeds" && is_one_seed(text(key.name))) {
      config.add("experiment", "seed", list(key.name).front());
      continue;
    }
    const bool repeats = key.option.type == OptionType::files;
    for (const std::string& line : repeats ? list(key.name) : std::vector<std::string>{text(key.name)}) {
      // Only generate.prompt can contain what a config cannot; see command_line.cpp.
      if (line.find_first_of("#\n\r") != std::string::npos) continue;
      config.add(key.section(), name_in_section(key.name), line);
    }
  }
  for (const Factor& factor : factors_) {
    if (!of_encodings) config.add("compare", factor.key, factor_text(factor));
  }
  for (const Factor& factor : tuned_) config.add("compare", "tune." + factor.key, factor_text(factor));
  for (const WrittenRow& row : written_rows_) {
    const std::string section = "row " + row.name;
    config.begin(section);  // a row without changes is also a row
    for (const WrittenRow::Change& change : row.changes) {
      for (const std::string& line : lines_of(change.key, change.value))
        config.add(section, change.key, line);
    }
  }
  for (const WrittenSection& section : sections_) {
    for (const auto& [key, value] : section.values) config.add(section.kind + " " + section.id, key, value);
  }
  return config.text();
}

std::string Settings::print_config() const {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Key& key : all_keys()) {
    if ((key.is_option() && !is_given(key.name)) || !is_in_force(key)) continue;
    lines.emplace_back(fmt::format("{} = {}", key.name, text(key.name)), origin(key.name));
  }
  for (const Factor& factor : factors_) {
    lines.emplace_back(fmt::format("compare.{} = {}", factor.key, factor_text(factor)), factor.origin);
  }
  for (const Factor& factor : tuned_) {
    lines.emplace_back(fmt::format("compare.tune.{} = {}", factor.key, factor_text(factor)), factor.origin);
  }
  for (const WrittenRow& row : written_rows_) {
    for (const WrittenRow::Change& change : row.changes) {
      lines.emplace_back(fmt::format("[row {}] {} = {}", row.name, change.key, change.value), change.origin);
    }
  }
  std::size_t width = 0;
  for (const auto& [setting, from] : lines) width = std::max(width, setting.size());
  std::string table;
  for (const auto& [setting, from] : lines) {
    table += fmt::format("{:<{}}  ({})\n", setting, std::min<std::size_t>(width, 60), from);
  }
  return table;
}

namespace {

constexpr std::int64_t most_seeds = 1000;

// The m and n of experiment.seeds = m..n.
std::optional<std::pair<Index, Index>> range_of_seeds(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const auto first = parse_integer(text.substr(0, dots));
  const auto last = parse_integer(text.substr(dots + 2));
  if (!first || !last || *first < 1 || *first >= *last || *last > most_seeds) return std::nullopt;
  return std::pair<Index, Index>(*first, *last);
}

std::vector<std::uint64_t> counted_seeds(std::int64_t count) {
  std::vector<std::uint64_t> seeds(static_cast<std::size_t>(count));
  std::iota(seeds.begin(), seeds.end(), 1U);
  return seeds;
}

}  // namespace

std::vector<std::uint64_t> seeds(const Settings& settings) {
  const std::string& text = settings.text("experiment.seeds");
  if (const auto range = range_of_seeds(text)) return counted_seeds(range->second);
  const std::vector<std::string> items = settings.list("experiment.seeds");
  const bool counts = items.size() == 1 && text.find(',') == std::string::npos;
  std::vector<std::uint64_t> result;
  for (const std::string& item : items) {
    const auto number = parse_integer(item);
    if (!number || *number < (counts ? 1 : 0) || (counts && *number > most_seeds)) {
      throw ConfigError(fmt::format(
          "experiment.seeds: got '{}', expected a number of seeds from 1 to {}, a list of seeds such as "
          "1,2,7, "
          "or a range such as 5..30 for as many as it takes (for a single seed: experiment.seed = 7)",
          text, most_seeds));
    }
    if (counts) return counted_seeds(*number);
    result.push_back(static_cast<std::uint64_t>(*number));
  }
  std::vector<std::uint64_t> sorted = result;
  std::ranges::sort(sorted);
  if (result.empty() || std::ranges::adjacent_find(sorted) != sorted.end()) {
    throw ConfigError(
        fmt::format("experiment.seeds: got '{}', expected at least one seed without duplicates", text));
  }
  return result;
}

std::vector<Index> looks(const Settings& settings) {
  const auto range = range_of_seeds(settings.text("experiment.seeds"));
  if (!range) return {std::ssize(seeds(settings))};
  std::vector<Index> looks;
  for (Index k = 1; k <= 4 && k * range->first < range->second; ++k) looks.push_back(k * range->first);
  looks.push_back(range->second);
  return looks;
}

Index parse_length(const std::string& text, Index train_length) {
  if (!text.ends_with('x')) return parse_integer(text).value_or(0);
  const auto factor = parse_real(text.substr(0, text.size() - 1));
  return factor ? static_cast<Index>(std::llround(*factor * static_cast<double>(train_length))) : 0;
}

Index length_of(const Settings& settings, const std::string& key, const std::string& text) {
  const Index length = parse_length(text, settings.integer("task.train_length"));
  if (length >= 1 && length <= 100'000'000) return length;
  throw ConfigError(fmt::format(
      "{}: got '{}', expected a length such as 256, or 4x for a multiple of task.train_length", key, text));
}

std::vector<Index> evaluation_lengths(const Settings& settings) {
  std::vector<Index> lengths;
  for (const std::string& item : settings.list("evaluate.lengths")) {
    lengths.push_back(length_of(settings, "evaluate.lengths", item));
  }
  if (lengths.empty()) throw ConfigError("evaluate.lengths: got no length, expected at least one");
  std::ranges::sort(lengths);
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

}  // namespace ordinal::experiments

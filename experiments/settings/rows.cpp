#include "experiments/settings/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "framework/core/errors.h"
#include "framework/core/random.h"

namespace ordinal::experiments {
namespace {

Row written(const Settings& base, const WrittenSection& section) {
  Row row{section.id, "", {}, base};
  for (const auto& [key, value, origin] : section.settings) row.settings.set(key, value, origin);
  return row;
}

Row combined(const Settings& base, const Combination& values, const std::vector<Factor>& factors) {
  Row row{"", "", values, base};
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < values.size(); ++i) {
    row.settings.set(values[i].first, values[i].second, factors[i].origin);
    labels.push_back(label_of(values[i].first, values[i].second));
  }
  row.label = joined(labels);
  return row;
}

// Of a file or folder, in bytes: file systems take 255, and pictures append up to 35 ("-attention-1-at-64.svg").
constexpr std::size_t longest_name = 220;

// As much of the name as fits, with a hash of the label.
std::string marked(const std::string& name, const std::string& label) {
  const std::string mark = fmt::format(".{:08x}", hash_name(label));
  return name.substr(0, longest_name - mark.size()) + mark;
}

// Values however they are written: rope( base=500 ) is rope(base=500), and 3e-3 is 0.003.
Combination in_one_form(Combination values) {
  for (auto& [name, value] : values) {
    const Key& key = *find_key(name);
    value = !key.names_parts() ? canonical(key.option.type, value)
                               : to_list(named_parts(part_kind(key.option.kind), value)).text();
  }
  return values;
}

}  // namespace

std::vector<Combination> combinations(const std::vector<Factor>& factors) {
  std::vector<Combination> all = {{}};
  for (const Factor& factor : factors) {
    std::vector<Combination> longer;
    for (const Combination& values : all) {
      for (const std::string& value : factor.values) {
        longer.push_back(values);
        longer.back().emplace_back(factor.key, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::string label_of(const std::string& key, const std::string& value) {
  return key == encoding_key ? value : fmt::format("{} = {}", name_in_section(key), value);
}

std::string folder_of(const std::string& label) {
  std::string folder;
  for (std::size_t i = 0; i < label.size(); ++i) {
    const char c = label[i];
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       static_cast<signed char>(c) < 0 ||  // a part of a letter of another alphabet, in UTF-8
                       std::string(".+-_@:=").find(c) != std::string::npos;
    if (plain) folder += c;
    if (c == '(' || c == ',' || c == '/' || c == ';') folder += '_';
    const bool beside_a_sign = i == 0 || label[i - 1] == ',' || label[i - 1] == '=' || label[i - 1] == ';' ||
                               (i + 1 < label.size() && label[i + 1] == '=');
    if (c == ' ' && !beside_a_sign) folder += '-';
  }
  if (folder.empty() || folder.front() == '.') folder.insert(0, "row");
  return folder.size() > longest_name ? marked(folder, label) : folder;
}

bool is_comparable(const Key& key) {
  static const std::vector<std::string> sections = {"task", "model", "train", "finetune"};
  static const std::vector<std::string> not_compared = {"train.seed", "train.log_every",
                                                        "train.checkpoint_every"};
  return std::ranges::find(sections, key.section()) != sections.end() &&
         std::ranges::find(not_compared, key.name) == not_compared.end();
}

std::vector<Row> rows_of(const Settings& settings) {
  Settings base = settings;
  base.forget_comparison();
  const std::vector<Factor> factors = settings.factors();
  std::vector<Row> rows;
  const std::string& encoding = base.text(encoding_key);
  if (!settings.has_rows()) rows.push_back({encoding, "", {{encoding_key, encoding}}, base});
  for (const Combination& values : factors.empty() ? std::vector<Combination>() : combinations(factors))
    rows.push_back(combined(base, values, factors));
  for (const WrittenSection& row : settings.sections("row")) rows.push_back(written(base, row));
  std::set<Combination> different;
  for (Row& row : rows) {
    const bool is_repeated = !row.factors.empty() && !different.insert(in_one_form(row.factors)).second;
    if (is_repeated || std::ranges::count(rows, row.label, &Row::label) > 1)
      throw ConfigError(fmt::format(
          "[row {}]: it is listed more than once, expected values in [compare] and names of rows that differ",
          row.label));
    row.folder = folder_of(row.label);
    for (const Row& other : std::span(rows.data(), &row))
      if (other.folder == row.folder)
        throw ConfigError(fmt::format("[row {}]: its folder, {}, is that of [row {}]; rename one of them",
                                      row.label, row.folder, other.label));
  }
  return rows;
}

}  // namespace ordinal::experiments

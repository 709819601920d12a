// Finds settings that would have no effect. On the command line they are refused; files may contain them, because they
// are shared by several programs and runs.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/settings/checks.h"
#include "experiments/settings/choices.h"

namespace ordinal::experiments {
namespace {

class Unused {
 public:
  Unused(const Settings& settings, const std::vector<Row>& rows) : settings_(settings), rows_(rows) {
    for (const Row& row : rows) reads_.push_back(reads_of(row.settings));
  }

  std::vector<Contradiction> find() {
    for (const Key& key : all_keys()) {
      if (settings_.origin(key.name) != command_line_origin) continue;
      const std::string& value = settings_.text(key.name);
      if (const std::string others = set_by_all_rows(key.name); !others.empty()) {
        const std::string meant = key.name == encoding_key
                                      ? fmt::format("did you mean --positional.encodings='{}'?", value)
                                      : "leave out one of them";
        refuse(key, "", value, fmt::format("every row sets it itself ({}); {}", others, meant));
      } else if (!is_read(key, false)) {
        refuse(key, "", joined(split_outside_brackets(value, '\n')), why_unread(key));
      }
    }
    check(settings_.factors(), compare_prefix);
    check(settings_.tuned(), tune_prefix);
    return found_;
  }

 private:
  static bool has(const std::vector<std::string>& keys, const std::string& key) {
    return std::ranges::find(keys, key) != keys.end();
  }

  void refuse(const Key& key, const std::string& prefix, const std::string& value, const std::string& why) {
    found_.push_back(
        {{key.name}, fmt::format("{}{} = {} would change nothing: {}", prefix, key.name, value, why), true});
  }

  void check(const std::vector<Factor>& factors, const std::string& prefix) {
    for (const Factor& factor : factors) {
      const Key& key = *find_key(factor.key);
      if (factor.origin == command_line_origin && !is_read(key, true))
        refuse(key, prefix, joined(factor.values), why_unread(key));
    }
  }

  bool fine_tunes() const {
    return std::ranges::any_of(rows_,
                               [](const Row& row) { return row.settings.integer("finetune.steps") > 0; });
  }

  // Whether some row reads it. A value given for all rows acts on those that do not set it themselves.
  bool is_read(const Key& key, bool by_own_value) const {
    if (key.name == "experiment.tune_seed") return !settings_.tuned().empty();
    if (key.section() == "finetune") return fine_tunes();
    const bool always = !key.is_option() && key.name != training_key && key.name != test_key;
    for (std::size_t i = 0; i < rows_.size() && !always; ++i) {
      if (reads_[i].keys.contains(key.name) && (by_own_value || !has(rows_[i].own, key.name))) return true;
    }
    return always;
  }

  std::string why_unread(const Key& key) const {
    if (key.name == "experiment.tune_seed") return "no compare.tune.… is set";
    if (key.section() == "finetune") {
      return rows_.size() == 1 && rows_.front().label.empty() ? "it needs a checkpoint: --model FILE"
                                                              : "no row has finetune.steps above 0";
    }
    std::set<std::string> inlined;
    for (const Reads& reads : reads_) {
      if (reads.inlined.contains(key.name)) inlined.merge(std::set(reads.inlined.at(key.name)));
    }
    if (inlined.empty())
      return fmt::format("it is an option of {}, and none of them is in use", joined(key.parts));
    return fmt::format("it is set in {}; leave out one of them",
                       joined({inlined.begin(), inlined.end()}, " and in "));
  }

  // The source of the value in every row, if that is not the key itself; else empty.
  std::string set_by_all_rows(const std::string& key) const {
    for (const Factor& factor : settings_.tuned()) {
      if (factor.key == key) return fmt::format("{}{} = {}", tune_prefix, key, joined(factor.values));
    }
    if (!std::ranges::all_of(rows_, [&](const Row& row) { return has(row.own, key); })) return "";
    for (const Factor& factor : settings_.factors()) {
      if (factor.key == key) return fmt::format("{}{} = {}", compare_prefix, key, joined(factor.values));
    }
    if (!settings_.has_rows()) {  // only the default encodings are compared
      return fmt::format("positional.encodings = {}", settings_.text("positional.encodings"));
    }
    std::vector<std::string> sections;
    for (const Row& row : rows_) sections.push_back(fmt::format("[row {}]", row.label));
    return joined(sections);
  }

  const Settings& settings_;
  const std::vector<Row>& rows_;
  std::vector<Reads> reads_;
  std::vector<Contradiction> found_;
};

}  // namespace

std::vector<Contradiction> unused_settings(const Settings& settings, const std::vector<Row>& rows) {
  return Unused(settings, rows).find();
}

}  // namespace ordinal::experiments

#include "experiments/settings/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "experiments/conditions/condition.h"
#include "experiments/tasks/lengths.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "framework/core/initial_weights.h"
#include "framework/core/text.h"
#include "framework/layers/layer_registry.h"
#include "framework/optimize/optimizer.h"
#include "framework/optimize/schedule.h"
#include "framework/positional/position_scheme.h"

namespace ordinal::experiments {
namespace {

const char* const notation = R"(
There are H heads of d_h = d_model/H dimensions; query i is at position p_i, key j at p_j. Layers are the
branches `attention` of the model: with one in each block they are its blocks. Heads and layers count from 0
where they are indices. L is model.train_length (0: the tokens of the longest training sequence). Parameters with
model.init start as it says, by default as N(0, 1/d_model) (--list fan_in).)";

const char* const branch_notation = R"(
x is what the branch is given of a token, y what it returns. There are H heads of d_h = d_model/H dimensions.
N = 0, 1, … is the block, n the number of branches in the whole model; a second branch of a kind in a block has
_2 after its name. With model.bias = false there are no biases. Parameters with model.init start as it says, by
default as N(0, 1/fan_in), where fan_in is the number of their inputs (--list fan_in). Those with "last" may differ
(--list gpt2).)";

// The parts of a registry. Files are named by keys, since brackets cannot hold any path. `note` explains the notation of their
// definitions.
template <typename Entry>
std::vector<PartInfo> infos(const Registry<Entry>& registry, const char* note = "") {
  std::vector<PartInfo> parts;
  for (const Entry& entry : registry.entries()) {
    PartInfo& part = parts.emplace_back();
    part.name = entry.name;
    if constexpr (requires { entry.summary; }) part.summary = entry.summary;
    if constexpr (requires { entry.options(); }) {
      part.options = entry.options();
    } else {
      part.options = entry.options;
    }
    if constexpr (requires { entry.definition; }) {
      if (!entry.definition.empty()) part.definition = entry.definition + note;
    }
    if constexpr (requires { entry.resolve; }) part.resolve = entry.resolve;
    std::erase_if(part.options, [](const OptionSpec& option) { return option.type == OptionType::files; });
  }
  return parts;
}

const char* positions_text(PositionUse use) {
  if (use == PositionUse::nothing) return "contiguous only: it does not read them";
  if (use == PositionUse::rotary) return "any, and ntk, dynamic_ntk, yarn and longrope";
  return "any but ntk, dynamic_ntk, yarn and longrope";
}

std::string shift_text(const EncodingEntry& entry) {
  if (!entry.shift_invariant) return "a common offset changes it";
  const bool rounds = std::ranges::count(entry.options, "precision", &OptionSpec::name) > 0;
  return std::string("a common offset changes nothing") +
         (rounds ? ", but for the rounding of tables in half or bfloat16" : "");
}

std::vector<PartInfo> encoding_infos() {
  std::vector<PartInfo> parts = infos(encodings(), notation);
  for (PartInfo& part : parts) {
    const EncodingEntry& entry = encodings().find(part.name);
    part.summary =
        joined({"acts on     " + places_text(entry.acts_on), "formula     " + entry.formula,
                std::string("positions   ") + positions_text(entry.positions),
                "contracts   " + shift_text(entry) + (entry.causal_only ? "; causal models only" : ""),
                "beyond      " + entry.beyond, "source      " + entry.source},
               "\n");
  }
  return parts;
}

std::string indented(const std::string& lines) {
  std::string text = "  ";
  for (const char c : lines) text += c == '\n' ? "\n  " : std::string(1, c);
  return text + "\n";
}

std::string described(const PartInfo& part) {
  std::string text = part.name + "\n" + indented(part.summary);
  for (const OptionSpec& option : part.options) {
    const std::string choices = option.choices.empty() ? "" : ": " + joined(option.choices);
    text += fmt::format("  option      {} = {}: {}{}\n", option.name, option.value, option.help, choices);
  }
  return text;
}

}  // namespace

std::string canonical(OptionType type, const std::string& value) {
  const auto number = parse_real(value);
  return (type == OptionType::real || type == OptionType::integer) && number ? number_text(*number) : value;
}

std::vector<OptionSpec> PartInfo::in_effect(const Part& part, const ModelShape& shape) const {
  if (resolve != nullptr) return resolve(part, shape);
  std::vector<OptionSpec> values = options;
  for (OptionSpec& option : values) {
    const auto given = part.options.find(option.name);
    if (given != part.options.end()) option.value = canonical(option.type, given->second);
  }
  return values;
}

const PartInfo* PartKind::find(const std::string& name) const {
  const auto found = std::ranges::find(parts, name, &PartInfo::name);
  return found == parts.end() ? nullptr : &*found;
}

std::vector<std::string> PartKind::names() const {
  std::vector<std::string> names;
  for (const PartInfo& part : parts) names.push_back(part.name);
  return names;
}

const std::vector<PartKind>& part_kinds() {
  static const std::vector<PartKind> kinds = {
      {"tasks", "task.name", "task.name = {}", '\0', infos(tasks())},
      {"lengths", "task.lengths, finetune.lengths", "task.lengths = {}", '\0', infos(length_schemes())},
      {"branches", "model.block", "model.block = {}", ',', infos(layers(LayerKind::branch), branch_notation)},
      {"activations", "the option activation of a branch", "", '\0',
       infos(layers(LayerKind::activation), branch_notation)},
      {"norms", "model.norm", "model.norm = {}", '\0', infos(layers(LayerKind::norm), branch_notation)},
      {"initial weights", "model.init", "model.init = {}", '\0', infos(initial_weights())},
      {"positional encodings", "model.encoding; several at once: a+b, where a acts before b",
       "model.encoding = {}", '+', encoding_infos()},
      {"positions", "model.encoding = a@training:test", "model.encoding = rope@{}", '\0',
       infos(position_schemes(), notation)},
      {"optimizers", "train.optimizer", "train.optimizer = {}", '\0', infos(optimizers())},
      {"schedules", "train.schedule", "train.schedule = {}", '\0', infos(schedules())},
      {"conditions", "evaluate.conditions; at some lengths alone: a@4x+8x", "evaluate.conditions = {}", ',',
       infos(conditions())}};
  return kinds;
}

const PartKind& part_kind(const std::string& title) {
  const auto found = std::ranges::find(part_kinds(), title, &PartKind::title);
  if (found == part_kinds().end()) throw std::logic_error(fmt::format("no kind of part is called {}", title));
  return *found;
}

PlacedEncoding placed_encoding(const PartList& value) {
  std::vector<PartList::Item> encoding;
  std::vector<PartList> schemes;
  std::string separators;
  for (const PartList::Item& item : value.items()) {
    if (schemes.empty() && (item.before == '\0' || item.before == '+')) {
      encoding.push_back(item);
    } else {
      schemes.emplace_back(std::vector<PartList::Item>{{item.part}});
      separators += item.before;
    }
  }
  if (!std::string("@:").starts_with(separators))
    throw ConfigError(fmt::format("got '{}', expected encoding@training:test", value.text()));
  PlacedEncoding placed{PartList(encoding)};
  if (!schemes.empty()) placed.training = schemes.front();
  if (schemes.size() > 1) placed.test = schemes.back();
  return placed;
}

std::string PlacedEncoding::text() const {
  return encoding.text() + (training ? "@" + training->text() : "") + (test ? ":" + test->text() : "");
}

std::vector<LimitedCondition> limited_conditions(const PartList& value) {
  std::vector<LimitedCondition> limited;
  for (const auto& [part, before] : value.items()) {
    const bool is_first_length = before == '@' && limited.back().lengths.empty();
    const bool is_length = before == '+' && !limited.back().lengths.empty();
    if (is_first_length || is_length) {
      limited.back().lengths.push_back(to_string(part));
    } else if (before == '\0' || before == ',') {
      limited.push_back({part});
    } else {
      throw ConfigError(
          fmt::format("got '{}', expected a condition, or condition@8x or condition@4x+8x", value.text()));
    }
  }
  return limited;
}

std::vector<NamedPart> named_parts(const PartKind& kind, const PartList& value) {
  std::vector<NamedPart> parts;
  if (kind.title == "conditions") {
    for (const LimitedCondition& limited : limited_conditions(value))
      parts.push_back({limited.condition, &kind, parts.empty() ? '\0' : ','});
    return parts;
  }
  if (kind.separator == '\0') return {{value.only(), &kind}};
  if (kind.separator == '+') placed_encoding(value);
  for (const auto& [part, before] : value.items()) {
    const bool is_position = kind.separator == '+' && (before == '@' || before == ':');
    if (before != '\0' && before != kind.separator && !is_position)
      throw ConfigError(fmt::format("got '{}', expected names joined by '{}'", value.text(), kind.separator));
    parts.push_back({part, is_position ? &part_kind("positions") : &kind, before});
  }
  return parts;
}

PartList to_list(const std::vector<NamedPart>& parts) {
  std::vector<PartList::Item> items;
  for (const NamedPart& named : parts) items.push_back({named.part, items.empty() ? '\0' : named.before});
  return PartList(items);
}

std::string names_only(std::vector<NamedPart> parts) {
  for (NamedPart& named : parts) named.part.options.clear();
  return to_list(parts).text();
}

std::string list_text(const std::string& name) {
  std::string text;
  std::vector<std::string> names;
  for (const PartKind& kind : part_kinds()) {
    if (name.empty()) text += fmt::format("{}{} ({})\n\n", text.empty() ? "" : "\n", kind.title, kind.keys);
    names.push_back(kind.title);
    for (const PartInfo& part : kind.parts) {
      names.push_back(part.name);
      if (name.empty() || name == part.name || name == kind.title) text += described(part);
      if (name == part.name && !part.definition.empty()) text += "\n" + indented(part.definition);
    }
  }
  if (text.empty())
    throw ConfigError(fmt::format("--list: there is nothing called '{}'{}, expected a name that --list shows",
                                  name, did_you_mean(name, names)));
  if (name.empty())
    text +=
        "\nOptions stand in the brackets of their part: part(option=value, option=value).\n--list NAME gives "
        "the definition of a task, or the formulas of an encoding, "
        "a branch or a position\nscheme with the names, shapes and initial values of its parameters.\n"
        "(*) A longer sequence changes earlier outputs, unless the option scale fixes s.\n";
  return text;
}

}  // namespace ordinal::experiments

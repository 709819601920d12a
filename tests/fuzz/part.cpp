// Values of keys that name parts, such as rope(base=500) or mlm(of=text): the key in the first line, the value after it.
// What is accepted is built as part of a small model.
#include "framework/core/part.h"
#include "experiments/settings/plan.h"
#include "models/transformer.h"
#include "tests/fuzz/targets.h"

namespace ordinal::fuzz {
namespace {

using experiments::find_key;
using experiments::Key;
using experiments::Plan;
using experiments::Settings;

// The text of a part must mean the same part.
void check_text(const std::string& text) {
  Part part;
  if (!accepts([&] { part = parse_part(text); })) return;
  const Part again = parse_part(to_string(part));
  if (again.name != part.name || again.options != part.options) finding("a part whose text means another");
}

void build(const Key& key, const std::string& value) {
  Settings settings;
  settings.set("model.d_model", "16", "fuzz");
  settings.set("model.layers", "1", "fuzz");
  settings.set("task.train_length", "16", "fuzz");
  settings.set(key.name, value, "fuzz");
  settings.set("model.vocab_size", "9", "fuzz");
  ModelConfig config = Plan(settings).model;
  config.longest = 1;  // no tables
  const Transformer<float> model(config);
}

}  // namespace

void part(const std::string& input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string value = input.substr(std::min(end + 1, input.size()));
  check_text(value);
  const Key* key = find_key(input.substr(0, end));
  if (key == nullptr || key->option.kind.empty() || value.find_first_of("\n\r") != std::string::npos) return;
  accepts([&] {
    if (complaint(*key, value).empty()) build(*key, value);
  });
}

}  // namespace ordinal::fuzz

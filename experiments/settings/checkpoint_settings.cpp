#include "experiments/settings/checkpoint_settings.h"

#include <fmt/format.h>

#include <map>

#include "experiments/settings/parts.h"
#include "experiments/settings/plan.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"
#include "framework/positional/positional_encoding.h"
#include "models/model_config.h"

namespace ordinal::experiments {
namespace {

bool is_same(const std::string& a, const std::string& b) {
  const auto x = parse_real(a);
  const auto y = parse_real(b);
  return a == b || (x && y && *x == *y);
}

// An automatic value is not a request: the checkpoint holds the value that it resolved to, and a new run
// would resolve it differently.
bool is_wish(const OptionSpec& option, const std::string& value) {
  return option.automatic.empty() || value != option.automatic;
}

// Overrides the settings of a checkpoint with given ones. What both say about a part is merged into its text, which
// settles the keys of its options. A given key that no part reads stays, and is refused later.
class Overlay {
 public:
  Overlay(const Settings& given, const Settings& trained, std::string path)
      : given_(split_entry(given)), trained_(trained), path_(std::move(path)), result_(given_) {}

  Settings run(bool same_task) {
    const bool exchanges = !exchanged_encoding(given_).empty();
    for (const Key& key : all_keys()) {
      if (!key.is_of_model() || key.is_option() || key.name == "positional.encodings") continue;
      if (key.name == encoding_key && exchanges && !given_.is_given(key.name)) continue;
      const bool fixed = key.option.binds == Binds::weights || (same_task && key.name == "task.name");
      if (!key.kind.empty()) {
        lay_parts(key, fixed);
      } else if (!is_given(key) || (same_task && key.name == "task.train_length")) {
        result_.set(key.name, trained_.text(key.name), path_);
      } else if (fixed) {
        require_same(key.name, trained_.is_given(key.name), trained_.text(key.name), given_.origin(key.name),
                     given_.text(key.name));
      }
    }
    if (exchanges) exchange();
    result_.reset("finetune.encoding");
    for (const Key& key : all_keys()) {
      if (key.is_of_model() && key.is_option()) settle_option(key);
    }
    if (!differences_.empty()) throw CheckpointError(joined(differences_, "\n"));
    return result_;
  }

 private:
  bool is_given(const Key& key) const {
    return given_.is_given(key.name) && is_wish(key.option, given_.text(key.name));
  }

  // The encoding of finetune.encoding replaces the trained one.
  void exchange() {
    const std::string key = "finetune.encoding";
    const std::vector<Part> parts = parts_in_effect(given_, key, &reads_);
    result_.set(encoding_key, to_string(parts, '+'), given_.origin(key));
  }

  // The key whose value counts: new training positions also apply to the test, unless test positions are given.
  std::string source_of(const Key& key) const {
    if (key.name != test_key) return key.name;
    const bool follows =
        given_.is_given(key.name) ? given_.text(key.name) == "same" : given_.is_given(training_key);
    return follows ? training_key : key.name;
  }

  // Options override those of the same part; other parts replace the trained ones where the weights allow it.
  void lay_parts(const Key& key, bool fixed) {
    const std::string source = source_of(key);
    const bool chosen = given_.is_given(source);
    const std::string origin = chosen ? given_.origin(source) : path_;
    const std::vector<Part> there = parse_parts(trained_.text(source), key.separator());
    std::vector<Part> parts = chosen ? parse_parts(given_.text(source), key.separator()) : there;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool same = parts.size() == there.size() && parts[i].name == there[i].name;
      if (!same && fixed && trained_.is_given(key.name)) {
        return refuse(key.name, names_only(trained_.text(source), key.separator()), origin,
                      given_.text(source));
      }
      const Part written = chosen ? parts[i] : Part{parts[i].name};
      const bool of_training = key.name == training_key;
      parts[i] = with_keys(written, part_kind(key.kind), given_, of_training, &reads_);
      if (same) parts[i] = laid_over(key, there[i], written, parts[i]);
    }
    result_.set(key.name, to_string(parts, key.separator()), origin);
  }

  // A trained part, overridden by the options of `wish`; those of `written` were set in its brackets.
  Part laid_over(const Key& key, Part trained, const Part& written, const Part& wish) {
    const PartKind& kind = part_kind(key.kind);
    const PartInfo* info = kind.find(trained.name);
    if (info == nullptr) return trained;  // refused where it is built
    for (const OptionSpec& option : info->options) {
      const auto value = wish.options.find(option.name);
      if (value == wish.options.end() || !is_wish(option, value->second)) continue;
      const std::string name = kind.section + "." + option.name;
      const auto there = trained.options.find(option.name);
      require_same(name, option.binds == Binds::weights && trained_.is_given(key.name),
                   there == trained.options.end() ? option.value : there->second,
                   given_.origin(written.options.contains(option.name) ? key.name : name), value->second);
      trained.options[option.name] = value->second;
    }
    return trained;
  }

  // The options of these keys are now in the text of their parts, except for files.
  void settle_option(const Key& key) {
    const bool is_file = key.option.type == OptionType::files;
    if (!is_file && reads_.keys.contains(key.name)) result_.reset(key.name);
    if (is_file && !given_.is_given(key.name) && trained_.is_given(key.name))
      result_.set(key.name, trained_.text(key.name), path_);
  }

  void require_same(const std::string& key, bool binds, const std::string& there, const std::string& origin,
                    const std::string& here) {
    if (binds && !is_same(there, here)) refuse(key, there, origin, here);
  }

  void refuse(const std::string& key, const std::string& there, const std::string& origin,
              const std::string& here) {
    differences_.push_back(fmt::format(
        "{}: it was trained with {} = {}, {} says {}; leave that out, or {}", path_, key, there, origin, here,
        key == encoding_key ? "set finetune.encoding to exchange it" : "train a new model"));
  }

  Settings given_;
  const Settings& trained_;
  std::string path_;
  Settings result_;
  Reads reads_;  // of the parts of the result
  std::vector<std::string> differences_;
};

// Files of earlier versions and hand-made files set options by their keys, and may have "rope@yarn" as the encoding.
void inline_options(Settings& settings, const std::string& path) {
  std::map<std::string, std::string> texts;
  for (const Key& key : all_keys()) {
    if (key.is_of_model() && !key.kind.empty()) texts[key.name] = in_effect(settings, key.name);
  }
  for (const auto& [key, text] : texts) {
    if (text != settings.text(key)) settings.set(key, text, path);
  }
  for (const Key& key : all_keys()) {
    if (key.is_of_model() && key.is_option() && key.option.type != OptionType::files)
      settings.reset(key.name);
  }
}

// A part whose table sizes are taken from the tensors, unless the metadata gives them.
Part sized(Part part, const PartKind& kind, const std::string& scope, const SafetensorsFile& file) {
  for (const OptionSpec& option : kind.find(part.name)->options) {
    const auto written = part.options.find(option.name);
    const std::string value = written == part.options.end() ? option.value : written->second;
    const std::string own = scope + "." + part.name;
    const std::string table = own + "." + option.rows_of;
    if (option.type == OptionType::part) {
      part.options[option.name] = to_string(sized(parse_part(value), kind_of_option(option), own, file));
    } else if (!option.rows_of.empty() && value == option.automatic && file.contains(table) &&
               !file.shape(table).empty()) {
      part.options[option.name] = std::to_string(file.shape(table).front());
    }
  }
  return part;
}

void size_tables(Settings& settings, const SafetensorsFile& file) {
  std::vector<Part> parts = encoding_parts(settings.text(encoding_key));
  for (Part& part : parts) part = sized(part, part_kind("positional encodings"), "positional", file);
  settings.set(encoding_key, to_string(parts, '+'), settings.origin(encoding_key));
}

// Resolves the sizes that a hand-made file leaves automatic.
void work_out_sizes(Settings& settings) {
  if (settings.integer("model.n_kv_heads") == 0 && settings.is_given("model.heads")) {
    settings.set("model.n_kv_heads", settings.text("model.heads"), settings.origin("model.n_kv_heads"));
  }
  const ModelShape shape = shape_of(model_section(settings));
  std::vector<Part> branches = parse_parts(settings.text("model.block"), ',');
  for (Part& part : branches) {
    for (const OptionSpec& option : part_kind("branches").find(part.name)->in_effect(part, shape)) {
      const auto written = part.options.find(option.name);
      if (written != part.options.end() && written->second == option.automatic)
        written->second = option.value;
    }
  }
  settings.set("model.block", to_string(branches, ','), settings.origin("model.block"));
}

}  // namespace

Settings settings_of(const SafetensorsFile& file, const std::string& path) {
  Settings settings;
  try {
    settings = Settings::from_map(file.metadata(), path);
    inline_options(settings, path);
    size_tables(settings, file);
    work_out_sizes(settings);
  } catch (const ConfigError& error) {
    const std::string problem = printable(error.what());
    throw CheckpointError(problem.starts_with(path) ? problem : fmt::format("{}: {}", path, problem));
  }
  if (settings.integer("model.vocab_size") == 0) {
    const std::string name = "token_embedding.weight";
    if (!file.contains(name) || file.shape(name).empty()) {
      throw CheckpointError(
          fmt::format("{}: no model.vocab_size in its metadata and no tensor {}", path, name));
    }
    settings.set("model.vocab_size", std::to_string(file.shape(name).front()), path);
  }
  return settings;
}

std::uint64_t seed_of(const SafetensorsFile& file, const std::string& path) {
  return static_cast<std::uint64_t>(settings_of(file, path).integer("train.seed"));
}

Settings fine_tuning_settings(const Settings& given, const std::string& path) {
  return Overlay(given, settings_of(SafetensorsFile(path), path), path).run(false);
}

Settings inference_settings(const Settings& given, const std::string& path) {
  return Overlay(given, settings_of(SafetensorsFile(path), path), path).run(true);
}

}  // namespace ordinal::experiments

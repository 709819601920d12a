#include "experiments/settings/checkpoint_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/settings/choices.h"
#include "experiments/settings/parts.h"
#include "framework/core/errors.h"
#include "framework/core/number.h"
#include "framework/core/printable.h"
#include "framework/layers/registry.h"
#include "framework/positional/positional_encoding.h"
#include "models/model_config.h"

namespace ordinal::experiments {
namespace {

bool comes_from_checkpoint(const Key& key) {
  return key.section() == "task" || key.section() == "model" || key.section() == "positional";
}

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

// Splits "rope@yarn:ntk" into an encoding and its positions.
void split_entry(Settings& settings) {
  const std::string origin = settings.origin("positional.encoding");
  const WrittenEncoding entry = written_encoding(settings);
  if (!entry.has_positions) return;
  settings.set("positional.encoding", entry.encoding, origin);
  settings.set("positional.positions", entry.training, origin);
  settings.set("positional.test_positions", entry.test, origin);
}

// Overrides the settings of a checkpoint with given ones.
class Overlay {
 public:
  Overlay(Settings given, const Settings& trained, std::string path)
      : given_(std::move(given)), trained_(trained), path_(std::move(path)) {
    split_entry(given_);
    result_ = given_;
  }

  Settings run(bool same_task) {
    const std::string exchanged = exchanged_encoding(given_);
    for (const Key& key : all_keys()) {
      if (!comes_from_checkpoint(key) || key.is_option() || key.name == "positional.encodings") continue;
      if (key.name == "positional.encoding" && !exchanged.empty() && !given_.is_given(key.name)) continue;
      const bool fixed = key.option.binds == Binds::weights || (same_task && key.name == "task.name");
      if (!key.kind.empty()) {
        lay_parts(key, fixed);
      } else if (same_task && key.name == "task.train_length") {
        take(key);
      } else {
        lay_value(key, fixed);
      }
    }
    if (!exchanged.empty()) exchange(exchanged);
    result_.reset("finetune.encoding");
    for (const Key& key : all_keys()) {
      if (comes_from_checkpoint(key) && key.is_option()) settle_option(key);
    }
    if (!differences_.empty()) throw CheckpointError(joined(differences_, "\n"));
    return result_;
  }

 private:
  bool is_given(const Key& key) const {
    return given_.is_given(key.name) && is_wish(key.option, given_.text(key.name));
  }

  // The encoding of finetune.encoding replaces the trained one.
  void exchange(const std::string& encoding) {
    for (const Part& part : encoding_parts(given_.text("finetune.encoding"))) {
      settle_options_of(part_kind("positional encodings"), part);
    }
    result_.set("positional.encoding", encoding, given_.origin("finetune.encoding"));
  }

  void take(const Key& key) { result_.set(key.name, trained_.text(key.name), path_); }

  void lay_value(const Key& key, bool fixed) {
    if (!is_given(key)) {
      take(key);
    } else if (fixed && trained_.is_given(key.name) &&
               !is_same(given_.text(key.name), trained_.text(key.name))) {
      refuse(key.name, trained_.text(key.name), given_.origin(key.name), given_.text(key.name));
    }
  }

  // New training positions also apply to the test, unless test positions are given.
  const Key& source_of(const Key& key) const {
    const Key& positions = *find_key("positional.positions");
    if (key.name != "positional.test_positions") return key;
    const bool follows = given_.is_given(key.name) ? given_.text(key.name) == "same" : is_given(positions);
    return follows ? positions : key;
  }

  // Options override those of the same part; other parts replace the trained ones where the weights allow it.
  void lay_parts(const Key& key, bool fixed) {
    const Key& source = source_of(key);
    const bool chosen = given_.is_given(source.name);
    const std::string trained = trained_.text(source.name);
    const std::string given = chosen ? given_.text(source.name) : trained;
    const std::vector<Part> there = parse_parts(trained, key.separator());
    std::vector<Part> parts = parse_parts(given, key.separator());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool same = parts.size() == there.size() && parts[i].name == there[i].name;
      if (!same && fixed && trained_.is_given(key.name)) {
        return refuse(key.name, names_only(trained, key.separator()), given_.origin(key.name), given);
      }
      const Part wish = chosen ? parts[i] : Part{parts[i].name};
      settle_options_of(part_kind(key.kind), wish);
      parts[i] = same ? laid_over(key, there[i], wish) : wished(key, wish);
    }
    result_.set(key.name, to_string(parts, key.separator()), chosen ? given_.origin(source.name) : path_);
  }

  // The key of an option that is set inline is not read.
  void settle_options_of(const PartKind& kind, const Part& wish) {
    const PartInfo* info = kind.find(wish.name);
    if (info == nullptr) return;  // refused where it is built
    for (const OptionSpec& option : info->options) {
      if (!wish.options.contains(option.name)) settled_.push_back(kind.section + "." + option.name);
    }
  }

  // A part with the options set by its keys. Files are left out, and an offset set by a key applies to the
  // test only.
  Part wished(const Key& key, const Part& written) const {
    Part part = with_keys(written, part_kind(key.kind), given_);
    const PartInfo* info = part_kind(key.kind).find(part.name);
    if (info == nullptr) return part;  // refused where it is built
    for (const OptionSpec& option : info->options) {
      const bool of_test = key.name == "positional.positions" && option.binds == Binds::test;
      const bool from_key = !written.options.contains(option.name);
      if (from_key && (option.type == OptionType::files || of_test)) part.options.erase(option.name);
    }
    return part;
  }

  Part laid_over(const Key& key, Part trained, const Part& wish) {
    const PartKind& kind = part_kind(key.kind);
    const PartInfo* info = kind.find(trained.name);
    if (info == nullptr) return trained;  // refused where it is built
    const Part wanted = wished(key, wish);
    for (const OptionSpec& option : info->options) {
      const auto value = wanted.options.find(option.name);
      if (value == wanted.options.end() || !is_wish(option, value->second)) continue;
      const auto there = trained.options.find(option.name);
      const std::string before = there == trained.options.end() ? option.value : there->second;
      if (option.binds == Binds::weights && trained_.is_given(key.name) && !is_same(before, value->second)) {
        const std::string name = kind.section + "." + option.name;
        const bool inlined = wish.options.contains(option.name);
        refuse(name, before, given_.origin(inlined ? key.name : name), value->second);
      }
      trained.options[option.name] = value->second;
    }
    return trained;
  }

  // Options are now part of their parts' text, except for files. An option of no part stays, to be rejected.
  void settle_option(const Key& key) {
    if (key.option.type != OptionType::files) {
      if (std::ranges::find(settled_, key.name) != settled_.end()) result_.reset(key.name);
    } else if (!given_.is_given(key.name) && trained_.is_given(key.name)) {
      take(key);
    }
  }

  void refuse(const std::string& key, const std::string& there, const std::string& origin,
              const std::string& here) {
    differences_.push_back(fmt::format(
        "{}: it was trained with {} = {}, {} says {}; leave that out, or {}", path_, key, there, origin, here,
        key == "positional.encoding" ? "set finetune.encoding to exchange it" : "train a new model"));
  }

  Settings given_;
  const Settings& trained_;
  std::string path_;
  Settings result_;
  std::vector<std::string> settled_;  // keys of options that are now in their parts' text
  std::vector<std::string> differences_;
};

// Files of earlier versions and hand-made files set options by their keys, and may have "rope@yarn" as the
// encoding.
void move_options_to_parts(Settings& settings) {
  split_entry(settings);
  if (settings.text("positional.test_positions") == "same") {
    settings.set("positional.test_positions", settings.text("positional.positions"),
                 settings.origin("positional.positions"));
  }
  for (const Key& key : all_keys()) {
    if (!comes_from_checkpoint(key) || key.kind.empty()) continue;
    std::string origin = settings.origin(key.name);
    std::vector<Part> parts = parse_parts(in_effect(settings, key.name), key.separator());
    for (Part& part : parts) {
      for (const auto& [option, value] : part.options) {
        const std::string name = part_kind(key.kind).section + "." + option;
        if (settings.is_given(name)) origin = settings.origin(name);  // so the file does name the part
      }
      std::erase_if(part.options, [&](const auto& option) {
        return find_key(part_kind(key.kind).section + "." + option.first)->option.type == OptionType::files;
      });
    }
    settings.set(key.name, to_string(parts, key.separator()), origin);
  }
  for (const Key& key : all_keys()) {
    if (comes_from_checkpoint(key) && key.is_option() && key.option.type != OptionType::files)
      settings.reset(key.name);
  }
}

// A part whose tables have the sizes of their tensors, unless the metadata give them.
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
  std::vector<Part> parts = encoding_parts(settings.text("positional.encoding"));
  for (Part& part : parts) part = sized(part, part_kind("positional encodings"), "positional", file);
  settings.set("positional.encoding", to_string(parts, '+'), settings.origin("positional.encoding"));
}

// Sizes that a hand-made file leaves automatic.
void work_out_sizes(Settings& settings) {
  if (settings.integer("model.n_kv_heads") == 0 && settings.is_given("model.heads")) {
    settings.set("model.n_kv_heads", settings.text("model.heads"), settings.origin("model.n_kv_heads"));
  }
  const ModelShape shape = shape_of(model_section(settings));
  std::vector<Part> branches = parse_parts(settings.text("model.block"), ',');
  for (Part& part : branches) {
    for (const OptionSpec& option : layers(LayerKind::branch).find(part.name).resolve(part, shape)) {
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
  } catch (const ConfigError& error) {
    throw CheckpointError(error.what());
  }
  try {
    move_options_to_parts(settings);
    size_tables(settings, file);
    work_out_sizes(settings);
  } catch (const ConfigError& error) {
    throw CheckpointError(fmt::format("{}: {}", path, printable(error.what())));
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

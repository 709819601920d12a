#include "experiments/settings/checkpoint_settings.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>

#include "experiments/settings/parts.h"
#include "experiments/settings/plan.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"
#include "framework/layers/layer.h"
#include "framework/training/checkpoint.h"
#include "models/transformer.h"

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
      if (!trained_.is_given(key.name)) {  // of a task
        if (!given_.is_given(key.name)) missing_.push_back(key.name);
        continue;
      }
      const bool fixed = key.option.binds == Binds::weights || (same_task && key.name == "task.name");
      if (!key.kind.empty()) {
        lay_parts(key, fixed);
      } else if (!is_given(key) || (same_task && key.name == "task.train_length")) {
        result_.set(key.name, trained_.text(key.name), path_);
      } else if (fixed) {
        require_same(key.name, trained_.text(key.name), given_.origin(key.name), given_.text(key.name));
      }
    }
    if (!same_task && !missing_.empty()) {
      differences_.push_back(fmt::format(
          "{}: its metadata lacks {}; give these settings, or write them into it", path_, joined(missing_)));
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
      if (!same && fixed) {
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
      if (option.binds == Binds::weights) {
        require_same(name, there == trained.options.end() ? option.value : there->second,
                     given_.origin(written.options.contains(option.name) ? key.name : name), value->second);
      }
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

  void require_same(const std::string& key, const std::string& there, const std::string& origin,
                    const std::string& here) {
    if (!is_same(there, here)) refuse(key, there, origin, here);
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
  Reads reads_;                       // of the parts of the result
  std::vector<std::string> missing_;  // settings of a task that nobody gives
  std::vector<std::string> differences_;
};

// A file need not name a task, so it must say itself what would otherwise follow from one.
bool follows_task(const Key& key) {
  return key.name == "model.vocab_size" || key.name == "model.causal" ||
         key.name == "positional.train_length";
}

// The settings of the model that metadata must have and lack: tensors confirm sizes at most.
std::vector<std::string> missing_in(const Metadata& metadata) {
  std::vector<std::string> missing;
  for (const Key& key : all_keys()) {
    const bool of_model = key.section() == "model" || key.section() == "positional";
    if (!of_model || key.is_option() || !key.short_for.empty()) continue;
    const auto found = metadata.find(key.name);
    const bool is_there =
        found != metadata.end() && !(follows_task(key) && found->second == key.option.automatic);
    if (!is_there) missing.push_back(key.name);
  }
  return missing;
}

// Names that are neither settings nor other records of a checkpoint. Options stand in the brackets of their parts, except for
// files.
std::vector<std::string> unknown_in(const Metadata& metadata) {
  static const std::set<std::string> records = {"step",   "data_hash", "initial_model",
                                                "format", "log_hash",  "machines"};
  std::vector<std::string> unknown;
  for (const auto& [name, value] : metadata) {
    const Key* key = find_key(name);
    const bool is_setting = key != nullptr && key->short_for.empty() &&
                            (!key->is_option() || key->option.type == OptionType::files);
    if (!is_setting && !records.contains(name)) unknown.push_back(name);
  }
  return unknown;
}

void check_names(const Metadata& metadata) {
  if (const auto missing = missing_in(metadata); !missing.empty()) {
    throw CheckpointError(fmt::format(
        "its metadata lacks {}; no tensor says what they are (copy the metadata of the original file, or "
        "write all settings of the model: see framework/README.md)",
        joined(missing)));
  }
  if (const auto unknown = unknown_in(metadata); !unknown.empty()) {
    throw CheckpointError(fmt::format(
        "metadata: the model does not read {} (correct the names, see train --help; options stand in the "
        "brackets of their part; or leave these keys out)",
        joined(unknown)));
  }
}

// The metadata may describe a model of any size: its tensors are compared before anything is allocated for it. Each branch has
// at least one.
void check_tensors(const SafetensorsFile& file, const Settings& settings) {
  const Index branches =
      std::ssize(block_parts(settings.text("model.block"))) * settings.integer("model.layers");
  const Index tensors = std::ssize(file.names());
  if (branches > tensors) {
    throw CheckpointError(fmt::format(
        "model.block and model.layers make {} branches, and there are only {} tensors; expected at "
        "least one for each (correct the metadata)",
        branches, tensors));
  }
  ModelConfig config = Plan(settings).model;
  config.longest = 1;  // no tables
  check_parameters(file, Transformer<float>(config).layout());
}

CheckpointError refusal(const std::string& path, const std::exception& error) {
  const std::string problem = printable(error.what());
  return CheckpointError(problem.starts_with(path) ? problem : fmt::format("{}: {}", path, problem));
}

}  // namespace

Settings settings_of(const SafetensorsFile& file, const std::string& path) {
  try {
    check_names(file.metadata());
    Settings settings = split_entry(Settings::from_map(file.metadata(), path));
    check_tensors(file, settings);
    return settings;
  } catch (const std::runtime_error& error) {
    throw refusal(path, error);
  } catch (const std::invalid_argument& error) {
    throw refusal(path, error);
  }
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

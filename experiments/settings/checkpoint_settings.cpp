#include "experiments/settings/checkpoint_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

#include "experiments/process/machine.h"
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

bool is_position(const NamedPart& named) { return named.kind->title == "positions"; }

std::string names_without_positions(std::vector<NamedPart> parts) {
  std::erase_if(parts, is_position);
  return names_only(parts);
}

// Overrides the settings of a checkpoint with given ones.
class Overlay {
 public:
  Overlay(const Settings& given, const Settings& trained, std::string path)
      : given_(given), trained_(trained), path_(std::move(path)), result_(given) {}

  Settings run(bool same_task) {
    for (const Key& key : all_keys()) {
      if (!key.is_of_model() || key.option.type == OptionType::files) continue;
      if (!trained_.is_given(key.name)) {  // of a task
        if (!given_.is_given(key.name)) missing_.push_back(key.name);
        continue;
      }
      const std::string& there = trained_.text(key.name);
      const std::string& here = given_.text(key.name);
      const bool chosen = given_.is_given(key.name) && is_wish(key.option, here);
      const bool fixed = key.option.binds == Binds::weights || (same_task && key.name == "task.name");
      if (!chosen || (same_task && key.name == "task.train_length")) {
        result_.set(key.name, there, path_);
      } else if (!key.kind.empty()) {
        lay_parts(key, fixed);
      } else if (fixed && !is_same(there, here)) {
        refuse(key, there, here);
      }
    }
    if (!same_task && !missing_.empty()) {
      differences_.push_back(fmt::format(
          "{}: its metadata lacks {}; give these settings, or write them into it", path_, joined(missing_)));
    }
    if (trained_.is_given("task.file") && !given_.is_given("task.file"))
      result_.set("task.file", trained_.text("task.file"), path_);
    if (exchanges_encoding(given_)) exchange();
    result_.reset("finetune.encoding");
    if (!differences_.empty()) throw CheckpointError(joined(differences_, "\n"));
    return result_;
  }

 private:
  // The encoding of finetune.encoding replaces the trained one, and has its positions unless it names others.
  void exchange() {
    const std::string key = "finetune.encoding";
    PlacedEncoding placed = placed_encoding(result_.text(encoding_key));
    const PlacedEncoding exchanged = placed_encoding(given_.text(key));
    placed.encoding = exchanged.encoding;
    result_.set(encoding_key, placed_text(exchanged.training.empty() ? placed : exchanged),
                given_.origin(key));
  }

  // Options override those of the same part; other parts replace the trained ones where the weights allow it. So do
  // positions, if any are given.
  void lay_parts(const Key& key, bool fixed) {
    const PartKind& kind = part_kind(key.kind);
    const std::vector<NamedPart> there = named_parts(kind, trained_.text(key.name));
    std::vector<NamedPart> parts = named_parts(kind, given_.text(key.name));
    if (std::ranges::none_of(parts, is_position))
      std::ranges::copy_if(there, std::back_inserter(parts), is_position);
    if (fixed && names_without_positions(parts) != names_without_positions(there))
      return refuse(key, names_without_positions(there), given_.text(key.name));
    for (std::size_t i = 0; i < std::min(parts.size(), there.size()); ++i) {
      const bool same = parts[i].before == there[i].before && parts[i].part.name == there[i].part.name;
      if (same) parts[i].part = laid_over(key, there[i].part, parts[i]);
    }
    result_.set(key.name, parts_text(parts), given_.origin(key.name));
  }

  // A trained part with the given options.
  Part laid_over(const Key& key, Part trained, const NamedPart& given) {
    const PartInfo& info = *given.kind->find(trained.name);
    for (const auto& [name, value] : given.part.options) {
      const OptionSpec& option = *std::ranges::find(info.options, name, &OptionSpec::name);
      if (!is_wish(option, value)) continue;
      const std::string there = trained.options.contains(name) ? trained.options[name] : option.value;
      if (option.binds == Binds::weights && !is_same(there, value)) {
        refuse(key, to_string(Part{trained.name, {{name, there}}}),
               to_string(Part{trained.name, {{name, value}}}));
      }
      trained.options[name] = value;
    }
    return trained;
  }

  void refuse(const Key& key, const std::string& there, const std::string& here) {
    differences_.push_back(
        fmt::format("{}: it was trained with {} = {}, {} says {}; leave that out, or {}", path_, key.name,
                    there, given_.origin(key.name), here,
                    key.name == encoding_key ? "set finetune.encoding to exchange it" : "train a new model"));
  }

  const Settings& given_;
  const Settings& trained_;
  std::string path_;
  Settings result_;
  std::vector<std::string> missing_;  // settings of a task that nobody gives
  std::vector<std::string> differences_;
};

// A file need not name a task, so it must say itself what would otherwise follow from one.
bool follows_task(const Key& key) {
  return key.name == "model.vocab_size" || key.name == "model.causal" || key.name == "model.train_length";
}

// The settings of the model that metadata must have and lack: tensors confirm sizes at most.
std::vector<std::string> missing_in(const Metadata& metadata) {
  std::vector<std::string> missing;
  for (const Key& key : all_keys()) {
    if (key.section() != "model") continue;
    const auto found = metadata.find(key.name);
    const bool is_there =
        found != metadata.end() && !(follows_task(key) && found->second == key.option.automatic);
    if (!is_there) missing.push_back(key.name);
  }
  return missing;
}

// Names that are neither settings nor other records of a checkpoint.
std::vector<std::string> unknown_in(const Metadata& metadata) {
  static const std::set<std::string> records = {"step",   "version",  "data_hash", "initial_model",
                                                "format", "log_hash", "machines"};
  std::vector<std::string> unknown;
  for (const auto& [name, value] : metadata) {
    if (find_key(name) == nullptr && !records.contains(name)) unknown.push_back(name);
  }
  return unknown;
}

void check_names(const Metadata& metadata) {
  const std::string version = version_of(metadata);
  if (!version.empty() && version != results_version()) {
    throw CheckpointError(fmt::format("it was made by version {}, expected {}; train the model again",
                                      version, results_version()));
  }
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
    Settings settings = Settings::from_map(file.metadata(), path);
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

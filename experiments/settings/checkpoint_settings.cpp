#include "experiments/settings/checkpoint_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <new>
#include <utility>

#include "experiments/process/machine.h"
#include "experiments/settings/command_line.h"
#include "experiments/settings/difference.h"
#include "experiments/settings/parts.h"
#include "experiments/settings/plan.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"
#include "framework/layers/layer_registry.h"
#include "framework/training/checkpoint.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

// An automatic value is not a request: the checkpoint holds the value that it resolved to, and a new run
// would resolve it differently.
bool is_request(const OptionSpec& option, const std::string& value) {
  return option.range.automatic.empty() || value != option.range.automatic;
}

// What is given about a part changes these options of it, and positions are those of the checkpoint unless given.
std::string merged(const PartKind& kind, const PartList& there, const PartList& here) {
  const std::vector<NamedPart> trained = named_parts(kind, there);
  std::vector<NamedPart> given = named_parts(kind, here);
  const auto is_position = [](const NamedPart& named) { return named.kind->title == "positions"; };
  if (std::ranges::none_of(given, is_position))
    std::ranges::copy_if(trained, std::back_inserter(given), is_position);
  for (std::size_t i = 0; i < std::min(given.size(), trained.size()); ++i) {
    auto& [part, part_kind, before] = given[i];
    if (before != trained[i].before || part.name != trained[i].part.name) continue;
    OptionValues options = trained[i].part.options;
    std::swap(options, part.options);
    for (const OptionSpec& option : part_kind->find(part.name)->options)
      if (options.contains(option.name) && is_request(option, options.at(option.name)))
        part.options[option.name] = options.at(option.name);
  }
  return to_list(given).text();
}

// The settings that bind weights stay as they were trained, and without further training also the task.
void require_same(const Settings& trained, const Settings& wanted, const std::string& path, bool has_task) {
  const auto fixed = [&](const Settings& settings) {
    Metadata text = Plan(settings).text(Binds::weights);
    if (has_task) text["task.name"] = settings->task.name.text();
    return text;
  };
  const auto found = first_line(fixed(trained), fixed(wanted));
  if (!found) return;
  throw CheckpointError(fmt::format("{}: it was trained with {} = {}, {} says {}; leave that out, or {}",
                                    path, found->key, found->there, wanted.origin(found->key), found->here,
                                    found->key == encoding_key
                                        ? "exchange it in further training: train --finetune.encoding"
                                        : "train a new model"));
}

// The settings of a checkpoint under the given ones, for further training or not.
Settings laid_under(const Settings& given, const std::string& path, bool to_train) {
  const Settings trained = settings_of(SafetensorsFile(path), path);
  Settings result = given;
  for (const Key& key : all_keys()) {
    if (!key.is_of_model() || !trained.is_given(key.name)) continue;
    const std::string& there = trained.text(key.name);
    if (!given.is_given(key.name) || !is_request(key.option, given.text(key.name))) {
      result.set(key.name, there, path);
    } else if (key.names_parts()) {
      result.set(key.name, merged(part_kind(key.option.kind), there, given.text(key.name)),
                 given.origin(key.name));
    }
  }
  require_same(trained, result, path, !to_train && trained.is_given("task.name"));
  return result;
}

void require(const std::function<bool(const Key&)>& is_missing, const std::string& path,
             const std::string& way_out) {
  std::vector<std::string> missing;
  for (const Key& key : all_keys())
    if (is_missing(key)) missing.push_back(key.name);
  if (!missing.empty())
    throw CheckpointError(fmt::format("{}: its metadata lacks {}{}", path, joined(missing), way_out));
}

// Tensors confirm sizes at most. A file need not name a task, so it must say itself what would otherwise follow from one.
void check_metadata(const Metadata& metadata, const std::string& path) {
  const auto version = metadata.find("version");
  if (version != metadata.end() && version->second != results_version()) {
    throw CheckpointError(fmt::format("it was made by version {}, expected {}; train the model again",
                                      version->second, results_version()));
  }
  require(
      [&](const Key& key) {
        const auto found = metadata.find(key.name);
        const bool follows_task =
            key.name == "model.vocab_size" || key.name == "model.causal" || key.name == "model.train_length";
        return key.section() == "model" && (follows_task || key.option.binds == Binds::weights) &&
               (found == metadata.end() || (follows_task && !is_request(key.option, found->second)));
      },
      path,
      ", which no tensor says (copy the metadata of the original file, or write all settings of the "
      "model: see framework/README.md)");
}

// The metadata may describe a model of any size: its tensors are compared before anything is allocated for it. Each branch has
// at least one.
void check_tensors(const SafetensorsFile& file, const Settings& settings) {
  const Index branches =
      std::ssize(block_parts(settings->model.config.block)) * settings->model.config.layers;
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

}  // namespace

Settings settings_of(const SafetensorsFile& file, const std::string& path) {
  try {
    check_metadata(file.metadata(), path);
    Settings settings = read_values(file.metadata(), path);
    check_tensors(file, settings);
    return settings;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    const std::string problem = printable_lines(error.what());
    throw CheckpointError(problem.starts_with(path) ? problem : fmt::format("{}: {}", path, problem));
  }
}

std::uint64_t seed_of(const SafetensorsFile& file, const std::string& path) {
  return static_cast<std::uint64_t>(settings_of(file, path)->train.seed);
}

std::string warning_of_data(const std::string& path, const std::string& data_hash) {
  Metadata trained = SafetensorsFile(path).metadata();
  if (!trained.contains("data_hash") || trained["data_hash"] == data_hash) return "";
  return fmt::format("warning: {} was trained on other data, of {}\n", path, trained["task.name"]);
}

Settings fine_tuning_settings(const Settings& given, const std::string& path) {
  const Settings settings = laid_under(given, path, true);
  const auto is_missing = [&](const Key& key) {
    return (key.name == "task.name" || key.name == "task.train_length") && !settings.is_given(key.name);
  };
  require(is_missing, path, "; give what is missing, or write it there");
  return settings;
}

void exchange_encoding(Settings& settings) {
  const std::string origin = settings.origin("finetune.encoding");
  const PlacedEncoding exchanged = placed_encoding(settings->finetune.encoding);
  settings.reset("finetune.encoding");
  if (exchanged.encoding.text() == FinetuneSection::same) return;
  PlacedEncoding placed = placed_encoding(settings->model.config.encoding);
  placed.encoding = exchanged.encoding;
  settings.set(encoding_key, (exchanged.training ? exchanged : placed).text(), origin);
}

Settings inference_settings(const Settings& given, const std::string& path) {
  return laid_under(given, path, false);
}

}  // namespace ordinal::experiments

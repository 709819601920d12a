// Checkpoints, as `train --model` and `generate` read them, and the settings in their metadata. A text that begins with
// { is the header of a file, up to its first line break, and the data after it.
#include <cstdint>
#include <cstring>

#include "experiments/settings/checkpoint_settings.h"
#include "framework/storage/safetensors.h"
#include "framework/training/checkpoint.h"
#include "tests/fuzz/targets.h"

namespace ordinal::fuzz {
namespace {

std::string as_file(const std::string& input) {
  if (!input.starts_with('{')) return input;
  const std::size_t end = input.find('\n');
  const std::string header = input.substr(0, end);
  const std::uint64_t length = header.size();
  std::string file(sizeof(length), '\0');
  std::memcpy(file.data(), &length, sizeof(length));
  return file + header + (end == std::string::npos ? "" : input.substr(end + 1));
}

void read_values(const SafetensorsFile& file, const std::string& name) {
  const std::string& type = file.get(name).type;
  const bool whole = type.starts_with('I');
  const std::size_t count = whole ? file.values<std::int64_t>(name).size() : file.values<float>(name).size();
  if (static_cast<Index>(count) != element_count(file.shape(name)))
    finding("values that do not fit the shape");
}

}  // namespace

void checkpoint(const std::string& input) {
  const auto path = file_of(as_file(input), "checkpoint.safetensors");
  const auto read = [&] {
    const SafetensorsFile file(path);
    for (const std::string& name : file.names()) read_values(file, name);
    accepts([&] { checkpoint_step(file, path); });
  };
  if (!accepts(read)) return;
  accepts([&] { experiments::settings_of(SafetensorsFile(path), path.string()); }, Message::many_lines);
  accepts([&] { experiments::inference_settings(experiments::Settings(), path.string()); },
          Message::many_lines);
}

}  // namespace ordinal::fuzz

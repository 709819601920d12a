// A file of weights for tests of the settings in it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "framework/training/checkpoint.h"
#include "models/transformer.h"

namespace ordinal::experiments {

// A file with this metadata and the parameters of this model.
inline std::string written(const std::string& name, const Metadata& metadata, const ModelConfig& config) {
  const Transformer<float> model(config);
  const Parameters<float> values(model.layout());
  SafetensorsWriter writer;
  for (const auto& [key, value] : metadata) writer.set_metadata(key, value);
  add_parameters(writer, values);
  const auto path = std::filesystem::path(::testing::TempDir()) / ("weights_file_" + name);
  writer.write(path);
  return path.string();
}

}  // namespace ordinal::experiments

// Each branch of a block that has a fixture, against PyTorch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "framework/storage/safetensors.h"
#include "tests/folders.h"
#include "tests/framework/largest_difference.h"
#include "tests/framework/layers/branch_setting.h"

namespace ordinal {
namespace {

using testing::BranchSetting;
using testing::largest_difference;

std::vector<std::string> fixtures() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(fixtures_folder() / "branches")) {
    if (entry.path().extension() == ".safetensors") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class BranchFixture : public ::testing::TestWithParam<std::string> {};

TEST_P(BranchFixture, GivesWhatPyTorchGives) {
  const SafetensorsFile file(fixtures_folder() / "branches" / (GetParam() + ".safetensors"));
  const Shape shape = file.shape("x");  // (batch, length, width)
  BranchSetting<double> setting(
      {file.metadata().at("branch"), file.metadata().at("causal") == "true", true, shape[2]});
  const std::string prefix = "layer.";
  for (const ParameterSpec& spec : setting.layout.specs()) {
    const std::string name = spec.name.substr(prefix.size());
    ASSERT_EQ(file.shape(name), spec.shape) << name;
    file.read(name, std::span(setting.values[spec.slot].data, static_cast<std::size_t>(spec.size())));
  }
  EXPECT_EQ(file.names().size(), 4 + 2 * setting.layout.specs().size());
  const auto tensor = [&](const char* name) { return Tensor<double>(shape, file.values<double>(name)); };
  const auto results = setting.forward_and_backward(tensor("x"), tensor("dy"), shape[0]);
  EXPECT_LT(largest_difference(results.y.span(), file.values<double>("y")), 1e-9);
  EXPECT_LT(largest_difference(results.dx.span(), file.values<double>("dx")), 1e-9);
  for (const ParameterSpec& spec : setting.layout.specs()) {
    const std::string name = spec.name.substr(prefix.size());
    const double* gradient = setting.gradients[spec.slot].data;
    EXPECT_LT(largest_difference(std::vector<double>(gradient, gradient + spec.size()),
                                 file.values<double>("grad." + name)),
              1e-9)
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, BranchFixture, ::testing::ValuesIn(fixtures()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ordinal

// Whole models against PyTorch 2.13 in float64; tests/fixtures/parity/make_fixtures.py makes the fixtures,
// and tests/fixtures/encodings/make_fixtures.py those of the encodings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "experiments/results/npy.h"
#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/command_line.h"
#include "experiments/settings/plan.h"
#include "framework/layers/cross_entropy.h"
#include "framework/storage/safetensors.h"
#include "framework/training/trainer.h"
#include "models/transformer.h"
#include "tests/folders.h"
#include "tests/framework/largest_difference.h"

namespace ordinal::experiments {
namespace {

using testing::larger_error;
using testing::largest_difference;

std::filesystem::path fixture(const std::string& name) { return fixtures_folder() / (name + ".safetensors"); }

// The positions of the tokens of a fixture: its own, or 0, 1, 2, …
Positions positions_of(const SafetensorsFile& file) {
  const Shape& shape = file.shape("tokens");
  if (!file.contains("positions")) return Positions::contiguous(shape[0], shape[1]);
  return Positions::per_sequence(shape[0], file.values<double>("positions"));
}

std::vector<Token> tokens_of(const SafetensorsFile& file, const std::string& name) {
  std::vector<Token> tokens;
  for (const std::int64_t value : file.values<std::int64_t>(name)) {
    tokens.push_back(value < 0 ? ignore_index : static_cast<Token>(value));
  }
  return tokens;
}

// The largest difference over the largest element.
template <typename T>
double relative_error(std::span<const T> got, const std::vector<double>& expected) {
  double largest = 0.0;
  for (const double value : expected) largest = larger_error(largest, std::abs(value));
  return largest_difference(got, expected) / largest;
}

template <typename T>
std::span<const T> span_of(View<const T> view) {
  return {view.data, static_cast<std::size_t>(view.size())};
}

template <typename T>
void expect_parity(const std::filesystem::path& path, double tolerance) {
  const SafetensorsFile file(path);
  const Transformer<T> model(Plan(read_values(file.metadata(), path.string())).model);
  Parameters<T> values(model.layout());
  Parameters<T> gradients(model.layout());
  load_parameters(file, values);
  const std::vector<Token> tokens = tokens_of(file, "tokens");
  const std::vector<Token> targets = tokens_of(file, "targets");
  const auto count = static_cast<double>(count_targets(targets));

  Pass<T> pass(values, &gradients);
  pass.begin({.positions = positions_of(file), .record = true});
  const View<const T> logits = model.logits(model.hidden(tokens, pass), pass);
  const View<T> d_logits = pass.allocate(logits.rows, logits.cols);
  const double loss = cross_entropy_backward(logits, targets, static_cast<T>(1.0 / count), d_logits) / count;
  model.backward(tokens, d_logits, pass);

  EXPECT_LT(relative_error(span_of(logits), file.values<double>("logits")), tolerance);
  EXPECT_NEAR(loss / file.values<double>("loss").front(), 1.0, tolerance);
  for (const ParameterSpec& spec : model.layout().specs()) {
    EXPECT_LT(relative_error(span_of<T>(gradients[spec.slot]), file.values<double>("grad." + spec.name)),
              tolerance)
        << spec.name;
  }
  pass.finish();
}

// The fixtures of a folder, each a case. An encoding without one has only the automatic checks.
std::vector<std::string> cases(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(fixtures_folder() / folder)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".safetensors" && name != "t5_buckets" && !name.starts_with("training"))
      names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

class PyTorchParity : public ::testing::TestWithParam<std::string> {};
class PyTorchEncoding : public ::testing::TestWithParam<std::string> {};

TEST_P(PyTorchParity, LogitsLossAndAllGradientsInDoubleAndFloat) {
  expect_parity<double>(fixture("parity/" + GetParam()), 1e-9);
  expect_parity<float>(fixture("parity/" + GetParam()), 5e-5);
}
TEST_P(PyTorchEncoding, LogitsLossAndAllGradientsInDoubleAndFloat) {
  expect_parity<double>(fixture("encodings/" + GetParam()), 1e-9);
  expect_parity<float>(fixture("encodings/" + GetParam()), 2e-4);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, PyTorchParity, ::testing::ValuesIn(cases("parity")),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Fixtures, PyTorchEncoding, ::testing::ValuesIn(cases("encodings")),
                         [](const auto& info) { return info.param; });

// A lost file would silently remove a test case.
TEST(PyTorchFixtures, AreAsManyAsTheScriptsMake) {
  EXPECT_EQ(cases("parity").size(), 6U);
  EXPECT_EQ(cases("encodings").size(), 35U);
}

// The weights of a fixture with its metadata: as a user would pass it to parity.
void write_model(const SafetensorsFile& file, const std::filesystem::path& path) {
  const Transformer<double> model(Plan(read_values(file.metadata(), "f")).model);
  Parameters<double> values(model.layout());
  load_parameters(file, values);
  SafetensorsWriter writer;
  for (const auto& [key, value] : file.metadata()) writer.set_metadata(key, value);
  add_parameters(writer, values);
  writer.write(path);
}

// The driver gives the same results through files.
TEST_P(PyTorchParity, OfTheDriver) {
  const SafetensorsFile file(fixture("parity/" + GetParam()));
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / ("parity_" + GetParam());
  std::filesystem::create_directories(folder);
  for (const std::string name : {"tokens", "targets"}) {
    write_npy(folder / (name + ".npy"), file.shape(name),
              std::span<const std::int64_t>(file.values<std::int64_t>(name)));
  }
  write_model(file, folder / "model.safetensors");
  const std::string command = "cd '" + folder.string() + "' && " + quoted_program("parity") +
                              " --quiet --precision double --model model.safetensors"
                              " --tokens tokens.npy --targets targets.npy --out out.safetensors > log";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const SafetensorsFile out(folder / "out.safetensors");
  EXPECT_EQ(out.shape("logits"), file.shape("logits"));
  EXPECT_EQ(out.shape("loss"), Shape{});
  for (const std::string& name : file.names()) {
    if (name != "logits" && name != "loss" && !name.starts_with("grad.")) continue;
    const std::vector<double> got = out.values<double>(name);
    EXPECT_LT(relative_error(std::span<const double>(got), file.values<double>(name)), 1e-9) << name;
  }
}

class PyTorchTraining : public ::testing::TestWithParam<const char*> {};

TEST_P(PyTorchTraining, TenStepsWithClippingAndSchedule) {
  const SafetensorsFile file(fixture(std::string("parity/") + GetParam()));
  const Plan plan(read_values(file.metadata(), "training"));
  const Transformer<double> model(plan.model);
  Threads threads(2);
  TrainerOptions options = plan.trainer(1);
  options.shards = 2;
  Trainer<double> trainer(model, options, threads);
  load_parameters(file, trainer.values(), "start.");
  const std::vector<double> losses = file.values<double>("losses");
  const std::vector<double> norms = file.values<double>("norms");
  for (std::size_t step = 0; step < 10; ++step) {
    const std::string number = std::to_string(step);
    const Batch batch{2, 9, tokens_of(file, "tokens." + number), tokens_of(file, "targets." + number)};
    const StepResult result = trainer.step({&batch, 1});
    EXPECT_NEAR(result.loss / losses[step], 1.0, 1e-8) << "step " << step;
    EXPECT_NEAR(result.gradient_norm / norms[step], 1.0, 1e-8) << "step " << step;
  }
  for (const ParameterSpec& spec : model.layout().specs()) {
    EXPECT_LT(
        relative_error(span_of<double>(trainer.values()[spec.slot]), file.values<double>("end." + spec.name)),
        1e-8)
        << spec.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizers, PyTorchTraining, ::testing::Values("training", "training_muon"));

}  // namespace
}  // namespace ordinal::experiments

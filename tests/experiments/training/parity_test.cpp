// Whole models against PyTorch 2.13 in float64; tests/fixtures/parity/make_fixtures.py makes the fixtures,
// and tests/fixtures/encodings/make_fixtures.py those of the encodings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "experiments/results/npy.h"
#include "experiments/settings/checkpoint_settings.h"
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

std::filesystem::path fixture(const std::string& name, const std::string& folder = "parity") {
  return fixtures_folder() / folder / (name + ".safetensors");
}

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

// ‖a - b‖/‖b‖, and the largest difference over the largest element: both must be small.
template <typename T>
double relative_error(std::span<const T> got, const std::vector<double>& expected) {
  EXPECT_EQ(got.size(), expected.size());
  double square = 0.0;
  double norm = 0.0;
  double largest = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    square += std::pow(static_cast<double>(got[i]) - expected[i], 2);
    norm += expected[i] * expected[i];
    largest = larger_error(largest, std::abs(expected[i]));
  }
  return larger_error(std::sqrt(square / norm), largest_difference(got, expected) / largest);
}

template <typename T>
std::span<const T> span_of(View<const T> view) {
  return {view.data, static_cast<std::size_t>(view.size())};
}

template <typename T>
void expect_parity(const std::filesystem::path& path, double tolerance) {
  const SafetensorsFile file(path);
  const Transformer<T> model(Plan(Settings::from_map(file.metadata(), path.string())).model);
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

class PyTorchParity : public ::testing::TestWithParam<std::string> {};

TEST_P(PyTorchParity, LogitsLossAndAllGradientsInDouble) { expect_parity<double>(fixture(GetParam()), 1e-9); }
TEST_P(PyTorchParity, LogitsLossAndAllGradientsInFloat) { expect_parity<float>(fixture(GetParam()), 5e-5); }

class PyTorchEncoding : public ::testing::TestWithParam<std::string> {};

TEST_P(PyTorchEncoding, LogitsLossAndAllGradientsInDouble) {
  expect_parity<double>(fixture(GetParam(), "encodings"), 1e-9);
}
TEST_P(PyTorchEncoding, LogitsLossAndAllGradientsInFloat) {
  expect_parity<float>(fixture(GetParam(), "encodings"), 2e-4);
}

// Every file of the folder is a case. An encoding without one has only the automatic checks.
std::vector<std::string> encoding_cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(fixture("rope", "encodings").parent_path())) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".safetensors" && name != "t5_buckets") names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Fixtures, PyTorchEncoding, ::testing::ValuesIn(encoding_cases()),
                         [](const auto& info) { return info.param; });

// A lost file would silently remove a test case. A user-defined encoding needs none.
TEST(PyTorchEncodings, CoverThoseThatHaveAPaper) {
  const std::vector<std::string> cases = encoding_cases();
  for (const char* name :
       {"rope", "xpos", "alibi", "t5", "t5_clipped", "shaw", "transformer_xl", "kerple_log", "kerple_power",
        "fire", "cope", "ssmax", "tupe", "forgetting", "path", "selective_rope"}) {
    EXPECT_TRUE(std::ranges::find(cases, name) != cases.end()) << name;
  }
}

// The weights of a fixture with its metadata: as a user would pass it to parity.
void write_model(const SafetensorsFile& fixture, const std::filesystem::path& path) {
  SafetensorsWriter writer;
  for (const auto& [key, value] : fixture.metadata()) writer.set_metadata(key, value);
  std::map<std::string, std::vector<double>> values;
  for (const std::string& name : fixture.names()) {
    if (!fixture.contains("grad." + name)) continue;
    values[name] = fixture.values<double>(name);
    writer.add(name, fixture.shape(name), std::span<const double>(values[name]));
  }
  writer.write(path);
}

// The driver gives the same results through files.
TEST_P(PyTorchParity, OfTheDriver) {
  const SafetensorsFile file(fixture(GetParam()));
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

INSTANTIATE_TEST_SUITE_P(Fixtures, PyTorchParity,
                         ::testing::Values("sinusoidal", "learned", "none", "encoder", "modern", "post_rms"),
                         [](const auto& info) { return info.param; });

TEST(PyTorchTraining, TenStepsOfAdamWWithClippingAndSchedule) {
  const SafetensorsFile file(fixture("training"));
  const Plan plan(Settings::from_map(file.metadata(), "training"));
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

}  // namespace
}  // namespace ordinal::experiments

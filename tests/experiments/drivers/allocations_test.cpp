// Counts the allocations of a training step, and the memory that pictures of models take.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "experiments/experiment/figures.h"
#include "experiments/scoring/scoring.h"
#include "framework/training/checkpoint.h"
#include "tests/experiments/drivers/program.h"
#include "tests/experiments/with.h"
#include "tests/framework/training/small_model.h"

namespace {

// operator new can only count in globals.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<std::ptrdiff_t> allocations = 0;
std::atomic<std::ptrdiff_t> held = 0;       // bytes
std::atomic<std::ptrdiff_t> most_held = 0;  // since it was last set
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

std::ptrdiff_t size_of(void* memory) { return static_cast<std::ptrdiff_t>(::malloc_usable_size(memory)); }

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, std::max(rounded, alignment));
  if (memory == nullptr) throw std::bad_alloc();
  const std::ptrdiff_t now = held += size_of(memory);
  for (std::ptrdiff_t most = most_held; most < now && !most_held.compare_exchange_weak(most, now);) {
  }
  return memory;
}

void release(void* memory) noexcept {
  held -= size_of(memory);
  std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
}

}  // namespace

// Not inlined: GCC would warn of a mismatch if it inlined only one of `new` and `free`.
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return counted(size, alignof(std::max_align_t));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/,
                                       std::align_val_t /*alignment*/) noexcept {
  release(memory);
}

namespace ordinal::testing {
namespace {

// A thread gets its memory in the first step in which it takes a task, which under load may be a late one.
TEST(TrainerSlow, AllocatesNothingAfterItsFirstSteps) {
  for (const int threads : {1, 2}) {
    SmallTraining training(options_with(4), small_config(), threads);
    const Batch batch = random_batch(8, 48, 0);
    int steps_without = 0;
    for (int step = 0; step < 300 && steps_without < 20; ++step) {
      const std::ptrdiff_t before = allocations;
      ASSERT_GT(before, 0) << "none is counted";
      training.step(batch);
      steps_without = allocations == before ? steps_without + 1 : 0;
    }
    EXPECT_EQ(steps_without, 20) << threads << " threads";
  }
}

}  // namespace
}  // namespace ordinal::testing

namespace ordinal::experiments::testing {
namespace {

// The most bytes that it holds at a time.
double memory_of(const auto& run) {
  const std::ptrdiff_t before = held;
  most_held = before;
  run();
  return static_cast<double>(most_held - before);
}

// A row of three seeds, as if they had been trained and scored, and the bytes that it takes.
class Untrained {
 public:
  explicit Untrained(const Values& values)
      : settings_(with(values)), entrant_(Entrants().make(rows_of(settings_).front())) {
    const Transformer<float> model(entrant_.last().plan.model);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      Parameters<float> weights(model.layout());
      initialize(weights, seed);
      const std::filesystem::path file = own_folder() / std::to_string(seed);
      SafetensorsWriter writer;
      add_parameters(writer, weights);
      writer.write(file);
      cells_.push_back({.entrant = entrant_, .evaluation = settings_, .seed = seed, .checkpoint = file});
      result_.cells.push_back(empty_result(cells_.back()));
      result_.cells.back().weights_hash = weights_hash(weights);
    }
  }

  double training() const { return entrant_.last().work.training.bytes(1); }

  double scoring() const {
    return memory_of([&] {
      const Plan& plan = entrant_.last().plan;
      const Transformer<float> model(plan.model);
      const Parameters<float> weights(model.layout());
      Threads one(1);
      CellResult cell;
      const Subject subject{model, weights, *plan.task, plan, settings_, 1};
      const Index length = evaluation_lengths(settings_).back();
      score_length(subject, length, "trained", validation_batches(subject, length, settings_->train.batch),
                   one, cell);
    });
  }

  double pictures() const {
    return memory_of([&] { EXPECT_GE(row_figures(entrant_, cells_, result_).size(), 2U); });
  }

 private:
  Settings settings_;
  Entrant entrant_;
  std::vector<Cell> cells_;
  ExperimentResult result_;
};

Untrained row_of(const std::string& encoding, const std::string& train_length, const std::string& lengths) {
  return Untrained({{"task.name", "language"},
                    {"task.train_length", train_length},
                    {"evaluate.lengths", lengths},
                    {"evaluate.batches", "1"},
                    {"train.batch", "1"},
                    {"train.steps", "1"},
                    {"train.warmup", "0"},
                    {"model.d_model", "16"},
                    {"model.layers", "1"},
                    {"model.encoding", encoding}});
}

TEST(PicturesSlow, TakeLessMemoryThanTrainingIsForecastToTake) {
  for (const std::string& encoding : encodings().names()) {
    const Untrained row = row_of(encoding, "1500", "1x");
    EXPECT_LT(row.pictures(), row.training()) << encoding;
  }
}

TEST(PicturesSlow, OfLongTestsTakeLessMemoryThanTrainingAndScoring) {
  const Untrained row = row_of("none", "500", "1x,4x");
  EXPECT_LT(row.pictures(), row.training() + row.scoring());
}

}  // namespace
}  // namespace ordinal::experiments::testing

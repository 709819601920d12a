// Counts the allocations of a training step.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/framework/training/small_model.h"

namespace {

// operator new can only count in a global.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<std::ptrdiff_t> allocations = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, std::max(rounded, alignment));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
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
// NOLINTBEGIN(cppcoreguidelines-no-malloc)
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/,
                                       std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc)

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

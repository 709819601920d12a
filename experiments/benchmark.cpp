// benchmark: speed of training, evaluation and generation, a breakdown of the time, and throughput relative
// to plain matrix products.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "experiments/benchmark/report.h"
#include "experiments/programs/driver.h"

// Only this program counts its allocations.
namespace {

// operator new can only count in a global.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<std::ptrdiff_t> allocation_count = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++allocation_count;
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

int main(int argc, char** argv) {
  const ordinal::experiments::DriverDescription description{
      .name = "benchmark",
      .summary =
          "Times a training step (forward, backward, clipping, AdamW) on random tokens at several sizes, "
          "compares it with the rate of 512x512x512 products measured between the steps, and breaks down the "
          "time. On request it also times forward runs, long evaluation, generation and each encoding "
          "(configs/benchmark.cfg requests all of them). experiments/peers/compare compares it with "
          "PyTorch.",
      .examples =
          {"benchmark --config configs/benchmark.cfg",
           "benchmark --benchmark.sizes=tiny,small --json timings.json",
           "benchmark --benchmark.sizes=config --model.d_model=96 --model.layers=3 --task.train_length=256"},
      .sections = {"benchmark"},
      .keys = {"model.d_model", "model.heads", "model.layers", "model.vocab_size", "task.train_length",
               "train.batch"},
      .options = {"json"},
      .body = [](const ordinal::experiments::CommandLine& command) {
        return ordinal::experiments::run_benchmark(command, [] { return ordinal::Index{allocation_count}; });
      }};
  return ordinal::experiments::run_driver(argc, argv, description);
}

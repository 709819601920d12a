// The processes that share one training run, and what they exchange. The framework knows only this interface: OneRank
// below is one process, and experiments/training/mpi_world.cpp implements it for MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal {

/// Every rank must make the same calls in the same order, on one thread at a time.
class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  virtual int rank() const = 0;  // 0 … size - 1
  virtual int size() const = 0;
  /// Sends `mine` to another rank, which makes the same call. Receives into `theirs` as many bytes as that rank sends.
  virtual void exchange(int partner, std::span<const std::byte> mine, std::span<std::byte> theirs) = 0;
  /// All ranks get the bytes of `root`.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  /// Whether `flag` is true on any rank. No rank returns before all have called it.
  virtual bool any(bool flag) = 0;
};

/// A single process.
class OneRank final : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void exchange(int partner, std::span<const std::byte> mine, std::span<std::byte> theirs) override;
  void broadcast(std::span<std::byte>, int) override {}
  bool any(bool flag) override { return flag; }
};
Ranks& one_rank();

/// Adds up the values of a power-of-two number of ranks, in place, in a fixed tree: neighbours first, then pairs of
/// pairs. Every rank gets the same bits as a single process that adds in this tree. Each rank adds only a part. It sends
/// and receives less than twice the values, whatever the number of ranks (Rabenseifner 2004).
template <typename T>
void sum(Ranks& ranks, std::span<T> values, std::vector<T>& received);

/// `all` has one block of equal size for each of a power-of-two number of ranks. Each rank fills its own block before
/// the call and receives the others.
void gather(Ranks& ranks, std::span<double> all);

/// Whether all ranks have the same value.
bool all_equal(Ranks& ranks, std::uint64_t value);

/// Returns on all ranks the text of the first rank whose text is not empty.
std::string first_text(Ranks& ranks, const std::string& text);

/// Thrown on ranks without an error when another rank has failed; that rank reports why.
class AnotherRankFailed : public std::exception {
 public:
  const char* what() const noexcept override { return "another rank failed"; }
};

/// Calls `write` on rank 0 only. If it throws there, the other ranks throw AnotherRankFailed.
void on_first(Ranks& ranks, const std::function<void()>& write);

}  // namespace ordinal

#include "framework/training/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "framework/core/vector_math.h"

namespace ordinal {

void OneRank::exchange(int partner, std::span<const std::byte>, std::span<std::byte>) {
  throw std::logic_error(fmt::format("Ranks: one process, so there is no rank {}", partner));
}

Ranks& one_rank() {
  static OneRank one;  // it has no state
  return one;
}

// A rank sends each partner half of the part that it holds and adds what it receives to the other half. At the end it
// holds one part of the sum. It gets the other parts on the way back.
template <typename T>
void sum(Ranks& ranks, std::span<T> values, std::vector<T>& received) {
  struct Halves {
    int partner;
    std::span<T> mine, theirs;
  };
  if (ranks.size() == 1) return;
  std::vector<Halves> way;
  received.resize((values.size() + 1) / 2);
  for (int distance = 1; distance < ranks.size(); distance *= 2) {
    const std::span<T> lower = values.first(values.size() / 2);
    const std::span<T> upper = values.subspan(values.size() / 2);
    const bool is_upper = (ranks.rank() & distance) != 0;
    way.push_back({ranks.rank() ^ distance, is_upper ? upper : lower, is_upper ? lower : upper});
    const auto& [partner, mine, theirs] = way.back();
    const std::span<T> other = std::span(received).first(mine.size());
    ranks.exchange(partner, std::as_bytes(theirs), std::as_writable_bytes(other));
    vmath::add(mine.data(), other.data(), mine.data(), std::ssize(mine));
    values = mine;
  }
  std::ranges::reverse(way);
  for (const auto& [partner, mine, theirs] : way)
    ranks.exchange(partner, std::as_bytes(mine), std::as_writable_bytes(theirs));
}

template void sum<float>(Ranks&, std::span<float>, std::vector<float>&);
template void sum<double>(Ranks&, std::span<double>, std::vector<double>&);

void gather(Ranks& ranks, std::span<double> all) {
  const auto block = all.size() / static_cast<std::size_t>(ranks.size());
  for (int distance = 1; distance < ranks.size(); distance *= 2) {
    const auto blocks_at = [&](int rank) {  // what a rank holds before this exchange
      const int first = rank & ~(distance - 1);
      return all.subspan(block * static_cast<std::size_t>(first), block * static_cast<std::size_t>(distance));
    };
    const int partner = ranks.rank() ^ distance;
    ranks.exchange(partner, std::as_bytes(blocks_at(ranks.rank())),
                   std::as_writable_bytes(blocks_at(partner)));
  }
}

bool all_equal(Ranks& ranks, std::uint64_t value) {
  std::uint64_t first = value;
  ranks.broadcast(std::as_writable_bytes(std::span(&first, 1)), 0);
  return !ranks.any(value != first);
}

std::string first_text(Ranks& ranks, const std::string& text) {
  std::string found = text;
  for (int root = 0; root < ranks.size(); ++root) {
    std::size_t size = text.size();
    ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)), root);
    if (size == 0) continue;
    found.resize(size);
    ranks.broadcast(std::as_writable_bytes(std::span(found)), root);
    return found;
  }
  return "";
}

void on_first(Ranks& ranks, const std::function<void()>& write) {
  std::exception_ptr failure;
  if (ranks.rank() == 0) {
    try {
      write();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  const bool failed = ranks.any(failure != nullptr);
  if (failure) std::rethrow_exception(failure);
  if (failed) throw AnotherRankFailed();
}

}  // namespace ordinal

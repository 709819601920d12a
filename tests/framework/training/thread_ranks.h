// Ranks that are threads of the test: each calls work(ranks) on its own.
#pragma once

#include <algorithm>
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

#include "framework/training/ranks.h"

namespace ordinal::testing {

/// What each rank offers to the others, between two waits of all.
struct Board {
  explicit Board(int size) : offers(static_cast<std::size_t>(size)), everyone(size) {}
  std::vector<std::span<const std::byte>> offers;
  std::barrier<> everyone;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(int rank, Board& board) : rank_(rank), board_(board) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(board_.offers.size()); }
  void exchange(int partner, std::span<const std::byte> mine, std::span<std::byte> theirs) override {
    sent += std::ssize(mine);
    take(partner, mine, theirs);
  }
  void broadcast(std::span<std::byte> bytes, int root) override {
    take(root, bytes, rank_ == root ? std::span<std::byte>() : bytes);
  }
  bool any(bool flag) override {
    bool found = false;
    for (int root = 0; root < size(); ++root) {
      bool theirs = flag;
      broadcast(std::as_writable_bytes(std::span(&theirs, 1)), root);
      found = found || theirs;
    }
    return found;
  }

  Index sent = 0;  // bytes

 private:
  void take(int from, std::span<const std::byte> offer, std::span<std::byte> destination) {
    board_.offers[static_cast<std::size_t>(rank_)] = offer;
    board_.everyone.arrive_and_wait();
    const auto offered = board_.offers[static_cast<std::size_t>(from)];
    std::copy_n(offered.begin(), std::min(offered.size(), destination.size()), destination.begin());
    board_.everyone.arrive_and_wait();
  }

  int rank_;
  Board& board_;
};

inline void on_ranks(int size, const std::function<void(ThreadRanks&)>& work) {
  Board board(size);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadRanks ranks(rank, board);
      work(ranks);
    });
  }
}

}  // namespace ordinal::testing

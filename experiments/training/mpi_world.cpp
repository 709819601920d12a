// The only file that knows MPI; compiled with ORDINAL_MPI. See world.h.
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "experiments/training/world.h"

#define OMPI_SKIP_MPICXX 1  // no deprecated C++ bindings
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace ordinal::experiments {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 5s;  // how long a failed rank waits for the others
constexpr auto progress_interval = 2ms;
constexpr std::size_t largest_message = 1U << 30U;  // counts are int

/// Threads of a rank take turns with `mutex`: MPI_THREAD_SERIALIZED.
class MpiRanks final : public Ranks {
 public:
  MpiRanks(MPI_Comm communicator, std::mutex& mutex) : communicator_(communicator), mutex_(mutex) {
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
  }
  ~MpiRanks() override {
    const std::lock_guard lock(mutex_);
    MPI_Comm_free(&communicator_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void exchange(int partner, std::span<const std::byte> mine, std::span<std::byte> theirs) override {
    const std::lock_guard lock(mutex_);
    while (!mine.empty() || !theirs.empty()) {
      const auto sent = mine.first(std::min(mine.size(), largest_message));
      const auto received = theirs.first(std::min(theirs.size(), largest_message));
      MPI_Sendrecv(sent.data(), static_cast<int>(sent.size()), MPI_BYTE, partner, 0, received.data(),
                   static_cast<int>(received.size()), MPI_BYTE, partner, 0, communicator_, MPI_STATUS_IGNORE);
      mine = mine.subspan(sent.size());
      theirs = theirs.subspan(received.size());
    }
  }

  void broadcast(std::span<std::byte> bytes, int root) override {
    const std::lock_guard lock(mutex_);
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(bytes.size(), largest_message));
      MPI_Bcast(part.data(), static_cast<int>(part.size()), MPI_BYTE, root, communicator_);
      bytes = bytes.subspan(part.size());
    }
  }

  bool any(bool flag) override {
    const std::lock_guard lock(mutex_);
    int any = flag ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_LOR, communicator_);
    return any != 0;
  }

 private:
  MPI_Comm communicator_;
  std::mutex& mutex_;
  int rank_ = 0;
  int size_ = 1;
};

// One rank's share of this machine's processors, given those that each of `ranks` may run on.
int shared_processors(const std::vector<cpu_set_t>& ranks, const cpu_set_t& mine) {
  double share = 0.0;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &mine)) continue;
    const auto users = std::ranges::count_if(
        ranks, [&](const cpu_set_t& other) { return CPU_ISSET(processor, &other) != 0; });
    share += 1.0 / static_cast<double>(users);
  }
  return std::max(1, static_cast<int>(share + 1e-6));
}

class MpiWorld final : public World {
 public:
  MpiWorld() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) {
      MPI_Finalize();
      throw std::runtime_error(
          "MPI: the library was built without support for threads, expected MPI_THREAD_SERIALIZED");
    }
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    ranks_ = std::make_unique<MpiRanks>(all, mutex_);
    look_around();
    const MPI_Aint size = ranks_->rank() == 0 ? sizeof(*counter_) : 0;
    MPI_Win_allocate(size, sizeof(*counter_), MPI_INFO_NULL, MPI_COMM_WORLD, &counter_, &window_);
    MPI_Win_lock_all(0, window_);
    if (ranks_->rank() == 0) *counter_ = 0;
    MPI_Win_sync(window_);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ranks_->rank() == 0)
      progress_ = std::jthread([this](const std::stop_token& stop) { progress(stop); });
  }

  ~MpiWorld() override {
    progress_ = {};  // joins
    ranks_.reset();
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
    MPI_Finalize();
  }

  Ranks& ranks() override { return *ranks_; }

  Index take_number() override {
    const std::lock_guard lock(mutex_);
    const std::int64_t one = 1;
    std::int64_t number = 0;
    MPI_Fetch_and_op(&one, &number, MPI_INT64_T, 0, 0, MPI_SUM, window_);
    MPI_Win_flush(0, window_);
    return number;
  }

  int processors() const override { return processors_; }
  int ranks_here() const override { return ranks_here_; }

  Ending end(int exit_code, bool failed) override {
    const std::array<int, 2> mine = {exit_code, failed ? 1 : 0};
    std::vector<std::array<int, 2>> all(static_cast<std::size_t>(ranks_->size()));
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const std::lock_guard lock(mutex_);
      MPI_Iallgather(mine.data(), 2, MPI_INT, all.data(), 2, MPI_INT, MPI_COMM_WORLD, &request);
    }
    const auto start = std::chrono::steady_clock::now();
    while (!is_done(request)) {
      if (failed && std::chrono::steady_clock::now() - start > patience) return {exit_code, true, false};
      std::this_thread::sleep_for(progress_interval);
    }
    const auto first = std::ranges::find(all, 1, [](const auto& one) { return one[1]; });
    return {std::ranges::max(all)[0], failed && first - all.begin() == ranks_->rank(), true};
  }

  void abort(int exit_code) override { MPI_Abort(MPI_COMM_WORLD, exit_code); }

 private:
  bool is_done(MPI_Request& request) {
    const std::lock_guard lock(mutex_);
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }

  // Counts ranks and processors of this machine.
  void look_around() {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &ranks_here_);
    cpu_set_t mine;
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof(mine), &mine);
    std::vector<cpu_set_t> all(static_cast<std::size_t>(ranks_here_));
    MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all.data(), sizeof(mine), MPI_BYTE, machine);
    MPI_Comm_free(&machine);
    processors_ = shared_processors(all, mine);
  }

  // Some libraries answer a take_number() from another machine only while this one calls MPI, which a training does not.
  void progress(const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(progress_interval)) {
      const std::unique_lock lock(mutex_, std::try_to_lock);
      int found = 0;
      if (lock) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    }
  }

  std::mutex mutex_;
  std::unique_ptr<MpiRanks> ranks_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::int64_t* counter_ = nullptr;  // of rank 0
  int processors_ = 1;
  int ranks_here_ = 1;
  std::jthread progress_;
};

}  // namespace

std::unique_ptr<World> make_mpi_world() { return std::make_unique<MpiWorld>(); }

}  // namespace ordinal::experiments

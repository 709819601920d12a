// Threads that cannot start, for any user: their stacks do not fit the address space.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

namespace ordinal {

/// In its scope, threads start with stacks of 256 MB, and the address space has room for half a stack more than `count`.
class RoomForStacks {
 public:
  explicit RoomForStacks(rlim_t count) {
    constexpr std::size_t stack = std::size_t{256} << 20U;
    EXPECT_EQ(::pthread_getattr_default_np(&usual_stack_), 0);
    pthread_attr_t attributes = usual_stack_;
    EXPECT_EQ(::pthread_attr_setstacksize(&attributes, stack), 0);
    EXPECT_EQ(::pthread_setattr_default_np(&attributes), 0);
    rlim_t pages_in_use = 0;
    std::ifstream("/proc/self/statm") >> pages_in_use;
    const rlim_t in_use = pages_in_use * static_cast<rlim_t>(::sysconf(_SC_PAGE_SIZE));
    EXPECT_EQ(::getrlimit(RLIMIT_AS, &usual_limit_), 0);
    const rlimit limit{in_use + count * stack + stack / 2, usual_limit_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
  }
  RoomForStacks(const RoomForStacks&) = delete;
  RoomForStacks& operator=(const RoomForStacks&) = delete;
  ~RoomForStacks() {
    EXPECT_EQ(::setrlimit(RLIMIT_AS, &usual_limit_), 0);
    EXPECT_EQ(::pthread_setattr_default_np(&usual_stack_), 0);
    ::pthread_attr_destroy(&usual_stack_);
  }

 private:
  pthread_attr_t usual_stack_{};
  rlimit usual_limit_{};
};

}  // namespace ordinal

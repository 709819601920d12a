// A timer and a median, for measurements.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace ordinal::experiments {

template <typename Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace ordinal::experiments

// An open file that closes itself.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>

namespace ordinal {

/// Owns a file descriptor. After a successful fsync, a failing close cannot lose data.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }

  /// write(2) may stop early or be interrupted by a signal; false with errno set if it fails for good.
  bool write(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = TEMP_FAILURE_RETRY(::write(number_, bytes.data(), bytes.size()));
      if (written < 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
  }

 private:
  int number_;
};

}  // namespace ordinal

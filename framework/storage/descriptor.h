// An open file that closes itself, for the other sources in this folder.
#pragma once

#include <sys/stat.h>

#include <filesystem>

namespace ordinal {

/// Owns a file descriptor. After a successful fsync, a failing close cannot lose data.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_;
};

/// A regular file that is open for reading, and what fstat(2) reports for it.
struct OpenFile {
  Descriptor descriptor;
  struct stat facts;
};

/// Throws DataError, "path: reason", if the file is missing, a folder, a pipe, a device or unreadable.
OpenFile open_regular_file(const std::filesystem::path& path);

}  // namespace ordinal

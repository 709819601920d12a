#include "framework/storage/folder_lock.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>

#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"

namespace ordinal {
namespace {

namespace fs = std::filesystem;

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "an unknown host";
  return name.data();
}

// "process 1234 on host since 2026-11-22 10:11:12"
std::string own_name() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("process {} on {} since {:%Y-%m-%d %H:%M:%S}", ::getpid(), host_name(), local);
}

std::string holder_of(int file) {
  std::array<char, 512> text{};
  const ssize_t got = ::pread(file, text.data(), text.size(), 0);
  return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : "another process";
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder) {
  fs::create_directories(folder);
  const fs::path path = folder / ".lock";
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw fs::filesystem_error("cannot write", path, {errno, std::generic_category()});
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(file_, F_OFD_SETLK, &whole) != 0) {
    const std::error_code reason(errno, std::generic_category());
    const bool held = reason.value() == EAGAIN || reason.value() == EACCES;
    const std::string holder = held ? holder_of(file_) : "";
    ::close(file_);
    if (!held) throw fs::filesystem_error("cannot lock", path, reason);
    throw ConfigError(fmt::format("{}: {} writes its results there; wait for it, or choose another --out",
                                  folder.string(), holder));
  }
  const std::string name = own_name();
  if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, name.data(), name.size(), 0) < 0) {
    const std::error_code reason(errno, std::generic_category());
    ::close(file_);
    throw fs::filesystem_error("cannot write", path, reason);
  }
  remove_leftovers(folder);
}

FolderLock::~FolderLock() { ::close(file_); }

std::string folder_writer(const fs::path& folder) {
  const int file = ::open((folder / ".lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  struct flock whole {};
  whole.l_type = F_RDLCK;
  whole.l_whence = SEEK_SET;
  const bool held = ::fcntl(file, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  std::string holder = held ? holder_of(file) : "";
  ::close(file);
  return holder;
}

}  // namespace ordinal

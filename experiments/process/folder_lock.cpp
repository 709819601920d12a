#include "experiments/process/folder_lock.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <span>
#include <thread>
#include <utility>

#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/hash.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

// "process 1234 on host since 2026-11-22 10:11:12"
std::string own_name() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  utsname host{};
  ::uname(&host);
  return fmt::format("process {} on {} since {:%Y-%m-%d %H:%M:%S}", ::getpid(), host.nodename, local);
}

// The lines of .lock: the holder and, of several, their purpose.
std::pair<std::string, std::string> lines_of(const Descriptor& file) {
  std::array<char, 512> bytes{};
  const ssize_t got = ::pread(file.number(), bytes.data(), bytes.size(), 0);
  if (got <= 0) return {"another process", ""};
  const std::string text(bytes.data(), static_cast<std::size_t>(got));
  const std::size_t end = std::min(text.find('\n'), text.size());
  return {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
}

// Opens .lock with `flags`. Does not wait for a pipe and does not follow a link.
Descriptor open_lock(const fs::path& folder, int flags) {
  return Descriptor(::open((folder / ".lock").c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
}

bool is_regular(const Descriptor& file) {
  struct stat facts {};
  return ::fstat(file.number(), &facts) == 0 && S_ISREG(facts.st_mode);
}

[[noreturn]] void fail(const char* what, const fs::path& folder) {
  throw fs::filesystem_error(what, folder / ".lock", {errno, std::generic_category()});
}

Descriptor make_lock(const fs::path& folder) {
  fs::create_directories(folder);
  Descriptor file = open_lock(folder, O_RDWR | O_CREAT);
  if (file.open() ? !is_regular(file) : errno == ELOOP) {
    throw ConfigError(fmt::format("{}: it is a link, a pipe or a device, expected a regular file; remove it",
                                  (folder / ".lock").string()));
  }
  if (!file.open()) fail("cannot write", folder);
  return file;
}

// A lock on `count` bytes of .lock. Several holders share the first byte, and each name has a byte of its own; a single holder
// locks all (count 0).
struct flock lock_of(short type, off_t first = 0, off_t count = 0) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = first;
  lock.l_len = count;
  return lock;
}

off_t byte_of(const std::string& name) {
  Fnv1a64 hash;
  hash.update(std::as_bytes(std::span(name)));
  return static_cast<off_t>(hash.value() >> 2U) + 1;
}

// False if another open file has a lock on some of these bytes.
bool locks(const Descriptor& file, struct flock lock, const fs::path& folder) {
  if (::fcntl(file.number(), F_OFD_SETLK, &lock) == 0) return true;
  if (errno != EAGAIN && errno != EACCES) fail("cannot lock", folder);
  return false;
}

// The lock of another open file that is in the way of this one; of type F_UNLCK if there is none.
struct flock obstacle(const Descriptor& file, struct flock lock) {
  if (::fcntl(file.number(), F_OFD_GETLK, &lock) != 0) lock.l_type = F_UNLCK;
  return lock;
}

void write_lines(const Descriptor& file, const std::string& text, const fs::path& folder) {
  if (::ftruncate(file.number(), 0) != 0 || ::pwrite(file.number(), text.data(), text.size(), 0) < 0)
    fail("cannot write", folder);
}

[[noreturn]] void refuse(const Descriptor& file, const fs::path& folder, const char* what) {
  throw ConfigError(fmt::format("{}: {} writes {} there; wait for it, or choose another --out",
                                folder.string(), lines_of(file).first, what));
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, Holder holder, const std::string& purpose)
    : folder_(folder), file_(make_lock(folder)) {
  if (holder == Holder::one_of_several) {
    join(fnv1a64_hex(std::as_bytes(std::span(purpose))));
    return;
  }
  if (!locks(file_, lock_of(F_WRLCK), folder_)) refuse(file_, folder_, "its results");
  write_lines(file_, own_name(), folder_);
  remove_leftovers(folder_);
}

// The first holder writes the purpose before it shares the byte.
void FolderLock::join(const std::string& purpose) {
  const auto locked = [&](short type) { return locks(file_, lock_of(type, 0, 1), folder_); };
  while (true) {
    if (locked(F_WRLCK)) {
      write_lines(file_,
                  fmt::format("one of several parts (the first to begin was {})\n{}", own_name(), purpose),
                  folder_);
      locked(F_RDLCK);
      return;
    }
    if (locked(F_RDLCK)) break;
    const struct flock held = obstacle(file_, lock_of(F_RDLCK, 0, 1));
    if (held.l_type == F_WRLCK && held.l_len == 0) refuse(file_, folder_, "its results");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (lines_of(file_).second != purpose) refuse(file_, folder_, "results of other settings");
}

Descriptor FolderLock::reserve(const std::string& name) const {
  Descriptor file = open_lock(folder_, O_RDWR);
  check(folder_ / name);
  if (!file.open()) fail("cannot lock", folder_);
  return locks(file, lock_of(F_WRLCK, byte_of(name), 1), folder_) ? std::move(file) : Descriptor(-1);
}

void FolderLock::check(const fs::path& path) const {
  struct stat held {};
  struct stat there {};
  if (::fstat(file_.number(), &held) != 0 || ::lstat((folder_ / ".lock").c_str(), &there) != 0 ||
      held.st_dev != there.st_dev || held.st_ino != there.st_ino) {
    const std::string writer = folder_writer(folder_);
    throw ConfigError(fmt::format(
        "{}: the folder or its .lock was removed while this run wrote its results there{}; nothing more is "
        "written; repeat the command, or choose another --out",
        folder_.string(), writer.empty() ? "" : fmt::format(", and {} writes there now", writer)));
  }
  for (fs::path folder = path.parent_path(); folder.native().size() > folder_.native().size();
       folder = folder.parent_path()) {
    std::error_code unknown;
    if (!fs::is_symlink(fs::symlink_status(folder, unknown))) continue;
    throw ConfigError(fmt::format(
        "{}: it is a symbolic link, and results stay in their folder; remove it, or choose another --out",
        folder.string()));
  }
}

std::string folder_writer(const fs::path& folder) {
  const Descriptor file = open_lock(folder, O_RDONLY);
  if (!file.open() || !is_regular(file)) return "";
  return obstacle(file, lock_of(F_WRLCK)).l_type == F_UNLCK ? "" : lines_of(file).first;
}

}  // namespace ordinal::experiments

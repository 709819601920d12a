#include "experiments/process/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <span>

#include "experiments/process/hash.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

// Bytes of .lock. A process holds the entrance only while it enters, so that they enter one at a time. Who writes in the
// folder holds `presence`, alone or together with others. Each reserved name has a byte after these.
constexpr off_t entrance = 0;
constexpr off_t presence = 1;
constexpr off_t first_name = 2;

// "process 1234 on host since 2026-11-22 10:11:12"
std::string own_name() {
  utsname host{};
  ::uname(&host);
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  std::array<char, 20> since{};
  std::strftime(since.data(), since.size(), "%Y-%m-%d %H:%M:%S", ::localtime_r(&now, &local));
  return fmt::format("process {} on {} since {}", ::getpid(), host.nodename, since.data());
}

[[noreturn]] void fail(const char* what, const fs::path& path, int reason = errno) {
  throw fs::filesystem_error(what, path, {reason, std::generic_category()});
}

// Does not wait for a pipe and does not follow a link.
Descriptor open_lock(const fs::path& folder) {
  fs::create_directories(folder);
  constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor file(::open((folder / ".lock").c_str(), flags, 0666));
  struct stat facts {};
  if (!file.open() || ::fstat(file.number(), &facts) != 0) fail("cannot lock", folder / ".lock");
  if (S_ISREG(facts.st_mode)) return file;
  throw ConfigError(fmt::format("{}: expected a regular file; remove it", (folder / ".lock").string()));
}

// Changes the lock on a byte. False if that of another open file is in the way and `command` does not wait for it.
bool lock_byte(const Descriptor& file, off_t byte, short type, const fs::path& folder,
               int command = F_OFD_SETLK) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  if (::fcntl(file.number(), command, &lock) == 0) return true;
  if (errno != EAGAIN && errno != EACCES) fail("cannot lock", folder / ".lock");
  return false;
}

[[noreturn]] void refuse_busy(const fs::path& folder, bool is_shared = false) {
  const std::string text = read_file(folder / ".lock");
  throw ConfigError(fmt::format("{}: {} writes {} there; wait for it, or choose another --out",
                                folder.string(), text.substr(0, text.find('\n')),
                                is_shared ? "results of other settings" : "its results"));
}

// Removes the temporary files that killed writers left in a folder and below it. Nothing else may be writing there.
void remove_leftovers(const fs::path& folder) {
  std::error_code ignored;
  constexpr auto skipping = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(folder, skipping, ignored), end; entry != end;
       entry.increment(ignored)) {
    const fs::path& path = entry->path();
    std::error_code unreadable;
    if (fs::exists(path / ".lock", unreadable)) entry.disable_recursion_pending();
    if (is_leftover(path)) fs::remove(path, unreadable);
  }
}

}  // namespace

void LockedPath::check() const {
  if (lock_ != nullptr) lock_->check(*this);
}

WriteCheck LockedPath::write_check() const {
  return lock_ == nullptr ? WriteCheck() : [path = *this] { path.check(); };
}

void write_text(const LockedPath& path, std::string_view text) {
  path.check();
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  write_file_atomically(path, text);
}

void append_line(const LockedPath& path, std::string_view line) {
  path.check();
  const Descriptor folder(::open((path.parent_path() / ".").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const int missing = errno;
  path.check();  // while the folder is open: a recreated folder is another one
  if (!folder.open()) fail("cannot write", path, missing);
  const Descriptor file(::openat(folder.number(), path.filename().c_str(),
                                 O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file.open()) fail("cannot write", path);
  const off_t end = ::lseek(file.number(), 0, SEEK_END);
  const std::string text = fmt::format("{}\n", line);
  if (file.write(std::as_bytes(std::span(text)))) return;
  const int reason = errno;
  // If truncating also fails, the write error is still the one to report.
  if (end >= 0 && ::ftruncate(file.number(), end) != 0) errno = 0;
  fail("cannot append", path, reason);
}

FolderLock::FolderLock(const fs::path& folder, const std::string& holds, const std::string& purpose)
    : folder_(folder), file_(open_lock(folder)) {
  const auto lock = [&](off_t byte, short type, int command = F_OFD_SETLK) {
    return lock_byte(file_, byte, type, folder_, command);
  };
  lock(entrance, F_WRLCK, F_OFD_SETLKW);
  const bool is_shared = !purpose.empty();
  const std::string hash = fnv1a64_hex(std::as_bytes(std::span(purpose)));
  if (lock(presence, F_WRLCK)) {
    const std::string text = fmt::format("{}{}\nholds {}\n{}", own_name(),
                                         is_shared ? ", or one that joined it," : "", holds, hash);
    if (::ftruncate(file_.number(), 0) != 0 || ::pwrite(file_.number(), text.data(), text.size(), 0) < 0)
      fail("cannot write", folder_ / ".lock");
    remove_leftovers(folder_);
    if (is_shared) lock(presence, F_RDLCK);
  } else {
    const bool others_share = is_shared && lock(presence, F_RDLCK);
    if (!others_share || !read_file(folder_ / ".lock").ends_with(hash)) refuse_busy(folder_, others_share);
  }
  lock(entrance, F_UNLCK);
}

void FolderLock::check_free(const fs::path& folder) {
  if (!fs::exists(folder / ".lock")) return;
  const Descriptor file = open_lock(folder);
  lock_byte(file, entrance, F_WRLCK, folder, F_OFD_SETLKW);  // who enters is alone for a moment
  if (!lock_byte(file, presence, F_RDLCK, folder)) refuse_busy(folder);
}

Descriptor FolderLock::reserve(const std::string& name) const {
  check(folder_ / name);
  Descriptor file = open_lock(folder_);
  Fnv1a64 hash;
  hash.update(std::as_bytes(std::span(name)));
  const auto byte = static_cast<off_t>(hash.value() >> 2U) + first_name;
  return lock_byte(file, byte, F_WRLCK, folder_) ? std::move(file) : Descriptor(-1);
}

void FolderLock::check(const fs::path& path) const {
  struct stat held {};
  struct stat there {};
  if (::fstat(file_.number(), &held) != 0 || ::lstat((folder_ / ".lock").c_str(), &there) != 0 ||
      held.st_dev != there.st_dev || held.st_ino != there.st_ino) {
    throw ConfigError(fmt::format(
        "{}: the folder or its .lock was removed while this run wrote its results there; nothing more is "
        "written; repeat the command, or choose another --out",
        folder_.string()));
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

}  // namespace ordinal::experiments

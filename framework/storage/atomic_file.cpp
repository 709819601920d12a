#include "framework/storage/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

#include "framework/core/errors.h"

namespace ordinal {
namespace {

namespace fs = std::filesystem;

constexpr const char* leftover_begin = ".ordinal-";
constexpr const char* leftover_end = ".tmp";

std::error_code last_error() { return {errno, std::generic_category()}; }

[[noreturn]] void fail(const char* what, const fs::path& path, std::error_code reason) {
  throw fs::filesystem_error(what, path, reason);
}

[[noreturn]] void fail_to_write(const fs::path& path) { fail("cannot write", path, last_error()); }

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw DataError(fmt::format("{}: {}", path.string(), reason));
}

/// 64 random bits: other threads and leftovers of killed processes have other names.
std::string random_name() {
  std::random_device random;
  return fmt::format("{}{:08x}{:08x}{}", leftover_begin, random(), random(), leftover_end);
}

/// A uniquely named file in the open folder of its destination. It is deleted unless it is renamed to the destination.
class TemporaryFile {
 public:
  TemporaryFile(const Descriptor& folder, const fs::path& destination)
      : folder_(folder.number()), destination_(destination), file_(create()) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlinkat(folder_, name_.c_str(), 0);
  }

  void write(Bytes bytes) {
    if (!file_.write(bytes)) fail_to_write(destination_);
  }

  void sync() {
    if (TEMP_FAILURE_RETRY(::fsync(file_.number())) != 0) fail_to_write(destination_);
  }

  void rename_to_destination() {
    if (::renameat(folder_, name_.c_str(), folder_, destination_.filename().c_str()) != 0)
      fail_to_write(destination_);
    renamed_ = true;
  }

 private:
  int create() const {
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    const auto file = static_cast<int>(TEMP_FAILURE_RETRY(::openat(folder_, name_.c_str(), flags, 0666)));
    if (file < 0) fail_to_write(destination_);
    return file;
  }

  int folder_;
  const fs::path& destination_;
  std::string name_ = random_name();
  Descriptor file_;
  bool renamed_ = false;
};

/// The file to replace. Renaming over a device such as /dev/null would replace the device itself.
fs::path target_of(const fs::path& path, bool follows_links) {
  std::error_code reason;
  const bool is_link = fs::is_symlink(fs::symlink_status(path, reason));
  if (is_link && !follows_links) return path;
  const fs::file_status status = fs::status(path, reason);
  if (fs::is_directory(status)) fail("cannot write", path, std::make_error_code(std::errc::is_a_directory));
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    fail("cannot write: not a regular file", path, std::make_error_code(std::errc::invalid_argument));
  }
  return is_link ? fs::weakly_canonical(path) : path;
}

}  // namespace

void write_file_atomically(const fs::path& path, std::span<const Bytes> chunks, const WriteCheck& check) {
  if (check) check();
  const fs::path target = target_of(path, !check);
  const Descriptor folder(::open((target.parent_path() / ".").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::error_code reason = last_error();
  if (!folder.open()) {
    if (check) check();
    fail("cannot write", target, reason);
  }
  TemporaryFile temporary(folder, target);
  for (const Bytes chunk : chunks) temporary.write(chunk);
  temporary.sync();
  if (check) check();  // while the folder is open: if it is removed from now on, renaming fails
  temporary.rename_to_destination();
  // Some file systems cannot sync a folder and return EINVAL; this is not an error.
  if (TEMP_FAILURE_RETRY(::fsync(folder.number())) != 0 && errno != EINVAL) fail_to_write(path);
}

void write_file_atomically(const fs::path& path, std::string_view text, const WriteCheck& check) {
  const Bytes chunk = std::as_bytes(std::span(text));
  write_file_atomically(path, std::span(&chunk, 1), check);
}

void link_atomically(const fs::path& target, const fs::path& path) {
  fs::create_directories(path.parent_path());
  const fs::path temporary = path.parent_path() / random_name();
  std::error_code no_links;
  fs::create_symlink(target.lexically_proximate(path.parent_path()), temporary, no_links);
  if (no_links && !fs::exists(target)) return;
  if (no_links) fs::copy_file(target, temporary);
  fs::rename(temporary, path);
}

bool is_leftover(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(leftover_begin) && name.ends_with(leftover_end);
}

// Without O_NONBLOCK, opening a pipe would wait for a writer.
OpenFile open_regular_file(const fs::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!file.open() || ::fstat(file.number(), &facts) != 0) refuse(path, last_error().message());
  if (S_ISDIR(facts.st_mode)) refuse(path, "is a directory, expected a file");
  if (!S_ISREG(facts.st_mode))
    refuse(path, "is a pipe or a device, expected a regular file: save its contents in one");
  return {std::move(file), facts};
}

std::string read_file(const fs::path& path, std::uintmax_t most) {
  const OpenFile file = open_regular_file(path);
  const auto size = static_cast<std::uintmax_t>(file.facts.st_size);
  const double megabytes = static_cast<double>(size) / 1e6;
  if (size > most)
    refuse(path, fmt::format("got {:.1f} MB, expected at most {} MB", megabytes, most / 1'000'000));
  std::string contents;
  try {
    contents.resize(size);
  } catch (const std::exception&) {  // bad_alloc, or length_error
    refuse(path, fmt::format("got {:.1f} MB, more than there is memory for", megabytes));
  }
  std::size_t filled = 0;
  while (filled < contents.size()) {
    const ssize_t got = TEMP_FAILURE_RETRY(
        ::read(file.descriptor.number(), contents.data() + filled, contents.size() - filled));
    if (got < 0) refuse(path, last_error().message());
    if (got == 0) refuse(path, "became shorter while being read");
    filled += static_cast<std::size_t>(got);
  }
  return contents;
}

}  // namespace ordinal

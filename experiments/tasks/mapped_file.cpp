#include "experiments/tasks/mapped_file.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "framework/core/errors.h"

namespace ordinal::experiments {

MappedFile::MappedFile(std::filesystem::path path) : path_(std::move(path)), file_(open_regular_file(path_)) {
  const auto size = static_cast<std::size_t>(file_.facts.st_size);
  if (size == 0) return;  // mmap refuses it
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_.descriptor.number(), 0);
  if (memory == MAP_FAILED) {
    throw DataError(fmt::format("{}: cannot map {} bytes: {}", path_.string(), size,
                                std::generic_category().message(errno)));
  }
  bytes_ = {static_cast<const char*>(memory), size};
}

MappedFile::~MappedFile() {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): munmap takes what mmap gave
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void MappedFile::check_unchanged() const {
  struct stat now {};
  const struct stat& then = file_.facts;
  const bool same = ::fstat(file_.descriptor.number(), &now) == 0 && now.st_size == then.st_size &&
                    now.st_mtim.tv_sec == then.st_mtim.tv_sec && now.st_mtim.tv_nsec == then.st_mtim.tv_nsec;
  if (same) return;
  throw DataError(
      fmt::format("{}: the file was changed while it was in use (it had {} bytes, now {}); restore it and "
                  "repeat the command",
                  path_.string(), then.st_size, now.st_size));
}

}  // namespace ordinal::experiments

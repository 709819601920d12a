#include "framework/storage/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "framework/core/errors.h"

namespace ordinal {

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

OpenFile open_regular_file(const std::filesystem::path& path) {
  const auto refuse = [&path](const std::string& reason) {
    throw DataError(fmt::format("{}: {}", path.string(), reason));
  };
  const auto refuse_with_errno = [&] { refuse(std::generic_category().message(errno)); };
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) refuse_with_errno();
  if (S_ISDIR(facts.st_mode)) refuse("is a directory, expected a file");
  if (!S_ISREG(facts.st_mode))
    refuse("is a pipe or a device, expected a regular file: save its contents in one");
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) refuse_with_errno();
  // Checks the open file itself: a writer may have renamed a new file to the path in the meantime.
  if (::fstat(file.number(), &facts) != 0) refuse_with_errno();
  return {std::move(file), facts};
}

}  // namespace ordinal

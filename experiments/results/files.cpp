#include "experiments/results/files.h"

#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {

void write_text(const LockedPath& path, std::string_view text) {
  path.check();
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  write_file_atomically(path, text);
}

void remove_file(const LockedPath& path) {
  path.check();
  std::filesystem::remove(path);
}

}  // namespace ordinal::experiments

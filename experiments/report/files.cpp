#include "experiments/report/files.h"

#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {

void write_text(const std::filesystem::path& path, std::string_view text) {
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  write_file_atomically(path, text);
}

}  // namespace ordinal::experiments

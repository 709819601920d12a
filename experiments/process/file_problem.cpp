#include "experiments/process/file_problem.h"

#include <fmt/format.h>

#include <cerrno>
#include <string_view>

namespace ordinal::experiments {
namespace {

const char* way_out(std::error_code reason) {
  if (reason == std::errc::no_space_on_device || reason == std::error_code(EDQUOT, std::generic_category())) {
    return "; free some space and repeat the command";
  }
  if (reason == std::errc::file_too_large) return "; raise the limit (ulimit -f) and repeat the command";
  if (reason == std::errc::permission_denied || reason == std::errc::operation_not_permitted ||
      reason == std::errc::read_only_file_system) {
    return "; choose a folder that you may write to";
  }
  if (reason == std::errc::not_a_directory || reason == std::errc::is_a_directory ||
      reason == std::errc::file_exists) {
    return "; a file stands where a folder is expected, or the other way round: remove it, or choose another "
           "name";
  }
  if (reason == std::errc::no_such_file_or_directory) return "; make its folder first";
  if (reason == std::errc::too_many_symbolic_link_levels) return "; it is a symbolic link: remove it";
  if (reason == std::errc::filename_too_long) return "; choose a shorter name";
  return "";
}

}  // namespace

// The standard library says "filesystem error: what was tried: the reason [path]".
std::string file_problem(const std::filesystem::filesystem_error& error) {
  constexpr std::string_view prefix = "filesystem error: ";
  std::string_view text = error.what();
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  text = text.substr(0, text.find(" [" + error.path1().string() + "]"));
  return fmt::format("{}: {}{}", error.path1().string(), text, way_out(error.code()));
}

}  // namespace ordinal::experiments

#include "experiments/process/file_problem.h"

#include <fmt/format.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace ordinal::experiments {
namespace {

constexpr const char* not_writable = "choose a folder that you may write to";
constexpr const char* wrong_kind =
    "a file stands where a folder is expected, or the other way round: remove it, or choose another name";

constexpr std::pair<int, const char*> ways_out[] = {
    {ENOSPC, "free some space and repeat the command"},
    {EDQUOT, "free some space and repeat the command"},
    {EFBIG, "raise the limit (ulimit -f) and repeat the command"},
    {EACCES, not_writable},
    {EPERM, not_writable},
    {EROFS, not_writable},
    {ENOTDIR, wrong_kind},
    {EISDIR, wrong_kind},
    {EEXIST, wrong_kind},
    {ENOENT, "make its folder first"},
    {ELOOP, "it is a symbolic link: remove it"},
    {ENAMETOOLONG, "choose a shorter name"}};

}  // namespace

// The standard library says "filesystem error: what was tried: the reason [path]".
std::string file_problem(const std::filesystem::filesystem_error& error) {
  constexpr std::string_view prefix = "filesystem error: ";
  std::string_view text = error.what();
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  text = text.substr(0, text.find(" [" + error.path1().string() + "]"));
  std::string problem = fmt::format("{}: {}", error.path1().string(), text);
  for (const auto& [number, way_out] : ways_out)
    if (error.code().value() == number) problem += fmt::format("; {}", way_out);
  return problem;
}

}  // namespace ordinal::experiments

#include "experiments/process/results_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> folders = {"cells", "trainings", "figures", "tuning"};

bool is_result(const std::string& name) {
  static const std::regex files(
      report_names + "|" + claim_names + "|" + export_names +
      R"(|resolved\.cfg|manifest\.json|checkpoint.*\.safetensors|metrics\.jsonl|result\.json|encodings\.html)");
  return std::regex_match(name, files) || std::ranges::count(folders, name) > 0;
}

fs::path whole(const fs::path& path) { return fs::weakly_canonical(fs::absolute(path)) / ""; }

// What the results in a folder are; empty without results. Other programs have files called .lock, too.
std::string holds_of(const fs::path& folder) {
  constexpr std::uintmax_t longest = 4096;
  std::error_code unknown;
  const fs::file_status status = fs::symlink_status(folder / ".lock", unknown);
  if (!fs::exists(status)) return "";
  if (!fs::is_regular_file(status)) return "results";  // the lock refuses it
  std::string text;
  try {
    text = read_file(folder / ".lock", longest);
  } catch (const DataError&) {  // unreadable, or too long
    return "";
  }
  static const std::regex written("process [^\n]*\nholds ([^\n]*)\n[^\n]*");
  std::smatch found;
  return std::regex_match(text, found, written) ? found.str(1) : "";
}

void check_above(const fs::path& folder, const std::string& own) {
  const fs::path whole_path = whole(folder).parent_path();
  for (fs::path above = whole_path.parent_path(); above.has_relative_path(); above = above.parent_path()) {
    const std::string holds = holds_of(above);
    const std::string below = whole_path.lexically_relative(above).begin()->string();
    if (holds.empty() || holds == "claims" || (holds == own && !is_result(below))) continue;
    throw ConfigError(fmt::format("{}: it lies in {}, which holds {}; choose another --out", folder.string(),
                                  above.string(), holds));
  }
}

}  // namespace

void check_results_folder(const fs::path& folder, const std::string& holds) {
  check_above(folder, holds);
  const std::string there = holds_of(folder);
  if (!there.empty() && there != "results" && there != holds)
    throw ConfigError(
        fmt::format("{}: it holds {}; choose another --out, or remove it", folder.string(), there));
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (!is_result(name)) continue;
    if (there.empty())
      throw ConfigError(
          fmt::format("{}: no run has made it, and results would replace it; choose another --out",
                      entry.path().string()));
    if (entry.is_directory(none) == (std::ranges::count(folders, name) == 0))
      throw ConfigError(fmt::format("{}: expected a {}; remove it, or choose another --out",
                                    entry.path().string(), entry.is_directory(none) ? "file" : "folder"));
  }
}

void check_input(const fs::path& input, const fs::path& folder, const std::string& text) {
  const fs::path inside = whole(input).parent_path().lexically_relative(whole(folder).parent_path());
  if (inside.empty() || !is_result(inside.begin()->string())) return;
  if (!text.empty() && read_file(input, largest_document) == text) return;
  throw ConfigError(fmt::format(
      "{}: results would replace this file, which the command reads; copy it, or choose another --out",
      input.string()));
}

void remove_old(const LockedPath& folder, const std::string& names, const std::set<fs::path>& written) {
  const std::regex old(names);
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const LockedPath file = folder / entry.path().filename();
    if (!std::regex_match(file.filename().string(), old) || written.contains(file)) continue;
    file.check();
    fs::remove(file);
  }
}

}  // namespace ordinal::experiments

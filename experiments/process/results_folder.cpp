#include "experiments/process/results_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <vector>

#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> folders = {"cells", "scores", "figures", "tuning", "finetuned"};

// The file names that reports and exports have.
bool is_report(const std::string& name) {
  static const std::regex reports(
      R"((table|claims)\.(md|csv)|(seeds|references|scores)\.csv|(report|claims|encodings)\.html|)"
      R"((curves(-.*)?|training|over_training|by_position)\.svg|)"
      R"((input|shift-.+|angles|bias|scores|terms|gram|similarity)\.(npy|svg)|statistics\.txt)");
  return std::regex_match(name, reports);
}

bool is_result(const std::string& name) {
  static const std::regex others(
      R"(resolved\.cfg|manifest\.json|checkpoint.*\.safetensors|metrics\.jsonl|result\.json)");
  return is_report(name) || std::regex_match(name, others) || std::ranges::count(folders, name) > 0;
}

fs::path whole(const fs::path& path) {
  std::error_code unknown;
  return fs::weakly_canonical(fs::absolute(path, unknown), unknown) / "";
}

// What the results in a folder are, as a run has written it down; empty without one. Other programs have files of that name, too.
std::string holds_of(const fs::path& folder) {
  std::error_code unknown;
  if (!fs::exists(fs::symlink_status(folder / ".lock", unknown))) return "";
  if (!fs::is_regular_file(fs::symlink_status(folder / ".lock", unknown)))
    return "results";  // the lock refuses it
  const std::string text = read_file(folder / ".lock", largest_document);
  static const std::regex written("(one of several|process )[^\n]*(\nholds ([^\n]*))?(\n[^\n]*)?");
  std::smatch found;
  if (!std::regex_match(text, found, written)) return "";
  return found[3].matched ? found.str(3) : "results";  // of version 0.10
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

void check_input(const fs::path& input, const fs::path& folder) {
  const fs::path inside = whole(input).parent_path().lexically_relative(whole(folder).parent_path());
  if (inside.empty() || !is_result(inside.begin()->string())) return;
  throw ConfigError(fmt::format(
      "{}: results would replace this file, which the command reads; copy it, or choose another --out",
      input.string()));
}

void remove_unwritten(const LockedPath& folder, const std::set<fs::path>& written) {
  static const std::regex figures(R"(.+-(input|similarity|bias|attention-\d+-at-\d+|distances-at-\d+)\.svg)");
  std::vector<LockedPath> old;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (is_report(entry.path().filename().string())) old.push_back(folder / entry.path().filename());
  for (const auto& entry : fs::directory_iterator(folder / "figures", none))
    if (std::regex_match(entry.path().filename().string(), figures))
      old.push_back(folder / "figures" / entry.path().filename());
  for (const LockedPath& path : old) {
    if (written.contains(path)) continue;
    path.check();
    fs::remove(path);
  }
}

}  // namespace ordinal::experiments

// The folders of the code, its rooms: what each may include, and how many files and lines it holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "framework/core/tensor.h"
#include "tests/folders.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

// From the lowest to the highest: a room includes itself and those before it.
const std::vector<std::string> rooms = {"process",  "tasks",   "conditions", "settings",
                                        "results",  "scoring", "training",   "report",
                                        "encoding", "claims",  "experiment", "programs"};

fs::path experiments_folder() { return source_folder() / "experiments"; }

auto place_of(const std::string& room) { return std::ranges::find(rooms, room) - rooms.begin(); }

// The rooms that a file includes.
std::set<std::string> included_rooms(const fs::path& file) {
  const std::string start = "#include \"experiments/";
  std::set<std::string> included;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start))
      included.insert(line.substr(start.size(), line.find('/', start.size()) - start.size()));
  }
  return included;
}

TEST(Rooms, IncludeOnlyRoomsBelowThem) {
  int includes = 0;
  for (const std::string& room : rooms) {
    for (const auto& entry : fs::recursive_directory_iterator(experiments_folder() / room)) {
      if (!entry.is_regular_file()) continue;
      for (const std::string& other : included_rooms(entry.path())) {
        EXPECT_LE(place_of(other), place_of(room)) << entry.path() << " includes experiments/" << other;
        ++includes;
      }
    }
  }
  EXPECT_GT(includes, 100);
}

// A header and its source are one file. Folders of parts are lists, with a file for each entry of a registry.
TEST(Rooms, HoldAtMost16Files) {
  for (const std::string floor : {"framework", "models", "experiments"}) {
    for (const auto& folder : fs::recursive_directory_iterator(source_folder() / floor)) {
      if (!folder.is_directory()) continue;
      std::set<std::string> files;
      for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.is_regular_file()) files.insert(entry.path().stem().string());
      }
      const bool holds_parts = files.contains("rope") || folder.path().filename() == "kinds";
      EXPECT_TRUE(holds_parts || files.size() <= 16) << folder.path() << " holds " << files.size();
    }
  }
}

// "experiments/report" and the number of its lines, by the page; "(others)" is what a level holds outside its rooms.
std::map<std::string, Index> lines_by_the_page() {
  const std::regex listed("    (?:([a-z]+)/)? +([a-z]+|\\(others\\)) +([0-9,]+)  .*");
  std::map<std::string, Index> rooms_of_page;
  std::ifstream page(source_folder() / "framework/README.md");
  std::string level;
  std::smatch found;
  for (std::string line; std::getline(page, line);) {
    if (!std::regex_match(line, found, listed)) continue;
    if (found[1].matched) level = found[1];
    std::string number = found[3];
    std::erase(number, ',');
    rooms_of_page[level + "/" + found[2].str()] = std::stol(number);
  }
  return rooms_of_page;
}

// The names in the lines of all registries, such as ORDINAL_ENCODING(rope).
std::set<std::string> registered_names() {
  std::set<std::string> names;
  for (const std::string level : {"experiments", "framework"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source_folder() / level)) {
      if (entry.path().extension() != ".inc") continue;
      std::ifstream lines(entry.path());
      for (std::string line; std::getline(lines, line);)
        names.insert(line.substr(line.find('(') + 1, line.find(')') - line.find('(') - 1));
    }
  }
  return names;
}

// A part that is one file and one line costs nothing to those who do not use it, and does not count.
std::map<std::string, Index> lines_of_rooms() {
  const std::set<std::string> parts = registered_names();
  const auto is_part = [&](const fs::path& path) {
    if (path.extension() == ".inc") return true;
    return path.extension() == ".cpp" && parts.contains(path.stem().string()) &&
           !fs::exists(fs::path(path).replace_extension(".h"));
  };
  std::map<std::string, Index> lines;
  for (const std::string level : {"experiments", "models", "framework"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source_folder() / level)) {
      if (!entry.is_regular_file() || is_part(entry.path())) continue;
      const fs::path path = fs::relative(entry.path(), source_folder() / level);
      const bool is_in_room = path.has_parent_path();
      std::ifstream file(entry.path());
      lines[level + "/" + (is_in_room ? path.begin()->string() : "(others)")] +=
          std::count(std::istreambuf_iterator<char>(file), {}, '\n');
    }
  }
  return lines;
}

// Each level is as small as it was meant to be.
TEST(Rooms, HoldNoMoreLinesThanThePageSays) {
  const std::map<std::string, Index> by_the_page = lines_by_the_page();
  const std::map<std::string, Index> rooms_and_lines = lines_of_rooms();
  EXPECT_EQ(by_the_page.size(), rooms_and_lines.size());
  for (const auto& [room, lines] : rooms_and_lines) {
    const auto found = by_the_page.find(room);
    if (found == by_the_page.end()) {
      ADD_FAILURE() << room << " is not listed in framework/README.md, with " << lines << " lines";
    } else {
      EXPECT_LE(lines, found->second) << room;
      EXPECT_GT(lines, found->second - 100) << room << ": lower the number";
    }
  }
}

TEST(Rooms, AreAllListed) {
  for (const auto& folder : fs::directory_iterator(experiments_folder())) {
    const std::string name = folder.path().filename().string();
    if (!folder.is_directory() || fs::is_empty(folder)) continue;
    EXPECT_NE(std::ranges::find(rooms, name), rooms.end()) << name;
  }
}

// "A transformer by hand in an hour": files with their lines.
TEST(ReadingPath, NamesFilesThatAreAsLongAsItSays) {
  const std::regex listed(R"(\| \[.+\]\((.+)\) \| ([0-9]+) \| .* \|)");
  std::ifstream page(source_folder() / "framework/README.md");
  std::smatch found;
  Index files = 0;
  Index all = 0;
  for (std::string line; std::getline(page, line);) {
    if (!std::regex_match(line, found, listed)) continue;
    std::ifstream file(source_folder() / "framework" / found[1].str());
    EXPECT_EQ(std::count(std::istreambuf_iterator<char>(file), {}, '\n'), std::stol(found[2])) << found[1];
    ++files;
    all += std::stol(found[2]);
  }
  EXPECT_EQ(files, 10);
  EXPECT_LT(all, 1500) << "more than an hour";
}

}  // namespace
}  // namespace ordinal::experiments

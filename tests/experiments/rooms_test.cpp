// The folders of experiments/, its rooms: what each may include, and how many files it holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/folders.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

// From the lowest to the highest: a room includes itself and those before it.
const std::vector<std::string> rooms = {"tasks",   "conditions", "process", "settings",  "results",
                                        "scoring", "training",   "report",  "benchmark", "encoding",
                                        "claims",  "experiment", "programs"};

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

// A header and its source are one file.
TEST(Rooms, HoldAtMost20Files) {
  for (const std::string floor : {"framework", "models", "experiments"}) {
    for (const auto& folder : fs::recursive_directory_iterator(source_folder() / floor)) {
      if (!folder.is_directory()) continue;
      std::set<std::string> files;
      for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.is_regular_file()) files.insert(entry.path().stem().string());
      }
      EXPECT_LE(files.size(), 20U) << folder.path();
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

}  // namespace
}  // namespace ordinal::experiments

// Runs a program of the project as a user would, and keeps its output.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "framework/core/tensor.h"
#include "framework/storage/atomic_file.h"
#include "tests/folders.h"

namespace ordinal::experiments::testing {

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;

  Index error_lines() const { return std::ranges::count(err, '\n'); }
};

/// A separate folder for each test and build, empty at the start: suites of two builds may run at the same
/// time.
inline std::filesystem::path own_folder() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test->test_suite_name()) + "." + test->name();
  std::ranges::replace(name, '/', '_');
  const std::filesystem::path build = bin_folder().parent_path();
  const std::filesystem::path folder = build / "tests/folders" / name;
  static std::string cleaned;
  if (cleaned != name) std::filesystem::remove_all(folder);
  cleaned = name;
  std::filesystem::create_directories(folder);
  return folder;
}

inline std::string file(const std::string& name) { return read_file(own_folder() / name); }

inline bool exists(const std::string& name) { return std::filesystem::exists(own_folder() / name); }

inline void write(const std::string& name, const std::string& text) {
  std::ofstream(own_folder() / name, std::ios::binary) << text;
}

/// What a shell's command does in the test's folder, where it leaves both streams.
inline Outcome outcome_of(const std::string& command) {
  const std::filesystem::path folder = own_folder();
  const int status = std::system(("cd '" + folder.string() + "' && " + command).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder / "stdout.txt"),
          read_file(folder / "stderr.txt")};
}

/// A program as a shell runs it. Tests change an option of those below by adding it once more: only the last is given.
inline std::string started(const std::string& program, const std::string& arguments) {
  static const std::regex option("--(out(?= )|[a-z_.]+(?==))[= ]('[^']*'|\"[^\"]*\"|[^ '\"])*");
  std::map<std::string, std::smatch::difference_type> last;
  const std::sregex_iterator begin(arguments.begin(), arguments.end(), option);
  for (auto each = begin; each != std::sregex_iterator(); ++each) last[(*each)[1]] = each->position();
  std::string kept = quoted_program(program) + " ";
  std::string::difference_type end = 0;
  for (auto each = begin; each != std::sregex_iterator(); ++each) {
    const std::string name = (*each)[1];
    if (name == "config" || name.ends_with(".file") || each->position() == last[name]) continue;
    kept += arguments.substr(static_cast<std::size_t>(end), static_cast<std::size_t>(each->position() - end));
    end = each->position() + each->length();
  }
  return kept + arguments.substr(static_cast<std::size_t>(end));
}

/// `build/bin/<program> <arguments>` through a shell, in the test's folder.
inline Outcome run_program(const std::string& program, const std::string& arguments,
                           const std::string& environment = "") {
  return outcome_of("env " + environment + " " + started(program, arguments) + " >stdout.txt 2>stderr.txt");
}

/// The same for a run that succeeds.
inline Outcome run_well(const std::string& program, const std::string& arguments,
                        const std::string& environment = "") {
  const Outcome outcome = run_program(program, arguments, environment);
  EXPECT_EQ(outcome.exit_code, 0) << program << " " << arguments << "\n" << outcome.err;
  return outcome;
}

inline Outcome extrapolate(const std::string& arguments) { return run_well("extrapolation", arguments); }
inline Outcome train(const std::string& arguments) { return run_well("train", arguments); }

/// Starts a program several times at once, and waits for all, which succeed.
inline void run_at_once(int count, const std::string& program, const std::string& arguments) {
  std::string command = "cd '" + own_folder().string() + "'; ";
  std::string waits;
  for (int i = 1; i <= count; ++i) {
    const std::string process = "p" + std::to_string(i);
    command += started(program, arguments) + " >" + process + ".txt 2>&1 & " + process + "=$!; ";
    waits += "wait $" + process + " && ";
  }
  EXPECT_EQ(std::system((command + waits + "true || { tail -n 3 p?.txt; exit 1; }").c_str()), 0);
}

/// The same as run_program(), but `signal` is sent as soon as the program has written to the file `sign` (in the test's folder) and
/// it has that many lines; lines of a run before do not suffice, as the program may not listen yet. A shell starts
/// what runs in the background with Ctrl-C ignored, hence --default-signal.
inline Outcome run_until(const std::string& sign, const std::string& signal, const std::string& program,
                         const std::string& arguments, Index lines = 1) {
  return outcome_of("touch started.txt && sleep 0.02 && { env --default-signal=INT " +
                    started(program, arguments) + " >stdout.txt 2>stderr.txt & pid=$!; until [ '" + sign +
                    "' -nt started.txt ] && [ $(cat '" + sign + "' 2>/dev/null | wc -l) -ge " +
                    std::to_string(lines) + " ]; do sleep 0.02; done; kill -" + signal +
                    " $pid; wait $pid; }");
}

/// What a file, a folder or a link holds, and when that changed.
struct Entry {
  std::string bytes;
  std::filesystem::file_time_type time = {};

  bool operator==(const Entry&) const = default;
};
using Entries = std::map<std::string, Entry>;

/// All that a folder of the test holds, but for what programs print: equal before and after means untouched.
inline Entries everything(const std::string& folder = "") {
  Entries all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(own_folder() / folder)) {
    const std::string name = std::filesystem::relative(entry.path(), own_folder()).string();
    if (name == "stdout.txt" || name == "stderr.txt") continue;
    if (entry.is_symlink()) {
      all[name].bytes = std::filesystem::read_symlink(entry.path()).string();
    } else {
      all[name] = {entry.is_regular_file() ? read_file(entry.path()) : "", entry.last_write_time()};
    }
  }
  return all;
}

/// What a program says, a line for each problem, of what a user can fix.
inline std::string error_of(const std::string& program, const std::string& arguments, Index lines = 1) {
  const Outcome outcome = run_program(program, arguments);
  EXPECT_EQ(outcome.exit_code, 2) << arguments << "\n" << outcome.err;
  EXPECT_EQ(outcome.error_lines(), lines) << arguments << "\n" << outcome.err;
  EXPECT_THAT(outcome.err, ::testing::StartsWith(program + ": ")) << arguments;
  return outcome.err;
}

/// With one line.
inline void expect_refused(const std::string& program, const std::string& arguments,
                           const std::string& message) {
  EXPECT_THAT(error_of(program, arguments), ::testing::HasSubstr(message)) << arguments;
}

/// A model and a run small enough for a test.
inline const std::string tiny =
    " --quiet --model.d_model=16 --model.layers=1 --model.heads=2 --task.train_length=16 --train.steps=20 "
    "--train.warmup=5 --train.batch=4 --train.log_every=5 --evaluate.batches=2 --evaluate.lengths=1x,2x ";

/// The same for three steps.
inline const std::string steps = tiny + "--train.steps=3 --train.warmup=1 ";

}  // namespace ordinal::experiments::testing

// Fuzz targets: each gives any input to a part of ordinal that reads files or arguments. The part must accept it or
// throw one of the errors of framework/core/errors.h, with a message of one line. tests/fuzz/run calls the targets with
// inputs that Clang's libFuzzer invents, corpus_test.cpp with the ones in tests/fuzz/corpus.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ordinal::fuzz {

void checkpoint(const std::string& input);
void command_line(const std::string& input);
void config(const std::string& input);
void npy(const std::string& input);
void part(const std::string& input);
void sections(const std::string& input);
void statement(const std::string& input);
void training(const std::string& input);

/// The name of a target is that of its folder in tests/fuzz/corpus.
struct Target {
  std::string name;
  void (*run)(const std::string& input);
};
const std::vector<Target>& targets();

/// Throws std::logic_error: the input is a finding.
[[noreturn]] void finding(const std::string& what);

/// What a message may look like: one line without control characters; or several, where a part reports all problems
/// at once, with what was written as it is, because run_driver() escapes it.
enum class Message { one_line, many_lines };

/// Runs `read`, which may throw one of the project's errors; true if it threw none. Any other exception passes through.
/// A finding if the message is empty, has an empty line, or is not as `message` says.
bool accepts(const std::function<void()>& read, Message message = Message::one_line);

/// The path of a file with these contents. Each call replaces the file of the call before.
std::filesystem::path file_of(const std::string& contents, const std::string& name);

}  // namespace ordinal::fuzz

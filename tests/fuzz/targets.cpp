#include "tests/fuzz/targets.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "framework/core/errors.h"

namespace ordinal::fuzz {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

void check(const std::string& message, Message allowed) {
  const bool empty_line = message.empty() || message.front() == '\n' || message.back() == '\n' ||
                          message.find("\n\n") != std::string::npos;
  if (empty_line) finding(fmt::format("a message with an empty line: {}", message));
  if (allowed == Message::one_line && std::ranges::any_of(message, is_control))
    finding(fmt::format("a message with a control character: {}", message));
}

// A folder of this process, removed at its end.
class Scratch {
 public:
  Scratch() : path_((std::filesystem::temp_directory_path() / "ordinal-fuzz-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path operator/(const std::string& name) const {
    return std::filesystem::path(path_) / name;
  }

 private:
  std::string path_;
};

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {{"checkpoint", checkpoint},
                                          {"command_line", command_line},
                                          {"config", config},
                                          {"npy", npy},
                                          {"part", part},
                                          {"sections", sections},
                                          {"statement", statement},
                                          {"training", training}};
  return all;
}

void finding(const std::string& what) { throw std::logic_error(what); }

bool accepts(const std::function<void()>& read, Message message) {
  try {
    read();
    return true;
  } catch (const ConfigError& error) {
    check(error.what(), message);
  } catch (const DataError& error) {
    check(error.what(), message);
  } catch (const CheckpointError& error) {
    check(error.what(), message);
  } catch (const PositionError& error) {
    check(error.what(), message);
  }
  return false;
}

std::filesystem::path file_of(const std::string& contents, const std::string& name) {
  static const Scratch scratch;
  const auto path = scratch / name;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << contents;
  return path;
}

}  // namespace ordinal::fuzz

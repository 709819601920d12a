// posix_spawnp with an argument vector; the child's output goes to files in memory: a pipe could fill up and block it, and
// a folder for temporary files may be missing, read-only or full.
#include "experiments/report/gnuplot.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "experiments/report/html.h"
#include "experiments/results/files.h"

namespace ordinal::experiments {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

TemporaryFile temporary_file() {
  const int number = ::memfd_create("gnuplot", MFD_CLOEXEC);
  TemporaryFile file(number < 0 ? nullptr : ::fdopen(number, "w+"));
  if (!file)
    throw std::runtime_error(fmt::format("no memory for the output of gnuplot: {}", std::strerror(errno)));
  return file;
}

std::string contents(std::FILE* file) {
  std::string text;
  std::array<char, 65536> block{};
  std::rewind(file);
  for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), file)) > 0;)
    text.append(block.data(), n);
  return text;
}

struct ProcessResult {
  int spawn_error = 0;  // errno of posix_spawnp, 0 if the program started
  bool succeeded = false;
  std::string output;
  std::string errors;
};

/// Without GNUTERM, which gnuplot starts with: a terminal that opens a window, or that it may not have.
std::vector<char*> environment() {
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("GNUTERM=")) variables.push_back(*variable);
  }
  variables.push_back(nullptr);
  return variables;
}

/// gnuplot -d: without the user's own start-up file, which could change what we draw.
ProcessResult run(const std::string& program, const std::string& script_file) {
  const TemporaryFile output = temporary_file();
  const TemporaryFile errors = temporary_file();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(output.get()), 1);
  posix_spawn_file_actions_adddup2(&actions, fileno(errors.get()), 2);

  std::array<std::string, 3> words{program, "-d", script_file};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = 0;
  ProcessResult result;
  result.spawn_error =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environment().data());
  posix_spawn_file_actions_destroy(&actions);
  if (result.spawn_error != 0) return result;

  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  result.output = contents(output.get());
  result.errors = contents(errors.get());
  return result;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// gnuplot names every picture "Gnuplot", which browsers show as a tooltip, asks for one font only, and
/// leaves browsers free to blur the pixels of a heatmap.
std::string polish(std::string svg, const std::string& title) {
  replace_all(svg, "<title>Gnuplot</title>", "<title>" + escape_html(title) + "</title>");
  replace_all(svg, "font-family=\"Helvetica\"", "font-family=\"Helvetica, Arial, sans-serif\"");
  replace_all(svg, "<image ", "<image style='image-rendering:pixelated' ");
  return svg;
}

std::string without_breaks(std::string text) {
  for (char& c : text) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "no message" : text.substr(first, 300);
}

}  // namespace

std::string gnuplot_string(const std::string& text) {
  std::string literal = "'";
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (c == '\'') {
      literal += "’";
    } else {
      literal += control ? ' ' : c;
    }
  }
  return literal + '\'';
}

DrawOutcome draw_svg(const std::string& script, const LockedPath& svg, const std::string& title,
                     const std::string& program) {
  const LockedPath script_file(svg.parent_path() / "plots" / svg.stem().concat(".gp"), svg.lock());
  remove_file(svg);  // a picture of an earlier run never stands for this one
  write_text(script_file, script);
  // A name that begins with - would be an option.
  const ProcessResult result = run(program, (std::filesystem::path(".") / script_file).string());
  if (result.spawn_error != 0) {
    return {false, true,
            fmt::format("{} cannot be started ({}): no plots were drawn (install the package gnuplot-nox)",
                        program, std::strerror(result.spawn_error))};
  }
  if (!result.succeeded || result.output.find("</svg>") == std::string::npos) {
    return {false, false,
            fmt::format("{} could not draw {}: {}", program, svg.filename().string(),
                        without_breaks(result.errors))};
  }
  write_text(svg, polish(result.output, title));
  return {true, false, ""};
}

}  // namespace ordinal::experiments

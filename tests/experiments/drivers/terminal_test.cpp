// Programs in terminals of several sizes and kinds.
#include "tests/experiments/drivers/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include <chrono>
#include <iterator>
#include <sstream>
#include <thread>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string ctrl_c = "\003";
const std::string one_training = without("experiment.seeds", with_progress) + "--model.encoding=rope ";
const std::string endless = without("train.steps", one_training) + "--train.steps=100000 --out run";
const std::string rope_and_none = one_seed + "--compare.model.encoding=rope,none --out run ";

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

class TerminalOfWidth : public ::testing::TestWithParam<unsigned short> {};
INSTANTIATE_TEST_SUITE_P(Terminal, TerminalOfWidth, ::testing::Values(20, 40, 80, 200));

TEST_P(TerminalOfWidth, KeepsOneLineOfProgressAndACleanCursor) {
  const std::string two =
      with_progress + "--compare.model.encoding=rope,alibi --jobs=2 --threads=2 --out two";
  for (const auto& [program, arguments] :
       {std::pair{"train", one_training + "--out one"}, std::pair{"extrapolation", two}}) {
    const Shown shown = run_in_terminal(program, arguments, {GetParam()});
    EXPECT_EQ(shown.exit_code, 0);
    EXPECT_THAT(shown.bytes, HasSubstr("rope seed 1  "));
    EXPECT_THAT(shown.lines_with("  step "), IsEmpty()) << shown.bytes;
    EXPECT_THAT(shown.lines_with("\033"), IsEmpty());
    EXPECT_EQ(shown.lines.back(), "");
  }
}

TEST_P(TerminalOfWidth, GetsATableOfItsWidth) {
  constexpr std::size_t one_column = 18;  // "encoding" and "32 (2x)"
  const Shown shown = run_in_terminal("extrapolation", rope_and_none, {GetParam()});
  EXPECT_EQ(shown.exit_code, 0);
  const std::string rule = shown.lines_with("─").back();
  EXPECT_GE(display_width(rule), one_column) << shown.bytes;
  EXPECT_LE(display_width(rule), std::max<std::size_t>(GetParam(), one_column)) << shown.bytes;
}

TEST_P(TerminalOfWidth, GetsAPlanOfWholeWords) {
  const Shown shown = run_in_terminal("extrapolation", rope_and_none + "--dry-run", {GetParam()});
  EXPECT_EQ(shown.exit_code, 0);
  std::string words;
  for (const std::string& line : shown.lines) {
    const bool is_one_word = words_of(line).size() < 2;
    EXPECT_TRUE(is_one_word || display_width(line) <= GetParam()) << line;
    words += line + " ";
  }
  EXPECT_EQ(words_of(words), words_of(run_program("extrapolation", rope_and_none + "--dry-run").out));
}

TEST(Terminal, HasColorsUnlessTheEnvironmentSaysNo) {
  const auto bytes = [](const std::string& environment) {
    return run_in_terminal("extrapolation", rope_and_none, {80, environment}).bytes;
  };
  const std::string dim = "\033[2m";  // nothing was learned
  EXPECT_THAT(bytes("TERM=xterm"), HasSubstr(dim));
  EXPECT_THAT(bytes("TERM=xterm NO_COLOR="), HasSubstr(dim)) << "an empty NO_COLOR is none";
  for (const char* environment : {"TERM=xterm NO_COLOR=1", "TERM=dumb", "-u TERM"})
    EXPECT_THAT(bytes(environment), Not(HasSubstr("\033")));
}

// A model of bytes writes any of them.
TEST(Terminal, GetsNoControlCharactersOfGeneratedText) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "\033[2J\xC2\x9B";
  write("text.txt", text);
  train(steps + "--task.name=text --task.file=text.txt --out run");
  const std::string arguments =
      "--quiet --model run/checkpoint.safetensors --generate.length=4 \"--generate.prompt=$(printf "
      "'\\302\\233\\033[2J')\"";
  EXPECT_THAT(run_program("generate", arguments).out, StartsWith("\xC2\x9B\033[2J"))
      << "a pipe gets the bytes";
  const Shown shown = run_in_terminal("generate", arguments, {});
  EXPECT_THAT(shown.bytes, StartsWith("\\xc2\\x9b\\x1b[2J"));
  EXPECT_THAT(shown.bytes, Not(HasSubstr("\033")));
}

TEST(Terminal, DoesNotChangeWhatAPipeGets) {
  const Outcome piped = run_program("extrapolation", rope_and_none);
  EXPECT_EQ(run_in_terminal("extrapolation", rope_and_none + " >out.txt", {20}).exit_code, 0);
  EXPECT_EQ(file("out.txt"), piped.out);
}

TEST(Terminal, ThatCannotMoveItsCursorGetsPlainLines) {
  for (const char* term : {"TERM=dumb", "TERM=", "-u TERM"}) {
    const Shown shown =
        run_in_terminal("train", one_training + "--out run", {80, std::string(term) + " LC_ALL=C.UTF-8"});
    for (const char* part : {"rope seed 1  step 1/20  ", " s left  loss "})
      EXPECT_THAT(shown.bytes, HasSubstr(part));
    EXPECT_THAT(shown.bytes, Not(HasSubstr("\033")));
    std::filesystem::remove_all(own_folder() / "run");
  }
}

TEST(Terminal, IsCleanAfterCtrlC) {
  const Shown shown = run_in_terminal("train", endless, {200}, [](int terminal) { type(terminal, ctrl_c); });
  EXPECT_EQ(shown.exit_code, 130);
  EXPECT_THAT(shown.lines_with("  step "), IsEmpty()) << shown.bytes;
  EXPECT_THAT(shown.lines_with("^C"), IsEmpty()) << "drawn over";
  EXPECT_THAT(shown.bytes, HasSubstr("Continue with:"));
  EXPECT_EQ(shown.lines.back(), "");
}

// The second Ctrl-C ends the process at once, wherever it is.
TEST(Terminal, IsCleanAfterASecondCtrlC) {
  const Shown shown =
      run_in_terminal("train", endless, {200}, [](int terminal) { type(terminal, ctrl_c + ctrl_c); });
  EXPECT_THAT(shown.exit_code, AnyOf(-SIGINT, 130));
  EXPECT_THAT(shown.lines_with("  step "), Each(StartsWith("[1/1] rope ")))
      << "the echo of the keys does not stand before the line";
}

TEST(Terminal, MayChangeItsWidth) {
  const Shown shown = run_in_terminal("train", endless, {200}, [](int terminal) {
    winsize narrow{};
    narrow.ws_col = 30;
    narrow.ws_row = 24;
    EXPECT_EQ(ioctl(terminal, TIOCSWINSZ, &narrow), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // the line is drawn again
    type(terminal, ctrl_c);
  });
  const std::string drawn = shown.bytes.substr(shown.bytes.rfind("[1/1] rope "));
  EXPECT_LT(display_width(drawn.substr(0, drawn.find('\r'))), 30U) << drawn;
}

TEST(Terminal, IsCleanAfterAnError) {
  const Shown shown = run_in_terminal(
      "train",
      without("train.steps", one_training) + "--train.steps=2000 --train.learning_rate=1e30 --out run", {});
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_THAT(shown.lines_with("diverged at step"), Contains(StartsWith("train: diverged")));
  EXPECT_EQ(shown.lines.back(), "");
}

}  // namespace
}  // namespace ordinal::experiments::testing

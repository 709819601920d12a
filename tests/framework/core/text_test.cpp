#include "framework/core/text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "framework/storage/atomic_file.h"
#include "tests/folders.h"

namespace ordinal {
namespace {

TEST(Printable, ShowsControlCharactersAndKeepsTheRest) {
  EXPECT_EQ(printable("a\x1b[31mb\n\t\x7f"), "a\\x1b[31mb\\x0a\\x09\\x7f");
  EXPECT_EQ(printable("x\xC2\x9B"
                      "2J"),
            "x\\xc2\\x9b2J")
      << "U+009B begins a sequence, too";
  EXPECT_EQ(printable("für 5 ± 1 \xC2\xA0 \xC2"), "für 5 ± 1 \xC2\xA0 \xC2");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, LinesKeepTheirBreaksAndTabs) {
  EXPECT_EQ(printable_lines("a\tb\r\n\x1b[2J\n"), "a\tb\\x0d\n\\x1b[2J\n");
}

TEST(Numbers, AreWholeTextsInOneNotation) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_real("-1.5e-3"), -1.5e-3);
  for (const char* text : {"", " 1", "1 ", "+1", "0x10", "1x", "1,5", "nan", "inf", "1e999"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
    EXPECT_EQ(parse_real(text), std::nullopt) << text;
  }
}

// Others depend on the locale, take a prefix of the text, or take more notations.
TEST(Numbers, AreReadByNothingElse) {
  const std::vector<std::string> readers = {"from_chars", "strto", "stod(",  "stof(", "stold(",
                                            "stoi(",      "stol(", "stoll(", "stoul", "atoi(",
                                            "atof(",      "atol",  "scanf"};
  std::size_t files = 0;
  for (const std::string floor : {"framework", "models", "experiments"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder() / floor)) {
      const std::string extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".h") continue;
      ++files;
      const std::string code = read_file(entry.path());
      for (const std::string& reader : readers) {
        const bool here = reader == "from_chars" && entry.path().filename() == "text.h";
        EXPECT_EQ(code.find(reader) != std::string::npos, here) << entry.path() << ": " << reader;
      }
    }
  }
  EXPECT_GT(files, 200U);
}

}  // namespace
}  // namespace ordinal

// The built-in language: what a long document says is true.
#include <gtest/gtest.h>

#include <set>

#include "experiments/tasks/task.h"
#include "tests/experiments/tasks/language_reader.h"

namespace ordinal::experiments::testing {
namespace {

std::string window(const Task& task, const ExampleKey& key, Index length) {
  std::vector<Token> tokens(static_cast<std::size_t>(length));
  std::vector<Token> targets(tokens.size());
  task.example(key, length, tokens, targets);
  return task.alphabet().decode(tokens);
}

// Windows begin inside a document, so a definition or list may lie before them. Some do begin where a
// sentence does and owe nothing to what came before; those are read on to the end.
std::vector<std::string> whole_documents(const Task& task, Split split, Index length, std::size_t count) {
  std::vector<std::string> documents;
  for (std::uint32_t example = 0; documents.size() < count && example < 20'000; ++example) {
    const std::string beginning = window(task, {split, 1, 0, example}, 600);
    LanguageReader reader;
    if (reader.read(beginning)) {
      documents.push_back(window(task, {split, 1, 0, example}, length));
    }
  }
  return documents;
}

TEST(Language, LongDocumentsAreTrueToTheLastSentence) {
  const auto task = make_task("language");
  for (const Split split : {Split::training, Split::validation}) {
    const auto documents = whole_documents(*task, split, 20'000, 10);
    ASSERT_EQ(documents.size(), 10U);
    for (const std::string& document : documents) {
      LanguageReader reader;
      EXPECT_TRUE(reader.read(document)) << reader.error();
      for (const char sign : {'=', '?', '<', '!', '^', '#', ' '})
        EXPECT_GT(reader.counts().at(sign), 20) << sign;
      EXPECT_EQ(reader.deepest(), 3);
    }
  }
}

// The test of the test: a reader that believes everything shows nothing.
TEST(Language, TheReaderNoticesEveryKindOfLie) {
  const std::string rest(200, ' ');
  for (const std::string lie :
       {"a?bc;", "a=bc;a?bd;", "a=bc;a=de;a?bc;", "a=b;", "!abcd;", "<abc>", "<abcd>!abdc;", "<abcd>^abcd;",
        "<abcd>#3d;", "<abcd>#5a;", "<abcd><efgh>!abcd;", "abc (de ]", "abc (de [fg )]", "a ", "abcdef ",
        "qr "}) {
    LanguageReader reader;
    EXPECT_FALSE(reader.read(lie + rest)) << lie;
  }
  LanguageReader reader;
  std::string truth;
  for (int i = 0; i < 20; ++i) truth += "a=bc;a?bc;<abcd>#3c;!abcd;^dcba;abc (de {fg })hi ";
  EXPECT_TRUE(reader.read(truth)) << reader.error();
}

// A longer window is the same document read on: a test at 8x is no other language.
TEST(Language, AShorterWindowIsTheBeginningOfALongerOne) {
  const auto task = make_task("language");
  for (std::uint32_t i = 0; i < 20; ++i) {
    const ExampleKey key{Split::validation, 5, 0, i};
    EXPECT_EQ(window(*task, key, 1000).substr(0, 64), window(*task, key, 64));
  }
}

TEST(Language, EverySymbolOccurs) {
  const auto task = make_task("language");
  std::set<char> seen;
  for (const char c : window(*task, {Split::training, 1, 0, 0}, 50'000)) seen.insert(c);
  EXPECT_EQ(std::ssize(seen), task->alphabet().size());
}

// What stands at a place must not depend on the place: windows begin anywhere in a sentence.
TEST(Language, WindowsBeginAnywhereInASentence) {
  const auto task = make_task("language");
  std::set<char> first;
  for (std::uint32_t i = 0; i < 2000; ++i) first.insert(window(*task, {Split::training, 1, 0, i}, 1)[0]);
  EXPECT_GT(first.size(), 30U);
}

TEST(Language, TrainingAndValidationShareNoDocument) {
  const auto task = make_task("language");
  std::set<std::string> training;
  for (std::uint32_t i = 0; i < 2000; ++i)
    training.insert(window(*task, {Split::training, 0, i / 32, i % 32}, 40));
  EXPECT_EQ(training.size(), 2000U);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    EXPECT_FALSE(training.contains(window(*task, {Split::validation, 0, i / 32, i % 32}, 40)));
  }
}

TEST(Language, LengthsThatCannotBeMadeAreRefused) {
  const auto task = make_task("language");
  EXPECT_NO_THROW(task->check_length(1));
  for (const Index wrong : {Index{0}, Index{-1}, Index{100'000'000}}) {
    try {
      task->check_length(wrong);
      ADD_FAILURE() << wrong;
    } catch (const std::exception& error) {
      EXPECT_EQ(error.what(),
                "task language: got length " + std::to_string(wrong) + ", expected 1 to 10000000");
    }
  }
}

}  // namespace
}  // namespace ordinal::experiments::testing

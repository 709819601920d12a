#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "tests/experiments/tasks/examples.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// Replaces a file that an earlier task may still read.
std::string text_file(const std::string& name, const std::string& contents) {
  const auto path = std::filesystem::path(::testing::TempDir()) / ("tasks_test_" + name);
  write_file_atomically(path, contents);
  return path.string();
}

// 1,000 bytes that all differ from their neighbours, so that a position is identified by its contents.
std::string numbered_bytes() {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>((i * 7 + i / 256) % 256);
  return text;
}

std::unique_ptr<Task> text_task_of(const std::vector<std::string>& files) {
  return make_task(Part{"text", {{"file", joined(files, "\n")}}});
}

// A task that needs a file gets one.
std::unique_ptr<Task> task_of(const std::string& name) {
  if (name == "text") return text_task_of({text_file("numbered.txt", numbered_bytes())});
  return make_task(name);
}

class EveryTask : public ::testing::TestWithParam<std::string> {};

// Up to eight examples that follow each other: a single one may happen to be the same as another.
std::vector<Example> examples(const Task& task, const ExampleKey& first, Index length) {
  const bool training = first.split == Split::training;
  const auto count =
      static_cast<std::uint32_t>(training ? 8 : std::min<Index>(8, task.evaluation_examples(length)));
  std::vector<Example> some;
  for (std::uint32_t i = 0; i < count; ++i) {
    some.push_back(example(task, {first.split, first.seed, first.step, first.example + i}, length));
  }
  return some;
}

TEST_P(EveryTask, HasItsTokensInItsDefinition) {
  const TaskEntry& entry = tasks().find(GetParam());
  const std::string symbols = task_of(GetParam())->alphabet().symbols();
  if (entry.definition.empty() || symbols.empty()) return;  // a user's own, or bytes
  const std::string which = entry.options.empty() ? "" : " with the default options";
  EXPECT_THAT(entry.definition, AnyOf(HasSubstr("\nTokens, from 0" + which + ": " + symbols),
                                      HasSubstr("\nTokens, from 0: " + symbols)));
}

TEST_P(EveryTask, AnExampleIsAFunctionOfItsKeyAlone) {
  const auto task = task_of(GetParam());
  const ExampleKey key{Split::training, 3, 5, 7};
  const std::vector<Example> first = examples(*task, key, 20);
  example(*task, {Split::training, 4, 1, 1}, 33);
  EXPECT_TRUE(examples(*task_of(GetParam()), key, 20) == first) << "another object has other examples";
  const auto differ = [&](const ExampleKey& other) { return examples(*task, other, 20) != first; };
  EXPECT_TRUE(differ({Split::training, 4, 5, 7})) << "another seed has the same examples";
  EXPECT_TRUE(differ({Split::training, 3, 6, 7})) << "another step has the same examples";
  EXPECT_TRUE(differ({Split::training, 3, 5, 15})) << "the other examples of a step are the same";
  EXPECT_TRUE(differ({Split::validation, 3, 5, 0})) << "validation has the examples of training";
}

TEST_P(EveryTask, TokensAndTargetsAreOfItsAlphabet) {
  const auto task = task_of(GetParam());
  for (std::uint32_t i = 0; i < 50; ++i) {
    const Example one = example(*task, {Split::training, 1, 0, i}, 20);
    for (std::size_t t = 0; t < one.tokens.size(); ++t) {
      EXPECT_GE(one.tokens[t], 0);
      EXPECT_LT(one.tokens[t], task->alphabet().size()) << "token " << t << " of example " << i;
      EXPECT_LT(one.targets[t], task->alphabet().size()) << "target " << t << " of example " << i;
      EXPECT_TRUE(one.targets[t] >= 0 || one.targets[t] == ignore_index);
    }
  }
}

TEST_P(EveryTask, BatchesAreExamplesSideBySide) {
  const auto task = task_of(GetParam());
  const Batch batch = make_batch(*task, Split::training, 3, 5, 4, 10);
  const Example third = example(*task, {Split::training, 3, 5, 2}, 10);
  EXPECT_EQ(batch.size, 4);
  EXPECT_TRUE(std::equal(third.tokens.begin(), third.tokens.end(), batch.tokens.begin() + 2 * batch.seq_len));
  EXPECT_TRUE(
      std::equal(third.targets.begin(), third.targets.end(), batch.targets.begin() + 2 * batch.seq_len));
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryTask, ::testing::ValuesIn(tasks().names()),
                         [](const auto& info) { return info.param; });

TEST(Task, AnUnknownNameListsTheKnownOnes) {
  EXPECT_THAT(message_of<ConfigError>([] { make_task("sorted"); }),
              "task.name: got 'sorted' (did you mean sort?), expected one of " + joined(tasks().names()));
}

TEST(TextTask, TrainingWindowsReachBothEndsOfTheFirstNineTenths) {
  const auto task = task_of("text");
  const std::string training = numbered_bytes().substr(0, 900);
  std::set<std::size_t> starts;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const Example one = example(*task, {Split::training, 1, 0, i}, 860);
    const std::string window = task->alphabet().decode(one.tokens);
    starts.insert(training.find(window + static_cast<char>(one.targets.back())));
    EXPECT_EQ(window.substr(1), task->alphabet().decode(one.targets).substr(0, 859));
  }
  EXPECT_EQ(*starts.begin(), 0U);
  EXPECT_EQ(*starts.rbegin(), 39U);  // 900 - 860 - 1: the last byte is a target only
  EXPECT_EQ(starts.size(), 40U);
}

TEST(TextTask, ValidationWindowsFollowEachOtherInTheLastTenth) {
  const auto task = task_of("text");
  ASSERT_EQ(task->evaluation_examples(30), 3);  // 99 bytes that have a next one
  std::string joined;
  for (std::uint32_t i = 0; i < 3; ++i) {
    joined += task->alphabet().decode(example(*task, {Split::validation, 9, 9, i}, 30).tokens);
  }
  EXPECT_EQ(joined, numbered_bytes().substr(900, 90));
}

TEST(TextTask, AWindowMaySpanManyFiles) {
  const std::string text = numbered_bytes();
  std::vector<std::string> files;
  for (std::size_t at = 0; at < text.size(); at += 10) {
    files.push_back(text_file("part" + std::to_string(at) + ".txt", text.substr(at, 10)));
  }
  const auto whole = task_of("text");
  const auto parts = text_task_of(files);
  EXPECT_EQ(whole->data_hash(), parts->data_hash());
  for (const Split split : {Split::training, Split::validation}) {
    EXPECT_EQ(example(*whole, {split, 1, 2, 0}, 90), example(*parts, {split, 1, 2, 0}, 90));
  }
}

TEST(TextTask, AFileThatIsChangedLaterIsReported) {
  const std::string path = text_file("changed.txt", numbered_bytes());
  const auto task = text_task_of({path});
  EXPECT_NO_THROW(example(*task, {Split::training, 1, 2, 3}, 30));
  std::filesystem::resize_file(path, 10);
  EXPECT_THAT(message_of<DataError>([&] {
                example(*task, {Split::training, 1, 2, 3}, 30);
              }),
              HasSubstr("changed.txt: the file was changed while it was in use"));
}

TEST(TextTask, UnusableFilesAreReported) {
  const auto build = [](const std::vector<std::string>& files) { return [files] { text_task_of(files); }; };
  EXPECT_THAT(message_of<DataError>(build({})), HasSubstr("set task.file"));
  EXPECT_THAT(message_of<DataError>(build({"/nothing/here.txt"})), HasSubstr("/nothing/here.txt: "));
  EXPECT_THAT(message_of<DataError>(build({::testing::TempDir()})), HasSubstr("is a directory"));
  EXPECT_THAT(message_of<DataError>(build({"/dev/null"})), HasSubstr("/dev/null: is a pipe or a device"));
  EXPECT_THAT(message_of<DataError>(build({text_file("empty.txt", "")})), HasSubstr("the file is empty"));
  const auto task = task_of("text");
  EXPECT_NO_THROW(task->check_length(99));
  EXPECT_THAT(message_of<DataError>([&] { task->check_length(100); }),
              HasSubstr("1000 bytes are too few for length 100"));
}

// Else bytes of the validation part would also be in the training part.
TEST(TextTask, TheSameTextTwiceIsReported) {
  const std::string path = text_file("given.txt", numbered_bytes());
  const std::string between = text_file("between.txt", "another text");
  const std::string link = text_file("link.txt", "");
  std::filesystem::remove(link);
  std::filesystem::create_symlink(path, link);
  for (const std::string& again : {path, link, text_file("copy.txt", numbered_bytes())}) {
    EXPECT_THAT(message_of<DataError>([&] {
                  text_task_of({path, between, again});
                }),
                again + ": it is the same text as " + path +
                    ", expected different ones: its bytes would be in training and in "
                    "validation (leave one of them out)");
  }
  EXPECT_NO_THROW(text_task_of({path, between, text_file("same_size.txt", std::string(1000, 'a'))}));
}

// Lines that all differ, with these ends.
std::string lines(int first, int last, const std::string& end) {
  std::string text;
  for (int i = first; i < last; ++i) text += fmt::format("line {} has the number {}{}", i, i * i, end);
  return text;
}

// Whatever the difference, a reader of the training part knows the validation part.
TEST(TextTask, ACopyOfTrainingInTheValidationPartIsSaid) {
  const std::string text = lines(0, 1000, "\n");
  const std::string path = text_file("text.txt", text);
  const auto said = [&](const std::string& first, const std::string& second) {
    return text_task_of({first, text_file("second.txt", second)})->describe();
  };
  const auto is_whole = ::testing::ContainsRegex(
      "; (9[89]|100) % of the validation part, in pieces of 64 bytes, also stands in training");
  EXPECT_THAT(said(path, lines(0, 1000, "\r\n")), is_whole);
  EXPECT_THAT(said(path, "\xEF\xBB\xBF" + text), is_whole);
  EXPECT_THAT(said(path, text + "\n"), is_whole);
  EXPECT_THAT(said(path, lines(300, 700, "\n")), is_whole) << "contained in the first";
  EXPECT_THAT(said(path, lines(1000, 2000, "\n") + text), is_whole) << "contains the first";
  EXPECT_THAT(said(path, lines(2000, 2950, "\n") + lines(0, 50, "\n")),
              ::testing::ContainsRegex("; [12][0-9] % of"));
  EXPECT_THAT(said(path, lines(1000, 2000, "\n")), ::testing::EndsWith(", in bits per byte"));
  EXPECT_THAT(text_task_of({path})->describe(), ::testing::EndsWith(", in bits per byte"));
  const std::string twice = text_file("twice.txt", text + text);
  EXPECT_THAT(make_task(Part{"mlm", {{"of", "text"}, {"file", twice}}})->describe(), is_whole);
}

TEST(TextTask, TheShortestTextHasAnExampleInBothParts) {
  const auto task = text_task_of({text_file("eleven.txt", "abcdefghijklmnopqrst")});
  EXPECT_NO_THROW(task->check_length(1));
  EXPECT_THROW(task->check_length(2), DataError);
  EXPECT_EQ(task->evaluation_examples(1), 1);
  EXPECT_EQ(task->alphabet().decode(example(*task, {Split::validation, 1, 0, 0}, 1).targets), "t");
  EXPECT_LT(example(*task, {Split::training, 1, 0, 0}, 1).targets.at(0), 's');
}

TEST_P(EveryTask, MetricsHaveNamesOfTheirOwnAndTheGateIsOneOfThem) {
  const auto task = task_of(GetParam());
  std::set<std::string> ids;
  for (const MetricSpec& metric : task->metrics()) {
    EXPECT_TRUE(ids.insert(metric.id).second) << metric.id;
    EXPECT_FALSE(metric.name.empty());
  }
  EXPECT_TRUE(ids.contains(task->measure() == Measure::bits ? "bits" : "accuracy"));
  const auto gate = task->gate();
  EXPECT_TRUE(!gate || ids.contains(gate->metric));
}

TEST(Alphabet, DecodesWhatItEncodesAndReportsWhatItDoesNotKnow) {
  const Alphabet language = task_alphabet({"language"});
  EXPECT_EQ(language.decode(language.encode("=KdK")), "=KdK");
  EXPECT_THAT(message_of<DataError>([&] { language.encode("=KdK;"); }),
              HasSubstr("got ';', expected symbols of this task: abc"));
  EXPECT_THAT(message_of<DataError>([&] { language.encode("=K🙂"); }),
              HasSubstr("got '🙂', expected symbols of this task"));
  const Alphabet bytes = task_alphabet({"text"});
  EXPECT_EQ(bytes.size(), 256);
  EXPECT_EQ(bytes.decode(bytes.encode("\xff\x01z")), "\xff\x01z");
  const std::vector<Token> strange = {0, 30, -1, 1};
  EXPECT_EQ(language.decode(strange), "a\uFFFD\uFFFDb");
}

}  // namespace
}  // namespace ordinal::experiments

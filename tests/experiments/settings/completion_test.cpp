#include "experiments/settings/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "experiments/programs/driver.h"
#include "experiments/settings/keys.h"
#include "experiments/settings/parts.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

Words completed(const Words& words, const DriverDescription& driver = extrapolation_driver()) {
  std::istringstream lines(completions_text(driver, words));
  Words found;
  for (std::string line; std::getline(lines, line);) found.push_back(line);
  return found;
}

TEST(Completion, OffersOptionsAndTheSectionsOfKeys) {
  EXPECT_THAT(completed({"--"}), AllOf(Contains("--config"), Contains("--model."), Contains("--compare."),
                                       Not(Contains(HasSubstr("d_model"))), Not(Contains("--tokens"))));
  EXPECT_THAT(completed({"--mod"}, train_driver()), ElementsAre("--model", "--model."));
  EXPECT_THAT(completed({"--"}, train_driver()), Not(Contains("--compare."))) << "it has no rows";
  EXPECT_THAT(completed({""}), Contains("--help"));
}

TEST(Completion, OffersKeysWithAnEqualsSign) {
  EXPECT_THAT(completed({"--quiet", "--model.d"}), ElementsAre("--model.d_model=", "--model.dropout="));
  EXPECT_THAT(completed({"--compare.model.d_"}), ElementsAre("--compare.model.d_model="));
  EXPECT_THAT(completed({"--compare.tune.train.learn"}), ElementsAre("--compare.tune.train.learning_rate="));
  EXPECT_THAT(completed({"--compare."}), Each(StartsWith("--compare.")));
}

// Whatever is declared can be completed, a part that is added tomorrow, too.
TEST(Completion, KnowsEveryKeyAndEveryPart) {
  for (const DriverDescription& driver :
       {extrapolation_driver(), train_driver(), generate_driver(), encoding_driver()}) {
    for (const Key& key : all_keys()) {
      const auto expected = Contains("--" + key.name + "=");
      const Words found = completed({"--" + key.name}, driver);
      if (driver.uses(key)) {
        EXPECT_THAT(found, expected) << driver.name;
      } else {
        EXPECT_THAT(found, Not(expected)) << driver.name;
      }
      if (key.kind.empty()) continue;
      for (const std::string& name : part_kind(key.kind).names()) {
        EXPECT_THAT(completed({"--" + key.name + "="}), Contains("--" + key.name + "=" + name));
      }
    }
  }
  for (const PartKind& kind : part_kinds()) {
    for (const std::string& name : kind.names()) EXPECT_THAT(completed({"--list", ""}), Contains(name));
  }
}

TEST(Completion, OffersValues) {
  EXPECT_THAT(completed({"--train.optimizer="}),
              ElementsAre("--train.optimizer=adamw", "--train.optimizer=sgd"));
  EXPECT_THAT(completed({"--train.optimizer", "s"}), ElementsAre("sgd")) << "also as a word of its own";
  EXPECT_THAT(completed({"--task.lengths=u"}), ElementsAre("--task.lengths=uniform"));
  EXPECT_THAT(completed({"--model.tied_output="}),
              ElementsAre("--model.tied_output=true", "--model.tied_output=false"));
  EXPECT_THAT(completed({"--positional.pairing=h"}), ElementsAre("--positional.pairing=half"));
  EXPECT_THAT(completed({"--positional.test_positions=sa"}), ElementsAre("--positional.test_positions=same"));
  EXPECT_THAT(completed({"--completion", ""}), ElementsAre("bash", "zsh"));
  EXPECT_THAT(completed({"--encoding.name=al"}, encoding_driver()), ElementsAre("--encoding.name=alibi"));
  EXPECT_THAT(completed({"--model.d_model=6"}), IsEmpty()) << "any number";
  EXPECT_THAT(completed({"--nonsense=6"}), IsEmpty());
}

TEST(Completion, OffersTheLastPartOfAList) {
  EXPECT_THAT(completed({"--positional.encodings=rope, ali"}),
              ElementsAre("--positional.encodings=rope, alibi"));
  EXPECT_THAT(completed({"--positional.encoding=rope+ali"}), ElementsAre("--positional.encoding=rope+alibi"));
  EXPECT_THAT(completed({"--positional.encoding=rope@ya"}), ElementsAre("--positional.encoding=rope@yarn"));
  EXPECT_THAT(completed({"--positional.encodings=rope@contiguous:ya"}),
              ElementsAre("--positional.encodings=rope@contiguous:yarn"));
  EXPECT_THAT(completed({"--positional.encodings=rope@yarn, ali"}),
              ElementsAre("--positional.encodings=rope@yarn, alibi"));
  EXPECT_THAT(completed({"--compare.model.block=attention, feed_forward; lst"}),
              ElementsAre("--compare.model.block=attention, feed_forward; lstm"));
}

TEST(Completion, OffersTheOptionsOfAPart) {
  EXPECT_THAT(completed({"--positional.encoding=rope(ba"}), ElementsAre("--positional.encoding=rope(base="));
  EXPECT_THAT(completed({"--positional.encoding=alibi+rope(base=5, pairing=h"}),
              ElementsAre("--positional.encoding=alibi+rope(base=5, pairing=half"));
  EXPECT_THAT(completed({"--model.block=attention, feed_forward(activation=sil"}),
              ElementsAre("--model.block=attention, feed_forward(activation=silu"));
  EXPECT_THAT(completed({"--positional.encoding=nonsense("}), IsEmpty());
  EXPECT_THAT(completed({"--positional.encoding=rope(nonsense="}), IsEmpty());
}

TEST(Completion, AsksForFiles) {
  EXPECT_THAT(completed({"--config", "configs/e"}), ElementsAre(":files"));
  EXPECT_THAT(completed({"--out", ""}), ElementsAre(":files"));
  EXPECT_THAT(completed({"--model", "results/"}, train_driver()), ElementsAre(":files"));
  EXPECT_THAT(completed({"--config=configs/e"}), ElementsAre("--config=:files"));
  EXPECT_THAT(completed({"--task.file=b"}), ElementsAre("--task.file=:files"));
}

TEST(Completion, PrintsAScriptForBashOrZsh) {
  EXPECT_THAT(completion_script("mine", "bash"), HasSubstr("complete -F _ordinal mine "));
  EXPECT_THAT(completion_script("mine", "zsh"), HasSubstr("compdef _ordinal mine\n"));
}

}  // namespace
}  // namespace ordinal::experiments

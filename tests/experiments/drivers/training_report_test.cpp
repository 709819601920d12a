// What `train` leaves beside its checkpoint: the scores and the report of an experiment of one row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(TrainingReport, IsThatOfAnExperimentOfOneRow) {
  const std::string both = tiny + "--evaluate.conditions='trained,window(size=8)' ";
  EXPECT_THAT(train(both + "--model.encoding=learned --out one").out,
              AllOf(HasSubstr("fails: sequence length"), HasSubstr("report: one/report.html\n")));
  extrapolate(both + "--compare.model.encoding=learned --experiment.seeds=1, --out run");
  EXPECT_EQ(without_seconds("one/result.json"), without_seconds("run/cells/learned/seed-1/result.json"));
  for (const std::string name : {"table.csv", "seeds.csv", "references.csv", "manifest.json"})
    EXPECT_EQ(file("one/" + name), file("run/" + name)) << name;
  EXPECT_THAT(file("one/report.html"),
              AllOf(HasSubstr("Trained on sequences of length 16, how does learned do on longer ones?"),
                    HasSubstr("./experiments/run train --quiet"), HasSubstr("data-picture=\"attention\""),
                    HasSubstr("Inside the models")));
}

TEST(TrainingReport, DrawsTheLongestLengthThatIsTestedWhole) {
  const auto lengths_drawn = [](const std::string& conditions) {
    train(tiny + "--evaluate.conditions='" + conditions + "' --out run");
    const std::string page = file("run/report.html");
    std::filesystem::remove_all(own_folder() / "run");
    const std::string tag = "data-picture=\"attention\" data-length=\"";
    return std::pair(page.find(tag + "16\"") != page.npos, page.find(tag + "32\"") != page.npos);
  };
  EXPECT_EQ(lengths_drawn("truncated,window(size=8)"), std::pair(true, true));
  EXPECT_EQ(lengths_drawn("truncated"), std::pair(true, false));
}

// Its options in full, which a checkpoint holds, are longer than the name of a file may be.
TEST(TrainingReport, NamesARowOfNestedEncodingsAsItIsWritten) {
  const std::string row = "tupe(embedding=sinusoidal)+learned@random_shift:contiguous";
  train(steps + "--model.encoding='" + row + "' --out run");
  EXPECT_EQ(column("row"), (std::vector<std::string>{row}));
  EXPECT_TRUE(exists("run/figures/tupe_embedding=sinusoidal+learned@random_shift:contiguous-bias.svg"));
  train(steps + "--model run/checkpoint.safetensors --out tuned");
  EXPECT_EQ(column("row", "tuned/table.csv"),
            (std::vector<std::string>{"tupe+learned@random_shift:contiguous"}));
}

}  // namespace
}  // namespace ordinal::experiments::testing

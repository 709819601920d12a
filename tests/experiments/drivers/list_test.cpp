// --list, in every program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/program.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(PartList, IsThereInEveryProgram) {
  for (const std::string program :
       {"extrapolation", "train", "evaluate", "generate", "encoding", "parity", "benchmark", "claims"}) {
    const Outcome all = run_program(program, "--list");
    EXPECT_EQ(all.exit_code, 0) << program << all.err;
    for (const char* part : {"\nconv\n", "\nlstm\n", "\ngated_linear\n", "\nrope\n", "\nyarn\n", "\nadamw\n",
                             "\ncopy\n", "\nlog_n\n", "\nrmsnorm\n"}) {
      EXPECT_THAT(all.out, HasSubstr(part)) << program;
    }
    const Outcome one = run_program(program, "--list conv");
    EXPECT_EQ(one.exit_code, 0) << program << one.err;
    EXPECT_THAT(one.out,
                AllOf(StartsWith("conv\n"), HasSubstr("option      kernel = 3: "), Not(HasSubstr("lstm"))));
    expect_refused(program, "--list convv", "there is nothing called 'convv' (did you mean conv?)");
  }
}

}  // namespace
}  // namespace ordinal::experiments::testing

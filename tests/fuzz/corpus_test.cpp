// The committed inputs of the fuzz targets, without a fuzzer: each must be accepted or refused as targets.h says.
#include <gtest/gtest.h>

#include "framework/storage/atomic_file.h"
#include "tests/folders.h"
#include "tests/fuzz/targets.h"

namespace ordinal::fuzz {
namespace {

class FuzzCorpus : public ::testing::TestWithParam<Target> {};

TEST_P(FuzzCorpus, IsReadOrRefused) {
  int inputs = 0;
  const auto folder = source_folder() / "tests/fuzz/corpus" / GetParam().name;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_NO_THROW(GetParam().run(read_file(entry.path()))) << entry.path();
    ++inputs;
  }
  EXPECT_GE(inputs, 3);
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzCorpus, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ordinal::fuzz

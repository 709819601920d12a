#include "experiments/settings/difference.h"

#include <gtest/gtest.h>

#include "tests/experiments/with.h"

namespace ordinal::experiments {
namespace {

std::optional<Difference> difference(const Settings& there, const Settings& here, Binds last) {
  return first_line(plan_of(there).text(last), plan_of(here).text(last));
}

// "key: there / here"; empty if there is none.
std::string said(const std::optional<Difference>& found) {
  return found ? found->key + ": " + found->there + " / " + found->here : "";
}

TEST(FirstLine, NamesTheKeyAndBothValues) {
  struct Case {
    Values there;
    Values here;
    Binds last;
    std::string expected;
  };
  for (const auto& [there, here, last, expected] :
       {Case{{{"train.batch", "8"}}, {{"train.batch", "16"}}, Binds::training, "train.batch: 8 / 16"},
        // Of parts, the first option that differs, or the names.
        Case{{{"model.encoding", "t5"}},
             {{"model.encoding", "t5(buckets=8)"}},
             Binds::training,
             "model.encoding: t5(buckets=32) / t5(buckets=8)"},
        Case{{{"model.encoding", "t5"}},
             {{"model.encoding", "rope+alibi"}},
             Binds::training,
             "model.encoding: t5@contiguous / rope+alibi@contiguous"},
        Case{{{"model.encoding", "rope"}}, {{"model.encoding", "rope@contiguous:yarn"}}, Binds::training, ""},
        Case{{{"model.encoding", "rope"}},
             {{"model.encoding", "rope@contiguous:yarn"}},
             Binds::test,
             "model.encoding: rope@contiguous / rope@contiguous:yarn"}})
    EXPECT_EQ(said(difference(with(there), with(here), last)), expected);
}

}  // namespace
}  // namespace ordinal::experiments

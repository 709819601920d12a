// A small model with its initial weights, and its scores under conditions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "experiments/scoring/scoring.h"
#include "experiments/settings/plan.h"
#include "tests/experiments/whole.h"
#include "tests/experiments/with.h"

namespace ordinal::experiments {

inline Settings with(Settings settings, const std::string& key, const std::string& value) {
  settings.set(key, value, "test");
  return settings;
}

inline Settings small(const std::string& task) {
  return experiments::with({{"model.d_model", "8"},
                            {"model.heads", "2"},
                            {"model.layers", "1"},
                            {"task.train_length", "8"},
                            {"train.batch", "4"},
                            {"evaluate.batches", "3"},
                            {"task.name", task}});
}

/// Its initial weights stand for trained ones.
struct Untrained {
  Settings settings;
  std::shared_ptr<const Task> task;
  Plan plan;
  Transformer<float> model;
  Parameters<float> values;
  std::uint64_t seed = 0;

  Untrained(const Settings& given, const std::string& encoding)
      : settings(with(given, "model.encoding", encoding)),
        task(make_task(task_part(settings))),
        plan(settings, task),
        model(plan.model),
        values(model.layout()) {
    initialize(values, 1);
  }
  Subject subject() const { return {model, values, *task, plan, settings, seed}; }
  Whole score(Index length, int count = 1, const std::string& condition = "trained") const {
    Threads threads(count);
    CellResult cell;
    score_length(subject(), length, condition, validation_batches(subject(), length, 4), threads, cell);
    return wholes(cell).front();
  }
  Whole under(const std::string& condition, Index length) const { return score(length, 1, condition); }
};

/// Bit for bit; NaN in both or in neither.
inline void expect_same(const Whole& a, const Whole& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  EXPECT_FALSE(a.failed) << a.why;
  EXPECT_FALSE(b.failed) << b.why;
  EXPECT_EQ(a.value, b.value);
  EXPECT_TRUE(same(a.past_training, b.past_training)) << a.past_training << " and " << b.past_training;
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_TRUE(std::ranges::equal(a.by_position, b.by_position, same));
}

}  // namespace ordinal::experiments

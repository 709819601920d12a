// associative_recall and needle: pairs of a key and a value, then a key whose value is asked (Ba et al. 2016).
// In needle that key occurs once, at a chosen depth.
#include <algorithm>

#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

struct Keys {
  Index keys = 16;
  Index values = 16;
  void visit(OptionVisitor& v) {
    v.integer("keys", keys, between(2, 26), "different keys");
    v.integer("values", values, between(2, 26), "different values");
  }
};

struct Depth : Keys {
  double depth = 0.0;  // 0: any
  void visit(OptionVisitor& v) {
    Keys::visit(v);
    v.number("depth", depth, {.low = 0, .high = 1, .above_low = true, .automatic = "auto"},
             "place of the pair that is asked: 1 is the last, near 0 the first; auto: any", Binds::training);
  }
};

Exercises associative_recall(const Keys& options) {
  return {
      .name = "associative_recall",
      .summary = "n pairs of a key and its value, then a key whose value is asked",
      .definition =
          R"(First each key, A, B, …, is given a value, any of `values`. The prompt is n pairs of a key, any of `keys`,
and its value, so a key may occur several times; then the key of one of the n pairs, each as likely. The
answer is the value of that key.)",
      .alphabet = letters(options.values) + capitals(options.keys),
      .prompt_length = [](Index n) { return 2 * n + 1; },
      .draw =
          [keys = options.keys, values = letters(options.values)](Random& random, Index n) {
            const std::string value_of = draw_symbols(random, keys, values);
            std::string prompt;
            for (Index i = 0; i < n; ++i) {
              const auto key = static_cast<std::size_t>(draw_index(random, keys));
              prompt += capitals(keys)[key];
              prompt += value_of[key];
            }
            const auto asked = static_cast<std::size_t>(2 * draw_index(random, n));
            return Exercise{prompt + prompt[asked], prompt.substr(asked + 1, 1)};
          }};
}

Exercises needle(const Depth& options) {
  return {
      .name = "needle",
      .summary = "the value of a key that occurs once among n pairs, at a chosen depth",
      .definition =
          R"(First the key that is asked, any of `keys`, and, if `depth` is auto, its place, any of n; else that is
pair ⌈depth · n⌉ of 1 … n. The prompt is n pairs of a key and a value, any of `values`, and then the key
that is asked: at its place stands that key, everywhere else any of the other keys. The answer is the
value at its place.)",
      .alphabet = letters(options.values) + capitals(options.keys),
      .prompt_length = [](Index n) { return 2 * n + 1; },
      .draw =
          [options](Random& random, Index n) {
            std::string others = capitals(options.keys);
            const char asked = take_symbol(random, others);
            const Index place = options.depth == 0.0
                                    ? draw_index(random, n)
                                    : std::max<Index>(0, product_rounded_up(options.depth, n) - 1);
            std::string prompt;
            for (Index i = 0; i < n; ++i) {
              prompt += i == place ? asked : draw_symbol(random, others);
              prompt += draw_symbol(random, letters(options.values));
            }
            return Exercise{prompt + asked, prompt.substr(static_cast<std::size_t>(2 * place + 1), 1)};
          }};
}

}  // namespace

std::vector<TaskEntry> recall_tasks() { return {answer_task(associative_recall), answer_task(needle)}; }

}  // namespace ordinal::experiments

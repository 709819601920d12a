#include "experiments/tasks/lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/core/errors.h"
#include "framework/core/options.h"
#include "framework/core/random.h"

namespace ordinal::experiments {
namespace {

const char* const mixed_definition =
    R"(Each batch is long with probability share, by a random number of its own: all its sequences have exactly the
length longest. The other batches are those of auto, with the same bits. Lengths between task.train_length and
longest are never shown. Tables of positions have rows for longest, and what an encoding derives from the training
length follows longest (model.train_length sets another value).)";

const char* const growing_definition =
    R"(Of B = train.steps · train.accumulate batches the first G grow, G = until · B rounded to the nearest whole number,
halves up: batch b = 0, 1, … has the length
  from + ⌊(L - from) · b / (G - 1)⌋ for b < G - 1, and L = task.train_length after that.
Where the task draws its lengths, this is the longest that may be drawn, from 1 on.)";

}  // namespace

void LengthOptions::visit(OptionVisitor& v) {
  if (name == "mixed") {
    v.integer("longest", longest, between(1, largest_count),
              "length of the long batches, above task.train_length", Binds::training);
    v.number("share", share, between(0, 1), "probability that a batch is long", Binds::training);
  }
  if (name == "growing") {
    v.integer("from", from, between(1, largest_count), "length of the first batch, up to task.train_length",
              Binds::training);
    v.number("until", until, between(0, 1), "share of the steps after which task.train_length is reached",
             Binds::training);
  }
}

const Registry<LengthEntry>& length_schemes() {
  static const Registry<LengthEntry> all = [] {
    std::vector<LengthEntry> entries = {
        {"auto", "fixed or uniform, as the task is defined"},
        {"fixed", "task.train_length alone"},
        {"uniform", "one of 1 to task.train_length for each batch"},
        {"mixed", "a few long batches among those of auto (length priming); Jelassi et al. 2023",
         mixed_definition},
        {"growing", "as auto, up to a length that grows linearly to task.train_length (a curriculum)",
         growing_definition}};
    for (LengthEntry& entry : entries) entry.options = specs_of(LengthOptions{.name = entry.name});
    return Registry<LengthEntry>("task.lengths", std::move(entries));
  }();
  return all;
}

LengthScheme::LengthScheme(const Part& part, std::string task_name, Index train_length, Index batches)
    : options_(read_options(part.name, part.options,
                            LengthOptions{.name = length_schemes().find(part.name).name})),
      task_name_(std::move(task_name)),
      train_length_(train_length),
      batches_(batches) {
  const auto require = [&](bool fits, const char* option, Index got, const char* expected) {
    if (fits) return;
    throw ConfigError(
        fmt::format("task.lengths: {}: got {} = {}, expected {} the training length {} (set {}, "
                    "task.train_length, or in a "
                    "second stage finetune.lengths)",
                    options_.name, option, got, expected, train_length, option));
  };
  if (options_.name == "mixed")
    require(options_.longest > train_length, "longest", options_.longest, "more than");
  if (options_.name == "growing") require(options_.from <= train_length, "from", options_.from, "at most");
}

Index LengthScheme::longest() const {
  const bool has_long = options_.name == "mixed" && options_.share > 0.0;
  return has_long ? options_.longest : train_length_;
}

bool LengthScheme::has_short_batches(const Task& task) const {
  return draws(task) || limit(0) < train_length_;
}

bool LengthScheme::draws(const Task& task) const {
  return options_.name == "uniform" || (options_.name != "fixed" && task.varies_length());
}

// The longest length of a batch, apart from long batches. Batches are numbered by 32 bits, so the product does not overflow.
Index LengthScheme::limit(std::uint32_t batch) const {
  if (options_.name != "growing") return train_length_;
  const Index last = rounded_product(options_.until, batches_) - 1;
  if (batch >= last) return train_length_;
  return options_.from + (train_length_ - options_.from) * batch / last;
}

Index LengthScheme::at(const Task& task, std::uint64_t seed, std::uint32_t batch) const {
  if (options_.name == "mixed") {
    Random random({seed, hash_name(task_name_ + ".long"), batch, 0});
    if (random.uniform() < options_.share) return options_.longest;
  }
  const Index most = limit(batch);
  if (!draws(task)) return most;
  Random random({seed, hash_name(task_name_ + ".length"), batch, 0});
  return 1 + static_cast<Index>(random.below(static_cast<std::uint32_t>(most)));
}

std::map<Index, double> LengthScheme::shares(const Task& task) const {
  const Index count = std::clamp<Index>(batches_, 1, 10'000);
  std::map<Index, Index> counts;
  for (Index i = 0; i < count; ++i) {
    const Index batch = i * (batches_ / count) + i * (batches_ % count) / count;  // ⌊i · batches / count⌋
    ++counts[at(task, 1, static_cast<std::uint32_t>(batch))];
  }
  std::map<Index, double> shares;
  for (const auto& [length, times] : counts)
    shares[length] = static_cast<double>(times) / static_cast<double>(count);
  return shares;
}

std::string LengthScheme::mixture() const {
  if (has_long_batches())
    return fmt::format("and {} in {:.3g} % of the batches", options_.longest, 100.0 * options_.share);
  if (limit(0) == train_length_) return "";
  return fmt::format("growing from {} over {:.3g} % of the steps", options_.from, 100.0 * options_.until);
}

}  // namespace ordinal::experiments

#include "experiments/process/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "experiments/process/utf8.h"
#include "framework/core/printable.h"

namespace ordinal::experiments {
namespace {

constexpr std::size_t most_means = 64;
constexpr std::size_t gap = 2;
constexpr std::size_t spark_columns = 10;
constexpr std::size_t narrowest_bar = 6;
constexpr std::size_t widest_bar = 24;

constexpr std::array<const char*, 8> levels = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string bar(double share, std::size_t columns) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(columns));
  std::string text;
  for (std::size_t i = 0; i < columns; ++i) {
    text += i < full ? "█" : "░";
  }
  return text;
}

// The mean of the values of one group of neighbours.
double mean_of_group(const std::vector<double>& values, std::size_t group, std::size_t groups) {
  const std::size_t first = group * values.size() / groups;
  const std::size_t last = (group + 1) * values.size() / groups;
  return std::reduce(values.begin() + static_cast<Index>(first), values.begin() + static_cast<Index>(last)) /
         static_cast<double>(last - first);
}

}  // namespace

void LossCourse::add(double loss) {
  if (!std::isfinite(loss)) return;
  sum_ += loss;
  if (++steps_ < steps_in_mean_) return;
  means_.push_back(sum_ / static_cast<double>(steps_));
  sum_ = 0.0;
  steps_ = 0;
  if (means_.size() < most_means) return;
  for (std::size_t i = 0; i < most_means / 2; ++i) means_[i] = (means_[2 * i] + means_[2 * i + 1]) / 2.0;
  means_.resize(most_means / 2);
  steps_in_mean_ *= 2;
}

std::string sparkline(const std::vector<double>& values, std::size_t columns) {
  std::vector<double> heights;
  const std::size_t groups = std::min(columns, values.size());
  for (std::size_t i = 0; i < groups; ++i) heights.push_back(mean_of_group(values, i, groups));
  if (heights.empty()) return "";
  const auto [low, high] = std::ranges::minmax(heights);
  std::string text;
  for (const double height : heights) {
    const double share = high > low ? (height - low) / (high - low) : 0.0;
    text += levels.at(static_cast<std::size_t>(std::lround(share * 7.0)));
  }
  return text;
}

std::string fitted(const std::string& text, std::size_t columns) {
  std::string line;
  std::size_t used = 0;
  for (const char c : printable(text)) {
    if (begins_character(c) && used++ == columns) break;
    line += c;
  }
  return line;
}

std::string plain_line(const TrainingStatus& status) {
  return fmt::format("{}  step {}/{}  loss {:.3f} bits  {:.0f} tokens/s  {} left", status.label, status.step,
                     status.steps, status.loss, status.tokens_per_second, status.time_left);
}

std::string drawn_line(const TrainingStatus& status, std::size_t columns) {
  const double share =
      static_cast<double>(status.step) / static_cast<double>(std::max<Index>(1, status.steps));
  // In the order of the line.
  enum Field { of_bar, percent, step, loss, spark, rate, left, fields };
  std::array<std::string, fields> texts = {bar(0.0, narrowest_bar),
                                           fmt::format("{:>3.0f}%", std::floor(100.0 * share)),
                                           fmt::format("step {}/{}", status.step, status.steps),
                                           fmt::format("loss {:.3f}", status.loss),
                                           sparkline(status.losses, spark_columns),
                                           fmt::format("{:.0f} tokens/s", status.tokens_per_second),
                                           status.time_left + " left"};
  std::string line = fitted(status.label, columns / 2);
  std::size_t used = display_width(line);
  std::array<bool, fields> shown{};
  for (const Field field : {percent, left, loss, spark, of_bar, step, rate}) {
    const std::size_t width = gap + display_width(texts[field]);
    shown[field] = width > gap && used + width <= columns;
    if (shown[field]) used += width;
  }
  const std::size_t room = columns > used ? columns - used : 0;
  texts[of_bar] = bar(share, std::min(widest_bar, narrowest_bar + room));
  for (std::size_t field = 0; field < fields; ++field) {
    if (shown[field]) line += "  " + texts[field];
  }
  return fitted(line, columns);
}

}  // namespace ordinal::experiments

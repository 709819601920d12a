#include "experiments/runs/encoding_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "experiments/report/heatmap.h"
#include "experiments/runs/encoding_scores.h"
#include "framework/positional/analysis.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/npy.h"

namespace ordinal::experiments {
namespace {

// Whether they are 0, 1, 2, …
bool are_indices(const std::vector<double>& positions) {
  for (std::size_t t = 0; t < positions.size(); ++t) {
    if (positions[t] != static_cast<double>(t)) return false;
  }
  return true;
}

// Some of the positions as labels; none if they are the indices of their tokens.
std::vector<HeatmapTick> position_ticks(const std::vector<double>& positions) {
  if (are_indices(positions)) return {};
  constexpr std::size_t most = 8;
  std::vector<HeatmapTick> ticks;
  const std::size_t step = (positions.size() + most - 1) / most;
  for (std::size_t t = 0; t < positions.size(); t += step) {
    ticks.push_back({static_cast<double>(t), fmt::format("{:.5g}", positions[t])});
  }
  return ticks;
}

// Four (L, L) matrices, `heads`·L rows apart, as the quarters of one, with a gap between them.
Tensor<double> quarters(View<const double> matrices, Index rows_apart) {
  const Index length = matrices.cols;
  const Index second = length + std::max<Index>(1, length / 32);
  Tensor<double> result({second + length, second + length});
  std::ranges::fill(result.span(), std::numeric_limits<double>::quiet_NaN());
  for (Index quarter = 0; quarter < 4; ++quarter) {
    for (Index i = 0; i < length; ++i) {
      std::copy_n(matrices.row(quarter * rows_apart + i), length,
                  result.view().row((quarter / 2) * second + i) + (quarter % 2) * second);
    }
  }
  return result;
}

class Study {
 public:
  Study(const StudyInput& input, LockedPath out)
      : input_(input),
        pe_(input.matrices.input),
        out_(std::move(out)),
        ticks_(position_ticks(input.positions)) {
    json_["encoding"] = input.name;
    json_["positions"] = std::ssize(input.positions);
    if (!are_indices(input.positions)) json_["at"] = input.positions;
  }

  EncodingStudy run() {
    if (pe_.size() > 0) of_input();
    if (input_.matrices.angles.size() > 0) angles();
    if (input_.matrices.bias.size() > 0) bias();
    input_.scores.size() > 0 ? scores()
                             : say("no scores.npy: too many positions; --dump scores.npy writes it");
    if (input_.terms.size() > 0) terms();
    write("statistics.json", json_.dump(2) + "\n");
    write("statistics.txt", result_.text);
    return std::move(result_);
  }

 private:
  void of_input() {
    gram_ = dot_product_distance(pe_);
    statistics();
    matrix("input", "what is added to the input", pe_, {.x_label = "dimension"});
    matrix("gram", "inner products of positions", gram_, square());
    matrix("similarity", "cosine similarity of positions", cosine_similarity(pe_), square());
    wavelength_table();
    rotation_errors();
  }

  void angles() {
    const Tensor<double>& angles = input_.matrices.angles;
    matrix("angles", "angles in radians", angles, {.x_label = "pair", .palette = Palette::sequential});
    const auto last = angles.view().row_range(angles.view().rows - 1, 1);
    say("{} pairs rotated, up to {:.6g} radians at the last position", last.cols, last(0, 0));
  }

  void bias() {
    const Tensor<double>& bias = input_.matrices.bias;
    heads("bias", "what is added to the scores", bias);
    const auto [least, most] = std::ranges::minmax(bias.span());
    say("({}, {}, {}) added to the scores, {:.6g} to {:.6g}", bias.shape()[0], bias.shape()[1],
        bias.shape()[2], least, most);
  }

  void scores() {
    heads("scores", "score", input_.scores);
    const ScoreStatistics s = score_statistics(input_.scores, input_.positions, input_.causal);
    json_["score"] = {{"smallest", s.smallest}, {"largest", s.largest}};
    const std::string range = fmt::format("scores {:.6g} to {:.6g}", s.smallest, s.largest);
    if (!input_.same_token) return say("{} for the given queries and keys", range);
    if (!s.deviation) return say("{}; no two pairs of different tokens have the same i - j", range);
    json_["score"]["depends_on_distance_alone"] = s.depends_on_distance_alone();
    json_["score"]["toeplitz_deviation"] = *s.deviation;
    const char* fact = s.is_constant()                 ? "is the same for all positions i and j"
                       : s.depends_on_distance_alone() ? "depends on i - j alone"
                                                       : "does not depend on i - j alone";
    say("the score {}: off Toeplitz by {:.2g}, {}", fact, *s.deviation, range);
  }

  void terms() {
    save("terms", input_.terms);
    const Index length = std::ssize(input_.positions);
    const Tensor<double> picture = quarters(input_.terms.view(), input_.terms.shape()[1] * length);
    const double half = static_cast<double>(length - 1) / 2.0;
    const std::vector<HeatmapTick> ticks = {
        {half, "content"}, {static_cast<double>(picture.shape()[0]) - 1.0 - half, "position"}};
    draw("terms", picture.view(),
         {.title = input_.name + ": terms of the score of head 1",
          .x_label = "of the key",
          .y_label = "of the query",
          .x_ticks = ticks,
          .y_ticks = ticks});
    const auto sizes = term_sizes(input_.terms, input_.causal);
    std::vector<std::string> words;
    for (std::size_t term = 0; term < sizes.size(); ++term) {
      std::string key = term_names[term];
      std::ranges::replace(key, '-', '_');
      json_["score_terms"][key] = sizes[term];
      words.push_back(fmt::format("{} {:.3g}", term_names[term], sizes[term]));
    }
    say("root mean square of the terms of the score: {}", joined(words));
  }

  void wavelength_table() {
    if (input_.frequencies.empty()) return;
    std::string csv = "pair,frequency,wavelength\n";
    for (std::size_t pair = 0; pair < input_.frequencies.size(); ++pair) {
      const double frequency = input_.frequencies[pair];
      if (frequency == 0.0) continue;
      csv += fmt::format("{},{:.10g},{:.10g}\n", pair, frequency, 2.0 * std::numbers::pi / frequency);
    }
    write("wavelengths.csv", csv);
  }

  void rotation_errors() {
    if (!input_.why_no_offsets.empty()) {
      return say("no shift-k.npy and rotation_error.csv: {}", input_.why_no_offsets);
    }
    std::string csv = "offset,rotation_error\n";
    for (const Index offset : input_.offsets) {
      const RelativePosition relative = relative_position_matrix(pe_, offset);
      save(fmt::format("shift-{}", offset), relative.matrix);
      csv += fmt::format("{},{:.6g}\n", offset, relative.reconstruction_error);
      result_.text += fmt::format("rotation error of columns 2i and 2i + 1 at offset {:<3} {:.3g}\n", offset,
                                  relative.reconstruction_error);
    }
    write("rotation_error.csv", csv);
  }

  void statistics() {
    const EncodingStatistics s = encoding_statistics(pe_);
    const auto [least, most] = std::ranges::minmax(s.norms);
    const auto deviation =
        distance_deviation(std::as_const(gram_).view(), input_.positions, /*causal=*/false);
    json_.update({{"d_model", pe_.view().cols},
                  {"mean", s.mean},
                  {"variance", s.variance},
                  {"smallest", s.smallest},
                  {"largest", s.largest},
                  {"bounded", s.bounded},
                  {"norms", s.norms},
                  {"column_variances", s.column_variances}});
    say("{} positions, {} dimensions", pe_.view().rows, pe_.view().cols);
    result_.text +=
        fmt::format("norms {:.6g} to {:.6g}\nmean {:.6g}, variance {:.6g}\nvalues {:.6g} to {:.6g}\n", least,
                    most, s.mean, s.variance, s.smallest, s.largest);
    if (deviation) {
      json_["toeplitz_deviation"] = *deviation;
      result_.text += fmt::format("Gram matrix off Toeplitz by {:.3g}\n", *deviation);
    }
    if (pe_.view().rows > 1) {
      const Uniqueness closest = uniqueness(pe_);
      json_["smallest_distance"] = {
          {"distance", closest.distance}, {"first", closest.first}, {"second", closest.second}};
      result_.text += fmt::format("closest rows {} and {}, {:.6g} apart\n", closest.first, closest.second,
                                  closest.distance);
    }
  }

  HeatmapOptions square() const { return {.x_label = "position", .x_ticks = ticks_}; }

  // Rows are positions.
  void matrix(const std::string& file, const std::string& what, const Tensor<double>& values,
              HeatmapOptions options) {
    save(file, values);
    options.title = input_.name + ": " + what;
    options.y_label = "position";
    options.y_ticks = ticks_;
    draw(file, values.view(), options);
  }

  // values (heads, L, L): one picture for each head.
  void heads(const std::string& file, const std::string& what, const Tensor<double>& values) {
    save(file, values);
    const Index length = values.shape()[1];
    for (Index head = 0; head < values.shape()[0]; ++head) {
      draw(fmt::format("{}-{}", file, head + 1), values.view().row_range(head * length, length),
           {.title = fmt::format("{}: {} of head {}", input_.name, what, head + 1),
            .x_label = "key",
            .y_label = "query",
            .x_ticks = ticks_,
            .y_ticks = ticks_});
    }
  }

  template <typename... Values>
  void say(fmt::format_string<Values...> text, Values&&... values) {
    result_.text += input_.name + ": " + fmt::format(text, std::forward<Values>(values)...) + "\n";
  }
  void save(const std::string& file, const Tensor<double>& values) {
    write_npy(out_ / (file + ".npy"), values.shape(), values.span());
    result_.files.push_back(out_ / (file + ".npy"));
  }
  void draw(const std::string& file, View<const double> values, const HeatmapOptions& options) {
    const LockedPath svg = out_ / (file + ".svg");
    const DrawOutcome outcome = draw_heatmap(values, options, svg);
    if (outcome.drawn) result_.files.push_back(svg);
    if (result_.plot_error.empty()) result_.plot_error = outcome.error;
  }
  void write(const std::string& file, const std::string& text) {
    write_file_atomically(out_ / file, text);
    result_.files.push_back(out_ / file);
  }

  const StudyInput& input_;
  const Tensor<double>& pe_;
  Tensor<double> gram_;
  LockedPath out_;
  std::vector<HeatmapTick> ticks_;
  nlohmann::ordered_json json_;
  EncodingStudy result_;
};

}  // namespace

EncodingStudy study_encoding(const StudyInput& input, const LockedPath& out) {
  return Study(input, out).run();
}

}  // namespace ordinal::experiments

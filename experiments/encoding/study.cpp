#include "experiments/encoding/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "experiments/encoding/analysis.h"
#include "experiments/encoding/scores.h"
#include "experiments/process/streams.h"
#include "experiments/results/files.h"

#include "experiments/results/npy.h"

namespace ordinal::experiments {
namespace {

std::vector<double> positions_of(const EncodingSubject& subject) {
  const Positions positions = subject.effect().positions;
  return {positions.of(0).begin(), positions.of(0).end()};
}

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

class Study {
 public:
  Study(const EncodingSubject& subject, const StudyMatrices& matrices, StudyFiles& files)
      : subject_(subject),
        matrices_(matrices),
        files_(files),
        positions_(positions_of(subject)),
        ticks_(position_ticks(positions_)) {
    json_["encoding"] = subject.name();
    json_["positions"] = std::ssize(positions_);
    if (!are_indices(positions_)) json_["at"] = positions_;
  }

  void run() {
    if (has("input")) input();
    if (has("angles")) angles();
    if (has("bias")) bias();
    has("scores") ? scores() : say("no scores.npy: too many positions; --dump scores.npy writes it");
    if (has("terms")) terms();
    files_.write("statistics.json", json_.dump(2) + "\n");
    files_.write("statistics.txt", files_.text);
  }

 private:
  bool has(const std::string& matrix) const { return matrices_.contains(matrix); }

  void input() {
    const Tensor<double>& pe = matrices_.at("input");
    const Tensor<double> gram = dot_product_distance(pe);
    statistics(pe, gram);
    const HeatmapOptions square{.x_label = "position", .x_ticks = ticks_};
    matrix("input", "what is added to the input", pe, {.x_label = "dimension"});
    matrix("gram", "inner products of positions", gram, square);
    matrix("similarity", "cosine similarity of positions", cosine_similarity(pe), square);
    wavelength_table();
    rotation_errors(pe);
  }

  void angles() {
    const Tensor<double>& angles = matrices_.at("angles");
    matrix("angles", "angles in radians", angles, {.x_label = "pair", .palette = Palette::sequential});
    const auto last = angles.view().row_range(angles.view().rows - 1, 1);
    say("{} pairs rotated, up to {:.6g} radians at the last position", last.cols, last(0, 0));
  }

  void bias() {
    const Tensor<double>& bias = matrices_.at("bias");
    heads("bias", "what is added to the scores", bias);
    const auto [least, most] = std::ranges::minmax(bias.span());
    say("({}, {}, {}) added to the scores, {:.6g} to {:.6g}", bias.shape()[0], bias.shape()[1],
        bias.shape()[2], least, most);
  }

  void scores() {
    const Tensor<double>& scores = matrices_.at("scores");
    heads("scores", "score", scores);
    const ScoreStatistics s = score_statistics(scores, positions_, subject_.shape().causal);
    json_["score"] = {{"smallest", s.smallest}, {"largest", s.largest}};
    const std::string range = fmt::format("scores {:.6g} to {:.6g}", s.smallest, s.largest);
    if (subject_.has_given_content()) return say("{} for the given queries and keys", range);
    if (!s.deviation) return say("{}; no two pairs of different tokens have the same i - j", range);
    json_["score"]["depends_on_distance_alone"] = s.depends_on_distance_alone();
    json_["score"]["toeplitz_deviation"] = *s.deviation;
    const char* fact = s.is_constant()                 ? "is the same for all positions i and j"
                       : s.depends_on_distance_alone() ? "depends on i - j alone"
                                                       : "does not depend on i - j alone";
    say("the score {}: off Toeplitz by {:.2g}, {}", fact, *s.deviation, range);
  }

  void terms() {
    const Tensor<double>& terms = matrices_.at("terms");
    files_.save("terms", terms);
    const Index length = std::ssize(positions_);
    std::vector<View<const double>> of_head;
    for (Index term = 0; term < 4; ++term)
      of_head.push_back(terms.view().row_range(term * terms.shape()[1] * length, length));
    const Tensor<double> picture = tiled(of_head, 2, std::max<Index>(1, length / 32));
    const double half = static_cast<double>(length - 1) / 2.0;
    const std::vector<HeatmapTick> ticks = {
        {half, "content"}, {static_cast<double>(picture.shape()[0]) - 1.0 - half, "position"}};
    files_.draw("terms", picture.view(),
                {.title = subject_.name() + ": terms of the score of head 1",
                 .x_label = "of the key",
                 .y_label = "of the query",
                 .x_ticks = ticks,
                 .y_ticks = ticks});
    const auto sizes = term_sizes(terms, subject_.shape().causal);
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
    const std::vector<double> frequencies = subject_.effect().encoding.input_frequencies();
    if (frequencies.empty()) return;
    std::string csv = "pair,frequency,wavelength\n";
    for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
      const double frequency = frequencies[pair];
      if (frequency == 0.0) continue;
      csv += fmt::format("{},{:.10g},{:.10g}\n", pair, frequency, 2.0 * std::numbers::pi / frequency);
    }
    files_.write("wavelengths.csv", csv);
  }

  void rotation_errors(const Tensor<double>& pe) {
    if (const std::string why = subject_.why_no_offsets(); !why.empty())
      return say("no shift-k.npy and rotation_error.csv: {}", why);
    std::string csv = "offset,rotation_error\n";
    for (const Index offset : subject_.offsets()) {
      const RelativePosition relative = relative_position_matrix(pe, offset);
      files_.save(fmt::format("shift-{}", offset), relative.matrix);
      csv += fmt::format("{},{:.6g}\n", offset, relative.reconstruction_error);
      files_.text += fmt::format("rotation error of columns 2i and 2i + 1 at offset {:<3} {:.3g}\n", offset,
                                 relative.reconstruction_error);
    }
    files_.write("rotation_error.csv", csv);
  }

  void statistics(const Tensor<double>& pe, const Tensor<double>& gram) {
    const EncodingStatistics s = encoding_statistics(pe);
    const auto [least, most] = std::ranges::minmax(s.norms);
    const auto deviation = distance_deviation(gram.view(), positions_, /*causal=*/false);
    json_.update({{"d_model", pe.view().cols},
                  {"mean", s.mean},
                  {"variance", s.variance},
                  {"smallest", s.smallest},
                  {"largest", s.largest},
                  {"bounded", s.bounded},
                  {"norms", s.norms},
                  {"column_variances", s.column_variances}});
    say("{} positions, {} dimensions", pe.view().rows, pe.view().cols);
    files_.text +=
        fmt::format("norms {:.6g} to {:.6g}\nmean {:.6g}, variance {:.6g}\nvalues {:.6g} to {:.6g}\n", least,
                    most, s.mean, s.variance, s.smallest, s.largest);
    if (deviation) {
      json_["toeplitz_deviation"] = *deviation;
      files_.text += fmt::format("Gram matrix off Toeplitz by {:.3g}\n", *deviation);
    }
    if (pe.view().rows > 1) {
      const Uniqueness closest = uniqueness(pe);
      json_["smallest_distance"] = {
          {"distance", closest.distance}, {"first", closest.first}, {"second", closest.second}};
      files_.text += fmt::format("closest rows {} and {}, {:.6g} apart\n", closest.first, closest.second,
                                 closest.distance);
    }
  }

  // Rows are positions.
  void matrix(const std::string& file, const std::string& what, const Tensor<double>& values,
              HeatmapOptions options) {
    files_.save(file, values);
    options.title = subject_.name() + ": " + what;
    options.y_label = "position";
    options.y_ticks = ticks_;
    files_.draw(file, values.view(), options);
  }

  // values (heads, L, L): one picture for each head.
  void heads(const std::string& file, const std::string& what, const Tensor<double>& values) {
    files_.save(file, values);
    const Index length = values.shape()[1];
    for (Index head = 0; head < values.shape()[0]; ++head) {
      files_.draw(fmt::format("{}-{}", file, head + 1), values.view().row_range(head * length, length),
                  {.title = fmt::format("{}: {} of head {}", subject_.name(), what, head + 1),
                   .x_label = "key",
                   .y_label = "query",
                   .x_ticks = ticks_,
                   .y_ticks = ticks_});
    }
  }

  template <typename... Values>
  void say(fmt::format_string<Values...> text, Values&&... values) {
    files_.text += subject_.name() + ": " + fmt::format(text, std::forward<Values>(values)...) + "\n";
  }

  const EncodingSubject& subject_;
  const StudyMatrices& matrices_;
  StudyFiles& files_;
  std::vector<double> positions_;
  std::vector<HeatmapTick> ticks_;
  nlohmann::ordered_json json_;
};

}  // namespace

void StudyFiles::write(const std::string& file, const std::string& content) {
  write_text(folder / file, content);
  written.push_back(folder / file);
}

void StudyFiles::save(const std::string& name, const Tensor<double>& values) {
  write_npy(folder / (name + ".npy"), values.shape(), values.span());
  written.push_back(folder / (name + ".npy"));
}

void StudyFiles::draw(const std::string& name, View<const double> values, const HeatmapOptions& options) {
  const LockedPath svg = folder / (name + ".svg");
  const DrawOutcome outcome = draw_heatmap(values, options, svg);
  if (outcome.drawn) written.push_back(svg);
  if (plot_error.empty()) plot_error = outcome.error;
}

void StudyFiles::print(bool quiet) const {
  say_on_stdout(text);
  if (!plot_error.empty()) say_on_stderr(plot_error + "\n");
  for (const auto& file : written) {
    if (!quiet) say_on_stdout(fmt::format("{}\n", file.string()));
  }
}

Tensor<double> tiled(const std::vector<View<const double>>& matrices, Index across, Index gap) {
  const Index rows = matrices.front().rows + gap;
  const Index cols = matrices.front().cols + gap;
  const Index down = std::ssize(matrices) / across;
  Tensor<double> result({down * rows - gap, across * cols - gap});
  std::ranges::fill(result.span(), std::numeric_limits<double>::quiet_NaN());
  for (Index n = 0; n < std::ssize(matrices); ++n) {
    const View<const double> matrix = matrices[static_cast<std::size_t>(n)];
    for (Index i = 0; i < matrix.rows; ++i)
      std::copy_n(matrix.row(i), matrix.cols, result.view().row(n / across * rows + i) + n % across * cols);
  }
  return result;
}

StudyMatrices study_matrices(const EncodingSubject& subject) {
  std::vector<std::string> names = {"input", "angles", "bias"};
  if (subject.seq_len() <= most_scored) names.insert(names.end(), {"scores", "terms"});
  StudyMatrices matrices;
  for (const std::string& name : names) {
    if (Tensor<double> matrix = subject.matrix(name); matrix.size() > 0) matrices[name] = std::move(matrix);
  }
  return matrices;
}

void study_encoding(const EncodingSubject& subject, const StudyMatrices& matrices, StudyFiles& files) {
  Study(subject, matrices, files).run();
}

}  // namespace ordinal::experiments

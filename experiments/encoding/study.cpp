#include "experiments/encoding/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "experiments/encoding/analysis.h"
#include "experiments/results/files.h"
#include "experiments/results/npy.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// Whether they are 0, 1, 2, …
bool are_indices(std::span<const double> positions) {
  return std::ranges::equal(positions, Positions::contiguous(1, std::ssize(positions)).of(0));
}

// Some of the positions as labels; none if each position is the index of its token.
std::vector<Tick> position_ticks(std::span<const double> positions) {
  if (are_indices(positions)) return {};
  constexpr std::size_t most = 8;
  std::vector<Tick> ticks;
  const std::size_t step = (positions.size() + most - 1) / most;
  for (std::size_t t = 0; t < positions.size(); t += step) {
    ticks.push_back({static_cast<double>(t), fmt::format("{:.5g}", positions[t])});
  }
  return ticks;
}

struct Study {
  const EncodingSubject& subject;
  EncodingStudy result = {};
  Positions positions = subject.effect().positions;
  nlohmann::ordered_json json = {};

  template <typename... Values>
  void say(fmt::format_string<Values...> text, Values&&... values) {
    result.text += subject.name() + ": " + fmt::format(text, std::forward<Values>(values)...) + "\n";
  }
};

// ---- What to report about a matrix, and what else to write ----

void input_numbers(Study& study, const Tensor<double>& pe) {
  const EncodingStatistics s = encoding_statistics(pe);
  const auto [least, most] = std::ranges::minmax(s.norms);
  study.json.update({{"d_model", pe.view().cols},
                     {"mean", s.mean},
                     {"variance", s.variance},
                     {"smallest", s.smallest},
                     {"largest", s.largest},
                     {"bounded", s.bounded},
                     {"norms", s.norms},
                     {"column_variances", s.column_variances}});
  study.say("{} positions, {} dimensions", pe.view().rows, pe.view().cols);
  study.result.text +=
      fmt::format("norms {:.6g} to {:.6g}\nmean {:.6g}, variance {:.6g}\nvalues {:.6g} to {:.6g}\n", least,
                  most, s.mean, s.variance, s.smallest, s.largest);
  if (pe.view().rows < 2) return;
  const Uniqueness closest = uniqueness(pe);
  study.json["smallest_distance"] = {
      {"distance", closest.distance}, {"first", closest.first}, {"second", closest.second}};
  study.result.text +=
      fmt::format("closest rows {} and {}, {:.6g} apart\n", closest.first, closest.second, closest.distance);
}

void gram_numbers(Study& study, const Tensor<double>& gram) {
  const auto deviation = distance_deviation(gram.view(), study.positions.of(0), /*causal=*/false);
  if (!deviation) return;
  study.json["toeplitz_deviation"] = *deviation;
  study.result.text += fmt::format("Gram matrix off Toeplitz by {:.3g}\n", *deviation);
}

void wavelength_table(Study& study) {
  const std::vector<double> frequencies = study.subject.effect().encoding.input_frequencies();
  if (frequencies.empty()) return;
  std::string csv = "pair,frequency,wavelength\n";
  for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
    const double frequency = frequencies[pair];
    if (frequency == 0.0) continue;
    csv += fmt::format("{},{:.10g},{:.10g}\n", pair, frequency, 2.0 * std::numbers::pi / frequency);
  }
  study.result.files["wavelengths.csv"] = csv;
}

void offset_numbers(Study& study, const Tensor<double>& /*similarity*/) {
  wavelength_table(study);
  if (const std::string why = study.subject.why_no_offsets(); !why.empty())
    return study.say("no shift-k.npy and rotation_error.csv: {}", why);
  std::string csv = "offset,rotation_error\n";
  for (const Index offset : study.subject.offsets()) {
    const Tensor<double>& input = study.result.matrices.at("input");
    Tensor<double> matrix = relative_position_matrix(input, offset);
    const double error = reconstruction_error(matrix, input, offset);
    study.result.matrices[fmt::format("shift-{}", offset)] = std::move(matrix);
    csv += fmt::format("{},{:.6g}\n", offset, error);
    study.result.text +=
        fmt::format("rotation error of columns 2i and 2i + 1 at offset {:<3} {:.3g}\n", offset, error);
  }
  study.result.files["rotation_error.csv"] = csv;
}

void angle_numbers(Study& study, const Tensor<double>& angles) {
  const auto last = angles.view().row_range(angles.view().rows - 1, 1);
  study.say("{} pairs rotated, up to {:.6g} radians at the last position", last.cols, last(0, 0));
}

void bias_numbers(Study& study, const Tensor<double>& bias) {
  const auto [least, most] = std::ranges::minmax(bias.span());
  study.say("{} added to the scores, {:.6g} to {:.6g}", to_string(bias.shape()), least, most);
}

void score_numbers(Study& study, const Tensor<double>& scores) {
  const ScoreStatistics s = score_statistics(scores, study.positions.of(0), study.subject.shape().causal);
  study.json["score"] = {{"smallest", s.smallest}, {"largest", s.largest}};
  const std::string range = fmt::format("scores {:.6g} to {:.6g}", s.smallest, s.largest);
  if (!s.deviation) return study.say("{}; no two pairs of different tokens have the same i - j", range);
  study.json["score"]["depends_on_distance_alone"] = s.depends_on_distance_alone;
  study.json["score"]["toeplitz_deviation"] = *s.deviation;
  const char* fact = s.is_constant                 ? "is the same for all positions i and j"
                     : s.depends_on_distance_alone ? "depends on i - j alone"
                                                   : "does not depend on i - j alone";
  study.say("the score {}: off Toeplitz by {:.2g}, {}", fact, *s.deviation, range);
}

void term_numbers(Study& study, const Tensor<double>& terms) {
  constexpr std::array names = {"content-content", "content-position", "position-content",
                                "position-position"};
  const auto sizes = term_sizes(terms, study.subject.shape().causal);
  std::vector<std::string> words;
  for (std::size_t term = 0; term < sizes.size(); ++term) {
    std::string key = names[term];
    std::ranges::replace(key, '-', '_');
    study.json["score_terms"][key] = sizes[term];
    words.push_back(fmt::format("{} {:.3g}", names[term], sizes[term]));
  }
  study.say("root mean square of the terms of the score: {}", joined(words));
}

// ---- What can be shown of an encoding as a matrix ----

// (L, columns), or (heads, L, L), or (4, heads, L, L).
struct Shown {
  const char* name = "";
  Tensor<double> (*matrix)(const EncodingSubject&) = nullptr;  // empty if the encoding does not have it
  const char* title = "";
  const char* x_label = "";
  void (*numbers)(Study&, const Tensor<double>&) = nullptr;  // says and keeps what follows from it
  Palette palette = Palette::diverging;
};

template <Tensor<double> compared(const Tensor<double>&)>
Tensor<double> of_input(const EncodingSubject& subject) {
  const Tensor<double> input = subject.effect().input();
  return input.size() > 0 ? compared(input) : Tensor<double>();
}

Tensor<double> bias_of(const EncodingSubject& s) {
  return s.effect().bias(random_content(s.shape(), s.seq_len(), s.seed()));
}

Tensor<double> scores_of(const EncodingSubject& s) {
  const Effect<double> effect = s.effect();
  return effect.scores(ScoreProbe(s.shape(), s.seed()).content(effect));
}

Tensor<double> terms_of(const EncodingSubject& s) {
  const Effect<double> effect = s.effect();
  return effect.acts(Place::input) ? ScoreProbe(s.shape(), s.seed()).terms(effect) : Tensor<double>();
}

constexpr Shown all_shown[] = {
    {"input", [](const EncodingSubject& s) { return s.effect().input(); }, "what is added to the input",
     "dimension", input_numbers},
    {"gram", of_input<dot_product_distance>, "inner products of positions", "position", gram_numbers},
    {"similarity", of_input<cosine_similarity>, "cosine similarity of positions", "position", offset_numbers},
    {"angles", [](const EncodingSubject& s) { return s.effect().angles(); }, "angles in radians", "pair",
     angle_numbers, Palette::sequential},
    {"bias", bias_of, "what is added to the scores", "key", bias_numbers},
    {"scores", scores_of, "score", "key", score_numbers},
    {"terms", terms_of, "terms of the score of head 1", "of the key", term_numbers}};

// The index of an element, (head, query, key) and the like.
Shape index_of(Index element, Shape shape) {
  for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
    const Index length = *extent;
    *extent = element % length;
    element /= length;
  }
  return shape;
}

void check_finite(const EncodingSubject& subject, const std::string& name, const Tensor<double>& matrix) {
  const auto found = std::ranges::find_if(matrix.span(), [](double x) { return !std::isfinite(x); });
  if (found == matrix.span().end()) return;
  throw DataError(
      fmt::format("{}: {} is {} at {}, expected finite numbers; use smaller options, positions or weights",
                  subject.name(), name, std::isnan(*found) ? "NaN" : "infinite",
                  to_string(index_of(found - matrix.span().begin(), matrix.shape()))));
}

// The terms of the first head (rows by the query's part, columns by the key's part), or the first four heads, in two columns.
Heatmap tiles(const Tensor<double>& values, HeatmapOptions options) {
  const Shape& shape = values.shape();
  const Index length = shape.back();
  const bool of_terms = shape.size() == 4;
  const Index stride = of_terms ? shape[1] * length : length;
  const Index gap = std::max<Index>(1, length / 32);
  const Index count = std::min<Index>(4, shape[0]);
  std::vector<View<const double>> all;
  for (Index i = 0; i < count; ++i) all.push_back(values.view().row_range(i * stride, length));
  const auto middle = [&](Index tile) {
    return static_cast<double>(tile * (length + gap)) + static_cast<double>(length - 1) / 2.0;
  };
  options.x_ticks = {{middle(0), "content"}, {middle(1), "position"}};
  options.y_ticks = options.x_ticks;
  if (of_terms) {
    options.y_label = "of the query";
  } else {
    options.x_ticks = {
        {count > 1 ? (middle(0) + middle(1)) / 2.0 : middle(0), std::exchange(options.x_label, "")}};
    options.y_ticks.clear();
    for (Index i = 0; i < count; i += 2)
      options.y_ticks.push_back({middle(i / 2), i + 1 < count ? fmt::format("heads {}, {}", i + 1, i + 2)
                                                              : fmt::format("head {}", i + 1)});
  }
  return heatmap(tiled(all, std::min<Index>(2, count), gap).view(), options);
}

Heatmap picture_of(const Study& study, const Shown& shown, const Tensor<double>& values) {
  const bool of_positions = values.shape().size() == 2;
  HeatmapOptions options{.title = study.subject.name() + ": " + shown.title,
                         .x_label = shown.x_label,
                         .y_label = of_positions ? "position" : "query",
                         .palette = shown.palette,
                         .y_ticks = position_ticks(study.positions.of(0))};
  if (options.x_label == options.y_label) options.x_ticks = options.y_ticks;
  return of_positions ? heatmap(values.view(), options) : tiles(values, options);
}

}  // namespace

std::vector<std::filesystem::path> EncodingStudy::write(const LockedPath& folder) const {
  std::vector<std::filesystem::path> written;
  const auto next = [&](const std::string& file) {
    written.push_back(folder / file);
    return folder / file;
  };
  for (const auto& [name, matrix] : matrices) write_npy(next(name + ".npy"), matrix.shape(), matrix.span());
  for (const auto& [name, map] : pictures) write_text(next(name + ".svg"), svg(map));
  for (const auto& [file, content] : files) write_text(next(file), content);
  return written;
}

Tensor<double> tiled(const std::vector<View<const double>>& matrices, Index across, Index gap) {
  const Index rows = matrices.front().rows + gap;
  const Index cols = matrices.front().cols + gap;
  const Index down = (std::ssize(matrices) + across - 1) / across;
  Tensor<double> result({down * rows - gap, across * cols - gap});
  std::ranges::fill(result.span(), std::numeric_limits<double>::quiet_NaN());
  for (Index n = 0; n < std::ssize(matrices); ++n) {
    const View<const double> matrix = matrices[static_cast<std::size_t>(n)];
    for (Index i = 0; i < matrix.rows; ++i)
      std::copy_n(matrix.row(i), matrix.cols, result.view().row(n / across * rows + i) + n % across * cols);
  }
  return result;
}

EncodingStudy study_encoding(const EncodingSubject& subject) {
  Study study{subject};
  const auto at = study.positions.of(0);
  study.json = {{"encoding", subject.name()}, {"positions", std::ssize(at)}};
  if (!are_indices(at)) study.json["at"] = at;
  for (const Shown& shown : all_shown) {
    const std::string name = shown.name;
    if ((name == "scores" || name == "terms") && subject.seq_len() > most_scored) continue;
    Tensor<double> matrix = shown.matrix(subject);
    if (matrix.size() == 0) continue;
    check_finite(subject, name, matrix);
    study.result.pictures.emplace_back(name, picture_of(study, shown, matrix));
    shown.numbers(study, study.result.matrices[name] = std::move(matrix));
  }
  if (subject.seq_len() > most_scored) study.say("no scores.npy: more than {} positions", most_scored);
  study.result.files["statistics.json"] = study.json.dump(2) + "\n";
  study.result.files["statistics.txt"] = study.result.text;
  return std::move(study.result);
}

}  // namespace ordinal::experiments

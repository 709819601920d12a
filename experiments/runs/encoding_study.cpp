#include "experiments/runs/encoding_study.h"

#include <fmt/format.h>

#include <numbers>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/report/heatmap.h"
#include "framework/positional/analysis.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/npy.h"

namespace ordinal::experiments {
namespace {

class Study {
 public:
  Study(std::string name, const Tensor<double>& pe, std::filesystem::path out)
      : name_(std::move(name)), pe_(pe), out_(std::move(out)) {
    std::filesystem::create_directories(out_);
  }

  void matrix(const std::string& file, const std::string& what, const Tensor<double>& values,
              const std::string& x_label) {
    save(file, values);
    draw(file, values.view(), {name_ + ": " + what, x_label, "position"});
  }

  void heads(const Tensor<double>& bias) {
    save("bias", bias);
    const Index length = bias.shape()[1];
    for (Index head = 0; head < bias.shape()[0]; ++head) {
      draw(fmt::format("bias-{}", head + 1), bias.view().row_range(head * length, length),
           {fmt::format("{}: what is added to the scores of head {}", name_, head + 1), "key", "query"});
    }
    const auto [least, most] = std::ranges::minmax(bias.span());
    result_.text += fmt::format("{}: ({}, {}, {}) added to the scores, {:.6g} to {:.6g}\n", name_,
                                bias.shape()[0], length, length, least, most);
  }

  void angles(const Tensor<double>& angles) {
    save("angles", angles);
    draw("angles", angles.view(), {name_ + ": angles in radians", "pair", "position", Palette::sequential});
    result_.text += fmt::format("{}: {} pairs rotated, up to {:.6g} radians at the last position\n", name_,
                                angles.view().cols, angles(angles.view().rows - 1, 0));
  }

  void wavelength_table(const std::vector<double>& frequencies) {
    if (frequencies.empty()) return;
    std::string csv = "pair,frequency,wavelength\n";
    for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
      if (frequencies[pair] == 0.0) continue;
      csv += fmt::format("{},{:.10g},{:.10g}\n", pair, frequencies[pair],
                         2.0 * std::numbers::pi / frequencies[pair]);
    }
    write("wavelengths.csv", csv);
  }

  void rotation_errors() {
    if (!even()) return;
    std::string csv = "offset,rotation_error\n";
    for (const Index offset : {1, 5, 10, 50}) {
      if (offset >= pe_.view().rows) continue;
      const double error = relative_position_matrix(pe_, offset).reconstruction_error;
      csv += fmt::format("{},{:.6g}\n", offset, error);
      result_.text +=
          fmt::format("rotation error of columns 2i and 2i + 1 at offset {:<3} {:.3g}\n", offset, error);
    }
    write("rotation_error.csv", csv);
  }

  void statistics() {
    const EncodingStatistics s = encoding_statistics(pe_);
    const auto [least, most] = std::ranges::minmax(s.norms);
    const double deviation = toeplitz_deviation(dot_product_distance(pe_));
    nlohmann::ordered_json json = {{"encoding", name_},
                                   {"positions", pe_.view().rows},
                                   {"d_model", columns()},
                                   {"mean", s.mean},
                                   {"variance", s.variance},
                                   {"smallest", s.smallest},
                                   {"largest", s.largest},
                                   {"bounded", s.bounded},
                                   {"toeplitz_deviation", deviation},
                                   {"norms", s.norms},
                                   {"column_variances", s.column_variances}};
    std::string text = fmt::format(
        "{}: {} positions, {} dimensions\nnorms {:.6g} to {:.6g}\nmean {:.6g}, variance {:.6g}\nvalues "
        "{:.6g} to "
        "{:.6g}\nGram matrix off Toeplitz by {:.3g}\n",
        name_, pe_.view().rows, columns(), least, most, s.mean, s.variance, s.smallest, s.largest, deviation);
    if (pe_.view().rows > 1) {
      const Uniqueness closest = uniqueness(pe_);
      json["smallest_distance"] = {
          {"distance", closest.distance}, {"first", closest.first}, {"second", closest.second}};
      text += fmt::format("closest rows {} and {}, {:.6g} apart\n", closest.first, closest.second,
                          closest.distance);
    }
    result_.text = text + result_.text;
    write("statistics.json", json.dump(2) + "\n");
    write("statistics.txt", result_.text);
  }

  EncodingStudy take() { return std::move(result_); }

 private:
  Index columns() const { return pe_.view().cols; }
  bool even() const { return columns() % 2 == 0; }
  void save(const std::string& file, const Tensor<double>& values) {
    write_npy(out_ / (file + ".npy"), values.shape(), values.span());
    result_.files.push_back(out_ / (file + ".npy"));
  }
  void draw(const std::string& file, View<const double> values, const HeatmapOptions& options) {
    const std::filesystem::path svg = out_ / (file + ".svg");
    const DrawOutcome outcome = draw_heatmap(values, options, svg);
    if (outcome.drawn) result_.files.push_back(svg);
    if (result_.plot_error.empty()) result_.plot_error = outcome.error;
  }
  void write(const std::string& file, const std::string& text) {
    write_file_atomically(out_ / file, text);
    result_.files.push_back(out_ / file);
  }

  std::string name_;
  const Tensor<double>& pe_;
  std::filesystem::path out_;
  EncodingStudy result_;
};

}  // namespace

EncodingStudy study_encoding(const std::string& name, const EncodingMatrices& matrices,
                             const std::vector<double>& frequencies, const std::filesystem::path& out) {
  Study study(name, matrices.input, out);
  if (matrices.input.size() > 0) {
    study.matrix("input", "what is added to the input", matrices.input, "dimension");
    study.matrix("gram", "inner products of positions", dot_product_distance(matrices.input), "position");
    study.matrix("similarity", "cosine similarity of positions", cosine_similarity(matrices.input),
                 "position");
    study.wavelength_table(frequencies);
    study.rotation_errors();
    study.statistics();
  }
  if (matrices.angles.size() > 0) study.angles(matrices.angles);
  if (matrices.bias.size() > 0) study.heads(matrices.bias);
  return study.take();
}

}  // namespace ordinal::experiments

#include "experiments/encoding/explorer_data.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "experiments/report/html.h"

namespace ordinal::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::stod(fmt::format("{:.6g}", value)) + 0.0;  // 0 and not -0
}

Json numbers(std::span<const double> values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

std::span<const double> part_of_row(View<const double> matrix, Index row, Index columns) {
  return {matrix.row(row), static_cast<std::size_t>(columns)};
}

Json rows(View<const double> matrix) {
  Json list = Json::array();
  for (Index r = 0; r < matrix.rows; ++r) list.push_back(numbers(part_of_row(matrix, r, matrix.cols)));
  return list;
}

Json pair_function(const PairFunction& function, bool causal) {
  Json json = {{"same_heads", function.same_heads}};
  if (!function.distances.empty()) {
    json["distances"] = numbers(function.distances);
    json["curves"] = rows(function.curves.view());
    return json;
  }
  const Index size = std::ssize(function.drawn);
  json["drawn"] = function.drawn;
  for (Index head = 0; head < function.heads(); ++head) {
    Json matrix = Json::array();
    for (Index i = 0; i < size; ++i) {
      matrix.push_back(
          numbers(part_of_row(function.matrices.view(), head * size + i, causal ? i + 1 : size)));
    }
    json["matrices"].push_back(std::move(matrix));
  }
  return json;
}

Json encoding_json(const EncodingNumbers& one) {
  Json json = {{"name", one.name},
               {"positions", numbers(one.positions)},
               {"causal", one.causal},
               {"trained", one.trained},
               {"step", one.step},
               {"d_model", one.d_model},
               {"heads", one.heads},
               {"d_head", one.d_head},
               {"train_length", one.train_length}};
  if (one.input.size() > 0) json["input"] = rows(one.input.view());
  if (!one.input_frequencies.empty()) json["input_frequencies"] = numbers(one.input_frequencies);
  if (one.input_base) json["input_base"] = *one.input_base;
  if (!one.frequencies.empty()) json["frequencies"] = numbers(one.frequencies);
  if (one.rotary) {
    json["rotary"] = {{"base", one.rotary->base},
                      {"width", one.rotary->width},
                      {"rest", one.rotary->rest},
                      {"gamma", one.rotary->gamma},
                      {"scale", one.rotary->scale}};
  }
  if (!one.products.empty()) json["products"] = pair_function(one.products, one.causal);
  if (!one.bias.empty()) json["bias"] = pair_function(one.bias, one.causal);
  if (!one.bias_of_zeros.empty()) json["bias_of_zeros"] = pair_function(one.bias_of_zeros, one.causal);
  json["reads_content"] = one.reads_content;
  return json;
}

}  // namespace

std::string explorer_data(const std::vector<EncodingNumbers>& encodings) {
  Json list = Json::array();
  for (const EncodingNumbers& one : encodings) list.push_back(encoding_json(one));
  return inside_script(list.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace ordinal::experiments

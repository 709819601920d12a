#include "experiments/programs/encoding/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/plan.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

constexpr double largest_position = 1e9;
constexpr double longest_table = 1e6;

std::vector<double> given_positions(const Settings& settings) {
  std::vector<double> positions;
  for (const std::string& text : settings->encoding.positions) {
    const auto position = parse_real(text);
    if (!position || std::abs(*position) > largest_position) {
      throw ConfigError(fmt::format(
          "encoding.positions: got '{}', expected real numbers up to 1e9, such as 0, 5, 7.5", text));
    }
    positions.push_back(*position);
  }
  if (!positions.empty() && settings.is_given("encoding.seq_len")) {
    throw ConfigError(
        fmt::format("encoding.positions are {} positions, and encoding.seq_len = {} sets their number; leave "
                    "one of them out",
                    positions.size(), settings->encoding.seq_len));
  }
  return positions;
}

// Positions cannot be given if `scheme` chooses them or no part of `encoding` reads them.
void check_given_positions(const std::string& encoding, const PositionScheme& scheme) {
  const bool counted = scheme.name() == "contiguous" || scheme.stretches();
  if (!counted || scheme.offset != 0.0) {
    throw ConfigError(
        fmt::format("encoding.positions: the scheme {} chooses positions itself; leave encoding.positions "
                    "out, or choose contiguous, ntk or yarn without an offset",
                    scheme.describe(1)));
  }
  const auto reads = [](const EncodingEntry& entry) { return entry.positions != PositionUse::nothing; };
  if (std::ranges::any_of(find_encodings(encoding), reads)) return;
  throw ConfigError(fmt::format("encoding.positions would change nothing: {} takes no positions", encoding));
}

// A model must know the tokens 0 … reach - 1 to cover these positions: 101 for 5, 100.
Index reach_of(const std::vector<double>& positions) {
  return static_cast<Index>(std::clamp(std::floor(std::ranges::max(positions)) + 1.0, 1.0, longest_table));
}

}  // namespace

EncodingSubject::EncodingSubject(const CommandLine& command)
    : seed_(static_cast<std::uint64_t>(command.settings->train.seed)),
      positions_seed_(seed_),
      given_positions_(given_positions(command.settings)),
      layer_(command.settings->encoding.layer) {
  command.model.empty() ? choose(command.settings) : load(command.settings, command.model);
  if (!given_positions_.empty()) check_given_positions(text(), scheme_);
  choose_offsets(command.settings);
}

void EncodingSubject::choose(const Settings& settings) {
  name_ = settings->encoding.name.text();
  set_length(settings->encoding.seq_len);
  const Index given = settings->model.train_length;
  Settings drawn = settings;
  drawn.set("model.encoding", name_, settings.origin("encoding.name"));
  const PositionalChoice choice = positional_choice(drawn);
  ModelShape shape;
  shape.d_model = settings->encoding.d_model;
  shape.heads = settings->encoding.heads;
  shape.n_kv_heads = shape.heads;
  shape.layers = layer_ + 1;
  shape.causal = settings->encoding.causal;
  shape.train_length = given > 0 ? given : reach_;
  scheme_ = choice.test;
  scheme_.resolve(shape.train_length, reach_);
  shape.positions = std::max(scheme_.entry().has_range ? scheme_.max_position : shape.train_length, reach_);
  encoding_ = std::make_unique<BuiltEncoding>(choice.encoding, shape, seed_);
}

void EncodingSubject::load(const Settings& settings, const std::string& model) {
  const ModelConfig config = Plan(settings).model;
  name_ = names_only(named_parts(part_kind("positional encodings"), config.encoding));
  for (const auto& [key, there] : {std::pair{"encoding.name", name_},
                                   {"encoding.d_model", std::to_string(config.d_model)},
                                   {"encoding.heads", std::to_string(config.heads)},
                                   {"encoding.causal", config.causal ? "true" : "false"}}) {
    if (!settings.is_given(key) || settings.text(key) == there) continue;
    throw ConfigError(
        fmt::format("{} = {}, but that of {} is {}; leave it out", key, settings.text(key), model, there));
  }
  const ModelShape shape = shape_of(config);
  if (layer_ >= shape.layers)
    throw ConfigError(fmt::format("encoding.layer: got {}, expected a layer below {}", layer_, shape.layers));
  set_length(settings.is_given("encoding.seq_len") ? settings->encoding.seq_len : config.train_length);
  scheme_ = positional_choice(settings).test;
  scheme_.resolve(config.train_length, reach_);
  encoding_ = std::make_unique<BuiltEncoding>(config.encoding, shape, seed_);
  const SafetensorsFile file(model);
  load_parameters(file, encoding_->values);  // which a model declares under the same names
  positions_seed_ = seed_of(file, model);
}

void EncodingSubject::choose_offsets(const Settings& settings) {
  if (const std::string why = why_no_offsets(); !why.empty()) {
    if (settings.origin("encoding.offsets") != command_line_origin) return;  // a file serves several
    throw ConfigError(fmt::format("encoding.offsets = {} would change nothing: {}",
                                  joined(settings->encoding.offsets), why));
  }
  for (const std::string& text : settings->encoding.offsets) {
    const auto offset = parse_integer(text);
    if (offset && *offset >= 0 && *offset < seq_len_)
      offsets_.push_back(*offset);
    else if (settings.is_given("encoding.offsets"))
      throw ConfigError(
          fmt::format("encoding.offsets: got '{}', expected whole numbers from 0, below the {} positions",
                      text, seq_len_));
  }
}

void EncodingSubject::set_length(Index seq_len) {
  seq_len_ = given_positions_.empty() ? seq_len : std::ssize(given_positions_);
  reach_ = given_positions_.empty() ? seq_len : reach_of(given_positions_);
}

Effect EncodingSubject::effect() const {
  const Positions positions =
      given_positions_.empty()
          ? make_positions(scheme_, 1, seq_len_, validation_positions(positions_seed_))
          : Positions::shared(1, given_positions_).stretched(make_positions(scheme_, 1, reach_).stretch());
  return {*encoding_, positions, layer_};
}

std::string EncodingSubject::why_no_offsets() const {
  if (!acts_on(text(), Place::input)) return name_ + " adds nothing to the input";
  return shape().d_model % 2 == 0 ? "" : fmt::format("M_k needs an even width, got {}", shape().d_model);
}

std::string EncodingSubject::in_effect() const {
  std::vector<std::string> positions;
  for (const double position : given_positions_) positions.push_back(number_text(position));
  std::string text = "positions: " + joined(positions);
  if (positions.empty() || scheme_.stretches())
    text += (positions.empty() ? "" : "; ") + scheme_.describe(reach_);
  ParameterLayout layout;
  const std::string constants =
      make_positional_encoding<float>(encoding_->text, shape(), Scope(layout, "positional"))->constants();
  return text + (constants.empty() ? "" : "\nconstants: " + constants) + "\n";
}

}  // namespace ordinal::experiments

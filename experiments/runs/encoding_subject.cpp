#include "experiments/runs/encoding_subject.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/runs/checkpoint_settings.h"
#include "experiments/runs/configure.h"
#include "experiments/runs/encoding_positions.h"
#include "framework/core/errors.h"
#include "framework/storage/npy.h"

namespace ordinal::experiments {
namespace {

Tensor<double> matrix_from(const std::string& path) {
  const NpyArray array = read_npy(path);
  if (array.shape.size() != 2)
    throw DataError(
        fmt::format("{}: got shape {}, expected (L, heads·d_head)", path, to_string(array.shape)));
  return Tensor<double>(array.shape, array.reals());
}

// Those of --query and --key instead of the ones there.
QueryKey with_files(QueryKey both, const CommandLine& command) {
  if (!command.query_file.empty()) both.query = matrix_from(command.query_file);
  if (!command.key_file.empty()) both.key = matrix_from(command.key_file);
  return both;
}

std::uint64_t seed_of(const CommandLine& command) {
  return static_cast<std::uint64_t>(command.settings.integer("train.seed"));
}

}  // namespace

EncodingSubject::EncodingSubject(const CommandLine& command)
    : layer_(command.settings.integer("encoding.layer")),
      given_positions_(given_positions(command.settings)) {
  if (command.model.empty()) {
    choose(command.settings);
    build();
    initialize(*values_, seed_of(command));
    positions_seed_ = seed_of(command);
  } else {
    const SafetensorsFile file(command.model);
    choose_from(command.model, command.settings);
    build();
    load_parameters(file, *values_);
    positions_seed_ = seed_of(file, command.model);
  }
  if (layer_ >= shape_.layers) {
    throw ConfigError(
        fmt::format("encoding.layer: got {}, expected a layer below {}", layer_, shape_.layers));
  }
  choose_offsets(command.settings);
}

void EncodingSubject::choose(const Settings& settings) {
  name_ = settings.text("encoding.name");
  set_length(settings.integer("encoding.seq_len"));
  const Index given = settings.integer("positional.train_length");
  const PositionalChoice choice = positional_choice(settings, "encoding.name");
  encoding_text_ = choice.encoding;
  shape_.d_model = settings.integer("encoding.d_model");
  shape_.heads = settings.integer("encoding.heads");
  shape_.n_kv_heads = shape_.heads;
  shape_.layers = settings.integer("encoding.layer") + 1;
  shape_.causal = settings.flag("encoding.causal");
  shape_.train_length = given > 0 ? given : reach_;
  scheme_ = choice.test;
  scheme_.resolve(shape_.train_length, reach_);
  shape_.positions = std::max(scheme_.needs_range() ? scheme_.max_position : shape_.train_length, reach_);
}

void EncodingSubject::choose_from(const std::string& model, const Settings& settings) {
  const ModelConfig config = model_config(settings);
  const PositionalChoice choice = positional_choice(settings);
  encoding_text_ = choice.encoding;
  std::vector<std::string> names;
  for (const Part& part : encoding_parts(encoding_text_)) names.push_back(part.name);
  name_ = joined(names, "+");
  const auto same = [&](const std::string& key, const std::string& there) {
    if (!settings.is_given(key) || settings.text(key) == there) return;
    throw ConfigError(
        fmt::format("{} = {}, but that of {} is {}; leave it out", key, settings.text(key), model, there));
  };
  same("encoding.name", name_);
  same("encoding.d_model", std::to_string(config.d_model));
  same("encoding.heads", std::to_string(config.heads));
  same("encoding.causal", config.causal ? "true" : "false");
  shape_ = shape_of(config);
  set_length(settings.is_given("encoding.seq_len") ? settings.integer("encoding.seq_len")
                                                   : config.train_length);
  scheme_ = choice.test;
  scheme_.resolve(config.train_length, reach_);
}

void EncodingSubject::set_length(Index seq_len) {
  reach_ = given_positions_.empty() ? seq_len : reach_of(given_positions_);
  seq_len_ = given_positions_.empty() ? seq_len : std::ssize(given_positions_);
}

// A model declares the encoding's parameters under the same names.
void EncodingSubject::build() {
  if (!given_positions_.empty()) check_given_positions(encoding_text_, scheme_);
  encoding_ = make_positional_encoding<double>(encoding_text_, shape_, Scope(layout_, "positional"));
  values_ = std::make_unique<Parameters<double>>(layout_);
}

Positions EncodingSubject::positions() const {
  if (given_positions_.empty())
    return make_positions(scheme_, 1, seq_len_, validation_positions(positions_seed_));
  return Positions::shared(1, given_positions_).stretched(make_positions(scheme_, 1, reach_).stretch());
}

std::string EncodingSubject::positions_text() const {
  std::string scheme = scheme_.describe(reach_);
  if (given_positions_.empty()) return scheme;
  std::vector<std::string> numbers;
  for (const double position : given_positions_) numbers.push_back(number_text(position));
  return joined(numbers) + (scheme_.stretches() ? "; " + scheme : "");
}

std::string EncodingSubject::why_no_offsets() const {
  if (!acts_on(encoding_text_, Place::input)) return name_ + " adds nothing to the input";
  if (shape_.d_model % 2 != 0) return fmt::format("M_k needs an even width, got {}", shape_.d_model);
  const Positions positions = this->positions();
  const bool consecutive = evenly_spaced(positions.of(0), given_positions_.empty() ? 0.0 : 1.0);
  return consecutive ? "" : "M_k needs consecutive positions";
}

// A file may serve several encodings.
void EncodingSubject::choose_offsets(const Settings& settings) {
  const std::string why_none = why_no_offsets();
  if (why_none.empty()) offsets_ = chosen_offsets(settings, seq_len_);
  if (why_none.empty() || settings.origin("encoding.offsets") != command_line_origin) return;
  throw ConfigError(fmt::format("encoding.offsets = {} would change nothing: {}",
                                settings.text("encoding.offsets"), why_none));
}

QueryKey EncodingSubject::query_key(const CommandLine& command) const {
  return with_files(random_query_key(shape_, seq_len_, seed_of(command)), command);
}

QueryKey EncodingSubject::score_query_key(const CommandLine& command) const {
  return with_files(probe_query_key(placed(), random_probe(shape_, seed_of(command))), command);
}

Tensor<double> EncodingSubject::terms(const CommandLine& command) const {
  const bool given = !command.query_file.empty() || !command.key_file.empty();
  if (given || !acts_on(encoding_text_, Place::input)) return {};
  return score_terms(placed(), random_probe(shape_, seed_of(command)));
}

std::string EncodingSubject::constants() const {
  ParameterLayout layout;
  return make_positional_encoding<float>(encoding_text_, shape_, Scope(layout, "positional"))->constants();
}

}  // namespace ordinal::experiments

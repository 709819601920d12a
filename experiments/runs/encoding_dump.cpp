#include "experiments/runs/encoding_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "framework/core/errors.h"
#include "framework/core/number.h"
#include "framework/positional/analysis.h"

namespace ordinal::experiments {
namespace {

// "input" for results/input.npy; empty for a file that is not an .npy.
std::string matrix_name(const std::string& path) {
  const std::filesystem::path file(path);
  return file.extension() == ".npy" ? file.stem().string() : "";
}

// 7 for "shift-7".
std::optional<Index> offset_in(const std::string& name) {
  const std::string prefix = "shift-";
  if (!name.starts_with(prefix)) return std::nullopt;
  const auto offset = parse_integer(name.substr(prefix.size()));
  return offset && *offset >= 0 ? std::optional<Index>(*offset) : std::nullopt;
}

EncodingMatrices matrices(const EncodingSubject& subject, const CommandLine& command,
                          const WantedMatrices& wanted) {
  return encoding_matrices(subject.encoding(), subject.values(), subject.text(), subject.shape(),
                           subject.positions(), subject.layer(), subject.query_key(command), wanted);
}

Tensor<double> shift(const EncodingSubject& subject, const CommandLine& command, Index offset) {
  if (const std::string why = subject.why_no_offsets(); !why.empty()) {
    throw ConfigError(fmt::format("--dump: {} has no shift-{}.npy: {}", subject.name(), offset, why));
  }
  if (offset >= subject.seq_len()) {
    throw ConfigError(fmt::format("--dump: got shift-{}.npy, expected an offset below the {} positions",
                                  offset, subject.seq_len()));
  }
  return relative_position_matrix(matrices(subject, command, {true, false, false}).input, offset).matrix;
}

Tensor<double> named_matrix(const EncodingSubject& subject, const CommandLine& command,
                            const std::string& name) {
  if (name == "input") return matrices(subject, command, {true, false, false}).input;
  if (name == "angles") return matrices(subject, command, {false, true, false}).angles;
  if (name == "bias") return matrices(subject, command, {false, false, true}).bias;
  if (name == "scores") return score_matrix(subject.placed(), subject.score_query_key(command));
  if (name == "terms") return subject.terms(command);
  return shift(subject, command, offset_in(name).value());
}

}  // namespace

void check_dump(const std::string& path) {
  const std::string name = matrix_name(path);
  const std::vector<std::string> known = {"input", "angles", "bias", "scores", "terms"};
  if (std::ranges::find(known, name) != known.end() || offset_in(name)) return;
  throw ConfigError(
      fmt::format("--dump: got a file called {}, expected input.npy, angles.npy, bias.npy, scores.npy, "
                  "terms.npy or shift-K.npy (K: an offset such as 7)",
                  std::filesystem::path(path).filename().string()));
}

Tensor<double> dumped_matrix(const EncodingSubject& subject, const CommandLine& command) {
  const std::string name = matrix_name(command.dump);
  Tensor<double> matrix = named_matrix(subject, command, name);
  if (matrix.size() == 0) throw ConfigError(fmt::format("--dump: {} has no {}.npy", subject.name(), name));
  return matrix;
}

}  // namespace ordinal::experiments

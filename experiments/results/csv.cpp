#include "experiments/results/csv.h"

#include <fmt/format.h>

#include <cmath>

#include "framework/core/options.h"
#include "framework/core/text.h"

namespace ordinal::experiments {

std::string csv(const std::string& given) {
  const bool is_formula =
      !given.empty() && std::string("=+-@'\t\r\n").find(given.front()) != std::string::npos;
  std::string text = is_formula && !parse_real(given) ? "'" + given : given;
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

std::string csv_line(const std::vector<std::string>& fields) { return joined(fields, ",") + "\n"; }

}  // namespace ordinal::experiments

// The options of a part: an encoding, a layer, an optimizer, a task, or anything else that a config selects
// by name. A part keeps them in a struct with defaults and names each option once, in visit(), from which config keys, help
// texts, range checks, error messages and checkpoint metadata are derived. The optional resolve(const ModelShape&) computes
// values that depend on the model. See "Add an option" in framework/README.md.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/core/errors.h"
#include "framework/core/model_shape.h"
#include "framework/core/part.h"
#include "framework/core/tensor.h"

namespace ordinal {

/// What depends on the value of an option.
enum class Binds {
  weights,   // trained weights are valid only with this value
  training,  // changes training; existing weights also work with another value
  test,      // changes only the use of a trained model
  nothing,   // changes no result
};

/// A flag is true or false. A list has commas between its items. Files are paths, one per line. A part is the name
/// of another part, optionally with options.
enum class OptionType { integer, real, flag, choice, text, list, files, part };

/// The numbers that an option accepts.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above_low = false;  // low itself is out of range
  std::string_view automatic =
      {};  // an automatic value: "0", or "auto" of a choice or a real number, which holds it as 0
};
constexpr Range at_least(double low) { return {.low = low}; }
constexpr Range above(double low) { return {.low = low, .above_low = true}; }
constexpr Range between(double low, double high) { return {.low = low, .high = high}; }
constexpr Range automatic_or(double low, double high = std::numeric_limits<double>::infinity()) {
  return {.low = low, .high = high, .automatic = "0"};
}
constexpr double largest_count = 1e9;

/// Describes an option independently of its part.
struct OptionSpec {
  std::string name;
  OptionType type = OptionType::text;
  std::string value;  // the default, or the value in effect, as written in a config
  std::string help;   // one line
  Range range = {};
  std::vector<std::string> choices = {};  // of a choice, or the names that a part may have
  Binds binds = Binds::weights;
  std::string kind = {};  // if the value names parts: "norms"
  std::optional<PartList> parts = {};
};

/// Visits the fields of a struct of options. Lists them, and sets each from its entry in `values`, if it accepts that.
class OptionVisitor {
 public:
  explicit OptionVisitor(OptionValues values = {}) : values_(std::move(values)) {}
  /// Of the visited options, with the values that they had before.
  const std::vector<OptionSpec>& specs() const { return specs_; }

  void integer(const char* name, Index& value, Range range, const char* help, Binds binds = Binds::weights);
  void number(const char* name, double& value, Range range, const char* help, Binds binds = Binds::weights);
  void flag(const char* name, bool& value, const char* help, Binds binds = Binds::weights);
  void choice(const char* name, std::string& value, std::vector<std::string> choices, const char* help,
              Binds binds = Binds::weights);
  void text(const char* name, std::string& value, const char* help, Binds binds = Binds::weights);
  void list(const char* name, std::vector<std::string>& value, const char* help,
            Binds binds = Binds::weights);
  void files(const char* name, std::vector<std::string>& value, const char* help,
             Binds binds = Binds::weights);
  /// Parts of a kind, which whoever builds them checks.
  void parts(const char* name, PartList& value, const char* kind, const char* help,
             Binds binds = Binds::weights);
  /// The name of another part, one of `names`, or a name with options.
  void part(const char* name, std::string& value, std::vector<std::string> names, const char* help,
            Binds binds = Binds::weights);

 private:
  /// `set` sets the field from a text that complaint() accepts.
  void add(OptionSpec spec, const std::function<void(const std::string&)>& set);

  OptionValues values_;
  std::vector<OptionSpec> specs_;
};

/// Empty if the option accepts `value`; otherwise what was given and what was expected.
std::string complaint(const OptionSpec& spec, const std::string& value);

/// The shortest text that reads back as the same number.
std::string number_text(double value);

/// "a, b, c".
std::string joined(const std::vector<std::string>& words, std::string_view separator = ", ");

/// The candidate with the smallest edit distance to `name`, ignoring case; empty if there are no candidates.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

/// " (did you mean alibi?)" for 'aliby'; empty if none of `candidates` is close.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

/// One line for each of `values` that its option rejects, and for each name not in `options`. `part` names their part.
std::vector<std::string> option_problems(const std::string& part, const std::vector<OptionSpec>& options,
                                         const OptionValues& values);

/// Throws ConfigError with all option_problems().
void check_values(const std::string& part, const std::vector<OptionSpec>& options,
                  const OptionValues& values);

/// For a part without options.
struct NoOptions {
  void visit(OptionVisitor& /*visitor*/) {}
};

/// The options of a struct, with the values that it holds.
template <typename Options>
std::vector<OptionSpec> specs_of(Options options = Options()) {
  OptionVisitor visitor;
  options.visit(visitor);
  return visitor.specs();
}

/// For a struct of options that was not read from texts: throws ConfigError if it holds a value that its option rejects.
template <typename Options>
void check_options(const std::string& part, const Options& options) {
  const std::vector<OptionSpec> specs = specs_of(options);
  OptionValues values;
  for (const OptionSpec& spec : specs) values[spec.name] = spec.value;
  check_values(part, specs, values);
}

/// Reads texts into a struct of options, from those it holds; messages call it `part`. Throws ConfigError.
template <typename Options>
Options read_options(const std::string& part, const OptionValues& values, Options options = Options()) {
  OptionVisitor visitor(values);
  options.visit(visitor);
  check_values(part, visitor.specs(), values);
  return options;
}

/// The same, then resolves values that depend on the model. Throws ConfigError for options that are
/// incompatible.
template <typename Options>
Options resolved_options(const std::string& part, const OptionValues& values, const ModelShape& shape) {
  Options options = read_options<Options>(part, values);
  if constexpr (requires { options.resolve(shape); }) {
    try {
      options.resolve(shape);
    } catch (const ConfigError& error) {
      throw ConfigError(part + ": " + error.what());
    }
  }
  return options;
}

/// The options of a part, with all values that take effect in a model. Throws ConfigError.
template <typename Options>
std::vector<OptionSpec> resolved_specs(const Part& part, const ModelShape& shape) {
  return specs_of(resolved_options<Options>(part.name, part.options, shape));
}

/// The text of a part of `registry` with all options that take effect in a model, for an option that names a part.
/// Throws ConfigError.
template <typename Registry>
std::string resolved_text(const Registry& registry, const std::string& text, const ModelShape& shape) {
  Part part = parse_part(text);
  for (const OptionSpec& option : registry.find(part.name).resolve(part, shape))
    part.options[option.name] = option.value;
  return to_string(part);
}

// Whole numbers from an option with a decimal value and a count, such as 0.07 of 100 pairs. A double holds a decimal only
// nearly, so the product may miss a whole number or a half: 0.07 · 100 is 7.000000000000001. A product within four roundings
// of one therefore counts as that number, which is exact for decimals of up to six digits and products up to 10^8.
inline constexpr double four_roundings = 0x1p-50;

/// factor · count, rounded to the nearest whole number, halves up. The factor is at least 0.
inline Index rounded_product(double factor, Index count) {
  return std::llround(factor * static_cast<double>(count) * (1.0 + four_roundings));
}

/// factor · count, rounded up. The factor is at least 0.
inline Index product_rounded_up(double factor, Index count) {
  return std::llround(std::ceil(factor * static_cast<double>(count) * (1.0 - four_roundings)));
}

}  // namespace ordinal

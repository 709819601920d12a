// The parts of one kind that a config can name. Built-in parts are always present; your own program adds
// others before the first use of a config, such as optimizers().add(…) at the start of main. Adding is not thread-safe.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "framework/core/errors.h"
#include "framework/core/options.h"

namespace ordinal {

/// One object for each of the two scalar types, such as the builder of an entry.
template <template <typename> class Of>
using ForBoth = std::tuple<Of<float>, Of<double>>;

/// Entry is a struct with a `name` and `options`.
template <typename Entry>
class Registry {
 public:
  /// `kind` names the kind in messages: "positional encoding".
  Registry(std::string kind, std::vector<Entry> built_in)
      : kind_(std::move(kind)), entries_(std::move(built_in)) {}

  const std::vector<Entry>& entries() const { return entries_; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Entry& entry : entries_) names.push_back(entry.name);
    return names;
  }

  /// Throws ConfigError for an unknown name, listing the known names.
  const Entry& find(const std::string& name) const {
    const auto found = std::ranges::find(entries_, name, &Entry::name);
    if (found != entries_.end()) return *found;
    throw ConfigError(kind_ + ": got '" + name + "'" + did_you_mean(name, names()) + ", expected one of " +
                      joined(names()));
  }

  /// Throws std::invalid_argument for a name that is taken.
  void add(Entry entry) {
    if (std::ranges::find(entries_, entry.name, &Entry::name) != entries_.end()) {
      throw std::invalid_argument(kind_ + ": " + entry.name + " is registered already");
    }
    entries_.push_back(std::move(entry));
  }

 private:
  std::string kind_;
  std::vector<Entry> entries_;
};

}  // namespace ordinal

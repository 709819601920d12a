// Reads a section such as [claim ID] and collects what is wrong with it.
#pragma once

#include <string>
#include <vector>

#include "experiments/settings/settings.h"

namespace ordinal::experiments {

class SectionReader {
 public:
  /// `written` must outlive it.
  explicit SectionReader(const WrittenSection& written) : written_(written) {}

  /// Empty if the key is not there.
  std::string value(const std::string& key) const;
  /// One of `choices` (empty if the key is not there); reports any other.
  std::string choice(const std::string& key, const std::vector<std::string>& choices);
  /// Whether seeds count that did not learn the training length: seeds = learned (the default) or all.
  bool only_learned() { return choice("seeds", {"learned", "all"}) != "all"; }

  /// Reports what is wrong, with file, line and section in front.
  void problem(const std::string& what);
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  const WrittenSection& written_;
  std::vector<std::string> problems_;
};

}  // namespace ordinal::experiments

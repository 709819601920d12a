#include "experiments/settings/options.h"

#include <algorithm>

namespace ordinal::experiments {

const std::vector<OutsideOption>& outside_options() {
  static const std::vector<OutsideOption> options = {
      {"help", "", "show this text"},
      {"config", "FILE", "read settings from a file; repeatable, a later one wins"},
      {"print-config", "", "show every setting and its origin, and stop"},
      {"quiet", "", "no progress, results only"},
      {"dry-run", "", "show what would run, and stop"},
      {"list", "[NAME]", "list all parts that a config can name with their options, or only NAME, and stop"},
      {"out", "PATH", "where results go"},
      {"threads", "N", "number of threads; 0: one for each processor; results do not depend on it"},
      {"jobs", "N", "trainings at the same time; 0: as many as pay off; results do not depend on it"},
      {"plan-ranks", "N", "with --dry-run: also the time on N processes with --threads each, under MPI"},
      {"model", "FILE", "a checkpoint (safetensors)"},
      {"results", "FOLDER", "the two folders; the word may be left out"},
      {"tokens", "FILE", "input tokens: .npy, int64, shape (B, L)"},
      {"targets", "FILE", "target tokens: .npy, int64, shape (B, L); -100 or -1 is ignored"},
      {"query", "FILE", "queries: .npy, shape (L, heads·d_head); else random"},
      {"key", "FILE", "keys: .npy, shape (L, heads·d_head); else random"},
      {"dump", "FILE",
       "write one matrix and stop: input.npy, angles.npy, bias.npy, scores.npy, terms.npy or shift-K.npy"},
      {"page", "", "write one web page that explains the encodings, to look at and to play with, and stop"},
      {"precision", "P", "float or double", {"float", "double"}},
      {"json", "FILE", "also write the figures to this file"},
      {"completion",
       "SHELL",
       "print a script that completes options and values in bash or zsh; see the README",
       {"bash", "zsh"}},
  };
  return options;
}

const OutsideOption* find_outside_option(const std::string& name) {
  const auto found = std::ranges::find(outside_options(), name, &OutsideOption::name);
  return found == outside_options().end() ? nullptr : &*found;
}

bool takes(const DriverDescription& driver, const std::string& name) {
  static const std::vector<std::string> common = {"help",  "config",  "print-config", "dry-run",
                                                  "quiet", "threads", "list",         "completion"};
  return std::ranges::find(common, name) != common.end() ||
         std::ranges::find(driver.options, name) != driver.options.end();
}

bool uses(const DriverDescription& driver, const Key& key) {
  const auto holds = [&](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  if (holds(driver.keys, key.name)) return true;
  // Without a checkpoint, encoding.name says what is drawn.
  if (driver.builds == Builds::drawing && key.name == "positional.encoding") return false;
  return holds(driver.sections, key.section()) && !holds(driver.unread, key.name);
}

}  // namespace ordinal::experiments

// The suite's checks of every registered part, for one part: `./experiments/run check NAME`, and the same from a
// program with user-defined parts, which links ordinal::checks and registers them first:
//
//   if (argc > 1 && std::string(argv[1]) == "check") return ordinal::check_part(argc - 1, argv + 1);
#pragma once

namespace ordinal {

/// Runs the checks of the part of any kind named by the only argument: the contract of its kind; of a layer or an encoding also
/// gradients against finite differences, float against double, causality and the cache. Prints which passed, and of one that failed
/// the first case with its figures. Returns 0 if all passed, 1 if one failed, 2 if there is no such part.
int check_part(int argc, char** argv);

}  // namespace ordinal

// A claim together with those that ask it again in other settings.
#pragma once

#include <string>
#include <vector>

#include "experiments/claims/decision.h"

namespace ordinal::experiments {

/// How a claim stands after all settings.
enum class Standing { holds, elsewhere, not_reproduced, undecided, not_run };
inline constexpr std::size_t standings = 5;
std::string to_string(Standing standing);

struct AskedClaim {
  ClaimResult first;
  std::vector<ClaimResult> again = {};

  Standing standing() const;
};

/// In the order of the claims. One that asks a claim again which is not among them stands alone.
std::vector<AskedClaim> questions_of(const std::vector<ClaimResult>& results);

}  // namespace ordinal::experiments

// claims: trains what the claims of a folder of configs need, decides them, and writes one table.
#include "experiments/programs/driver.h"

int main(int argc, char** argv) {
  return ordinal::experiments::run_driver(argc, argv, ordinal::experiments::claims_driver());
}

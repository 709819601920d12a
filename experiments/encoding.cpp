// encoding: plots and exports a positional encoding.
#include "experiments/programs/driver.h"

int main(int argc, char** argv) {
  return ordinal::experiments::run_driver(argc, argv, ordinal::experiments::encoding_driver());
}

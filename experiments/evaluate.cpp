// evaluate: scores checkpoints at any lengths, without training.
#include "experiments/programs/driver.h"

int main(int argc, char** argv) {
  return ordinal::experiments::run_driver(argc, argv, ordinal::experiments::evaluate_driver());
}

// parity: writes logits, loss and all gradients of a model on given tokens, for comparison with another
// framework.
#include "experiments/programs/driver.h"

int main(int argc, char** argv) {
  return ordinal::experiments::run_driver(argc, argv, ordinal::experiments::parity_driver());
}

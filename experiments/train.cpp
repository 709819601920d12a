// train: one model on one task, from a config to a checkpoint. Run it again to continue where it was stopped.
#include "experiments/settings/driver.h"

int main(int argc, char** argv) {
  return ordinal::experiments::run_driver(argc, argv, ordinal::experiments::train_driver());
}

// compare: the numbers of two folders of results side by side.
#include "experiments/programs/driver.h"

int main(int argc, char** argv) {
  return ordinal::experiments::run_driver(argc, argv, ordinal::experiments::compare_driver());
}

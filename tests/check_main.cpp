// `./experiments/run check NAME`.
#include "tests/check_parts.h"

int main(int argc, char** argv) { return ordinal::check_part(argc, argv); }

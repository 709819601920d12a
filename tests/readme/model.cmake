# The model of your own in framework/README.md is that of tests/consumer/model.cpp, which is built and run.
include("${CMAKE_CURRENT_LIST_DIR}/block.cmake")
block_after(framework/README.md "A model of your own derives from `Model`" cpp code)
file(READ "${root}/tests/consumer/model.cpp" model)
string(FIND "${model}" "${code}" found)
if(found EQUAL -1)
  message(FATAL_ERROR "tests/consumer/model.cpp does not hold these lines of framework/README.md:\n${code}")
endif()

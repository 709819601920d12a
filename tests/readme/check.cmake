# Follows "Add an encoding", "Add a task", "Add a reader", "Add a condition" and "Add a layer" of the pages in a copy of the project:
# extracts the files and registry lines from their text, builds everything, and runs the unit tests that can differ. The build folder
# stands beside the sources as in the project, so that ccache finds what did not change.
include("${CMAKE_CURRENT_LIST_DIR}/block.cmake")
set(tree "${WORK}/tree")
set(fresh "${WORK}/fresh")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Writes the first ```cpp block after `name` in a page to that file in the copy.
function(extract_file page name)
  block_after(${page} "`${name}`" cpp code)
  file(WRITE "${fresh}/${name}" "${code}")
endfunction()

# Adds `line` to a registry if the page has it.
function(add_line page registry line)
  file(READ "${root}/${page}" content)
  string(FIND "${content}" "\n    ${line}\n" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "${page} has no line ${line}")
  endif()
  file(APPEND "${fresh}/${registry}" "${line}\n")
endfunction()

file(REMOVE_RECURSE "${fresh}")
foreach(part .ci .clang-format framework models experiments tests configs CMakeLists.txt CMakePresets.json README.md)
  file(COPY "${root}/${part}" DESTINATION "${fresh}")
endforeach()
extract_file(README.md framework/positional/encodings/recency.cpp)
extract_file(experiments/README.md experiments/tasks/kinds/running_sum.cpp)
extract_file(experiments/README.md experiments/tasks/readers/repeat.cpp)
extract_file(experiments/README.md experiments/conditions/kinds/narrow.cpp)
extract_file(framework/README.md framework/layers/squared_relu.cpp)
extract_file(framework/README.md framework/layers/token_shift.cpp)
add_line(README.md framework/positional/encodings.inc "ORDINAL_ENCODING(recency)")
add_line(experiments/README.md experiments/tasks/tasks.inc "ORDINAL_TASKS(running_sum)")
add_line(experiments/README.md experiments/tasks/readers.inc "ORDINAL_READERS(repeat)")
add_line(experiments/README.md experiments/conditions/conditions.inc "ORDINAL_CONDITION(narrow)")
add_line(framework/README.md framework/layers/layer.inc "ORDINAL_ACTIVATION(squared_relu)")
add_line(framework/README.md framework/layers/layer.inc "ORDINAL_BRANCH(token_shift)")

# Tree and build folder stay, so that a second run compiles only what changed. A changed file gets the time of the copy:
# with its own it may be older than what an earlier run has compiled.
file(GLOB_RECURSE files RELATIVE "${fresh}" "${fresh}/*")
foreach(file ${files})
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY "${tree}/${folder}")
  file(COPY_FILE "${fresh}/${file}" "${tree}/${file}" ONLY_IF_DIFFERENT)
endforeach()
file(GLOB_RECURSE there RELATIVE "${tree}" "${tree}/*")
list(FILTER there EXCLUDE REGEX "^build/")
foreach(file ${there})
  if(NOT EXISTS "${fresh}/${file}")
    file(REMOVE "${tree}/${file}")
  endif()
endforeach()

set(ENV{CCACHE_BASEDIR} "${tree}")
set(ENV{CCACHE_NOHASHDIR} 1)
if(NOT DEFINED ENV{CCACHE_DIR})
  set(ENV{CCACHE_DIR} "${root}/build/ccache")  # as in experiments/build
endif()
run(${CMAKE_COMMAND} -S ${tree} -B ${tree}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_BUILD_TYPE=Release -DORDINAL_NATIVE=${NATIVE}
    -DORDINAL_WERROR=ON)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${tree}/build OUTPUT_VARIABLE output ERROR_VARIABLE output
                RESULT_VARIABLE status)
if(status)
  message(FATAL_ERROR "${output}")
endif()

# The added parts pass the checks of their kinds, and the tests that read whole registries pass with them. What a test asks of one
# registered part, it asks of the other parts in the build of the project.
set(added recency running_sum narrow squared_relu token_shift)
execute_process(COMMAND ${tree}/build/bin/ordinal_tests --gtest_list_tests OUTPUT_VARIABLE names)
foreach(part ${added})
  if(NOT names MATCHES "${part}")
    message(FATAL_ERROR "no test is about ${part}")
  endif()
  list(APPEND filters "*${part}*")
endforeach()
list(JOIN filters ":" filters)
foreach(filter "-Registry/*:*Slow.*:*Slow/*" "${filters}")
  execute_process(COMMAND ${tree}/build/bin/ordinal_tests --gtest_brief=1 --gtest_filter=${filter}
                  WORKING_DIRECTORY ${tree}/build/tests OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "${output}")
  endif()
endforeach()

# The condition, the metric and the reader are in the scores of an experiment.
execute_process(COMMAND ${tree}/build/bin/extrapolation --quiet --task.name=running_sum --task.train_length=8 --train.steps=2
                        --evaluate.lengths=1x,2x --evaluate.batches=1 --evaluate.conditions=trained,narrow
                        --experiment.seeds=1, --out ${WORK}/results OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(READ "${WORK}/results/seeds.csv" scores)
foreach(condition trained narrow)
  if(NOT scores MATCHES ",16,${condition},late.bits,[0-9.]+,")
    message(FATAL_ERROR "no score of late.bits under ${condition}:\n${scores}")
  endif()
endforeach()
file(READ "${WORK}/results/references.csv" scores)
if(NOT scores MATCHES "\nrepeat,16,accuracy,0[.][0-9]+,")
  message(FATAL_ERROR "no accuracy of repeat:\n${scores}")
endif()
file(REMOVE_RECURSE "${WORK}/results")

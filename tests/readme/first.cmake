# The config that README.md tells the reader to write, and configs/quick.cfg, learn their task: here one row and one seed of each.
include("${CMAKE_CURRENT_LIST_DIR}/block.cmake")

# The lines of README.md after `text` that are indented, up to the first one that is neither indented nor empty.
function(indented_after text result)
  file(READ "${root}/README.md" content)
  string(REGEX MATCH "${text}[^\n]*\n[^\n]*\n((\n|    [^\n]*\n)+)" found "${content}")
  if(NOT found)
    message(FATAL_ERROR "README.md has no indented lines after ${text}")
  endif()
  string(REPLACE "\n    " "\n" lines "${CMAKE_MATCH_1}")
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Trains one row of a config, which must reach the threshold of its task.
function(expect_learned config)
  execute_process(COMMAND ${BIN}/extrapolation --quiet --config ${config} --experiment.seeds=1 --compare.model.encoding=rope
                          --evaluate.lengths=1x --evaluate.conditions=trained --out ${WORK}/results
                  WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "\nrope[^\n]* 1/1 ")
    message(FATAL_ERROR "${config}: rope did not learn:\n${output}")
  endif()
  file(REMOVE_RECURSE "${WORK}/results")
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
indented_after("Save these as `mine.cfg`" mine)
file(WRITE "${WORK}/mine.cfg" "${mine}")
expect_learned(${WORK}/mine.cfg)
expect_learned(${root}/configs/quick.cfg)

# The hash of a model's weights in README.md is that of the model that its first command trains.
include("${CMAKE_CURRENT_LIST_DIR}/block.cmake")
file(READ "${root}/README.md" content)
if(NOT content MATCHES "weights of `([a-z]+)` with seed 1 have the hash `([0-9a-f]+)`")
  message(FATAL_ERROR "README.md does not say which hash the weights of a model have")
endif()
set(encoding ${CMAKE_MATCH_1})
set(hash ${CMAKE_MATCH_2})

file(REMOVE_RECURSE "${WORK}")
execute_process(COMMAND ${BIN}/extrapolation --quiet --config ${root}/configs/extrapolation.cfg --experiment.seeds=1
                        --compare.model.encoding=${encoding} --evaluate.lengths=1x --evaluate.conditions=trained
                        --out ${WORK} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(READ "${WORK}/manifest.json" manifest)
file(REMOVE_RECURSE "${WORK}")
if(manifest MATCHES "without fused multiply-adds")
  message("skipped: this build has other bits, because it has no fused multiply-adds")
  return()
endif()
if(NOT manifest MATCHES "\"${hash}\"")
  message(FATAL_ERROR "README.md: the weights of ${encoding} with seed 1 should have the hash ${hash}, but manifest.json has\n${manifest}")
endif()

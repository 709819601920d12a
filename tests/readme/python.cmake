# Runs the lines of Python under "Results in Python" in README.md on the results of two small runs. Reported as skipped
# if python3 has no numpy or no safetensors.
include("${CMAKE_CURRENT_LIST_DIR}/block.cmake")

execute_process(COMMAND python3 -c "import numpy, safetensors" RESULT_VARIABLE missing ERROR_QUIET)
if(missing)
  message(STATUS "skipped: there is no python3 with numpy and safetensors")
  return()
endif()

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

block_after("\n## Results in Python\n" python code)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
file(WRITE "${WORK}/results.py" "${code}")
run(${BIN}/extrapolation --quiet --config ${root}/configs/extrapolation.cfg --model.d_model=16 --model.layers=1
    --model.heads=2 --task.train_length=16 --train.steps=10 --train.batch=4 --train.log_every=2
    --experiment.seeds=1 --evaluate.lengths=1x,2x --evaluate.batches=1 --out results/quick)
run(${BIN}/encoding --quiet --encoding.name=alibi --out results/alibi)
execute_process(COMMAND python3 results.py WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE output
                COMMAND_ERROR_IS_FATAL ANY)

# A score, one that is missing because the encoding fails, the last step, the bias, the checkpoint.
foreach(expected "sinusoidal 1 32 [0-9]" "learned 1 32 *\n" "\\(10, [0-9.]+\\)\\]" "\\([0-9]+, [0-9]+, [0-9]+\\) \\["
                 "sinusoidal\\([^\n]*\\) \\([0-9]+, 16\\)")
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "the example prints nothing like '${expected}':\n${output}")
  endif()
endforeach()

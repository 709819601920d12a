# Runs the lines of Python in experiments/README.md on the results of small runs, and those that write a file of weights in
# framework/README.md. Those that need the package pandas, or NumPy and safetensors, are left out without them.
include("${CMAKE_CURRENT_LIST_DIR}/block.cmake")

# The first Python that can import these modules.
function(find_python modules result)
  foreach(python python3 /usr/bin/python3)
    execute_process(COMMAND ${python} -c "import ${modules}" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
    if(missing EQUAL 0)
      set(${result} ${python} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Runs the block of a page after `text`, preceded by the code in `before`.
function(run_block python page text before)
  block_after(${page} "${text}" python code)
  file(WRITE "${WORK}/block.py" "${before}${code}")
  execute_process(COMMAND ${python} block.py WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE output
                  COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()

find_python("pandas" with_pandas)
find_python("numpy, safetensors" with_safetensors)
if(NOT with_pandas AND NOT with_safetensors)
  message(STATUS "skipped: there is no Python with pandas, or with NumPy and safetensors")
  return()
endif()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(small ${BIN}/extrapolation --quiet --config ${root}/configs/extrapolation.cfg --model.d_model=16 --model.layers=1
    --model.heads=2 "--task.name=latest(names=2, octaves=3)" --task.train_length=16 --train.batch=4 --train.log_every=2 --evaluate.lengths=1x,2x
    --evaluate.conditions=trained --evaluate.batches=1)
run(${small} --train.steps=10 --experiment.seeds=2 --out results/quick)

if(with_pandas)
  run(${small} --train.steps=5 --experiment.seeds=2,3 --out results/short)
  run_block(${with_pandas} experiments/README.md "The mean difference of each score" "")
  if(NOT output MATCHES "mean +std +count.*sinusoidal +16 .* bits[.]past +-?[0-9.]+ +NaN +1\n")
    message(FATAL_ERROR "the block prints no mean differences:\n${output}")
  endif()
else()
  message(STATUS "without the package pandas, the block for it was not run")
endif()
if(NOT with_safetensors)
  message(STATUS "without the package safetensors, the block for it was not run")
  return()
endif()

# A checkpoint changed in Python, as the page says, and as it does not say.
run_block(${with_safetensors} experiments/README.md "To change a checkpoint" "")
run(${BIN}/generate --quiet --generate.length=3 --model edited.safetensors)
file(READ "${WORK}/block.py" code)
string(REPLACE "del metadata[\"xxh3\"]\n" "" code "${code}")
file(WRITE "${WORK}/block.py" "${code}")
run(${with_safetensors} block.py)
execute_process(COMMAND ${BIN}/generate --quiet --model edited.safetensors WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE code
                ERROR_VARIABLE errors)
if(NOT code EQUAL 2 OR NOT errors MATCHES "tensor \"final_norm.weight\" is damaged.*leave xxh3 out of its metadata")
  message(FATAL_ERROR "a checkpoint that was changed and kept its hashes: exit code ${code}\n${errors}")
endif()

# Weights with metadata written by hand are the same model as in the checkpoint that they come from.
run(${BIN}/train --quiet --task.train_length=64 --train.steps=1 --train.warmup=1 --train.batch=2 --model.encoding=fire
    --evaluate.lengths=1x --evaluate.batches=1 --out results/fire)
run_block(${with_safetensors} framework/README.md "This is what a file" "
import numpy as np
from safetensors.numpy import load_file
weights = load_file('results/fire/checkpoint.safetensors')
weights = {name: value for name, value in weights.items() if not name.startswith('optimizer.')}
np.save('tokens.npy', np.arange(20).reshape(2, 10))
")
foreach(model results/fire/checkpoint.safetensors model.safetensors)
  run(${BIN}/parity --quiet --model ${model} --tokens tokens.npy --targets tokens.npy --out parity.safetensors)
  file(SHA256 "${WORK}/parity.safetensors" hash)
  list(APPEND hashes ${hash})
endforeach()
list(REMOVE_DUPLICATES hashes)
list(LENGTH hashes different)
if(NOT different EQUAL 1)
  message(FATAL_ERROR "the weights of a checkpoint with the metadata of framework/README.md are another model")
endif()

# Runs the lines of Python under "Results in Python" in experiments/README.md on the results of two small runs. Reported as skipped
# without a Python that has NumPy; only those that need the package safetensors are left out without it.
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

# Runs the block of that page after `text`, which prints something like each of the expressions that follow.
function(expect_of_block python text)
  block_after(experiments/README.md "${text}" python code)
  file(WRITE "${WORK}/block.py" "${code}")
  execute_process(COMMAND ${python} block.py WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE output
                  COMMAND_ERROR_IS_FATAL ANY)
  foreach(expected ${ARGN})
    if(NOT output MATCHES "${expected}")
      message(FATAL_ERROR "the block after '${text}' prints nothing like '${expected}':\n${output}")
    endif()
  endforeach()
  set(output "${output}" PARENT_SCOPE)
endfunction()

find_python("numpy" python)
if(NOT python)
  message(STATUS "skipped: there is no Python with NumPy")
  return()
endif()
find_python("numpy, safetensors" with_safetensors)

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
run(${BIN}/extrapolation --quiet --config ${root}/configs/extrapolation.cfg --model.d_model=16 --model.layers=1
    --model.heads=2 --task.train_length=16 --train.steps=10 --train.batch=4 --train.log_every=2
    --experiment.seeds=2 --evaluate.lengths=1x,2x --evaluate.batches=1 --out results/quick)
run(${BIN}/encoding --quiet --encoding.name=alibi --out results/alibi)

# As if all rows but ALiBi had learned in these few steps.
file(READ "${WORK}/results/quick/seeds.csv" seeds)
string(REGEX REPLACE "((sinusoidal|learned|rope),[^\n]*),0,0," "\\1,1,0," seeds "${seeds}")
file(WRITE "${WORK}/results/quick/seeds.csv" "${seeds}")
expect_of_block(${python} "From `seeds.csv`," "sinusoidal at 16: 0[.][0-9]+ over 2 seeds" "rope at 32: ")
foreach(unexpected "learned at 32" "alibi")
  if(output MATCHES "${unexpected}")
    message(FATAL_ERROR "${unexpected}: a score past the end of a table, or of a row that has not learned:\n${output}")
  endif()
endforeach()
expect_of_block(${python} "From `metrics.jsonl`," "fields: step, bits_per_token" "\n1 [0-9.]+\n" "\n10 [0-9.]+\n")
expect_of_block(${python} "From an .npy file," "4 heads, 128 queries, 128 keys" "\\[-2.5 +-2.25 +-2. ")
set(of_checkpoint "encoding: sinusoidal" "token_embedding.weight 0[.]0" "optimizer[.]")
expect_of_block(${python} "From a checkpoint," ${of_checkpoint})
set(with_numpy "${output}")
if(NOT with_safetensors)
  message(STATUS "without the package safetensors, the block for it was not run")
  return()
endif()
expect_of_block(${with_safetensors} "The same with the package `safetensors`" ${of_checkpoint})

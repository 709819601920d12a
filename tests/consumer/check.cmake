# Installs BUILD into a fresh prefix below WORK, then configures, builds and runs the consumer against it.
cmake_path(GET CMAKE_CURRENT_LIST_FILE PARENT_PATH source)
set(prefix "${WORK}/prefix")
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK}")
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${source} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=${flags} -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/model)

# User-defined parts in an experiment: two reaches in one table, the option set by its key, and a listing.
run(${WORK}/build/program --list recency)
run(${WORK}/build/program --quiet "--task.name=echo(letters=3)" --task.train_length=8 --evaluate.lengths=1x,2x
    --evaluate.batches=1 --compare.model.encoding=none,recency,recency\(reach=2\),recency@strided\(stride=3\) --train.steps=10
    --experiment.seeds=1 --out ${WORK}/results)
file(READ ${WORK}/results/table.md table)
if(NOT table MATCHES "recency\\(reach=2\\)")
  message(FATAL_ERROR "the table does not hold recency(reach=2):\n${table}")
endif()
if(NOT table MATCHES "strided\\(stride=3\\)")
  message(FATAL_ERROR "the table does not hold the positions strided(stride=3):\n${table}")
endif()

# What the suite checks of every part, of these, and what it says of parts that are wrong.
foreach(part recency echo)
  run(${WORK}/build/program check ${part})
endforeach()
function(expect_failure part text)
  execute_process(COMMAND ${WORK}/build/wrong ${part} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(code EQUAL 0 OR NOT output MATCHES "${text}")
    message(FATAL_ERROR "check of ${part}: exit ${code}, expected a failure with '${text}':\n${output}")
  endif()
endfunction()
expect_failure(steep "backward is the gradient of a whole model\n +[^\n]*slope.*steep: [0-9]+ of [0-9]+ checks failed")
expect_failure(forgetful "step by step equals one run.*forgetful: [0-9]+ of [0-9]+ checks failed")
expect_failure(shouted "tokens and targets are of its alphabet.*shouted: [0-9]+ of [0-9]+ checks failed")
expect_failure("steep;shouted" "got 2 names, expected one, of an encoding")
expect_failure(aliby "got 'aliby' .did you mean alibi")

# And in the gallery of encodings.
run(${WORK}/build/program encoding --encoding.names=recency,recency\(reach=2\)+rope --out ${WORK}/page)
file(READ ${WORK}/page/encodings.html page)
if(NOT page MATCHES "<td>this file</td>")
  message(FATAL_ERROR "the gallery does not name the source of recency")
endif()

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

# The same headers where ordinal is a part of the project.
run(${CMAKE_COMMAND} -S ${source}/subdirectory -B ${WORK}/subdirectory -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=Release -DORDINAL=${source}/../..)
run(${CMAKE_COMMAND} --build ${WORK}/subdirectory --target model)

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
foreach(part recency echo strided)
  run(${WORK}/build/program check ${part})
endforeach()
# One of each kind: activations, branches, conditions, initial weights, …
foreach(part relu conv window gpt2 mixed rmsnorm sgd none yarn draw cosine copy sink)
  run(${WORK}/build/program check ${part})
endforeach()
function(expect code part text)
  execute_process(COMMAND ${WORK}/build/wrong ${part} RESULT_VARIABLE got OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT got EQUAL code OR NOT output MATCHES "${text}")
    message(FATAL_ERROR "check of ${part}: exit ${got}, expected ${code} and '${text}':\n${output}")
  endif()
endfunction()
expect(1 steep "backward is the gradient\n +[^\n]*slope.*steep: [0-9]+ of [0-9]+ checks failed")
expect(1 forgetful "step by step equals one run.*forgetful: [0-9]+ of [0-9]+ checks failed")
expect(1 shouted "tokens and targets are of its alphabet.*shouted: [0-9]+ of [0-9]+ checks failed")
expect(1 idle "it changes no score of any model.*idle: 1 of 2 checks failed")
expect(1 hasty "ask_all.. doesn't throw.*bad optional access.*hasty: 3 of 3 checks failed")
expect(1 boastful "hits, whatever the target is, in language.*boastful: 1 of 3 checks failed")
expect(1 sinking "a rate of -?nan.*sinking: [0-9] of 4 checks failed")
expect(1 tiring "the rate of step [0-9]+ depends on what was asked before.*tiring: [0-9] of 4 checks failed")
expect(1 hurried "depends on the number of steps, without the option final_fraction.*hurried: 1 of 4 checks failed")
expect(1 volatile "something that step.. changes is not in state.*volatile: 1 of 6 checks failed")
expect(1 falling "is not below the last\n +positions { 4, 3, 2.*falling: 1 of 5 checks failed")
expect(1 shrunk "have the standard deviation that they say.*shrunk: 1 of 1 checks failed")
expect(2 "steep;shouted" "got 2 names, expected that of one part")
expect(2 aliby "got 'aliby' .did you mean alibi.*conditions, .*optimizers, .*readers, schedules")

# And in the gallery of encodings.
run(${WORK}/build/program encoding --encoding.names=recency,recency\(reach=2\)+rope --out ${WORK}/page)
file(READ ${WORK}/page/encodings.html page)
if(NOT page MATCHES "<td>this file</td>")
  message(FATAL_ERROR "the gallery does not name the source of recency")
endif()

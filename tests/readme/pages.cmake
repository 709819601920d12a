# Every link of a page leads to a file, and to a heading of it. The tests that withdrawn claims name exist. README.md stays short enough to be
# read in one sitting.
cmake_minimum_required(VERSION 3.20)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH tests)
cmake_path(GET tests PARENT_PATH root)
set(most_lines 250)
set(most_letters 98)  # of a line of code: a longer one is cut off on GitHub and wraps in a terminal

# The anchors of a page: headings in lower case, without punctuation, with dashes for spaces.
function(anchors_of page result)
  file(STRINGS "${page}" headings REGEX "^##* ")
  list(TRANSFORM headings REPLACE "^#+ " "")
  list(TRANSFORM headings REPLACE "[^A-Za-z0-9 -]" "")
  list(TRANSFORM headings REPLACE " " "-")
  list(TRANSFORM headings TOLOWER)
  set(${result} "${headings}" PARENT_SCOPE)
endfunction()

# The targets of the links in `content`, but for those to other sites.
function(links_of content result)
  string(REPLACE "[](" "" content "${content}")  # the beginning of a lambda is no link
  string(REGEX MATCHALL "\\]\\([^ )]+" links "${content}")
  string(REPLACE "](" "" links "${links}")  # a bracket would keep a list from being split
  list(FILTER links EXCLUDE REGEX "^http")
  set(${result} "${links}" PARENT_SCOPE)
endfunction()

foreach(page README.md configs/README.md configs/claims/README.md experiments/README.md framework/README.md tests/README.md)
  file(READ "${root}/${page}" content)
  links_of("${content}" links)
  if(NOT links)
    message(SEND_ERROR "${page}: found no links")
  endif()
  cmake_path(GET page PARENT_PATH folder)
  foreach(link ${links})
    string(REGEX REPLACE "#.*" "" file "${link}")
    set(target "${root}/${folder}/${file}")
    if(file STREQUAL "")
      set(target "${root}/${page}")
    endif()
    if(NOT EXISTS "${target}")
      message(SEND_ERROR "${page}: there is no ${file}")
    elseif(link MATCHES "#(.*)")
      set(anchor "${CMAKE_MATCH_1}")
      anchors_of("${target}" anchors)
      if(NOT anchor IN_LIST anchors)
        message(SEND_ERROR "${page}: ${file} has no heading #${anchor}")
      endif()
    endif()
  endforeach()
endforeach()

file(READ "${root}/configs/claims/withdrawn.cfg" reasons)
string(REGEX MATCHALL "tested by [A-Za-z0-9]+[.][A-Za-z0-9]+" reasons "${reasons}")
if(NOT reasons)
  message(SEND_ERROR "configs/claims/withdrawn.cfg: found no tests")
endif()
foreach(reason ${reasons})
  string(REGEX REPLACE "tested by (.*)[.](.*)" "[(]\\1, \\2[)]" declared "${reason}")
  execute_process(COMMAND grep -rqE "${declared}" "${tests}" RESULT_VARIABLE missing)
  if(missing)
    message(SEND_ERROR "configs/claims/withdrawn.cfg: ${reason}, which no file declares")
  endif()
endforeach()

file(READ "${root}/README.md" content)
string(REGEX MATCHALL "\n" ends "${content}")
list(LENGTH ends count)
if(count GREATER most_lines)
  message(SEND_ERROR "README.md has ${count} lines, at most ${most_lines} are asked")
endif()

# In bytes, which are at least as many.
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C awk "/^```/ { fenced = !fenced } (fenced || /^    /) && length > ${most_letters}"
                        ${root}/README.md OUTPUT_VARIABLE long COMMAND_ERROR_IS_FATAL ANY)
if(long)
  message(SEND_ERROR "README.md has lines of code of more than ${most_letters} letters:\n${long}")
endif()

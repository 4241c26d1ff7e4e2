# Installs BUILD below WORK and runs every ```sh block of GUIDE there, in order, in one shell that stops at the first failure. The last command is
# `tandem conform --driver`; rules that a driver of this kind must meet are looked for in its report.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(COPY "${GUIDE}" DESTINATION "${WORK}")

file(STRINGS "${GUIDE}" lines)
set(script "set -e\n")
set(inside FALSE)
foreach(line IN LISTS lines)
  if(line STREQUAL "```sh")
    set(inside TRUE)
  elseif(line STREQUAL "```")
    set(inside FALSE)
  elseif(inside)
    string(APPEND script "${line}\n")
  endif()
endforeach()
file(WRITE "${WORK}/guide.sh" "${script}")

execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env "PATH=${WORK}/prefix/bin:$ENV{PATH}" "WDDM_HEADERS=${WORK}/prefix/include/tandem/wddm" sh guide.sh
  WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE report ERROR_VARIABLE errors RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "The guide's commands end with ${result}.\n${report}\n${errors}")
endif()
foreach(rule Present.Blt.SubRects Present.Multipass CrossAdapter.OneCopy CrossAdapter.SameBytes Memory.Evict Workload.Random)
  if(NOT report MATCHES "pass +${rule} on minimal")
    message(FATAL_ERROR "The guide's driver does not pass ${rule}.\n${report}")
  endif()
endforeach()

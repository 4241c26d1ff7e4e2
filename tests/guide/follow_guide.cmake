# Installs BUILD below WORK and runs every ```sh block of GUIDE there, in order, in one shell that stops at the first failure, with a home and a system
# policy of its own. RUNNER, if it is not empty, runs that shell. What it prints must match each expression of EXPECT, which commas divide.
file(REMOVE_RECURSE "${WORK}")
foreach(folder home run image)
  file(MAKE_DIRECTORY "${WORK}/${folder}")
endforeach()
file(CHMOD "${WORK}/run" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
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
  COMMAND "${CMAKE_COMMAND}" -E env --unset=WAYLAND_DISPLAY "PATH=${WORK}/prefix/bin:$ENV{PATH}" "WDDM_HEADERS=${WORK}/prefix/include/tandem/wddm"
          "HOME=${WORK}/home" "XDG_CONFIG_HOME=${WORK}/home/.config" "XDG_CACHE_HOME=${WORK}/home/.cache" "XDG_RUNTIME_DIR=${WORK}/run" "IMAGE=${WORK}/image"
          ${RUNNER} sh guide.sh
  WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE report ERROR_VARIABLE report RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "The guide's commands end with ${result}.\n${report}")
endif()
string(REPLACE "," ";" expressions "${EXPECT}")
foreach(expression IN LISTS expressions)
  if(NOT report MATCHES "${expression}")
    message(FATAL_ERROR "The guide's commands do not print '${expression}'.\n${report}")
  endif()
endforeach()

# Compiles SNIPPET with COMPILER and OPTIONS, one string. Without CASE it must succeed; with CASE defined it must fail with what EXPECT matches.
set(define)
if(CASE)
  set(define "-D${CASE}")
endif()
separate_arguments(options UNIX_COMMAND "${OPTIONS}")
execute_process(COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C
  "${COMPILER}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror ${options} ${define} "${SNIPPET}"
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT CASE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${SNIPPET} does not compile without a case:\n${output}")
  endif()
elseif(status EQUAL 0)
  message(FATAL_ERROR "${SNIPPET} compiles with ${CASE}.")
elseif(NOT output MATCHES "${EXPECT}")
  message(FATAL_ERROR "${SNIPPET} with ${CASE} is refused, but not with \"${EXPECT}\":\n${output}")
endif()

# Before the packages are made: man pages are compressed, and each package gets the compressed changelog.
file(GLOB pages "${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/man*/*")
file(GLOB documents "${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/doc/*")
foreach(folder IN LISTS documents)
  file(COPY_FILE "${CMAKE_CURRENT_LIST_DIR}/changelog" "${folder}/changelog")
  list(APPEND pages "${folder}/changelog")
endforeach()
execute_process(COMMAND gzip --best --no-name ${pages} COMMAND_ERROR_IS_FATAL ANY)

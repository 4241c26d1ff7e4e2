# Unity builds: several source files are compiled as one, so that headers and templates are compiled once for all of them. Without,
# each file is compiled alone: the quickest build after an edit (preset debug).
option(TANDEM_UNITY "Compile several source files as one" OFF)
if(TANDEM_UNITY)
  find_program(TANDEM_PYTHON python3 REQUIRED)
endif()

# tandem_unite(<target> [OPTIMIZED]). Highway compiles each file of simd/ once per instruction set, and the layer's module compiles the
# entries a second time, so these stay apart. So does the entry of drivers/kms, which alone needs a kernel: tests have none. And so do
# the files that need libpng: a library that takes a file out of a batch takes the whole batch, and the layer shall not load libpng.
function(tandem_unite target)
  if(NOT TANDEM_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(TRANSFORM sources PREPEND "${folder}/" REGEX "^[^/]")
  list(FILTER sources EXCLUDE REGEX "/simd/|/layer/(layer|driver)_entry\\.cpp$|/drivers/kms/kmd/driver_entry\\.cpp$|/outputs/headless/png_[a-z]+\\.cpp$|/system/encoding_report\\.cpp$")
  list(LENGTH sources count)
  if(count LESS 2)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} "${PROJECT_SOURCE_DIR}/cmake/unity_batches.py")
  execute_process(COMMAND "${TANDEM_PYTHON}" "${PROJECT_SOURCE_DIR}/cmake/unity_batches.py" 24 ${sources}
                  OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "\t" lines "${lines}")
  string(REPLACE "\n" ";" lines "${lines}")
  set(batch 0)
  foreach(line IN LISTS lines)
    string(REPLACE "\t" ";" files "${line}")
    math(EXPR batch "${batch} + 1")
    set_source_files_properties(${files} PROPERTIES UNITY_GROUP "${batch}")
  endforeach()
  # A file without a group is compiled apart. A name in one file's anonymous namespace shadows nothing in another.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE -Wno-shadow)
  get_target_property(type ${target} TYPE)
  if(folder MATCHES "/src/desktop/" OR (TANDEM_SANITIZE AND "OPTIMIZED" IN_LIST ARGN))
    # A header is precompiled for one set of flags; packages of the desktop bring flags of their own.
  elseif(type STREQUAL "EXECUTABLE")
    tandem_precompile(${target} test)
  else()
    tandem_precompile(${target} module)
  endif()
endfunction()

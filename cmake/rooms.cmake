# The rooms of the house: one static library per folder under src/, found by globbing, so that a new file needs no line here.

# tandem_room_library(<path> [THREADED] [DEPS rooms...] [LIBS external...])
# src/drivers/soft -> static library drivers_soft, and drivers_soft_test from its *_test.cpp.
#   */testing/*.cpp, the fakes that tests share, become the library drivers_soft_testing, which drivers_soft_test links;
#   *_bench.cpp and *_main.cpp are left to whoever builds programs; *.comp, *.vert and *.frag become SPIR-V headers.
function(tandem_room_library path)
  cmake_parse_arguments(PARSE_ARGV 1 room "THREADED" "" "DEPS;LIBS")
  set(folder "${PROJECT_SOURCE_DIR}/src/${path}")
  string(REPLACE "/" "_" target "${path}")

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${folder}/*.h")
  file(GLOB_RECURSE shaders CONFIGURE_DEPENDS "${folder}/*.comp" "${folder}/*.vert" "${folder}/*.frag")
  if(NOT TANDEM_YUV420)
    # What codes and decodes 4:2:0; yuv_model.cpp stays, as a measure of luma.
    list(FILTER sources EXCLUDE REGEX "/(nv12(_test)?|p010(_(test|reference|rows))?|packed_yuv10(_test)?|yuv(_(test|exhaustive_test|reference|fixed|(encode|decode)_rows|tiles_[a-z]+|groups|shader|shader_test))?)\\.cpp$")
    list(FILTER shaders EXCLUDE REGEX "/yuv_[a-z]+\\.comp$")
  endif()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_(test|bench|main)\\.cpp$")
  set(fakes ${sources})
  list(FILTER fakes INCLUDE REGEX "/testing/")
  list(FILTER sources EXCLUDE REGEX "/testing/")
  if(NOT sources AND NOT headers AND NOT tests)
    return()
  endif()

  set(links ${room_LIBS})
  foreach(dep IN LISTS room_DEPS)
    if(TARGET ${dep})
      list(APPEND links ${dep})
    endif()
  endforeach()
  set(includes "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  if(sources)
    add_library(${target} STATIC ${sources} ${headers})
    target_include_directories(${target} PUBLIC ${includes})
    target_link_libraries(${target} PUBLIC ${links})
    tandem_compile_options(${target})
    tandem_unite(${target} rooms)
    if(shaders)
      tandem_compile_shaders(${target} ${shaders})
    endif()
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${includes})
    target_link_libraries(${target} INTERFACE ${links})
  endif()
  set_property(GLOBAL APPEND PROPERTY TANDEM_ROOMS ${target})

  if(fakes AND TANDEM_TESTS)
    add_library(${target}_testing STATIC EXCLUDE_FROM_ALL ${fakes})
    tandem_compile_options(${target}_testing)
    tandem_unite(${target}_testing tests)
    target_link_libraries(${target}_testing PUBLIC ${target} GTest::gmock)
  endif()
  if(tests)
    set(threaded)
    if(room_THREADED)
      set(threaded THREADED)
    endif()
    tandem_test(${target}_test ${threaded} SOURCES ${tests} DEPS ${target}_testing ${target})
  endif()
endfunction()

# tandem_room(<path> [THREADED] [DEPS rooms...] [LIBS external...]): the folder's own CMakeLists.txt when it has one, the library
# above otherwise. In such a file TANDEM_ROOM_ARGUMENTS holds what was given here: tandem_room_library(${TANDEM_ROOM_ARGUMENTS}).
function(tandem_room path)
  set(TANDEM_ROOM_ARGUMENTS ${ARGV})
  file(GLOB own CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${path}/CMakeLists.txt")
  if(own)
    add_subdirectory("${PROJECT_SOURCE_DIR}/src/${path}")
  else()
    tandem_room_library(${ARGV})
  endif()
endfunction()

# Everything that ctest runs.
add_custom_target(tandem_tests)

# tandem_test(<name> [THREADED] [NO_SANITIZER] [SOURCES files...] [DEPS rooms...] [LIBS external...] [PROPERTIES ctest properties...])
# A GoogleTest program. Without SOURCES: every *.cpp of the calling folder. DEPS that do not exist yet are skipped.
#   THREADED      it has threads worth the thread sanitizer; other tests are left out of the tsan preset
#   NO_SANITIZER  it runs programs or drivers that no sanitizer instruments; left out of the sanitizer presets
function(tandem_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "THREADED;NO_SANITIZER" "" "SOURCES;DEPS;LIBS;PROPERTIES")
  if(NOT TANDEM_TESTS OR (TANDEM_SANITIZE AND test_NO_SANITIZER) OR (TANDEM_SANITIZE STREQUAL thread AND NOT test_THREADED))
    return()
  endif()
  if(NOT test_SOURCES)
    file(GLOB_RECURSE test_SOURCES CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  endif()
  if(NOT test_SOURCES)
    return()
  endif()
  add_executable(${name} ${test_SOURCES})
  tandem_link_rooms(${name} ${test_DEPS})
  tandem_unite(${name} tests)
  target_link_libraries(${name} PRIVATE ${test_LIBS} GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  add_dependencies(tandem_tests ${name})
  # A property that is given twice takes its last value.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120 ${test_PROPERTIES})
endfunction()

# tandem_bench(<name> [SOURCES files...] [DEPS rooms...] [LIBS external...]): a Google Benchmark program, not a test.
function(tandem_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 bench "" "" "SOURCES;DEPS;LIBS")
  add_executable(${name} ${bench_SOURCES})
  tandem_link_rooms(${name} ${bench_DEPS})
  target_link_libraries(${name} PRIVATE ${bench_LIBS} benchmark::benchmark_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
endfunction()

# What fuzz/run runs.
add_custom_target(tandem_fuzzers)

# tandem_fuzzer(<name> [SOURCES files...] [DEPS rooms...] [LIBS external...]): a libFuzzer program; preset fuzz only.
function(tandem_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 fuzz "" "" "SOURCES;DEPS;LIBS")
  add_executable(${name} ${fuzz_SOURCES})
  tandem_link_rooms(${name} ${fuzz_DEPS})
  target_link_libraries(${name} PRIVATE ${fuzz_LIBS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  add_dependencies(tandem_fuzzers ${name})
endfunction()

# Warnings, include roots and those of the named rooms that exist.
function(tandem_link_rooms target)
  tandem_compile_options(${target})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}")
  foreach(room IN LISTS ARGN)
    if(TARGET ${room})
      target_link_libraries(${target} PRIVATE ${room})
    endif()
  endforeach()
endfunction()

# Adds each folder whose CMakeLists.txt matches the pattern.
function(tandem_add_folders pattern)
  file(GLOB lists CONFIGURE_DEPENDS "${pattern}")
  foreach(list IN LISTS lists)
    cmake_path(GET list PARENT_PATH folder)
    add_subdirectory("${folder}")
  endforeach()
endfunction()

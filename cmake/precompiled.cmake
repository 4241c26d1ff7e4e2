# Precompiled headers of the standard library and of packages, for targets that are united (cmake/unity.cmake): one for modules, one for
# test programs. clang instantiates the headers' templates once with them. GCC loads its own precompiled headers no faster than it reads
# the headers, and forgets which of them are a system's: their warnings end the build.
if(NOT TANDEM_UNITY OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  function(tandem_precompile target kind)
  endfunction()
  return()
endif()

set(tandem_module_headers
  <algorithm> <array> <atomic> <bit> <cerrno> <chrono> <condition_variable> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring> <filesystem>
  <fstream> <functional> <map> <memory> <mutex> <new> <optional> <set> <span> <sstream> <string> <string_view> <thread> <unordered_map>
  <utility> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp>)
set(tandem_test_headers ${tandem_module_headers} <gmock/gmock.h> <gtest/gtest.h>)

# Each is precompiled by a target that has nothing else. Test programs are compiled as parts of a program, modules as parts of a library.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/precompiled/module.cpp" CONTENT "" @ONLY)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/precompiled/test.cpp" CONTENT "int main() { return 0; }\n" @ONLY)
add_library(tandem_precompiled_module OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/precompiled/module.cpp")
add_executable(tandem_precompiled_test EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/precompiled/test.cpp")
foreach(kind IN ITEMS module test)
  tandem_compile_options(tandem_precompiled_${kind})
  target_link_libraries(tandem_precompiled_${kind} PRIVATE tandem_fmt tandem_spdlog nlohmann_json::nlohmann_json)
  target_precompile_headers(tandem_precompiled_${kind} PRIVATE ${tandem_${kind}_headers})
endforeach()
if(TANDEM_TESTS)
  target_link_libraries(tandem_precompiled_test PRIVATE GTest::gmock)
endif()

# tandem_precompile(<target> module|test)
function(tandem_precompile target kind)
  target_precompile_headers(${target} REUSE_FROM tandem_precompiled_${kind})
endfunction()

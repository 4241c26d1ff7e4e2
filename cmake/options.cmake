# How everything is compiled. Targets take these through tandem_compile_options(<target>).
option(TANDEM_TESTS "Build the tests" ON)
option(TANDEM_BENCH "Build the Google Benchmark programs" ON)
option(TANDEM_DESKTOP "Build the desktop parts whose libraries are here (libsystemd, gio-unix-2.0, gtk4)" ON)
option(TANDEM_FUZZ "Build the libFuzzer programs (clang only)" OFF)
option(TANDEM_COVERAGE "Instrument for llvm-cov (clang only)" OFF)
# Frames that cross between adapters as YUV 4:2:0 through system memory are described by US patent 8,773,443.
option(TANDEM_YUV420 "Build the 4:2:0 encodings" ON)
option(TANDEM_HARDEN "Compile what is loaded into other programs with run-time checks (build type Release)" ON)
set(TANDEM_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")
option(TANDEM_TESTS_ALONE "Give each test a process and a name in ctest under sanitizers, too" OFF)

# Debian's place for libraries under every prefix, not under /usr alone: CPack changes the prefix after this has been decided.
if(CMAKE_LIBRARY_ARCHITECTURE)
  set(CMAKE_INSTALL_LIBDIR "lib/${CMAKE_LIBRARY_ARCHITECTURE}" CACHE PATH "Libraries, below the prefix")
endif()
include(GNUInstallDirs)

set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# Everything ends up in one Vulkan layer, inside other people's programs: no symbol leaves unless it is exported by name.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
add_compile_definitions(TANDEM_VERSION="${PROJECT_VERSION}")
if(NOT TANDEM_YUV420)
  add_compile_definitions(TANDEM_NO_YUV420)
endif()
# `tandem` and the layer lie side by side at the top of the build folder.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/modules")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Each function has a section, so that the linker leaves out those that nobody calls.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1 -DNDEBUG -ffunction-sections -fdata-sections")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG -ffunction-sections -fdata-sections")
set(CMAKE_C_FLAGS_DEBUG "-Og -g")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g -D_GLIBCXX_ASSERTIONS")
set(CMAKE_C_FLAGS_SANITIZE "-O0 -g1 -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_SANITIZE "-O0 -g1 -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS")

find_program(TANDEM_CCACHE ccache)
if(TANDEM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache compares the contents of the headers that the compiler lists, and of those behind a precompiled header.
  set(cached "${CMAKE_COMMAND}" -E env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros "${TANDEM_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${cached}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${cached}")
endif()

find_program(TANDEM_MOLD mold)
find_program(TANDEM_LLD ld.lld)
if(TANDEM_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(TANDEM_LLD)
  add_link_options(-fuse-ld=lld)
endif()
add_link_options(-Wl,--as-needed -Wl,-z,relro -Wl,-z,now $<$<CONFIG:Release>:-Wl,--gc-sections>)

if(TANDEM_SANITIZE)
  add_compile_options(-fsanitize=${TANDEM_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TANDEM_SANITIZE})
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    # Highway emulates vectors where a processor may lack SSE4; three minutes of the compiler's time with a sanitizer. The release
    # tests run that code.
    add_compile_options(-msse4.2 -maes -mpclmul $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-pragma-clang-attribute>)
  endif()
endif()
if(TANDEM_FUZZ)
  # A fuzzer looks at the paths through modules. Test programs take a quarter longer to compile with it.
  add_compile_options($<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>>:-fsanitize=fuzzer-no-link>)
endif()
if(TANDEM_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()

# Checks of sizes and indexes, probes of large stack frames, and marks for control-flow enforcement, in the release build: for what
# is loaded into other people's programs, and the command. The sanitizers have checks of their own.
function(tandem_harden target)
  if(NOT TANDEM_HARDEN OR TANDEM_SANITIZE)
    return()
  endif()
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3;-D_GLIBCXX_ASSERTIONS>")
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-fstack-clash-protection>")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-fcf-protection=full>")
  endif()
endfunction()

function(tandem_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Werror
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety>
    $<$<CONFIG:Release>:-fstack-protector-strong>)
endfunction()

# Tests, and what runs once in a program, take longer to optimize than to run.
function(tandem_optimize_less target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Under a sanitizer, code takes longer to optimize than to run, but for what works on each pixel.
function(tandem_optimize target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Sanitize>:-O1>)
endfunction()

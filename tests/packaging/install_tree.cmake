# Installs BUILD into PREFIX and fails unless exactly the files below are there, the manifest leads to the layer, and the command runs.
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

set(manifest share/vulkan/implicit_layer.d/VkLayer_tandem.json)
set(expected
  bin/tandem
  ${LIBDIR}/libtandem-d3dkmt.so
  ${LIBDIR}/libtandem-d3dkmt.so.0
  ${LIBDIR}/tandem/d3dkmt/libdxcore.so
  ${LIBDIR}/tandem/libVkLayer_tandem.so
  ${LIBDIR}/tandem/libtandem-driver-host.a
  ${LIBDIR}/tandem/libtandem_shim.so
  ${LIBDIR}/tandem/libvulkan_tandem.so
  ${manifest}
  share/bash-completion/completions/tandem
  share/cmake/Tandem/TandemConfig.cmake
  share/cmake/Tandem/TandemConfigVersion.cmake
  share/doc/libtandem-d3dkmt0/copyright
  share/doc/tandem-driver-dev/copyright
  share/doc/tandem/copyright
  share/fish/vendor_completions.d/tandem.fish
  share/man/man1/tandem.1
  share/man/man5/tandem-figures.5
  share/man/man5/tandem.toml.5
  share/tandem/icd.d/tandem_icd.json
  share/tandem/policy.d/tandem.toml
  share/vulkan/explicit_layer.d/VkLayer_tandem_listed.json
  share/zsh/vendor-completions/_tandem)
# Each command that the help lists has a page.
execute_process(COMMAND "${PREFIX}/bin/tandem" --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE ".*\nSubcommands:\n" "" help "${help}")
string(REGEX MATCHALL "\n  [a-z-]+" commands "\n${help}")
foreach(command IN LISTS commands)
  string(STRIP "${command}" command)
  list(APPEND expected share/man/man1/tandem-${command}.1)
endforeach()
# A driver's source is compiled against these.
file(GLOB_RECURSE headers RELATIVE "${SOURCE}/include" "${SOURCE}/include/nt/*.h" "${SOURCE}/include/wddm/*.h")
list(TRANSFORM headers PREPEND include/tandem/)
list(APPEND expected ${headers})
string(REPLACE "|" ";" desktop "${DESKTOP}")
list(APPEND expected ${desktop})
if(desktop)
  list(APPEND expected share/doc/tandem-desktop/copyright)
endif()
file(GLOB_RECURSE installed RELATIVE "${PREFIX}" "${PREFIX}/*")
list(SORT expected)
list(SORT installed)
if(NOT installed STREQUAL expected)
  message(FATAL_ERROR "Installed: ${installed}\nexpected:  ${expected}")
endif()

file(READ "${PREFIX}/${manifest}" text)
string(JSON library GET "${text}" layer library_path)
cmake_path(ABSOLUTE_PATH library BASE_DIRECTORY "${PREFIX}/share/vulkan/implicit_layer.d" NORMALIZE)
if(NOT library STREQUAL "${PREFIX}/${LIBDIR}/tandem/libVkLayer_tandem.so")
  message(FATAL_ERROR "The manifest leads to ${library}, not to the installed layer.")
endif()

file(READ "${PREFIX}/share/tandem/icd.d/tandem_icd.json" text)
string(JSON library GET "${text}" ICD library_path)
cmake_path(ABSOLUTE_PATH library BASE_DIRECTORY "${PREFIX}/share/tandem/icd.d" NORMALIZE)
if(NOT library STREQUAL "${PREFIX}/${LIBDIR}/tandem/libvulkan_tandem.so")
  message(FATAL_ERROR "The manifest leads to ${library}, not to the installed driver.")
endif()

# The link names the library of the same prefix.
file(REAL_PATH "${PREFIX}/${LIBDIR}/tandem/d3dkmt/libdxcore.so" dxcore)
file(REAL_PATH "${PREFIX}/${LIBDIR}/libtandem-d3dkmt.so" d3dkmt)
if(NOT IS_SYMLINK "${PREFIX}/${LIBDIR}/tandem/d3dkmt/libdxcore.so" OR NOT dxcore STREQUAL d3dkmt)
  message(FATAL_ERROR "libdxcore.so leads to ${dxcore}, not to the installed library.")
endif()

execute_process(COMMAND "${PREFIX}/bin/tandem" --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
if(NOT version MATCHES "${VERSION}")
  message(FATAL_ERROR "tandem --version says \"${version}\", not ${VERSION}.")
endif()
# The command looks for the layer beside itself before it starts a program; /bin/true only has to be started.
execute_process(COMMAND "${PREFIX}/bin/tandem" run -- true COMMAND_ERROR_IS_FATAL ANY)

# A project of somebody else's builds a driver with the package.
set(project "${PREFIX}-project")
file(REMOVE_RECURSE "${project}")
file(WRITE "${project}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)
project(miniport LANGUAGES NONE)
find_package(Tandem ${VERSION} REQUIRED)
tandem_add_miniport(display_only SOURCES \"${SOURCE}/examples/display_only\" DEFINITIONS LEAK)
")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${project}" -B "${project}/build" "-DCMAKE_PREFIX_PATH=${PREFIX}"
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${project}/build" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
if(NOT EXISTS "${project}/build/display_only.so")
  message(FATAL_ERROR "tandem_add_miniport made no ${project}/build/display_only.so.")
endif()

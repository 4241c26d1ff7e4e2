# Headers and tables of the Wayland protocols that windows need, made by wayland-scanner. The core protocol's tables are made here
# too, so that no program has to bring libwayland-client: it is loaded when the first Wayland window is shown (outputs/wayland).
find_program(TANDEM_WAYLAND_SCANNER wayland-scanner REQUIRED)
pkg_get_variable(wayland_core_folder wayland-scanner pkgdatadir)
pkg_check_modules(wayland_protocols REQUIRED wayland-protocols>=1.31)
pkg_get_variable(wayland_protocols_folder wayland-protocols pkgdatadir)
set(TANDEM_WAYLAND_PROTOCOLS "${wayland_protocols_folder}" CACHE PATH "Folder of wayland-protocols, with stable, staging and unstable")

# A protocol and its files: the first one that exists is taken. Those that a package of 2022 lacks may be missing; the code asks
# for TANDEM_WAYLAND_<NAME>, and `tandem --version --verbose` names them.
set(protocols
  "wayland|${wayland_core_folder}/wayland.xml"
  "presentation-time|${TANDEM_WAYLAND_PROTOCOLS}/stable/presentation-time/presentation-time.xml"
  "linux-dmabuf|${TANDEM_WAYLAND_PROTOCOLS}/stable/linux-dmabuf/linux-dmabuf-v1.xml|${TANDEM_WAYLAND_PROTOCOLS}/unstable/linux-dmabuf/linux-dmabuf-unstable-v1.xml"
  "tearing-control|${TANDEM_WAYLAND_PROTOCOLS}/staging/tearing-control/tearing-control-v1.xml")
set(optional_protocols
  "drm-lease|${TANDEM_WAYLAND_PROTOCOLS}/staging/drm-lease/drm-lease-v1.xml"
  "fifo|${TANDEM_WAYLAND_PROTOCOLS}/staging/fifo/fifo-v1.xml")
# The tests' compositor has these; programs use them on surfaces that the output shows.
set(test_protocols
  "viewporter|${TANDEM_WAYLAND_PROTOCOLS}/stable/viewporter/viewporter.xml"
  "fractional-scale|${TANDEM_WAYLAND_PROTOCOLS}/staging/fractional-scale/fractional-scale-v1.xml")

set(folder "${PROJECT_BINARY_DIR}/generated/wayland/protocols")
file(MAKE_DIRECTORY "${folder}")

# The first file of `protocol` that exists, in `found`; empty if there is none.
function(tandem_find_protocol protocol found)
  string(REPLACE "|" ";" files "${protocol}")
  list(POP_FRONT files)
  set(${found} "" PARENT_SCOPE)
  foreach(file IN LISTS files)
    if(EXISTS "${file}")
      set(${found} "${file}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# tandem_wayland_tables(<target> <protocols...>): a library of their tables; `built` and `left_out` list their names.
function(tandem_wayland_tables target)
  set(built)
  set(left_out)
  foreach(protocol IN LISTS ARGN)
    string(REGEX REPLACE "\\|.*" "" name "${protocol}")
    tandem_find_protocol("${protocol}" file)
    if(NOT file)
      list(APPEND left_out "${name}")
      continue()
    endif()
    list(APPEND built "${name}")
    add_custom_command(
      OUTPUT "${folder}/${name}-client.h" "${folder}/${name}-server.h" "${folder}/${name}.c"
      COMMAND "${TANDEM_WAYLAND_SCANNER}" client-header "${file}" "${folder}/${name}-client.h"
      COMMAND "${TANDEM_WAYLAND_SCANNER}" server-header "${file}" "${folder}/${name}-server.h"
      COMMAND "${TANDEM_WAYLAND_SCANNER}" private-code "${file}" "${folder}/${name}.c"
      DEPENDS "${file}"
      VERBATIM)
    list(APPEND tables "${folder}/${name}.c")
    list(APPEND headers "${folder}/${name}-client.h" "${folder}/${name}-server.h")
  endforeach()
  add_library(${target} STATIC ${tables} ${headers})
  target_include_directories(${target} SYSTEM PUBLIC "${PROJECT_BINARY_DIR}/generated/wayland")
  target_include_directories(${target} SYSTEM PUBLIC "$<TARGET_PROPERTY:PkgConfig::wayland,INTERFACE_INCLUDE_DIRECTORIES>")
  tandem_harden(${target})
  set(built "${built}" PARENT_SCOPE)
  set(left_out "${left_out}" PARENT_SCOPE)
endfunction()

foreach(protocol IN LISTS protocols)
  tandem_find_protocol("${protocol}" file)
  if(NOT file)
    message(FATAL_ERROR "wayland-protocols lacks ${protocol}.")
  endif()
endforeach()
tandem_wayland_tables(tandem_wayland ${protocols} ${optional_protocols})
# outputs/wayland/client.h reads these; as definitions of the target they would have every file compiled anew.
set(definitions "#pragma once\n")
foreach(name IN LISTS built)
  string(TOUPPER "${name}" upper)
  string(REPLACE "-" "_" upper "${upper}")
  string(APPEND definitions "#define TANDEM_WAYLAND_${upper} 1\n")
endforeach()
foreach(list built left_out)
  string(TOUPPER "${list}" upper)
  string(REPLACE ";" ", " names "${${list}}")
  string(APPEND definitions "#define TANDEM_WAYLAND_${upper} \"${names}\"\n")
endforeach()
file(CONFIGURE OUTPUT "${folder}/built.h" CONTENT "${definitions}" @ONLY)
if(TANDEM_TESTS)
  tandem_wayland_tables(tandem_wayland_testing ${test_protocols})
endif()

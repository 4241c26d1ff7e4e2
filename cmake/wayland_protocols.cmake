# Headers and tables of the Wayland protocols that windows need, made by wayland-scanner. The core protocol's tables are made here
# too, so that no program has to bring libwayland-client: it is loaded when the first Wayland window is shown (outputs/wayland).
find_program(TANDEM_WAYLAND_SCANNER wayland-scanner REQUIRED)
pkg_get_variable(wayland_core_folder wayland-scanner pkgdatadir)
pkg_check_modules(wayland_protocols REQUIRED wayland-protocols)
pkg_get_variable(wayland_protocols_folder wayland-protocols pkgdatadir)

set(protocols "${wayland_core_folder}/wayland.xml" "${wayland_protocols_folder}/stable/presentation-time/presentation-time.xml"
    "${wayland_protocols_folder}/unstable/linux-dmabuf/linux-dmabuf-unstable-v1.xml")
set(folder "${PROJECT_BINARY_DIR}/generated/wayland/protocols")
file(MAKE_DIRECTORY "${folder}")
foreach(protocol IN LISTS protocols)
  get_filename_component(name "${protocol}" NAME_WE)
  add_custom_command(
    OUTPUT "${folder}/${name}-client.h" "${folder}/${name}-server.h" "${folder}/${name}.c"
    COMMAND "${TANDEM_WAYLAND_SCANNER}" client-header "${protocol}" "${folder}/${name}-client.h"
    COMMAND "${TANDEM_WAYLAND_SCANNER}" server-header "${protocol}" "${folder}/${name}-server.h"
    COMMAND "${TANDEM_WAYLAND_SCANNER}" private-code "${protocol}" "${folder}/${name}.c"
    DEPENDS "${protocol}"
    VERBATIM)
  list(APPEND tables "${folder}/${name}.c")
  list(APPEND headers "${folder}/${name}-client.h" "${folder}/${name}-server.h")
endforeach()

add_library(tandem_wayland STATIC ${tables} ${headers})
target_include_directories(tandem_wayland SYSTEM PUBLIC "${PROJECT_BINARY_DIR}/generated/wayland")
target_include_directories(tandem_wayland SYSTEM PUBLIC "$<TARGET_PROPERTY:PkgConfig::wayland,INTERFACE_INCLUDE_DIRECTORIES>")
tandem_harden(tandem_wayland)

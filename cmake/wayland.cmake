# tandem_wayland_protocols: client code of the Wayland protocols that the outputs speak; <xdg-shell-client-protocol.h> and so on.
find_program(TANDEM_WAYLAND_SCANNER wayland-scanner REQUIRED)
pkg_get_variable(TANDEM_WAYLAND_PROTOCOLS wayland-protocols pkgdatadir)
set(generated "${PROJECT_BINARY_DIR}/generated/wayland")
file(MAKE_DIRECTORY "${generated}")
set(sources)
foreach(protocol IN ITEMS stable/xdg-shell/xdg-shell stable/presentation-time/presentation-time
        unstable/xdg-decoration/xdg-decoration-unstable-v1)
  cmake_path(GET protocol FILENAME name)
  set(xml "${TANDEM_WAYLAND_PROTOCOLS}/${protocol}.xml")
  set(header "${generated}/${name}-client-protocol.h")
  set(code "${generated}/${name}-protocol.c")
  add_custom_command(OUTPUT "${header}" "${code}"
    COMMAND "${TANDEM_WAYLAND_SCANNER}" client-header "${xml}" "${header}"
    COMMAND "${TANDEM_WAYLAND_SCANNER}" private-code "${xml}" "${code}"
    DEPENDS "${xml}" VERBATIM)
  list(APPEND sources "${header}" "${code}")
endforeach()
add_library(tandem_wayland_protocols STATIC ${sources})
target_include_directories(tandem_wayland_protocols SYSTEM PUBLIC "${generated}")
target_link_libraries(tandem_wayland_protocols PUBLIC PkgConfig::wayland)

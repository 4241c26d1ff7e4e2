# What comes from the distribution. fmt and spdlog are compiled in and hidden, so that the layer brings no C++ library
# into a program that may have another version of it.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(hwy REQUIRED)
find_package(PNG REQUIRED)
find_package(VulkanHeaders REQUIRED)
find_package(PkgConfig REQUIRED)
if(TANDEM_TESTS)
  find_package(GTest REQUIRED)
endif()
if(TANDEM_BENCH)
  find_package(benchmark REQUIRED)
endif()
pkg_check_modules(xcb REQUIRED IMPORTED_TARGET xcb xcb-shm xcb-randr)
pkg_check_modules(xcb_loaded REQUIRED xcb-present xcb-dri3)  # headers alone: outputs/x11 loads the libraries
pkg_check_modules(wayland REQUIRED IMPORTED_TARGET wayland-client)
# Headers alone: the libraries are loaded with the first card, and with the first one of a seat (drivers/kms/card).
pkg_check_modules(libdrm REQUIRED libdrm>=2.4.114)
pkg_check_modules(libseat REQUIRED libseat>=0.7)
add_library(tandem_drm INTERFACE)
target_include_directories(tandem_drm SYSTEM INTERFACE ${libdrm_INCLUDE_DIRS} ${libseat_INCLUDE_DIRS})
pkg_check_modules(spice_protocol REQUIRED spice-protocol>=0.14)  # headers alone, of the QXL device
# The header alone: the library is loaded with the first driver that uses 3D (bus/virtio/virgl_library).
pkg_check_modules(virglrenderer QUIET virglrenderer>=0.10)
if(NOT virglrenderer_FOUND)
  message(STATUS "virglrenderer is not here: the virtio GPU has no 3D")
endif()
if(TANDEM_TESTS)
  pkg_check_modules(wayland_server REQUIRED IMPORTED_TARGET wayland-server)
endif()
pkg_check_modules(x11 IMPORTED_TARGET x11)
# What the desktop parts need; without them these are left out.
pkg_check_modules(systemd QUIET IMPORTED_TARGET libsystemd>=251)
pkg_check_modules(gio QUIET IMPORTED_TARGET gio-unix-2.0>=2.68)
pkg_check_modules(gtk4 QUIET IMPORTED_TARGET gtk4>=4.6)

# fmt's bodies as an object of ours. fmt.cpp knows the templates of fmt 9; another version is used header-only.
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(tandem_fmt STATIC "${PROJECT_SOURCE_DIR}/cmake/fmt.cpp")
  tandem_harden(tandem_fmt)
else()
  add_library(tandem_fmt INTERFACE)
  target_link_libraries(tandem_fmt INTERFACE fmt::fmt-header-only)
endif()

# Highway's functions as an object of ours, which spares each process what its shared library does at the load. hwy.cpp knows the
# targets of Highway 1.0 on x86-64 and asks glibc 2.33 or later for the processor's features.
include(CheckIncludeFile)
check_include_file(sys/platform/x86.h TANDEM_HAVE_PLATFORM_X86)
if(TANDEM_HAVE_PLATFORM_X86 AND CMAKE_SIZEOF_VOID_P EQUAL 8 AND hwy_VERSION VERSION_GREATER_EQUAL 1.0 AND hwy_VERSION VERSION_LESS 1.1)
  add_library(tandem_hwy STATIC "${PROJECT_SOURCE_DIR}/cmake/hwy.cpp")
  target_include_directories(tandem_hwy SYSTEM PUBLIC "$<TARGET_PROPERTY:hwy::hwy,INTERFACE_INCLUDE_DIRECTORIES>")
  target_compile_definitions(tandem_hwy PUBLIC "$<TARGET_PROPERTY:hwy::hwy,INTERFACE_COMPILE_DEFINITIONS>")
  set_target_properties(tandem_hwy PROPERTIES CXX_EXTENSIONS ON)  # glibc's header has C's _Bool
  tandem_harden(tandem_hwy)
else()
  add_library(tandem_hwy INTERFACE)
  target_link_libraries(tandem_hwy INTERFACE hwy::hwy)
endif()

# spdlog's own header-only target would pull in the shared libfmt.
add_library(tandem_spdlog INTERFACE)
target_compile_definitions(tandem_spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
target_link_libraries(tandem_spdlog INTERFACE tandem_fmt Threads::Threads)

# toml++'s own target is the shared library.
add_library(tandem_toml INTERFACE)
target_compile_definitions(tandem_toml INTERFACE TOML_HEADER_ONLY=1)

include(GoogleTest)

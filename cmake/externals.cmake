# What comes from the distribution. Header-only flavours of fmt and spdlog, so that the layer brings no C++ library into
# a program that may have another version of it.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(hwy REQUIRED)
find_package(PNG REQUIRED)
find_package(VulkanHeaders REQUIRED)
find_package(GTest REQUIRED)
find_package(PkgConfig REQUIRED)
if(TANDEM_BENCH)
  find_package(benchmark REQUIRED)
endif()
pkg_check_modules(xcb REQUIRED IMPORTED_TARGET xcb xcb-shm xcb-randr xcb-present)
pkg_check_modules(wayland REQUIRED IMPORTED_TARGET wayland-client)
pkg_check_modules(drm REQUIRED IMPORTED_TARGET libdrm)
pkg_check_modules(x11 IMPORTED_TARGET x11)

# spdlog's own header-only target would pull in the shared libfmt.
add_library(tandem_spdlog INTERFACE)
target_compile_definitions(tandem_spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
target_link_libraries(tandem_spdlog INTERFACE fmt::fmt-header-only Threads::Threads)

include(GoogleTest)
include(wayland)

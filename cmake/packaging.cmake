# Debian package, and that of CMake. The modules that make programs install them themselves (src/cli, src/layer).
include(CMakePackageConfigHelpers)
set(package "${CMAKE_INSTALL_DATADIR}/cmake/Tandem")
configure_package_config_file(cmake/TandemConfig.cmake.in "${PROJECT_BINARY_DIR}/TandemConfig.cmake" INSTALL_DESTINATION "${package}"
                              PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TandemConfigVersion.cmake" COMPATIBILITY SameMinorVersion
                                 ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/TandemConfig.cmake" "${PROJECT_BINARY_DIR}/TandemConfigVersion.cmake" DESTINATION "${package}")
install(FILES "${PROJECT_SOURCE_DIR}/cmake/copyright" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tandem)
set(CPACK_PACKAGE_VENDOR tandem)
set(CPACK_PACKAGE_CONTACT "Tandem developers <tandem@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "render on one GPU, show on another")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "An unmodified Vulkan program draws on one graphics adapter and its frames are shown by another,
 over the shortest path that the two adapters allow.")
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libvulkan1, libwayland-client0, libxcb-dri3-0, libxcb-present0, mesa-vulkan-drivers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
include(CPack)

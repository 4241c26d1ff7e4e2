# Debian packages, and that of CMake. The modules that make programs install them themselves (src/cli, src/layer).
include(CMakePackageConfigHelpers)
set(package "${CMAKE_INSTALL_DATADIR}/cmake/Tandem")
configure_package_config_file(cmake/TandemConfig.cmake.in "${PROJECT_BINARY_DIR}/TandemConfig.cmake" INSTALL_DESTINATION "${package}"
                              PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TandemConfigVersion.cmake" COMPATIBILITY SameMinorVersion
                                 ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/TandemConfig.cmake" "${PROJECT_BINARY_DIR}/TandemConfigVersion.cmake" DESTINATION "${package}"
        COMPONENT driver_dev)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tandem)
set(CPACK_PACKAGE_VENDOR tandem)
set(CPACK_PACKAGE_CONTACT "Tandem developers <tandem@tandem.invalid>")
# One synopsis for all packages; each has its own text.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "render on one GPU, show on another")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# Compresses what Debian wants compressed; an install by CMake has plain files.
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/compress_documents.cmake")

set(CPACK_DEBIAN_TANDEM_PACKAGE_NAME tandem)
set(CPACK_DEBIAN_TANDEM_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_TANDEM_PACKAGE_RECOMMENDS "libvulkan1, libwayland-client0, libxcb-dri3-0, libxcb-present0, mesa-vulkan-drivers")
set(CPACK_DEBIAN_TANDEM_PACKAGE_SUGGESTS "libvirglrenderer1")  # loaded by the virtio GPU (bus/virtio/virgl_library)
set(CPACK_DEBIAN_TANDEM_DESCRIPTION "An unmodified Vulkan program draws on one graphics adapter and its frames are
shown by another, over the shortest path that the two adapters allow.")

set(CPACK_DEBIAN_DESKTOP_PACKAGE_NAME tandem-desktop)
set(CPACK_DEBIAN_DESKTOP_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_DESKTOP_DESCRIPTION "Menus and desktop environments start programs on the GPU that their user
chooses. A window shows what runs where, and what each program's frames cost.")

set(CPACK_DEBIAN_DRIVER_DEV_PACKAGE_NAME tandem-driver-dev)
set(CPACK_DEBIAN_DRIVER_DEV_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_DRIVER_DEV_PACKAGE_DEPENDS "clang, libclang-rt-dev | libclang-rt-14-dev")
set(CPACK_DEBIAN_DRIVER_DEV_DESCRIPTION "Builds and tests Windows display miniports: the headers of the WDDM contract
and of the NT functions that they use, the runtime that such a driver is
linked with, and find_package(Tandem) for CMake.")

# The name follows the library's soname. dpkg refreshes the loader's cache, and dependent packages find the name in `shlibs`.
set(CPACK_DEBIAN_D3DKMT_PACKAGE_NAME libtandem-d3dkmt0)
set(CPACK_DEBIAN_D3DKMT_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_D3DKMT_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/d3dkmt/shlibs;${PROJECT_SOURCE_DIR}/cmake/d3dkmt/triggers")
set(CPACK_DEBIAN_D3DKMT_DESCRIPTION "The D3DKMT functions of a display driver's kernel, for programs of Linux that
call them. The adapters behind them are the machine's Vulkan devices.")

set(CPACK_COMPONENTS_ALL tandem d3dkmt driver_dev)
get_property(desktop_files GLOBAL PROPERTY TANDEM_DESKTOP_FILES)
if(desktop_files)
  list(APPEND CPACK_COMPONENTS_ALL desktop)
endif()
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER "${component}" upper)
  install(FILES cmake/copyright DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}" COMPONENT ${component})
endforeach()
include(CPack)
cpack_add_component(tandem)
cpack_add_component(d3dkmt)
cpack_add_component(driver_dev DEPENDS tandem d3dkmt)
cpack_add_component(desktop DEPENDS tandem)

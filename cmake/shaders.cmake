# tandem_compile_shaders(<target> <GLSL files...>): src/color/shaders/fill.comp becomes "color/shaders/fill.comp.spv.h" with
# `const uint32_t fill_comp[]` in it. *.glsl files beside it are for #include (GL_GOOGLE_include_directive).
find_program(TANDEM_GLSLANG glslangValidator REQUIRED)

function(tandem_compile_shaders target)
  set(headers)
  foreach(shader IN LISTS ARGN)
    cmake_path(RELATIVE_PATH shader BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/src" OUTPUT_VARIABLE relative)
    cmake_path(GET shader FILENAME filename)
    cmake_path(GET shader PARENT_PATH folder)
    string(REPLACE "." "_" variable "${filename}")
    set(header "${PROJECT_BINARY_DIR}/generated/shaders/${relative}.spv.h")
    cmake_path(GET header PARENT_PATH header_folder)
    file(MAKE_DIRECTORY "${header_folder}")
    add_custom_command(OUTPUT "${header}"
      COMMAND "${TANDEM_GLSLANG}" --quiet --target-env vulkan1.1 "-I${folder}" --vn "${variable}" -o "${header}" "${shader}"
              --depfile "${header}.d"
      DEPENDS "${shader}" DEPFILE "${header}.d" COMMENT "Compiling shader ${relative}" VERBATIM)
    list(APPEND headers "${header}")
  endforeach()
  target_sources(${target} PRIVATE ${headers})
  target_include_directories(${target} PUBLIC "${PROJECT_BINARY_DIR}/generated/shaders")
endfunction()

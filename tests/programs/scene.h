// A program with one surface to present on.
#pragma once

#include <cstdint>

#include "tests/programs/vulkan_program.h"
#include "tests/programs/window.h"

namespace tandem::test {

struct Scene {
  VulkanProgram program;
  Window window;
};

[[nodiscard]] inline Scene OpenScene(SurfaceKind kind, std::uint32_t width, std::uint32_t height) {
  Scene scene;
  scene.program = CreateProgram(SurfaceExtensions(kind), {}, nullptr);
  scene.window = CreateWindow(scene.program.instance, kind, width, height);
  return scene;
}

inline void CloseScene(Scene& scene) {
  DestroyWindow(scene.program.instance, scene.window);
  DestroyProgram(scene.program);
}

}  // namespace tandem::test

// A program that loses its device and goes on with another one. Prints the name of each device that it takes.
#include <cstdint>
#include <cstdio>
#include <string>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "tests/programs/scene.h"
#include "tests/programs/swapchain.h"
#include "tests/programs/vulkan_program.h"
#include "tests/programs/window.h"

namespace {

using namespace tandem::test;

constexpr std::uint32_t kWidth = 320;
constexpr std::uint32_t kHeight = 240;
constexpr std::uint32_t kFramesAfter = 20;
constexpr std::uint32_t kFramesUntilGivingUp = 5000;

void Record(VkCommandBuffer commands, VkImage image, std::uint32_t frame) {
  VkClearColorValue color{};
  color.float32[1] = static_cast<float>(frame % 256) / 255.0F;
  Fill(commands, image, color);
}

void Say(const VulkanProgram& program) {
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(program.physical_device, &properties);
  std::printf("device: %s\n", properties.deviceName);
  std::fflush(stdout);
}

Scene Open(SurfaceKind kind) {
  Scene scene = OpenScene(kind, kWidth, kHeight);
  Say(scene.program);
  return scene;
}

// Presents until an error; the swap chain is gone then.
VkResult ShowFrames(Scene& scene, std::uint32_t count) {
  SwapchainOptions options;
  options.width = kWidth;
  options.height = kHeight;
  Swapchain swapchain(scene.program, scene.window.surface, options, VK_NULL_HANDLE);
  VkResult result = VK_SUCCESS;
  for (std::uint32_t frame = 0; result >= 0 && frame < count; ++frame) {
    result = swapchain.Frame(frame, Record);
    usleep(1000);
  }
  return result;
}

// Makes a device on the handle that the program has, on the one that is listed now, or in another instance.
void TakeAnotherDevice(Scene& scene, SurfaceKind kind, const std::string& how) {
  if (how == "new-instance") {
    CloseScene(scene);
    scene = Open(kind);
    return;
  }
  VulkanProgram& program = scene.program;
  vkDestroyDevice(program.device, nullptr);
  program.device = VK_NULL_HANDLE;
  if (how == "kept-handle") {
    const VkPhysicalDevice kept = program.physical_device;
    std::printf("on the kept handle: %d\n", TryCreateDevice(program, {}, nullptr));
    if (program.device != VK_NULL_HANDLE) return Say(program);
    FindDevice(program);
    // The handle lives as long as its instance.
    VkPhysicalDeviceProperties properties{};
    vkGetPhysicalDeviceProperties(kept, &properties);
    std::printf("kept: %s\n", properties.deviceName);
  } else {
    FindDevice(program);
  }
  Check(TryCreateDevice(program, {}, nullptr), "vkCreateDevice");
  Say(program);
}

}  // namespace

int main(int argc, char** argv) {
  std::string how;
  bool xcb = false;
  CLI::App app{"Loses its device and goes on with another one."};
  app.add_option("how", how, "same-instance, new-instance or kept-handle")->required();
  app.add_flag("--xcb", xcb);
  CLI11_PARSE(app, argc, argv);
  const SurfaceKind kind = xcb ? SurfaceKind::kXcb : SurfaceKind::kHeadless;
  Scene scene = Open(kind);
  const VkResult lost = ShowFrames(scene, kFramesUntilGivingUp);
  if (lost != VK_ERROR_DEVICE_LOST) GiveUp("Frames on a lost device answered " + std::to_string(lost) + ".");
  TakeAnotherDevice(scene, kind, how);
  Check(ShowFrames(scene, kFramesAfter), "a frame on another device");
  CloseScene(scene);
  return 0;
}

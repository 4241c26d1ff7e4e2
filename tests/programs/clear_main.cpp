// Renders almost nothing: clears the picture and moves a marker, so that a frame's cost is the cost of its path to the display.
// Prints one line of JSON: frames, wall and CPU milliseconds per frame, and the CPU time of all threads of the process.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include <CLI/CLI.hpp>

#include "tests/programs/swapchain.h"
#include "tests/programs/vulkan_program.h"
#include "tests/programs/window.h"

namespace {

using namespace tandem::test;

struct Options {
  std::uint32_t frames = 200;
  std::uint32_t warm_up = 20;
  std::uint32_t width = 1920;
  std::uint32_t height = 1080;
  std::uint32_t images = 3;
  std::string mode = "immediate";
  bool headless = false;
};

double CpuMs() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

double WallMs() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void Record(VkCommandBuffer commands, VkImage image, std::uint32_t frame) {
  Transition(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0, VK_ACCESS_TRANSFER_WRITE_BIT);
  VkClearColorValue color{};
  color.float32[0] = static_cast<float>(frame % 256) / 255.0F;
  color.float32[1] = 0.25F;
  color.float32[3] = 1.0F;
  const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &range);
  Transition(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_ACCESS_TRANSFER_WRITE_BIT,
             0);
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  CLI::App app{"Clears frames and counts what they cost."};
  app.add_option("--frames", options.frames);
  app.add_option("--warm-up", options.warm_up, "Frames before the clocks start");
  app.add_option("--width", options.width);
  app.add_option("--height", options.height);
  app.add_option("--images", options.images);
  app.add_option("--mode", options.mode);
  app.add_flag("--headless", options.headless);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  if (options.frames == 0) GiveUp("--frames must be at least 1.");
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  const SurfaceKind kind = options.headless ? SurfaceKind::kHeadless : SurfaceKind::kXcb;
  VulkanProgram program = CreateProgram(SurfaceExtensions(kind), {}, nullptr);
  Window window = CreateWindow(program.instance, kind, options.width, options.height);
  SwapchainOptions swapchain_options;
  swapchain_options.width = options.width;
  swapchain_options.height = options.height;
  swapchain_options.images = options.images;
  swapchain_options.present_mode = ParsePresentMode(options.mode);
  double wall = 0;
  double cpu = 0;
  {
    Swapchain swapchain(program, window.surface, swapchain_options, VK_NULL_HANDLE);
    for (std::uint32_t frame = 0; frame < options.warm_up + options.frames; ++frame) {
      if (frame == options.warm_up) {
        wall = WallMs();
        cpu = CpuMs();
      }
      const VkResult result = swapchain.Frame(frame, Record);
      if (result < 0) GiveUp("Frame " + std::to_string(frame) + " answered " + std::to_string(result) + ".");
    }
    wall = WallMs() - wall;
    cpu = CpuMs() - cpu;
  }
  std::printf("{\"frames\": %u, \"wall_ms\": %.4f, \"cpu_ms\": %.4f}\n", options.frames, wall / options.frames,
              cpu / options.frames);
  DestroyWindow(program.instance, window);
  DestroyProgram(program);
  return 0;
}

// Many threads on one device and one queue, each with its own window and swap chains. Exits with 0 if each thread has presented
// all its frames.
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include "tests/programs/swapchain.h"
#include "tests/programs/vulkan_program.h"
#include "tests/programs/window.h"

namespace {

using namespace tandem::test;

struct Options {
  std::uint32_t threads = 8;
  std::uint32_t rounds = 1;  // consecutive swap chains of each thread
  std::uint32_t frames = 20;
  std::string mode = "fifo";
  bool xcb = false;
};

Options ParseOptions(int argc, char** argv) {
  Options options;
  CLI::App app{"Presents from many threads."};
  app.add_option("--threads", options.threads);
  app.add_option("--rounds", options.rounds, "Swap chains that each thread makes");
  app.add_option("--frames", options.frames, "Frames of each swap chain");
  app.add_option("--mode", options.mode);
  app.add_flag("--xcb", options.xcb, "X11 windows in place of headless surfaces");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return options;
}

void Record(VkCommandBuffer commands, VkImage image, std::uint32_t frame) {
  VkClearColorValue color{};
  color.float32[frame % 3] = 1.0F;
  Fill(commands, image, color);
}

// Sizes differ, so that the threads do not run in step; every path accepts their rows.
void Present(const VulkanProgram& program, VkSurfaceKHR surface, const Options& options, std::uint32_t extent) {
  SwapchainOptions swapchain_options;
  swapchain_options.width = swapchain_options.height = extent;
  swapchain_options.present_mode = ParsePresentMode(options.mode);
  for (std::uint32_t round = 0; round < options.rounds; ++round) {
    Swapchain swapchain(program, surface, swapchain_options, VK_NULL_HANDLE);
    for (std::uint32_t frame = 0; frame < options.frames; ++frame) Check(swapchain.Frame(frame, Record), "A frame");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  const SurfaceKind kind = options.xcb ? SurfaceKind::kXcb : SurfaceKind::kHeadless;
  std::mutex queue_mutex;
  VulkanProgram program = CreateProgram(SurfaceExtensions(kind), {}, nullptr);
  program.queue_mutex = &queue_mutex;
  std::vector<Window> windows;
  std::vector<std::thread> threads;
  const auto extent_of = [](std::uint32_t number) { return 128 + 64 * (number % 8); };
  for (std::uint32_t i = 0; i < options.threads; ++i) {
    windows.push_back(CreateWindow(program.instance, kind, extent_of(i), extent_of(i)));
  }
  for (std::uint32_t i = 0; i < options.threads; ++i) {
    threads.emplace_back([&, i] { Present(program, windows[i].surface, options, extent_of(i)); });
  }
  for (std::thread& thread : threads) thread.join();
  for (Window& window : windows) DestroyWindow(program.instance, window);
  DestroyProgram(program);
  return 0;
}

// Misbehaving programs. Each mode exits with 0 if its result is one that the specification allows.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "tests/programs/refused_call.h"
#include "tests/programs/scene.h"
#include "tests/programs/swapchain.h"
#include "tests/programs/vulkan_program.h"
#include "tests/programs/window.h"

namespace {

using namespace tandem::test;

constexpr std::uint32_t kWidth = 320;
constexpr std::uint32_t kHeight = 240;

void Record(VkCommandBuffer commands, VkImage image, std::uint32_t frame) {
  VkClearColorValue color{};
  color.float32[2] = static_cast<float>(frame % 256) / 255.0F;
  Fill(commands, image, color);
}

SwapchainOptions Options() {
  SwapchainOptions options;
  options.width = kWidth;
  options.height = kHeight;
  return options;
}

void Frames(Swapchain& swapchain, std::uint32_t count) {
  for (std::uint32_t frame = 0; frame < count; ++frame) Check(swapchain.Frame(frame, Record), "a frame");
}

// A swap chain from which no image is acquired.
int NeverAcquire(SurfaceKind kind) {
  Scene scene = OpenScene(kind, kWidth, kHeight);
  { Swapchain swapchain(scene.program, scene.window.surface, Options(), VK_NULL_HANDLE); }
  CloseScene(scene);
  return 0;
}

// Acquires images until none is left, and presents none of them.
int NeverPresent(SurfaceKind kind) {
  Scene scene = OpenScene(kind, kWidth, kHeight);
  {
    Swapchain swapchain(scene.program, scene.window.surface, Options(), VK_NULL_HANDLE);
    VkFenceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    std::vector<VkFence> fences;
    VkResult result = VK_SUCCESS;
    while (fences.size() <= swapchain.images().size()) {
      VkFence fence = VK_NULL_HANDLE;
      Check(vkCreateFence(scene.program.device, &info, nullptr, &fence), "vkCreateFence");
      std::uint32_t index = 0;
      result = vkAcquireNextImageKHR(scene.program.device, swapchain.handle(), 0, VK_NULL_HANDLE, fence, &index);
      if (result != VK_SUCCESS && result != VK_SUBOPTIMAL_KHR) {
        vkDestroyFence(scene.program.device, fence, nullptr);
        break;
      }
      Check(vkWaitForFences(scene.program.device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
      fences.push_back(fence);
    }
    for (VkFence fence : fences) vkDestroyFence(scene.program.device, fence, nullptr);
    if (result != VK_NOT_READY) GiveUp("With all images taken vkAcquireNextImageKHR answered " + std::to_string(result) + ".");
  }
  CloseScene(scene);
  return 0;
}

// Calls exit() while all objects exist.
int ExitInTheMiddle(SurfaceKind kind) {
  Scene scene = OpenScene(kind, kWidth, kHeight);
  auto* swapchain = new Swapchain(scene.program, scene.window.surface, Options(), VK_NULL_HANDLE);
  Frames(*swapchain, 5);
  std::exit(0);
}

// Is killed with frames in progress; the caller sees the signal.
int DieInTheMiddle(SurfaceKind kind) {
  Scene scene = OpenScene(kind, kWidth, kHeight);
  auto* swapchain = new Swapchain(scene.program, scene.window.surface, Options(), VK_NULL_HANDLE);
  Frames(*swapchain, 5);
  std::abort();
}

// A fork()ed child that uses no Vulkan and exits.
int Fork(SurfaceKind kind) {
  Scene scene = OpenScene(kind, kWidth, kHeight);
  int status = -1;
  {
    Swapchain swapchain(scene.program, scene.window.surface, Options(), VK_NULL_HANDLE);
    Frames(swapchain, 5);
    const pid_t child = fork();
    if (child == 0) std::exit(0);
    waitpid(child, &status, 0);
    for (std::uint32_t frame = 5; frame < 10; ++frame) Check(swapchain.Frame(frame, Record), "a frame after fork");
  }
  CloseScene(scene);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// The window closes while the swap chain presents: frames soon return SURFACE_LOST or OUT_OF_DATE, and nothing hangs.
int CloseTheWindow(SurfaceKind kind) {
  Scene scene = OpenScene(kind, kWidth, kHeight);
  VkResult result = VK_SUCCESS;
  {
    Swapchain swapchain(scene.program, scene.window.surface, Options(), VK_NULL_HANDLE);
    Frames(swapchain, 5);
    CloseWindow(scene.window);
    for (std::uint32_t frame = 5; frame < 200 && result >= 0; ++frame) result = swapchain.Frame(frame, Record);
  }
  CloseScene(scene);
  if (result == VK_ERROR_SURFACE_LOST_KHR || result == VK_ERROR_OUT_OF_DATE_KHR) return 0;
  GiveUp("Frames on a closed window answered " + std::to_string(result) + ".");
}

// A sandbox closes around the program once it has its window, as that of a browser's GPU process does: no more sockets.
int EnterASandbox(SurfaceKind kind) {
  Scene scene = OpenScene(kind, kWidth, kHeight);
  if (!RefuseCall(SYS_socket)) GiveUp("The kernel refuses the sandbox.");
  const VkSwapchainCreateInfoKHR info = CreateInfoOf(scene.window.surface, Options());
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  const VkResult result = vkCreateSwapchainKHR(scene.program.device, &info, nullptr, &swapchain);
  CloseScene(scene);
  if (result == VK_ERROR_SURFACE_LOST_KHR) return 0;
  GiveUp("A swap chain in a sandbox answered " + std::to_string(result) + ".");
}

// Creates an instance and a device, and shows nothing. Prints the instance extensions, the program's extra rights, and the
// layers in the process.
int LookAround() {
  std::uint32_t count = 0;
  Check(vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr), "vkEnumerateInstanceExtensionProperties");
  std::vector<VkExtensionProperties> extensions(count);
  Check(vkEnumerateInstanceExtensionProperties(nullptr, &count, extensions.data()), "vkEnumerateInstanceExtensionProperties");
  for (const VkExtensionProperties& item : extensions) std::printf("extension: %s %u\n", item.extensionName, item.specVersion);
  VulkanProgram program = CreateProgram({}, {}, nullptr);
  std::printf("secure execution: %s\n", getauxval(AT_SECURE) != 0 ? "yes" : "no");
  std::ifstream maps("/proc/self/maps");
  std::set<std::string> loaded;
  for (std::string line; std::getline(maps, line);) {
    if (const std::size_t name = line.find("libVkLayer_"); name != std::string::npos)
      loaded.insert("layer: " + line.substr(name));
    if (const std::size_t name = line.find("libvulkan_"); name != std::string::npos)
      loaded.insert("driver: " + line.substr(name));
  }
  for (const std::string& line : loaded) std::printf("%s\n", line.c_str());
  DestroyProgram(program);
  return 0;
}

// Presents frames until an error, and prints that error as the last line of standard output.
int RunUntilError(SurfaceKind kind) {
  Scene scene = OpenScene(kind, kWidth, kHeight);
  auto* swapchain = new Swapchain(scene.program, scene.window.surface, Options(), VK_NULL_HANDLE);
  std::puts("running");
  std::fflush(stdout);
  VkResult result = VK_SUCCESS;
  for (std::uint32_t frame = 0; result >= 0; ++frame) {
    result = swapchain->Frame(frame, Record);
    usleep(5000);
  }
  std::printf("%d\n", result);
  std::fflush(stdout);
  delete swapchain;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string mode;
  bool xcb = false;
  CLI::App app{"Does not play by the book."};
  app.add_option("mode", mode)->required();
  app.add_flag("--xcb", xcb);
  CLI11_PARSE(app, argc, argv);
  const SurfaceKind kind = xcb ? SurfaceKind::kXcb : SurfaceKind::kHeadless;
  if (mode == "never-acquire") return NeverAcquire(kind);
  if (mode == "never-present") return NeverPresent(kind);
  if (mode == "exit") return ExitInTheMiddle(kind);
  if (mode == "die") return DieInTheMiddle(kind);
  if (mode == "fork") return Fork(kind);
  if (mode == "close-window") return CloseTheWindow(SurfaceKind::kXcb);
  if (mode == "enter-sandbox") return EnterASandbox(SurfaceKind::kXcb);
  if (mode == "look-around") return LookAround();
  if (mode == "run-until-error") return RunUntilError(kind);
  GiveUp("Unknown mode '" + mode + "'.");
}

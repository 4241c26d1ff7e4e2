// Gives its instance and its device callbacks for host memory, which refuse once there is a surface, and shows frames. Exits with
// 0 if each frame is shown and no other thread calls the callbacks. With --limited a surface and a swap chain get callbacks that
// refuse, then give. It exits with 0 if each creation fails, then succeeds, and all memory is returned.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>

#include "tests/programs/swapchain.h"
#include "tests/programs/vulkan_program.h"
#include "tests/programs/window.h"

namespace {

using namespace tandem::test;

struct HostMemory {
  const std::thread::id owner = std::this_thread::get_id();
  std::atomic<bool> refuses{false};
  std::atomic<int> live{0};           // allocations that were not returned
  std::atomic<int> strange_calls{0};  // from threads that Vulkan does not allow to call

  void* Give(void* original, std::size_t size, std::size_t alignment) {
    if (std::this_thread::get_id() != owner) ++strange_calls;
    if (alignment > alignof(std::max_align_t))
      GiveUp("Memory of " + std::to_string(alignment) + " bytes' alignment is asked for.");
    if (refuses) return nullptr;
    if (original == nullptr) ++live;
    return std::realloc(original, size);
  }
  void Take(void* memory) {
    if (std::this_thread::get_id() != owner) ++strange_calls;
    if (memory != nullptr) --live;
    std::free(memory);
  }
};

VKAPI_ATTR void* VKAPI_CALL Allocate(void* host, std::size_t size, std::size_t alignment, VkSystemAllocationScope /*scope*/) {
  return static_cast<HostMemory*>(host)->Give(nullptr, size, alignment);
}

VKAPI_ATTR void* VKAPI_CALL Reallocate(void* host, void* original, std::size_t size, std::size_t alignment,
                                       VkSystemAllocationScope /*scope*/) {
  return static_cast<HostMemory*>(host)->Give(original, size, alignment);
}

VKAPI_ATTR void VKAPI_CALL Free(void* host, void* memory) { static_cast<HostMemory*>(host)->Take(memory); }

void Record(VkCommandBuffer commands, VkImage image, std::uint32_t /*frame*/) {
  Transition(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, 0, 0);
}

// Requires that a creation fails while `host` refuses, and succeeds afterwards.
void CreateTwice(HostMemory& host, const char* call, const std::function<VkResult()>& create) {
  host.refuses = true;
  if (create() != VK_ERROR_OUT_OF_HOST_MEMORY) GiveUp(std::string(call) + " needs none of the memory that it is given.");
  host.refuses = false;
  Check(create(), call);
}

int CreateHandles() {
  HostMemory host;
  const VkAllocationCallbacks callbacks{&host, &Allocate, &Reallocate, &Free, nullptr, nullptr};
  VulkanProgram program = CreateProgram(SurfaceExtensions(SurfaceKind::kHeadless), {}, nullptr);
  const auto create_surface =
      reinterpret_cast<PFN_vkCreateHeadlessSurfaceEXT>(vkGetInstanceProcAddr(program.instance, "vkCreateHeadlessSurfaceEXT"));
  VkHeadlessSurfaceCreateInfoEXT headless{};
  headless.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT;
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  CreateTwice(host, "vkCreateHeadlessSurfaceEXT",
              [&] { return create_surface(program.instance, &headless, &callbacks, &surface); });
  SwapchainOptions options;
  options.width = options.height = 64;
  const VkSwapchainCreateInfoKHR info = CreateInfoOf(surface, options);
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  CreateTwice(host, "vkCreateSwapchainKHR", [&] { return vkCreateSwapchainKHR(program.device, &info, &callbacks, &swapchain); });
  vkDestroySwapchainKHR(program.device, swapchain, &callbacks);
  vkDestroySurfaceKHR(program.instance, surface, &callbacks);
  DestroyProgram(program);
  if (host.live != 0) GiveUp(std::to_string(host.live) + " allocations were not returned.");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t frames = 1;
  bool limited = false;
  CLI::App app{"Shows frames while its own host memory is used up."};
  app.add_option("--frames", frames);
  app.add_flag("--limited", limited, "Creates a surface and a swap chain with too little memory, then with enough");
  CLI11_PARSE(app, argc, argv);
  if (limited) return CreateHandles();

  HostMemory host;
  const VkAllocationCallbacks callbacks{&host, &Allocate, &Reallocate, &Free, nullptr, nullptr};
  constexpr SurfaceKind kKind = SurfaceKind::kHeadless;
  VulkanProgram program = CreateProgram(SurfaceExtensions(kKind), {}, nullptr, &callbacks);
  Window window = CreateWindow(program.instance, kKind, 64, 64);
  host.refuses = true;
  {
    SwapchainOptions options;
    options.width = options.height = 64;
    Swapchain swapchain(program, window.surface, options, VK_NULL_HANDLE);
    for (std::uint32_t frame = 0; frame < frames; ++frame) Check(swapchain.Frame(frame, Record), "a frame");
  }
  DestroyWindow(program.instance, window);
  DestroyProgram(program);
  if (host.strange_calls != 0) GiveUp(std::to_string(host.strange_calls) + " calls came from other threads.");
  return 0;
}

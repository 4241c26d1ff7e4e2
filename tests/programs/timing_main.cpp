// Asks a swap chain for the times of its frames by the extensions that do so. Exits with 0 if each answer is one that their
// specification allows and the times agree with the program's own clock. Prints when frames were shown, and by how much later
// than asked for.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "src/layer/newer_vulkan.h"
#include "tests/programs/timed_chain.h"
#include "tests/programs/vulkan_program.h"
#include "tests/programs/window.h"

namespace {

using namespace tandem::test;

void AskTheSurface(const VulkanProgram& program, VkSurfaceKHR surface) {
  auto timing = Structure<VkPresentTimingSurfaceCapabilitiesEXT>(VK_STRUCTURE_TYPE_PRESENT_TIMING_SURFACE_CAPABILITIES_EXT);
  auto wait = Structure<VkSurfaceCapabilitiesPresentWait2KHR>(VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_WAIT_2_KHR, &timing);
  auto ids = Structure<VkSurfaceCapabilitiesPresentId2KHR>(VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_ID_2_KHR, &wait);
  auto capabilities = Structure<VkSurfaceCapabilities2KHR>(VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, &ids);
  auto info = Structure<VkPhysicalDeviceSurfaceInfo2KHR>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR);
  info.surface = surface;
  const auto ask = reinterpret_cast<PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR>(
      vkGetInstanceProcAddr(program.instance, "vkGetPhysicalDeviceSurfaceCapabilities2KHR"));
  Check(ask(program.physical_device, &info, &capabilities), "the surface's capabilities");
  Expect(ids.presentId2Supported == VK_TRUE && wait.presentWait2Supported == VK_TRUE && timing.presentTimingSupported == VK_TRUE,
         "The surface does not support what the device does.");
  Expect((timing.presentStageQueries & VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT) != 0, "A mandatory stage is missing.");
}

// All domains of a swap chain that are the program's clock have its time.
void Calibrate(const VulkanProgram& program, const TimedChain& chain) {
  std::array<VkCalibratedTimestampInfoEXT, 2> infos{};
  for (auto& info : infos) info = Structure<VkCalibratedTimestampInfoEXT>(VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT);
  infos[0].timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
  infos[1].timeDomain = VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT;
  std::array<std::uint64_t, 2> times{};
  std::uint64_t deviation = 0;
  const std::uint64_t before = Now();
  Check(chain.commands().GetCalibratedTimestampsKHR(program.device, 2, infos.data(), times.data(), &deviation), "the clocks");
  Expect(before <= times[0] && times[0] <= Now(), "CLOCK_MONOTONIC has another time.");
  Expect(times[0] == times[1], "The swap chain's times are of another clock.");
  const auto ask = reinterpret_cast<PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsKHR>(
      vkGetInstanceProcAddr(program.instance, "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR"));
  Expect(ask != nullptr, "Nobody tells which clocks can be compared.");
  std::array<VkTimeDomainKHR, 16> domains{};
  std::uint32_t count = domains.size();
  Check(ask(program.physical_device, &count, domains.data()), "the comparable clocks");
  const auto* const end = domains.begin() + count;
  Expect(std::find(domains.cbegin(), end, VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT) != end, "A stage's clock cannot be compared.");
}

void FillTheQueue(TimedChain& chain, std::uint64_t& id) {
  for (std::uint32_t i = 0; i < kTimedFrames; ++i) Check(chain.Present(++id, kAllStages, 0, 0), "a timed frame");
  Expect(chain.Present(id + 1, kAllStages, 0, 0) == VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT, "The full queue takes a frame.");
}

// More images than the swap chain has, one after the other.
void GiveImagesBack(const VulkanProgram& program, const TimedChain& chain) {
  const auto info = Structure<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  VkFence fence = VK_NULL_HANDLE;
  Check(vkCreateFence(program.device, &info, nullptr, &fence), "vkCreateFence");
  for (std::uint32_t i = 0; i < 20; ++i) {
    std::uint32_t index = 0;
    Check(vkAcquireNextImageKHR(program.device, chain.handle(), kPatienceNs, VK_NULL_HANDLE, fence, &index), "an image");
    Check(vkWaitForFences(program.device, 1, &fence, VK_TRUE, kPatienceNs), "vkWaitForFences");
    Check(vkResetFences(program.device, 1, &fence), "vkResetFences");
    auto release = Structure<VkReleaseSwapchainImagesInfoEXT>(VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_EXT);
    release.swapchain = chain.handle();
    release.imageIndexCount = 1;
    release.pImageIndices = &index;
    Check(chain.commands().ReleaseSwapchainImagesEXT(program.device, &release), "vkReleaseSwapchainImagesEXT");
  }
  vkDestroyFence(program.device, fence, nullptr);
}

std::uint64_t Middle(std::vector<std::uint64_t> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  bool xcb = false;
  bool wayland = false;
  std::string mode = "fifo";
  CLI::App app{"Asks a swap chain for the times of its frames."};
  app.add_flag("--xcb", xcb, "An X11 window in place of a headless surface");
  app.add_flag("--wayland", wayland, "A Wayland window in place of a headless surface");
  app.add_option("--mode", mode);
  CLI11_PARSE(app, argc, argv);
  const SurfaceKind kind = xcb ? SurfaceKind::kXcb : wayland ? SurfaceKind::kWayland : SurfaceKind::kHeadless;
  std::vector<const char*> extensions = SurfaceExtensions(kind);
  extensions.push_back(VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME);
  auto latest = Structure<VkPhysicalDevicePresentModeFifoLatestReadyFeaturesKHR>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_MODE_FIFO_LATEST_READY_FEATURES_KHR);
  latest.presentModeFifoLatestReady = VK_TRUE;
  auto maintenance = Structure<VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT, &latest);
  maintenance.swapchainMaintenance1 = VK_TRUE;
  auto wait = Structure<VkPhysicalDevicePresentWait2FeaturesKHR>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_2_FEATURES_KHR,
                                                                 &maintenance);
  wait.presentWait2 = VK_TRUE;
  auto ids = Structure<VkPhysicalDevicePresentId2FeaturesKHR>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_2_FEATURES_KHR, &wait);
  ids.presentId2 = VK_TRUE;
  auto timing =
      Structure<VkPhysicalDevicePresentTimingFeaturesEXT>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT, &ids);
  timing.presentTiming = timing.presentAtAbsoluteTime = timing.presentAtRelativeTime = VK_TRUE;
  VulkanProgram program =
      CreateProgram(extensions,
                    {VK_KHR_PRESENT_ID_2_EXTENSION_NAME, VK_KHR_PRESENT_WAIT_2_EXTENSION_NAME,
                     VK_KHR_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, VK_EXT_PRESENT_TIMING_EXTENSION_NAME,
                     VK_EXT_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME, VK_KHR_PRESENT_MODE_FIFO_LATEST_READY_EXTENSION_NAME},
                    &timing);
  Window window = CreateWindow(program.instance, kind, 160, 120);
  AskTheSurface(program, window.surface);
  {
    SwapchainOptions options;
    options.width = 160;
    options.height = 120;
    options.present_mode = ParsePresentMode(mode);
    TimedChain chain(program, window.surface, options, VK_NULL_HANDLE);
    Calibrate(program, chain);
    const std::uint64_t period = chain.Period();
    std::uint64_t id = 0;
    std::uint64_t last = chain.Show(++id, 0, 0);
    std::vector<std::uint64_t> late;
    for (std::uint32_t i = 0; i < kTimedFrames; ++i) {
      constexpr VkPresentTimingInfoFlagsEXT kRelative = VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT;
      const bool relative = i % 2 != 0;
      const std::uint64_t target = last + 3 * period + period / 3;
      const std::uint64_t out = chain.Show(++id, relative ? target - last : target, relative ? kRelative : 0);
      Expect(out + period / 8 >= target, "A frame is shown " + std::to_string(target - out) + " ns before its time.");
      late.push_back(out > target ? out - target : 0);
      std::printf("shown %llu\n", static_cast<unsigned long long>(out));
      last = out;
    }
    std::printf("late %llu\nperiod %llu\n", static_cast<unsigned long long>(Middle(late)),
                static_cast<unsigned long long>(period));
    Expect(chain.Wait(id + 1, 1'000'000) == VK_TIMEOUT, "A frame that was not presented is waited for in vain.");
    FillTheQueue(chain, id);
    Check(chain.Present(++id, 0, 0, 0), "a frame without times");
    Expect(chain.Wait(id, kPatienceNs) == VK_SUCCESS, "The last frame is not shown.");
    TimedChain next(program, window.surface, options, chain.handle());
    Expect(chain.Wait(id, 0) == VK_SUCCESS, "A frame of the retired swap chain is forgotten.");
    Expect(chain.Wait(id + 1, kPatienceNs) == VK_ERROR_OUT_OF_DATE_KHR, "A retired swap chain is waited for.");
    Expect(chain.AwaitTimes(kTimedFrames).size() == kTimedFrames, "Times of the retired swap chain are lost.");
    GiveImagesBack(program, next);
  }
  DestroyWindow(program.instance, window);
  DestroyProgram(program);
  return 0;
}

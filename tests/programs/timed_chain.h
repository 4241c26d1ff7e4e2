// A swap chain whose frames have identifiers and times, by the extensions for that. Failures end the program as in
// vulkan_program.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "src/layer/newer_vulkan.h"
#include "tests/programs/swapchain.h"
#include "tests/programs/vulkan_program.h"

namespace tandem::test {

inline constexpr std::uint64_t kPatienceNs = 20'000'000'000;
inline constexpr std::uint32_t kTimedFrames = 12;  // frames that the queue of times holds
inline constexpr VkPresentStageFlagsEXT kAllStages = 0xF;

[[nodiscard]] std::uint64_t Now();  // CLOCK_MONOTONIC

inline void Expect(bool holds, const std::string& what) {
  if (!holds) GiveUp(what);
}

template <class T>
[[nodiscard]] T Structure(VkStructureType type, void* next = nullptr) {
  T structure{};
  structure.sType = type;
  structure.pNext = next;
  return structure;
}

struct TimingCommands {
  explicit TimingCommands(VkDevice device);
  PFN_vkWaitForPresent2KHR WaitForPresent2KHR;
  PFN_vkReleaseSwapchainImagesEXT ReleaseSwapchainImagesEXT;
  PFN_vkSetSwapchainPresentTimingQueueSizeEXT SetSwapchainPresentTimingQueueSizeEXT;
  PFN_vkGetSwapchainTimingPropertiesEXT GetSwapchainTimingPropertiesEXT;
  PFN_vkGetSwapchainTimeDomainPropertiesEXT GetSwapchainTimeDomainPropertiesEXT;
  PFN_vkGetPastPresentationTimingEXT GetPastPresentationTimingEXT;
  PFN_vkGetCalibratedTimestampsKHR GetCalibratedTimestampsKHR;
};

class TimedChain {
 public:
  TimedChain(const VulkanProgram& program, VkSurfaceKHR surface, const SwapchainOptions& options, VkSwapchainKHR old);

  [[nodiscard]] const TimingCommands& commands() const { return commands_; }
  [[nodiscard]] VkSwapchainKHR handle() const { return chain_.handle(); }
  [[nodiscard]] std::uint64_t Period() const;

  VkResult Present(std::uint64_t id, VkPresentStageFlagsEXT stages, std::uint64_t target, VkPresentTimingInfoFlagsEXT flags);
  [[nodiscard]] VkResult Wait(std::uint64_t id, std::uint64_t timeout) const;

  struct Times {
    std::uint64_t id = 0;
    std::array<std::uint64_t, 4> stages{};  // by the bit's position
  };
  // The times of the frames that are complete, without a wait.
  [[nodiscard]] std::vector<Times> Take() const;
  // Those of so many frames, or fewer after kPatienceNs: a window system says at its next vertical blank when a frame was seen.
  [[nodiscard]] std::vector<Times> AwaitTimes(std::size_t frames) const;
  // Presents a frame and waits until it is shown. Returns when it was, after all its times were compared with the program's
  // clock.
  std::uint64_t Show(std::uint64_t id, std::uint64_t target, VkPresentTimingInfoFlagsEXT flags);

 private:
  const VulkanProgram& program_;
  const TimingCommands commands_;
  Swapchain chain_;
  std::uint64_t clock_domain_ = 0;
  std::uint32_t frame_ = 0;
};

}  // namespace tandem::test

#include "tests/programs/timed_chain.h"

#include <time.h>
#include <unistd.h>

namespace tandem::test {
namespace {

SwapchainOptions Timed(SwapchainOptions options) {
  options.flags |= VK_SWAPCHAIN_CREATE_PRESENT_ID_2_BIT_KHR | VK_SWAPCHAIN_CREATE_PRESENT_WAIT_2_BIT_KHR |
                   VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT;
  return options;
}

}  // namespace

std::uint64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

TimingCommands::TimingCommands(VkDevice device) {
#define FIND(name) name = reinterpret_cast<PFN_vk##name>(vkGetDeviceProcAddr(device, "vk" #name))
  FIND(WaitForPresent2KHR);
  FIND(ReleaseSwapchainImagesEXT);
  FIND(SetSwapchainPresentTimingQueueSizeEXT);
  FIND(GetSwapchainTimingPropertiesEXT);
  FIND(GetSwapchainTimeDomainPropertiesEXT);
  FIND(GetPastPresentationTimingEXT);
  FIND(GetCalibratedTimestampsKHR);
#undef FIND
  Expect(WaitForPresent2KHR != nullptr && ReleaseSwapchainImagesEXT != nullptr &&
             SetSwapchainPresentTimingQueueSizeEXT != nullptr && GetSwapchainTimingPropertiesEXT != nullptr &&
             GetSwapchainTimeDomainPropertiesEXT != nullptr && GetPastPresentationTimingEXT != nullptr &&
             GetCalibratedTimestampsKHR != nullptr,
         "A command is missing.");
}

TimedChain::TimedChain(const VulkanProgram& program, VkSurfaceKHR surface, const SwapchainOptions& options, VkSwapchainKHR old)
    : program_(program), commands_(program.device), chain_(program, surface, Timed(options), old) {
  Check(commands_.SetSwapchainPresentTimingQueueSizeEXT(program.device, chain_.handle(), kTimedFrames), "the queue's size");
  auto domains = Structure<VkSwapchainTimeDomainPropertiesEXT>(VK_STRUCTURE_TYPE_SWAPCHAIN_TIME_DOMAIN_PROPERTIES_EXT);
  std::array<VkTimeDomainKHR, 8> kinds{};
  std::array<std::uint64_t, 8> ids{};
  domains.timeDomainCount = kinds.size();
  domains.pTimeDomains = kinds.data();
  domains.pTimeDomainIds = ids.data();
  Check(commands_.GetSwapchainTimeDomainPropertiesEXT(program.device, chain_.handle(), &domains, nullptr), "the time domains");
  for (std::uint32_t i = 0; i < domains.timeDomainCount; ++i) {
    if (kinds[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT) clock_domain_ = ids[i];
  }
  Expect(clock_domain_ != 0, "CLOCK_MONOTONIC is no time domain of the swap chain.");
}

std::uint64_t TimedChain::Period() const {
  auto properties = Structure<VkSwapchainTimingPropertiesEXT>(VK_STRUCTURE_TYPE_SWAPCHAIN_TIMING_PROPERTIES_EXT);
  Check(commands_.GetSwapchainTimingPropertiesEXT(program_.device, handle(), &properties, nullptr), "the refresh period");
  Expect(properties.refreshDuration != 0, "There is no refresh period.");
  return properties.refreshDuration;
}

VkResult TimedChain::Present(std::uint64_t id, VkPresentStageFlagsEXT stages, std::uint64_t target,
                             VkPresentTimingInfoFlagsEXT flags) {
  auto timing = Structure<VkPresentTimingInfoEXT>(VK_STRUCTURE_TYPE_PRESENT_TIMING_INFO_EXT);
  timing.flags = flags;
  timing.targetTime = target;
  timing.timeDomainId = clock_domain_;
  timing.presentStageQueries = stages;
  timing.targetTimeDomainPresentStage = VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT;
  auto timings = Structure<VkPresentTimingsInfoEXT>(VK_STRUCTURE_TYPE_PRESENT_TIMINGS_INFO_EXT);
  timings.swapchainCount = 1;
  timings.pTimingInfos = &timing;
  auto ids = Structure<VkPresentId2KHR>(VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR, &timings);
  ids.swapchainCount = 1;
  ids.pPresentIds = &id;
  return chain_.Frame(
      frame_++,
      [](VkCommandBuffer commands, VkImage image, std::uint32_t) {
        Transition(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, 0, 0);
      },
      &ids);
}

VkResult TimedChain::Wait(std::uint64_t id, std::uint64_t timeout) const {
  auto wait = Structure<VkPresentWait2InfoKHR>(VK_STRUCTURE_TYPE_PRESENT_WAIT_2_INFO_KHR);
  wait.presentId = id;
  wait.timeout = timeout;
  return commands_.WaitForPresent2KHR(program_.device, handle(), &wait);
}

std::vector<TimedChain::Times> TimedChain::Take() const {
  std::array<VkPresentStageTimeEXT, 4 * kTimedFrames> stages{};
  std::array<VkPastPresentationTimingEXT, kTimedFrames> frames{};
  for (std::uint32_t i = 0; i < kTimedFrames; ++i) {
    frames[i] = Structure<VkPastPresentationTimingEXT>(VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_EXT);
    frames[i].presentStageCount = 4;
    frames[i].pPresentStages = &stages[std::size_t{4} * i];
  }
  auto info = Structure<VkPastPresentationTimingInfoEXT>(VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_INFO_EXT);
  info.swapchain = handle();
  auto past = Structure<VkPastPresentationTimingPropertiesEXT>(VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_PROPERTIES_EXT);
  past.presentationTimingCount = kTimedFrames;
  past.pPresentationTimings = frames.data();
  Check(commands_.GetPastPresentationTimingEXT(program_.device, &info, &past), "the times");
  std::vector<Times> taken(past.presentationTimingCount);
  for (std::uint32_t i = 0; i < taken.size(); ++i) {
    Expect(frames[i].reportComplete == VK_TRUE && frames[i].presentStageCount == 4, "A frame's times are not complete.");
    taken[i].id = frames[i].presentId;
    for (std::uint32_t stage = 0; stage < 4; ++stage) {
      Expect(frames[i].pPresentStages[stage].stage == 1U << stage, "A stage is missing.");
      taken[i].stages[stage] = frames[i].pPresentStages[stage].time;
    }
  }
  return taken;
}

std::vector<TimedChain::Times> TimedChain::AwaitTimes(std::size_t frames) const {
  std::vector<Times> all;
  for (const std::uint64_t begin = Now(); all.size() < frames && Now() - begin < kPatienceNs; usleep(1000)) {
    const std::vector<Times> taken = Take();
    all.insert(all.end(), taken.begin(), taken.end());
  }
  return all;
}

std::uint64_t TimedChain::Show(std::uint64_t id, std::uint64_t target, VkPresentTimingInfoFlagsEXT flags) {
  const std::uint64_t before = Now();
  Check(Present(id, kAllStages, target, flags), "a timed frame");
  Expect(Wait(id, kPatienceNs) == VK_SUCCESS, "Frame " + std::to_string(id) + " is not shown.");
  const std::vector<Times> taken = AwaitTimes(1);
  const std::uint64_t after = Now();
  Expect(taken.size() == 1 && taken[0].id == id, "The times of frame " + std::to_string(id) + " are missing.");
  const auto& [copied, dequeued, out, visible] = taken[0].stages;
  Expect(before <= copied && copied <= dequeued && dequeued <= out && out <= after,
         "Times " + std::to_string(copied - before) + ", " + std::to_string(dequeued - before) + ", " +
             std::to_string(out - before) + " ns after the present do not rise, or end after " + std::to_string(after - before) +
             " ns.");
  Expect(visible == 0, "A time is reported that the display does not know.");
  return out;
}

}  // namespace tandem::test

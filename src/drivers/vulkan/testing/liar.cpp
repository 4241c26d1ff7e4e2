#include "drivers/vulkan/testing/liar.h"

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "drivers/vulkan/icd/dispatch.h"

namespace tandem::vulkan::testing {
namespace {

#define TANDEM_LIES(X)         \
  X(QueueSubmit)               \
  X(WaitSemaphores)            \
  X(GetSemaphoreCounterValue)  \
  X(SignalSemaphore)           \
  X(CreateShaderModule)        \
  X(CreateDescriptorSetLayout) \
  X(CreatePipelineLayout)      \
  X(CreateComputePipelines)    \
  X(CreateDescriptorPool)      \
  X(AllocateDescriptorSets)    \
  X(AllocateMemory)            \
  X(MapMemory)                 \
  X(BindBufferMemory)          \
  X(BindImageMemory)           \
  X(CreateBuffer)              \
  X(CreateImage)               \
  X(CreateSemaphore)           \
  X(CreateQueryPool)           \
  X(CreateCommandPool)         \
  X(AllocateCommandBuffers)    \
  X(BeginCommandBuffer)        \
  X(EndCommandBuffer)          \
  X(GetMemoryFdPropertiesKHR)  \
  X(GetMemoryHostPointerPropertiesEXT)

enum Function : std::uint32_t {
#define TANDEM_LIE(name) k##name,
  TANDEM_LIES(TANDEM_LIE)
#undef TANDEM_LIE
      kFunctionCount
};

constexpr std::array<std::string_view, kFunctionCount> kNames{
#define TANDEM_LIE(name) std::string_view(#name),
    TANDEM_LIES(TANDEM_LIE)
#undef TANDEM_LIE
};

struct State {
  BorrowedDevice real;
  PFN_vkDeviceWaitIdle wait_idle = nullptr;
  std::array<PFN_vkVoidFunction, kFunctionCount> functions{};
  std::atomic<std::uint32_t> lied_about{kFunctionCount};
  std::atomic<VkResult> result{VK_SUCCESS};
  std::atomic<std::int64_t> truths{0};
  std::atomic<bool> told{false};
  PFN_vkGetImageDrmFormatModifierPropertiesEXT modifier_function = nullptr;
  std::atomic<std::uint64_t> modifier{0};
};
State g_state;

// The borrower holds the queue's lock during vkQueueSubmit.
void MakeIdle(std::uint32_t function) {
  std::unique_lock<std::mutex> lock;
  if (function != kQueueSubmit) lock = std::unique_lock<std::mutex>(g_state.real.locks->For(g_state.real.copy_queue));
  g_state.wait_idle(g_state.real.device);
}

std::optional<VkResult> LieAbout(std::uint32_t function) {
  if (g_state.lied_about.load() != function || g_state.truths.fetch_sub(1) > 0) return std::nullopt;
  const VkResult result = g_state.result.load();
  g_state.told.store(true);
  if (result == VK_ERROR_DEVICE_LOST) MakeIdle(function);
  return result;
}

template <class Pfn, std::uint32_t kFunction>
struct Thunk;
template <std::uint32_t kFunction, class... Arguments>
struct Thunk<VkResult(VKAPI_PTR*)(Arguments...), kFunction> {
  static VKAPI_ATTR VkResult VKAPI_CALL Call(Arguments... arguments) {
    if (const auto lie = LieAbout(kFunction)) return *lie;
    return reinterpret_cast<VkResult(VKAPI_PTR*)(Arguments...)>(g_state.functions[kFunction])(arguments...);
  }
};

VKAPI_ATTR VkResult VKAPI_CALL GetModifier(VkDevice device, VkImage image, VkImageDrmFormatModifierPropertiesEXT* properties) {
  const VkResult result = g_state.modifier_function(device, image, properties);
  if (const std::uint64_t lie = g_state.modifier.load(); lie != 0) properties->drmFormatModifier = lie;
  return result;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name) {
  const PFN_vkVoidFunction real = g_state.real.get_device_proc_addr(device, name);
  if (real == nullptr) return nullptr;
  const std::string_view wanted(name);
  if (wanted == "vkGetImageDrmFormatModifierPropertiesEXT") {
    g_state.modifier_function = reinterpret_cast<PFN_vkGetImageDrmFormatModifierPropertiesEXT>(real);
    return reinterpret_cast<PFN_vkVoidFunction>(&GetModifier);
  }
#define TANDEM_LIE(function)                                                                  \
  if (wanted == "vk" #function || wanted == "vk" #function "KHR") {                           \
    g_state.functions[k##function] = real;                                                    \
    return reinterpret_cast<PFN_vkVoidFunction>(&Thunk<PFN_vk##function, k##function>::Call); \
  }
  TANDEM_LIES(TANDEM_LIE)
#undef TANDEM_LIE
  return real;
}

}  // namespace

BorrowedDevice Liar::Wrap(const BorrowedDevice& real) {
  g_state.real = real;
  g_state.wait_idle = reinterpret_cast<PFN_vkDeviceWaitIdle>(real.get_device_proc_addr(real.device, "vkDeviceWaitIdle"));
  Disarm();
  BorrowedDevice lying = real;
  lying.get_device_proc_addr = &GetDeviceProcAddr;
  return lying;
}

std::vector<std::string_view> Liar::Functions() { return {kNames.begin(), kNames.end()}; }

void Liar::Arm(std::string_view function, VkResult result, std::uint32_t truths) {
  Disarm();
  g_state.result.store(result);
  g_state.truths.store(truths);
  for (std::uint32_t i = 0; i < kFunctionCount; ++i) {
    if (kNames[i] == function) g_state.lied_about.store(i);
  }
}

void Liar::GiveModifier(std::uint64_t modifier) { g_state.modifier.store(modifier); }

void Liar::Disarm() {
  g_state.modifier.store(0);
  g_state.lied_about.store(kFunctionCount);
  g_state.told.store(false);
}

bool Liar::told() { return g_state.told.load(); }

}  // namespace tandem::vulkan::testing

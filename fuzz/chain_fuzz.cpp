// Arbitrary pNext chains in read-only memory. The chain passed to vkCreateDevice must be a complete copy with only the layer's
// changes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/input_bytes.h"
#include "layer/device_create_info.h"

namespace tandem::layer {
namespace {

constexpr std::size_t kMostStructures = 12;
constexpr VkStructureType kTimeline = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
constexpr VkStructureType kVulkan12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;

struct Kind {
  VkStructureType type;
  std::size_t size;  // 0: a type unknown to the layer, of arbitrary size
};
constexpr Kind kKinds[] = {
    {kTimeline, sizeof(VkPhysicalDeviceTimelineSemaphoreFeatures)},
    {kVulkan12, sizeof(VkPhysicalDeviceVulkan12Features)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR, sizeof(VkPhysicalDevicePresentIdFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR, sizeof(VkPhysicalDevicePresentWaitFeaturesKHR)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, sizeof(VkPhysicalDeviceFeatures2)},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, sizeof(VkPhysicalDeviceVulkan13Features)},
    {static_cast<VkStructureType>(2'000'000'000), 0},
    {static_cast<VkStructureType>(2'000'000'001), 0},
};

void Require(bool holds) {
  if (!holds) std::abort();
}

// Structures that end directly before unmapped memory.
class Chain {
 public:
  explicit Chain(fuzz::Bytes& input) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    const std::size_t bytes = kMostStructures * page_;
    pages_ = static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    Require(pages_ != MAP_FAILED);
    const std::size_t count = input.Take<std::uint8_t>() % (kMostStructures / 2 + 1);
    for (std::size_t i = 0; i < count; ++i) Add(input, i);
    for (std::size_t i = 0; i < kMostStructures; ++i) mprotect(pages_ + i * page_, page_, i % 2 == 0 ? PROT_READ : PROT_NONE);
  }
  ~Chain() { munmap(pages_, kMostStructures * page_); }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  struct Item {
    VkBaseInStructure* at;
    std::size_t size;
  };
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  [[nodiscard]] const void* head() const { return items_.empty() ? nullptr : items_.front().at; }

 private:
  void Add(fuzz::Bytes& input, std::size_t number) {
    const Kind& kind = kKinds[input.Take<std::uint8_t>() % std::size(kKinds)];
    const bool known = std::any_of(items_.begin(), items_.end(), [&](const Item& item) { return item.at->sType == kind.type; });
    if (known) return;  // a chain contains each structure once
    const std::size_t size =
        kind.size != 0 ? kind.size : sizeof(VkBaseInStructure) + input.Take<std::uint8_t>() * sizeof(void*) / 4;
    const std::size_t room = (size + alignof(void*) - 1) / alignof(void*) * alignof(void*);
    auto* const at = reinterpret_cast<VkBaseInStructure*>(pages_ + (2 * number + 1) * page_ - room);
    for (std::size_t i = sizeof(*at); i < size; ++i) reinterpret_cast<std::uint8_t*>(at)[i] = input.Take<std::uint8_t>();
    at->sType = kind.type;
    if (!items_.empty()) items_.back().at->pNext = at;
    items_.push_back({at, size});
  }

  const std::size_t page_;
  std::byte* pages_ = nullptr;
  std::vector<Item> items_;
};

bool Goes(VkStructureType type) {
  return type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR ||
         type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR;
}

// `copy` must equal `item` except for the one feature.
void RequireSame(const VkBaseInStructure& copy, const Chain::Item& item) {
  Require(copy.sType == item.at->sType);
  std::vector<std::byte> expected(item.size);
  std::memcpy(expected.data(), item.at, item.size);
  std::size_t edited = 0;
  if (item.at->sType == kTimeline) edited = offsetof(VkPhysicalDeviceTimelineSemaphoreFeatures, timelineSemaphore);
  if (item.at->sType == kVulkan12) edited = offsetof(VkPhysicalDeviceVulkan12Features, timelineSemaphore);
  const auto* const bytes = reinterpret_cast<const std::byte*>(&copy);
  for (std::size_t i = sizeof(VkBaseInStructure); i < item.size; ++i) {
    Require(bytes[i] == expected[i] || (edited != 0 && i >= edited && i < edited + sizeof(VkBool32)));
  }
}

void Edit(const Chain& chain) {
  auto info = Structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, const_cast<void*>(chain.head()));
  const DeviceCreateEdit edit(info, {{}, {}});
  const auto* at = static_cast<const VkBaseInStructure*>(edit.info().pNext);
  const bool has_one = std::any_of(chain.items().begin(), chain.items().end(), [](const Chain::Item& item) {
    return item.at->sType == kTimeline || item.at->sType == kVulkan12;
  });
  if (!has_one) {
    Require(at != nullptr && at->sType == kTimeline);
    at = at->pNext;
  }
  for (const Chain::Item& item : chain.items()) {
    if (Goes(item.at->sType)) continue;
    Require(at != nullptr && at != item.at);
    RequireSame(*at, item);
    at = at->pNext;
  }
  Require(at == nullptr);
  const auto* const vulkan12 = Find<VkPhysicalDeviceVulkan12Features>(edit.info().pNext, kVulkan12);
  const auto* const timeline = Find<VkPhysicalDeviceTimelineSemaphoreFeatures>(edit.info().pNext, kTimeline);
  Require(vulkan12 != nullptr ? vulkan12->timelineSemaphore == VK_TRUE : timeline->timelineSemaphore == VK_TRUE);
}

}  // namespace
}  // namespace tandem::layer

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tandem::fuzz::Bytes input({data, size});
  tandem::layer::Edit(tandem::layer::Chain(input));
  return 0;
}

#include "layer/sleeping_instance.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "layer/chain.h"
#include "layer/guard.h"

namespace tandem::layer {
namespace {

template <class Function>
Function Named(const OpenInstance& open, const char* name) {
  return reinterpret_cast<Function>(open.Find(name));
}

std::vector<VkPhysicalDevice> DevicesOf(const OpenInstance& open) {
  const auto enumerate = Named<PFN_vkEnumeratePhysicalDevices>(open, "vkEnumeratePhysicalDevices");
  std::uint32_t count = 0;
  if (enumerate == nullptr || enumerate(open.handle, &count, nullptr) != VK_SUCCESS) return {};
  std::vector<VkPhysicalDevice> devices(count);
  if (enumerate(open.handle, &count, devices.data()) < 0) return {};
  devices.resize(count);
  return devices;
}

struct Identity {
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceIDProperties uuids;  // zero if the instance has no way to ask for them
};

Identity KeptIdentity(const system::KeptAnswers& kept) {
  const auto answer = [&kept](VkStructureType type, void* structure, std::size_t bytes) {
    const std::span content(static_cast<std::byte*>(structure) + system::kHeaderBytes, bytes - system::kHeaderBytes);
    kept.Write({system::Question::kProperties, 0, static_cast<std::uint32_t>(type)}, content);
  };
  VkPhysicalDeviceProperties2 properties{};
  answer(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties, sizeof properties);
  Identity identity{properties.properties, {}};
  answer(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, &identity.uuids, sizeof identity.uuids);
  return identity;
}

Identity IdentityOf(const OpenInstance& open, VkPhysicalDevice device) {
  auto uuids = Structure<VkPhysicalDeviceIDProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, nullptr);
  auto properties = Structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &uuids);
  if (const auto ask = Named<PFN_vkGetPhysicalDeviceProperties2>(open, "vkGetPhysicalDeviceProperties2")) {
    ask(device, &properties);
  } else if (const auto older = Named<PFN_vkGetPhysicalDeviceProperties>(open, "vkGetPhysicalDeviceProperties")) {
    older(device, &properties.properties);
  }
  uuids.pNext = nullptr;
  return {properties.properties, uuids};
}

// True if both are one device. Two cards of one kind differ by their UUIDs.
bool IsSame(const Identity& kept, const Identity& found) {
  constexpr std::uint8_t kUnknown[VK_UUID_SIZE] = {};
  const bool numbers =
      kept.properties.vendorID == found.properties.vendorID && kept.properties.deviceID == found.properties.deviceID;
  const bool asked = std::memcmp(found.uuids.deviceUUID, kUnknown, VK_UUID_SIZE) != 0;
  return numbers && (!asked || std::memcmp(kept.uuids.deviceUUID, found.uuids.deviceUUID, VK_UUID_SIZE) == 0);
}

// Puts the driver's devices at the record's positions. False when the record says otherwise than the driver.
bool Match(const system::DriverRecord& record, OpenInstance& open) {
  const std::vector<VkPhysicalDevice> found = DevicesOf(open);
  std::vector<Identity> identities;
  for (const VkPhysicalDevice device : found) identities.push_back(IdentityOf(open, device));
  bool holds = found.size() == record.devices.size();
  std::vector<bool> taken(found.size());
  for (const system::KeptAnswers& device : record.devices) {
    const Identity kept = KeptIdentity(device);
    VkPhysicalDevice match = VK_NULL_HANDLE;
    for (std::size_t i = 0; i < found.size() && match == VK_NULL_HANDLE; ++i) {
      if (taken[i] || !IsSame(kept, identities[i])) continue;
      taken[i] = true;
      match = found[i];
      holds = holds && std::memcmp(&kept.properties, &identities[i].properties, sizeof kept.properties) == 0;
    }
    holds = holds && match != VK_NULL_HANDLE;
    open.devices.push_back(match);
  }
  return holds;
}

}  // namespace

PFN_vkVoidFunction OpenInstance::Find(const char* name) const {
  const auto function = get(handle, name);
  return function != nullptr ? function : get(handle, (std::string(name) + "KHR").c_str());
}

SleepingInstance::SleepingInstance(const SleepingDriver& driver, const VkInstanceCreateInfo& create_info,
                                   const VkAllocationCallbacks* allocator)
    : driver_(driver), create_info_(create_info, allocator), devices_(driver.record.devices.size()) {
  set_loader_magic_value(this);
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    set_loader_magic_value(&devices_[i]);
    devices_[i].instance = this;
    devices_[i].kept = &driver.record.devices[i];
    devices_[i].position = i;
  }
}

SleepingInstance::~SleepingInstance() {
  const OpenInstance* const below = open();
  if (below == nullptr) return;
  const auto destroy = Named<PFN_vkDestroyInstance>(*below, "vkDestroyInstance");
  if (destroy != nullptr) destroy(below->handle, create_info_.allocator());
}

bool SleepingInstance::Enables(std::string_view extension) const {
  const VkInstanceCreateInfo& info = create_info_.info();
  const std::span names(info.ppEnabledExtensionNames, info.enabledExtensionCount);
  return std::ranges::any_of(names, [extension](const char* name) { return extension == name; });
}

Result<std::unique_ptr<OpenInstance>> SleepingInstance::Open(const VkInstanceCreateInfo& create_info) const {
  const auto library = driver_.open();
  if (!library.ok()) return library.error();
  auto open = std::make_unique<OpenInstance>();
  open->get = library->get_instance_proc_addr;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(open->get(VK_NULL_HANDLE, "vkCreateInstance"));
  const VkResult result =
      create == nullptr ? VK_ERROR_INCOMPATIBLE_DRIVER : create(&create_info, create_info_.allocator(), &open->handle);
  if (result != VK_SUCCESS) {
    return Fail(ErrorKind::kInternal, "The driver of {} answers vkCreateInstance with {}.", driver_.name,
                static_cast<int>(result));
  }
  return open;
}

const OpenInstance* SleepingInstance::Wake(const char* command, const VkInstanceCreateInfo* create_info) noexcept {
  if (const OpenInstance* const known = open()) return known;
  const OpenInstance* woken = nullptr;
  static_cast<void>(Guarded([&]() -> VkResult {
    const MutexLock lock(mutex_);
    woken = owned_.get();
    if (woken != nullptr) return VK_SUCCESS;
    auto opened = Open(create_info == nullptr ? create_info_.info() : *create_info);
    if (!opened.ok()) {
      driver_.failed(opened.error());
      return VK_ERROR_INITIALIZATION_FAILED;
    }
    const bool holds = Match(driver_.record, **opened);
    owned_ = *std::move(opened);
    woken = owned_.get();
    open_.store(woken, std::memory_order_release);
    driver_.woken(command, holds);
    return VK_SUCCESS;
  }));
  return woken;
}

}  // namespace tandem::layer

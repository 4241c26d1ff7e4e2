#include "system/conformance_drivers.h"

#include <cctype>
#include <cstddef>
#include <cstring>

#include "base/check.h"
#include "config/card_selector.h"
#include "conform/rule.h"
#include "drivers/common/escapes.h"
#include "drivers/kms/kms_device.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/processor/user_mode.h"
#include "drivers/soft/soft_device.h"
#include "drivers/vulkan/gpu/private_data.h"
#include "drivers/vulkan/icd/enumeration.h"
#include "drivers/vulkan/vulkan_device.h"
#include "outputs/output.h"
#include "shim/class9/translation.h"
#include "shim/composite.h"

namespace tandem::system {
namespace {

using conform::BusDevice;
using conform::DriverUnderTest;
using conform::SurfaceRequest;
using conform::SurfaceUse;

template <class Data>
std::vector<std::byte> ToBytes(const Data& data) {
  std::vector<std::byte> bytes(sizeof(data));
  std::memcpy(bytes.data(), &data, sizeof(data));
  return bytes;
}

template <class Data>
conform::SurfaceData Describe(const Data& data) {
  return {ToBytes(data), {}, data.pitch};
}

conform::KmdEscape TouchByKmd(const conform::KmdAccess& access) {
  drivers::BackingStoreEscape escape;
  escape.allocation = access.allocation;
  escape.access = access.write ? drivers::BackingStoreAccess::kWrite : drivers::BackingStoreAccess::kRead;
  escape.value = access.value;
  escape.offset = access.offset;
  return {ToBytes(escape), offsetof(drivers::BackingStoreEscape, value)};
}

// Small, so that rules about moving memory soon fill it.
constexpr std::uint64_t kSmallLocalMemory = 16ULL << 20;

class SoftBusDevice final : public BusDevice {
 public:
  explicit SoftBusDevice(std::shared_ptr<outputs::Output> output) {
    description_.local_memory_bytes = kSmallLocalMemory;
    description_.scans_out_nv12 = true;
    if (output == nullptr) return;
    description_.connectors = soft::CreateConnectors(2);
    TANDEM_CHECK(description_.connectors->Plug(std::move(output)).ok());
  }
  void* extension() override { return &description_; }
  bool Plug(std::shared_ptr<outputs::Output> output) override {
    return description_.connectors != nullptr && description_.connectors->Plug(std::move(output)).ok();
  }
  bool SetCable(std::uint32_t target, bool plugged) override {
    if (description_.connectors == nullptr) return false;
    description_.connectors->SetCable(target, plugged);
    return true;
  }

 private:
  soft::DeviceDescription description_;
};

processor::AllocationData SoftSurface(const SurfaceRequest& request) {
  const std::uint32_t flags = request.use == SurfaceUse::kCrossAdapter    ? processor::kAllocationCrossAdapter
                              : request.use == SurfaceUse::kPrimary       ? processor::kAllocationPrimary
                              : request.use == SurfaceUse::kSharedWithKmd ? processor::kAllocationSharedWithKmd
                                                                          : 0;
  const auto data = processor::DescribeSurface(request.width, request.height, drivers::ToColorFormat(request.format), flags, 0);
  if (!data.ok()) throw conform::NotApplicable(data.error().message);
  return *data;
}

// The drivers of this tree with a shim inside, which its host switches on.
HRESULT OpenSoftWithShim(D3D10DDIARG_OPENADAPTER* args) { return shim::OpenShim(args, processor::ProcessorOpenAdapter10_2); }
HRESULT OpenVulkanWithShim(D3D10DDIARG_OPENADAPTER* args) { return shim::OpenShim(args, vulkan::VulkanOpenAdapter10_2); }

DriverUnderTest Soft() {
  DriverUnderTest driver;
  driver.name = "soft";
  driver.entry = soft::SoftDriverEntry;
  driver.open_adapter = processor::ProcessorOpenAdapter10_2;
  driver.open_with_shim = &OpenSoftWithShim;
  driver.set_shim_host = &shim::SetShimHost;
  driver.shows_outputs = true;
  driver.make_device = [](std::shared_ptr<outputs::Output> output) { return std::make_unique<SoftBusDevice>(std::move(output)); };
  driver.describe = [](const conform::StartedAdapter&, const SurfaceRequest& request) { return Describe(SoftSurface(request)); };
  driver.kmd_access = &TouchByKmd;
  return driver;
}

class VulkanBusDevice final : public BusDevice {
 public:
  explicit VulkanBusDevice(const vulkan::OwnDevice& device) {
    description_.own = device;
    description_.local_memory_bytes = kSmallLocalMemory;
    description_.image_memory_bytes = kSmallLocalMemory;
  }
  void* extension() override { return &description_; }

 private:
  vulkan::DeviceDescription description_;
};

vulkan::AllocationData VulkanSurface(const SurfaceRequest& request) {
  // A program's images never move; rows in the device's own memory do.
  const auto kind = request.use == SurfaceUse::kImage     ? vulkan::AllocationKind::kLocal
                    : request.use == SurfaceUse::kPrimary ? vulkan::AllocationKind::kPrimary
                                                          : vulkan::AllocationKind::kLinear;
  auto data = vulkan::DescribeSurface(kind, request.width, request.height, drivers::ToColorFormat(request.format), 0);
  if (!data.ok()) throw conform::NotApplicable(data.error().message);
  if (request.use == SurfaceUse::kSharedWithKmd) data->flags = vulkan::kShareBackingStore;
  return *data;
}

// Test names contain letters, digits and underscores only.
std::string NameOf(const std::string& device) {
  std::string name = "vulkan_";
  for (const char c : device.substr(0, 24)) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

DriverUnderTest Vulkan(const std::string& name, const vulkan::OwnDevice& device) {
  DriverUnderTest driver;
  driver.name = NameOf(name);
  driver.entry = vulkan::VulkanDriverEntry;
  driver.open_adapter = vulkan::VulkanOpenAdapter10_2;
  driver.open_with_shim = &OpenVulkanWithShim;
  driver.set_shim_host = &shim::SetShimHost;
  driver.ends_with_a_timeout = "A Vulkan device cannot be reset: what hangs it has lost it, and the adapter is stopped.";
  driver.make_device = [device](const std::shared_ptr<outputs::Output>&) { return std::make_unique<VulkanBusDevice>(device); };
  driver.describe = [](const conform::StartedAdapter&, const SurfaceRequest& request) {
    return Describe(VulkanSurface(request));
  };
  driver.kmd_access = &TouchByKmd;
  return driver;
}

class KmsBusDevice final : public BusDevice {
 public:
  KmsBusDevice(const std::string& card, std::shared_ptr<outputs::Output> output) {
    description_.card = card;
    description_.screens = kms::CreateScreens();
    description_.most_local_memory_bytes = kSmallLocalMemory;
    if (output != nullptr) static_cast<void>(description_.screens->Watch(0, std::move(output)));
  }
  void* extension() override { return &description_; }
  bool TakesPhotographs() override { return true; }
  std::string WhyUnseen() override {
    const kms::ScreenState state = description_.screens->StateOf(0);
    return state.writes_back ? "" : "The card writes no picture of " + state.connector + " back, so nobody sees what it shows.";
  }
  bool SetCable(std::uint32_t target, bool plugged) override { return description_.screens->Force(target, plugged); }

 private:
  kms::DeviceDescription description_;
};

// The card's write-back shows what is on its screen.
DriverUnderTest Kms(const std::string& card) {
  DriverUnderTest driver;
  driver.name = "kms";
  driver.entry = kms::KmsDriverEntry;
  driver.open_adapter = processor::ProcessorOpenAdapter10_2;
  driver.open_with_shim = &OpenSoftWithShim;
  driver.set_shim_host = &shim::SetShimHost;
  driver.shows_outputs = true;
  driver.has_one_device = true;
  driver.make_device = [card](std::shared_ptr<outputs::Output> output) {
    return std::make_unique<KmsBusDevice>(card, std::move(output));
  };
  driver.describe = [](const conform::StartedAdapter&, const SurfaceRequest& request) { return Describe(SoftSurface(request)); };
  driver.kmd_access = &TouchByKmd;
  return driver;
}

}  // namespace

const DriverUnderTest& SoftUnderTest() {
  static const DriverUnderTest soft = Soft();
  return soft;
}

const DriverUnderTest& SoftClass9UnderTest() {
  static const DriverUnderTest class9 = [] {
    DriverUnderTest driver = Soft();
    driver.name = "soft_class9";
    driver.open_adapter = shim::TranslatedEntry(processor::ProcessorOpenAdapter);
    return driver;
  }();
  return class9;
}

std::vector<DriverUnderTest> VulkanUnderTest() {
  std::vector<DriverUnderTest> drivers;
  for (const vulkan::IcdDevice& device : vulkan::EnumerateDevices().devices) {
    drivers.push_back(Vulkan(device.name, {device.icd_library, device.device_uuid, device.driver_uuid}));
  }
  return drivers;
}

DriverUnderTest UnderTest(const config::AdapterInfo& adapter) {
  if (adapter.driver == "soft") return SoftUnderTest();
  if (adapter.driver == config::kCardKind) return Kms(adapter.name);
  return Vulkan(adapter.name, {adapter.icd_library, adapter.device_uuid, adapter.driver_uuid});
}

}  // namespace tandem::system

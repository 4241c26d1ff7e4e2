#include "drivers/vulkan/icd/identity.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

namespace tandem::vulkan {
namespace {

// A device of Vulkan 1.0. Its handle is its address.
struct OldDevice {
  VkPhysicalDeviceProperties properties{};

  explicit OldDevice(std::uint32_t device_id) {
    properties.apiVersion = VK_API_VERSION_1_0;
    properties.vendorID = 0x10de;
    properties.deviceID = device_id;
    std::strcpy(properties.deviceName, "Old GPU");
  }
  VkPhysicalDevice handle() { return reinterpret_cast<VkPhysicalDevice>(this); }
};

VKAPI_ATTR void VKAPI_CALL FakeProperties(VkPhysicalDevice handle, VkPhysicalDeviceProperties* properties) {
  *properties = reinterpret_cast<OldDevice*>(handle)->properties;
}

class Identity : public ::testing::Test {
 protected:
  Identity() { vk_.GetPhysicalDeviceProperties = &FakeProperties; }

  std::vector<DeviceIdentity> Of(std::vector<OldDevice*> devices) const {
    std::vector<VkPhysicalDevice> handles;
    for (OldDevice* const device : devices) handles.push_back(device->handle());
    return IdentitiesOf(vk_, handles);
  }

  Dispatch vk_;
  OldDevice first_{0x1234};
  OldDevice twin_{0x1234};
  OldDevice other_{0x5678};
};

TEST_F(Identity, DevicesWithoutUuids_AreAllToldApart) {
  const auto found = Of({&first_, &twin_, &other_});
  std::set<std::array<std::uint8_t, VK_UUID_SIZE>> uuids;
  for (const DeviceIdentity& identity : found) {
    EXPECT_TRUE(identity.derived);
    EXPECT_EQ(identity.device_uuid[6] >> 4, 8);
    uuids.insert(identity.device_uuid);
  }
  EXPECT_EQ(uuids.size(), 3U);
}

TEST_F(Identity, AnotherCardBefore_ChangesNobodysIdentity) {
  const auto before = Of({&first_, &twin_});
  const auto after = Of({&other_, &first_, &twin_});
  EXPECT_EQ(before[0].device_uuid, after[1].device_uuid);
  EXPECT_EQ(before[1].device_uuid, after[2].device_uuid);
}

TEST_F(Identity, AnotherDriverVersion_IsAnotherIdentity) {
  const auto before = Of({&first_});
  first_.properties.driverVersion = 7;
  EXPECT_NE(before[0].device_uuid, Of({&first_})[0].device_uuid);
}

}  // namespace
}  // namespace tandem::vulkan

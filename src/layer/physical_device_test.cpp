#include "layer/physical_device.h"

#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "layer/chain.h"

namespace tandem::layer {
namespace {

// Three devices below the layer; the second and third have equal numbers and different UUIDs.
struct FakeDevice {
  uint32_t vendor;
  uint32_t device;
  uint8_t uuid;
  VkBool32 timeline;
};
std::array<FakeDevice, 3> g_devices;

VkPhysicalDevice HandleOf(std::size_t index) { return reinterpret_cast<VkPhysicalDevice>(&g_devices[index]); }
const FakeDevice& DeviceOf(VkPhysicalDevice handle) { return *reinterpret_cast<const FakeDevice*>(handle); }

VKAPI_ATTR VkResult VKAPI_CALL FakeEnumerate(VkInstance, uint32_t* count, VkPhysicalDevice* devices) {
  *count = g_devices.size();
  for (std::size_t i = 0; devices != nullptr && i < g_devices.size(); ++i) devices[i] = HandleOf(i);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL FakeProperties(VkPhysicalDevice handle, VkPhysicalDeviceProperties2* properties) {
  properties->properties.vendorID = DeviceOf(handle).vendor;
  properties->properties.deviceID = DeviceOf(handle).device;
  auto* identity = FindOut<VkPhysicalDeviceIDProperties>(properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
  std::memset(identity->deviceUUID, DeviceOf(handle).uuid, VK_UUID_SIZE);
  std::memset(identity->driverUUID, 7, VK_UUID_SIZE);
}

VKAPI_ATTR void VKAPI_CALL FakeFeatures(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2* features) {
  FindOut<VkPhysicalDeviceTimelineSemaphoreFeatures>(features->pNext,
                                                     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)
      ->timelineSemaphore = DeviceOf(handle).timeline;
}

class FindRenderDeviceTest : public testing::Test {
 protected:
  FindRenderDeviceTest() {
    g_devices = {{{0x10005, 0, 1, VK_TRUE}, {0x10de, 0x2684, 2, VK_TRUE}, {0x10de, 0x2684, 3, VK_TRUE}}};
    next_.EnumeratePhysicalDevices = &FakeEnumerate;
    next_.GetPhysicalDeviceProperties2 = &FakeProperties;
    next_.GetPhysicalDeviceFeatures2 = &FakeFeatures;
    adapter_.name = "card";
    adapter_.vendor_id = 0x10de;
    adapter_.device_id = 0x2684;
    adapter_.device_uuid.fill(3);
    adapter_.driver_uuid.fill(7);
  }
  InstanceTable next_;
  config::AdapterInfo adapter_;
};

TEST_F(FindRenderDeviceTest, TwinsOfOneKind_AreToldApartByUuid) {
  const auto found = FindRenderDevice(VK_NULL_HANDLE, next_, adapter_);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, HandleOf(2));
}

TEST_F(FindRenderDeviceTest, UuidOfAnotherDriverVersion_FallsBackToTheNumbers) {
  adapter_.driver_uuid.fill(8);
  const auto found = FindRenderDevice(VK_NULL_HANDLE, next_, adapter_);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, HandleOf(1));
}

TEST_F(FindRenderDeviceTest, DeviceOfNobody_IsNotFound) {
  adapter_.vendor_id = 0x1002;
  const auto found = FindRenderDevice(VK_NULL_HANDLE, next_, adapter_);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, ErrorKind::kNotFound);
}

TEST_F(FindRenderDeviceTest, NoTimelineSemaphores_IsUnsupported) {
  g_devices[2].timeline = VK_FALSE;
  const auto found = FindRenderDevice(VK_NULL_HANDLE, next_, adapter_);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace tandem::layer

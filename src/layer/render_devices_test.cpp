#include "layer/render_devices.h"

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

namespace tandem::layer {
namespace {

VkPhysicalDevice Handle(std::uintptr_t value) { return reinterpret_cast<VkPhysicalDevice>(value * 16); }

TEST(RenderDevicesTest, WithoutADevice_NothingIsCurrent) {
  const RenderDevices devices;
  EXPECT_EQ(devices.current().handle, VkPhysicalDevice{});
  EXPECT_FALSE(devices.Has(VK_NULL_HANDLE));
}

TEST(RenderDevicesTest, AnotherDeviceFollows_BothAreKnownAndTheLastIsCurrent) {
  const config::AdapterInfo lost, next;
  RenderDevices devices;
  EXPECT_TRUE(devices.Add({Handle(1), &lost}));
  EXPECT_TRUE(devices.Add({Handle(2), &next}));
  EXPECT_EQ(devices.current().handle, Handle(2));
  EXPECT_EQ(devices.Find(Handle(1)).adapter, &lost);
  EXPECT_EQ(devices.Find(Handle(2)).adapter, &next);
  EXPECT_FALSE(devices.Has(Handle(3)));
}

TEST(RenderDevicesTest, TooManyLosses_TheLastOneThatFitsStays) {
  const config::AdapterInfo adapter;
  RenderDevices devices;
  for (std::size_t i = 1; i <= RenderDevices::kMax; ++i) EXPECT_TRUE(devices.Add({Handle(i), &adapter}));
  EXPECT_FALSE(devices.Add({Handle(RenderDevices::kMax + 1), &adapter}));
  EXPECT_EQ(devices.current().handle, Handle(RenderDevices::kMax));
}

}  // namespace
}  // namespace tandem::layer

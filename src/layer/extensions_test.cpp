#include "layer/extensions.h"

#include <array>
#include <cstring>

#include <gtest/gtest.h>

namespace tandem::layer {
namespace {

VkExtensionProperties Named(const char* name) {
  VkExtensionProperties properties{};
  std::strncpy(properties.extensionName, name, VK_MAX_EXTENSION_NAME_SIZE - 1);
  return properties;
}

TEST(VisibleDeviceExtensions, DriverKnowsSome_EachStandsOnce) {
  const std::array below{Named("VK_KHR_swapchain"), Named("VK_KHR_maintenance1")};
  const auto visible = VisibleDeviceExtensions(below);
  EXPECT_EQ(visible.size(), 1 + OwnDeviceExtensions().size());
  EXPECT_TRUE(Contains(visible, "VK_KHR_maintenance1"));
  EXPECT_TRUE(Contains(visible, "VK_KHR_present_wait"));
}

TEST(VisibleDeviceExtensions, WhatTheLayerDoesNotDo_IsHidden) {
  const std::array below{Named("VK_GOOGLE_display_timing"), Named("VK_EXT_hdr_metadata"), Named("VK_NV_low_latency2"),
                         Named("VK_KHR_swapchain_maintenance1")};
  const auto visible = VisibleDeviceExtensions(below);
  EXPECT_EQ(visible.size(), OwnDeviceExtensions().size());
}

TEST(Answer, TwoCallProtocol_CountThenValues) {
  const std::array<int, 3> values{1, 2, 3};
  uint32_t count = 0;
  EXPECT_EQ(Answer(std::span<const int>(values), &count, static_cast<int*>(nullptr)), VK_SUCCESS);
  EXPECT_EQ(count, 3u);
  std::array<int, 4> out{};
  count = 2;
  EXPECT_EQ(Answer(std::span<const int>(values), &count, out.data()), VK_INCOMPLETE);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(out[2], 0);
  count = 4;
  EXPECT_EQ(Answer(std::span<const int>(values), &count, out.data()), VK_SUCCESS);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(out[2], 3);
}

TEST(InstanceExtensions, OfTheManifestAlone_AreThereWhileTheLayerIsActive) {
  const std::array listed{VkExtensionProperties{VK_KHR_SURFACE_EXTENSION_NAME, 25},
                          VkExtensionProperties{VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME, 0}};
  const auto active = VisibleInstanceExtensions(listed, true);
  ASSERT_EQ(active.size(), 2U);
  EXPECT_EQ(active[0].specVersion, 25U);
  EXPECT_EQ(active[1].specVersion, 1U);
  const auto aside = VisibleInstanceExtensions(listed, false);
  ASSERT_EQ(aside.size(), 1U);
  EXPECT_STREQ(aside[0].extensionName, VK_KHR_SURFACE_EXTENSION_NAME);
}

}  // namespace
}  // namespace tandem::layer

#include "drivers/vulkan/gpu/gpu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "drivers/vulkan/icd/enumeration.h"
#include "drivers/vulkan/testing/application.h"

namespace tandem::vulkan {
namespace {

class GpuTest : public ::testing::TestWithParam<testing::Icd> {};

TEST_P(GpuTest, Open_ByUuid_FindsTheDeviceAgain) {
  std::string why_not;
  const std::string manifest = testing::ManifestOf(GetParam(), why_not);
  if (manifest.empty()) GTEST_SKIP() << why_not;
  setenv("VK_DRIVER_FILES", manifest.c_str(), 1);
  const Enumeration found = EnumerateDevices();
  unsetenv("VK_DRIVER_FILES");
  ASSERT_EQ(found.devices.size(), 1U);
  OwnDevice own{found.devices[0].icd_library, found.devices[0].device_uuid, found.devices[0].driver_uuid};
  const auto gpu = Gpu::Open(own);
  ASSERT_TRUE(gpu.ok()) << gpu.error().message;
  EXPECT_EQ((*gpu)->name(), found.devices[0].name);
  EXPECT_FALSE((*gpu)->borrowed());
  own.device_uuid[3] ^= 0x55;
  EXPECT_EQ(Gpu::Open(own).error().kind, ErrorKind::kNotFound);
}

TEST_P(GpuTest, UsedTimeline_IsTakenAgainAtItsValue) {
  std::string why_not;
  const auto application = testing::Application::Create(GetParam(), why_not);
  if (application == nullptr) GTEST_SKIP() << why_not;
  {
    const auto gpu = Gpu::Adopt(application->Borrow());
    ASSERT_TRUE(gpu.ok()) << gpu.error().message;
    VkSemaphore first = VK_NULL_HANDLE, second = VK_NULL_HANDLE, third = VK_NULL_HANDLE;
    std::uint64_t value = 7;
    ASSERT_EQ((*gpu)->TakeTimeline(first, value), VK_SUCCESS);
    EXPECT_EQ(value, 0U);
    ASSERT_EQ((*gpu)->Signal(first, 3), VK_SUCCESS);
    (*gpu)->GiveTimelineBack(first, 3);
    ASSERT_EQ((*gpu)->TakeTimeline(second, value), VK_SUCCESS);
    EXPECT_EQ(second, first);
    EXPECT_EQ(value, 3U);
    ASSERT_EQ((*gpu)->TakeTimeline(third, value), VK_SUCCESS);
    EXPECT_NE(third, first);
    EXPECT_EQ(value, 0U);
    (*gpu)->GiveTimelineBack(second, 3);
    (*gpu)->GiveTimelineBack(third, 0);
  }
  // The validation layer tells of semaphores that are left when the device goes.
  EXPECT_TRUE(application->messages().empty());
}

INSTANTIATE_TEST_SUITE_P(Drivers, GpuTest, ::testing::Values(testing::Icd::kLavapipe, testing::Icd::kSwiftShader),
                         [](const auto& p) { return p.param == testing::Icd::kLavapipe ? "Lavapipe" : "SwiftShader"; });

}  // namespace
}  // namespace tandem::vulkan

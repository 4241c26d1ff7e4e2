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

INSTANTIATE_TEST_SUITE_P(Drivers, GpuTest, ::testing::Values(testing::Icd::kLavapipe, testing::Icd::kSwiftShader),
                         [](const auto& p) { return p.param == testing::Icd::kLavapipe ? "Lavapipe" : "SwiftShader"; });

}  // namespace
}  // namespace tandem::vulkan

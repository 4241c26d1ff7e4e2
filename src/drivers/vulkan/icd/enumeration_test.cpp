#include "drivers/vulkan/icd/enumeration.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include <unistd.h>

#include "drivers/vulkan/testing/application.h"

namespace tandem::vulkan {
namespace {

class EnumerationTest : public ::testing::TestWithParam<testing::Icd> {
 protected:
  void SetUp() override {
    std::string why_not;
    manifest_ = testing::ManifestOf(GetParam(), why_not);
    if (manifest_.empty()) GTEST_SKIP() << why_not;
    setenv("VK_DRIVER_FILES", manifest_.c_str(), 1);
  }
  void TearDown() override { unsetenv("VK_DRIVER_FILES"); }

  std::string manifest_;
};

TEST_P(EnumerationTest, Enumerate_OneDriver_DescribesItsDevice) {
  const Enumeration found = EnumerateDevices();
  ASSERT_EQ(found.devices.size(), 1U);
  EXPECT_TRUE(found.problems.empty());
  const IcdDevice& device = found.devices[0];
  EXPECT_EQ(device.manifest_path, manifest_);
  EXPECT_FALSE(device.icd_library.empty());
  EXPECT_FALSE(device.name.empty());
  EXPECT_FALSE(device.driver_name.empty());
  EXPECT_EQ(device.type, VK_PHYSICAL_DEVICE_TYPE_CPU);
  EXPECT_GE(device.api_version, VK_API_VERSION_1_1);
  EXPECT_TRUE(device.timeline_semaphore);
  EXPECT_TRUE(device.external_memory_host);
  EXPECT_EQ(device.import_alignment, 4096U);
  EXPECT_GT(device.device_local_bytes, 0U);
  EXPECT_TRUE(device.surfaces.xcb);
}

INSTANTIATE_TEST_SUITE_P(Drivers, EnumerationTest, ::testing::Values(testing::Icd::kLavapipe, testing::Icd::kSwiftShader),
                         [](const auto& p) { return p.param == testing::Icd::kLavapipe ? "Lavapipe" : "SwiftShader"; });

TEST(Enumeration, Enumerate_BrokenDrivers_AreProblemsOnly) {
  const std::string folder = ::testing::TempDir() + "tandem_enumeration_" + std::to_string(getpid()) + "_";
  std::ofstream(folder + "no_library.json")
      << R"({"file_format_version": "1.0.0", "ICD": {"library_path": "/nonexistent/libvulkan_x.so"}})";
  std::ofstream(folder + "no_driver.json") << R"({"file_format_version": "1.0.0", "ICD": {"library_path": "libm.so.6"}})";
  std::ofstream(folder + "no_json.json") << "{{{{";
  const std::string files = folder + "no_library.json:" + folder + "no_driver.json:" + folder + "no_json.json:/nonexistent.json";
  setenv("VK_DRIVER_FILES", files.c_str(), 1);
  const Enumeration found = EnumerateDevices();
  unsetenv("VK_DRIVER_FILES");
  for (const char* name : {"no_library.json", "no_driver.json", "no_json.json"}) std::remove((folder + name).c_str());
  EXPECT_TRUE(found.devices.empty());
  EXPECT_EQ(found.problems.size(), 4U);
  for (const std::string& problem : found.problems) EXPECT_EQ(problem.back(), '.') << problem;
}

}  // namespace
}  // namespace tandem::vulkan

#include "config/device_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace tandem::config {
namespace {

class DeviceFileTest : public ::testing::Test {
 protected:
  DeviceFileTest() {
    std::string folder = testing::TempDir() + "device_file_XXXXXX";
    folder_ = mkdtemp(folder.data());
  }
  ~DeviceFileTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string Path() const { return folder_ / "made" / "engines"; }

  std::filesystem::path folder_;
};

TEST_F(DeviceFileTest, WhatWasKept_IsRecalledByTheSameDeviceAlone) {
  DeviceFile file(Path(), "gpu 1");
  EXPECT_FALSE(file.Recall("encoding 420").has_value());
  ASSERT_TRUE(file.Keep("encoding 420", "shader three").ok());
  ASSERT_TRUE(file.Keep("encoding bc1", "processor").ok());
  ASSERT_TRUE(file.Keep("encoding 420", "shader").ok());
  // Another process, later.
  EXPECT_EQ(DeviceFile(Path(), "gpu 1").Recall("encoding 420"), "shader");
  EXPECT_EQ(DeviceFile(Path(), "gpu 1").Recall("encoding bc1"), "processor");
  EXPECT_FALSE(DeviceFile(Path(), "gpu 1").Recall("encoding").has_value());
  EXPECT_FALSE(DeviceFile(Path(), "gpu 1 of another driver").Recall("encoding 420").has_value());
}

TEST_F(DeviceFileTest, ForeignBytes_AreNoAnswer_AndTheFileStaysSmall) {
  std::filesystem::create_directories(folder_ / "made");
  std::ofstream(Path()) << "\n\n\tgpu\nnothing of ours\n" << std::string(70'000, 'x');
  DeviceFile file(Path(), "gpu");
  EXPECT_FALSE(file.Recall("").has_value());
  for (std::size_t i = 0; i < kMaxDeviceAnswers + 20; ++i) ASSERT_TRUE(file.Keep("question " + std::to_string(i), "yes").ok());
  EXPECT_FALSE(file.Recall("question 19").has_value());
  EXPECT_EQ(file.Recall("question 20"), "yes");
  EXPECT_LT(std::filesystem::file_size(Path()), 10'000U);
}

TEST(DeviceKey, NamesDeviceAndDriver) {
  AdapterInfo gpu;
  gpu.device_uuid = {1};
  gpu.driver_detail = "driver 1.0\t(of\nlines)";
  const std::string key = DeviceKey(gpu);
  EXPECT_EQ(key.find_first_of("\t\n"), std::string::npos);
  AdapterInfo newer = gpu;
  newer.driver_uuid = {2};
  EXPECT_NE(DeviceKey(newer), key);
}

}  // namespace
}  // namespace tandem::config

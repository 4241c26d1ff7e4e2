#include "system/pci_link.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace tandem::system {
namespace {

namespace fs = std::filesystem;

class PciLinkTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(root_); }
  void Write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  const fs::path root_ = fs::path(::testing::TempDir()) / ("tandem-pci-link-" + std::to_string(getpid()));
  const fs::path folder_ = root_ / "sys/bus/pci/devices/0000:01:00.0";
};

TEST_F(PciLinkTest, FilesOfTheKernel_GiveBothLinksAndTheirBytes) {
  Write("current_link_speed", "2.5 GT/s PCIe\n");
  Write("current_link_width", "8\n");
  Write("max_link_speed", "32.0 GT/s PCIe\n");
  Write("max_link_width", "16\n");
  const auto links = ReadPciLinks(root_.string(), "0000:01:00.0");
  ASSERT_TRUE(links);
  EXPECT_EQ(links->now.lanes, 8U);
  EXPECT_DOUBLE_EQ(links->now.BytesPerSecond(), 2e9);
  EXPECT_DOUBLE_EQ(links->most.gigatransfers_per_second, 32);
  EXPECT_NEAR(links->most.BytesPerSecond(), 63.015e9, 1e6);
  EXPECT_NEAR((PciLink{64, 16}.BytesPerSecond()), 121e9, 1e6);
}

TEST_F(PciLinkTest, FilesThatTellNothing_GiveNoLink) {
  EXPECT_FALSE(ReadPciLinks(root_.string(), ""));
  EXPECT_FALSE(ReadPciLinks(root_.string(), "0000:02:00.0"));
  for (const char* speed : {"Unknown", "", "-1 GT/s", "0", "nan"}) {
    Write("current_link_speed", speed);
    Write("current_link_width", "8");
    Write("max_link_speed", "8.0 GT/s PCIe");
    Write("max_link_width", "16");
    EXPECT_FALSE(ReadPciLinks(root_.string(), "0000:01:00.0")) << speed;
  }
  Write("current_link_speed", "8.0 GT/s PCIe");
  Write("current_link_width", "255");
  EXPECT_FALSE(ReadPciLinks(root_.string(), "0000:01:00.0"));
}

}  // namespace
}  // namespace tandem::system

#include "cli/encodings.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/fake_clock.h"
#include "link/surface/link_surface.h"
#include "link/trial/encoding_trial.h"
#include "system/link_trial.h"

namespace tandem::cli {
namespace {

using ::testing::HasSubstr;

TEST(EncodingsTest, Report_HasARowForEachPictureAndEncoding) {
  FakeClock clock(0);
  system::EncodingReportRequest request;
  request.width = 64;
  request.height = 48;
  const auto rows = system::ReportEncodings(request, clock);
  ASSERT_TRUE(rows.ok());
  // Five pictures; 4:2:0 has four of the eight encodings, and a build may leave it out.
  EXPECT_EQ(rows->size(), link::IsBuilt(link::LinkEncoding::kYuv420) ? 40U : 20U);
  EXPECT_THAT(ToTable(*rows), HasSubstr("text       tiles, half the bytes"));
  if (link::IsBuilt(link::LinkEncoding::kYuv420)) {
    EXPECT_THAT(ToTable(*rows), HasSubstr("text       420-tiles"));
  }
  EXPECT_THAT(ToJson(*rows), HasSubstr("\"encoding\": \"lossless\""));
}

TEST(EncodingsTest, Report_OfAFileThatIsNoPng_SaysSo) {
  FakeClock clock(0);
  system::EncodingReportRequest request;
  request.picture_files = {"/proc/self/cmdline"};
  const auto rows = system::ReportEncodings(request, clock);
  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.error().message, HasSubstr("/proc/self/cmdline"));
}

TEST(EncodingsTest, Report_OfAPictureTooSmallToCompare_SaysHowLargeItHasToBe) {
  // One black pixel.
  constexpr std::uint8_t kPng[] = {0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48,
                                   0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
                                   0x00, 0x3A, 0x7E, 0x9B, 0x55, 0x00, 0x00, 0x00, 0x0A, 0x49, 0x44, 0x41, 0x54, 0x78,
                                   0xDA, 0x63, 0x60, 0x00, 0x00, 0x00, 0x02, 0x00, 0x01, 0xE5, 0x27, 0xDE, 0xFC, 0x00,
                                   0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};
  const std::string path = ::testing::TempDir() + "one_pixel_" + std::to_string(getpid()) + ".png";
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(kPng), sizeof(kPng));
  FakeClock clock(0);
  system::EncodingReportRequest request;
  request.picture_files = {path};
  const auto rows = system::ReportEncodings(request, clock);
  std::filesystem::remove(path);
  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.error().message, HasSubstr("has 1 x 1 pixels; what is compared has 8 x 8 at least"));
}

TEST(EncodingsTest, Report_ToAFolderThatIsNotThere_SaysSo) {
  FakeClock clock(0);
  system::EncodingReportRequest request;
  request.width = 64;
  request.height = 48;
  request.pictures_folder = "/nowhere";
  const auto rows = system::ReportEncodings(request, clock);
  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.error().message, HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace tandem::cli

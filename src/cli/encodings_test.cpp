#include "cli/encodings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_clock.h"
#include "compose/link_trial.h"

namespace tandem::cli {
namespace {

using ::testing::HasSubstr;

TEST(EncodingsTest, Report_HasARowForEachPictureAndEncoding) {
  FakeClock clock(0);
  compose::EncodingReportRequest request;
  request.width = 64;
  request.height = 48;
  const auto rows = compose::ReportEncodings(request, clock);
  ASSERT_TRUE(rows.ok());
  // Five pictures; 4:2:0 has four of the eight encodings, and a build may leave it out.
  EXPECT_EQ(rows->size(), codec::IsBuilt(codec::LinkEncoding::kYuv420) ? 40U : 20U);
  EXPECT_THAT(ToTable(*rows), HasSubstr("text       tiles, half the bytes"));
  if (codec::IsBuilt(codec::LinkEncoding::kYuv420)) {
    EXPECT_THAT(ToTable(*rows), HasSubstr("text       420-tiles"));
  }
  EXPECT_THAT(ToJson(*rows), HasSubstr("\"encoding\": \"lossless\""));
}

TEST(EncodingsTest, Report_OfAFileThatIsNoPng_SaysSo) {
  FakeClock clock(0);
  compose::EncodingReportRequest request;
  request.picture_files = {"/proc/self/cmdline"};
  const auto rows = compose::ReportEncodings(request, clock);
  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.error().message, HasSubstr("/proc/self/cmdline"));
}

TEST(EncodingsTest, Report_ToAFolderThatIsNotThere_SaysSo) {
  FakeClock clock(0);
  compose::EncodingReportRequest request;
  request.width = 64;
  request.height = 48;
  request.pictures_folder = "/nowhere";
  const auto rows = compose::ReportEncodings(request, clock);
  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.error().message, HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace tandem::cli

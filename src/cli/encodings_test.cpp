#include "cli/encodings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_clock.h"

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
  EXPECT_EQ(rows->size() % 5, 0U);
  EXPECT_GE(rows->size(), 20U);
  EXPECT_THAT(ToTable(*rows), HasSubstr("text       tiles, half the bytes"));
  EXPECT_THAT(ToJson(*rows), HasSubstr("\"encoding\": \"tiles\""));
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

#include "conform/printed.h"

#include <gtest/gtest.h>

namespace tandem::conform {
namespace {

constexpr char kAddress[] =
    "driver: starting\n"
    "=================================================================\n"
    "==77==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014\n"
    "WRITE of size 4 at 0x602000000014 thread T0\n"
    "    #0 0x7f0000001139 in Present driver.c:12\n"
    "SUMMARY: AddressSanitizer: heap-buffer-overflow driver.c:12 in Present\n"
    "Shadow bytes around the buggy address:\n"
    "  0x0c047fff7fb0: 00 00\n"
    "==77==ABORTING\n";

TEST(Printed, SanitizerReport_HasNoAddress) {
  EXPECT_EQ(SanitizerReport(kAddress), "AddressSanitizer: heap-buffer-overflow driver.c:12 in Present");
  EXPECT_EQ(SanitizerReport("driver.c:7:3: runtime error: signed integer overflow\n"),
            "UndefinedBehaviorSanitizer: driver.c:7:3, signed integer overflow");
  EXPECT_EQ(SanitizerReport("a runtime error\nSUMMARY: all is well\n"), "");
}

TEST(Printed, Excerpt_OfASanitizer_BeginsWithTheErrorAndHasNoShadowBytes) {
  const std::string excerpt = Excerpt(kAddress, 10);
  EXPECT_TRUE(excerpt.starts_with("==77==ERROR: AddressSanitizer")) << excerpt;
  EXPECT_TRUE(excerpt.ends_with("in Present\n")) << excerpt;
  EXPECT_EQ(Excerpt(kAddress, 1), "==77==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014\n");
}

TEST(Printed, Excerpt_OfAnythingElse_IsItsLastLines) {
  EXPECT_EQ(Excerpt("one\ntwo\nthree", 2), "two\nthree\n");
  EXPECT_EQ(Excerpt("\033[1mred\ttext\r\n", 5), "?[1mred\ttext?\n");
  EXPECT_EQ(Excerpt("", 5), "");
}

}  // namespace
}  // namespace tandem::conform

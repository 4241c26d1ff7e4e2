#include <ntddk.h>
#include <ntstrsafe.h>

#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

TEST(SafeStrings, Copy_CutsAndEnds_InBytesAndInCharacters) {
  char narrow[4];
  char16_t wide[4];
  EXPECT_EQ(RtlStringCchCopyA(narrow, 4, "abcdef"), STATUS_BUFFER_OVERFLOW);
  EXPECT_STREQ(narrow, "abc");
  EXPECT_EQ(RtlStringCchCopyW(wide, 4, u"xyz"), STATUS_SUCCESS);
  EXPECT_EQ(std::u16string(wide), u"xyz");
  EXPECT_EQ(RtlStringCbCopyW(wide, 4, u"xyz"), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(std::u16string(wide), u"x");
  EXPECT_EQ(RtlStringCbCopyA(narrow, 0, "a"), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(RtlStringCchCopyW(wide, SIZE_T{NTSTRSAFE_MAX_CCH} + 1, u"a"), STATUS_INVALID_PARAMETER);
}

TEST(SafeStrings, CopyNAndCatN_TakeTheFirstCharacters) {
  char16_t text[8];
  EXPECT_EQ(RtlStringCchCopyNW(text, 8, u"abcdef", 2), STATUS_SUCCESS);
  EXPECT_EQ(RtlStringCbCatNW(text, sizeof(text), u"ghijkl", 6), STATUS_SUCCESS);
  EXPECT_EQ(std::u16string(text), u"abghi");
  EXPECT_EQ(RtlStringCchCatW(text, 8, u"mnop"), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(std::u16string(text), u"abghimn");
}

TEST(SafeStrings, Cat_WithoutANullCharacter_IsRefused) {
  char text[3] = {'a', 'b', 'c'};
  EXPECT_EQ(RtlStringCbCatA(text, sizeof(text), "d"), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(text[2], 'c');
}

TEST(SafeStrings, CopyEx_TellsEndAndRest_AndFillsBehind) {
  char text[8];
  std::memset(text, 'x', sizeof(text));
  char* end = nullptr;
  SIZE_T rest = 0;
  EXPECT_EQ(RtlStringCbCopyExA(text, sizeof(text), "abc", &end, &rest, STRSAFE_FILL_BYTE('.')), STATUS_SUCCESS);
  EXPECT_EQ(end, text + 3);
  EXPECT_EQ(rest, 5u);
  EXPECT_EQ(std::string(text, 8), std::string("abc\0....", 8));
  char16_t wide[4];
  char16_t* wide_end = nullptr;
  EXPECT_EQ(RtlStringCbCopyExW(wide, sizeof(wide), u"ab", &wide_end, &rest, 0), STATUS_SUCCESS);
  EXPECT_EQ(rest, 4u);
}

TEST(SafeStrings, Ex_OnFailure_KeepsEmptiesOrFills) {
  char text[8] = "ab";
  char* end = nullptr;
  SIZE_T rest = 0;
  EXPECT_EQ(RtlStringCchCatExA(text, 8, "cdefgh", &end, &rest, STRSAFE_NO_TRUNCATION), STATUS_BUFFER_OVERFLOW);
  EXPECT_STREQ(text, "ab");
  EXPECT_EQ(rest, 6u);
  EXPECT_EQ(RtlStringCchCopyExA(text, 8, "cdefghij", &end, &rest, STRSAFE_NULL_ON_FAILURE), STATUS_BUFFER_OVERFLOW);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(rest, 8u);
  EXPECT_EQ(RtlStringCchCopyExA(text, 8, "cdefghij", &end, &rest, STRSAFE_FAILURE_BYTE('!')), STATUS_BUFFER_OVERFLOW);
  EXPECT_STREQ(text, "!!!!!!!");
  EXPECT_EQ(RtlStringCchCopyExA(nullptr, 0, nullptr, nullptr, nullptr, STRSAFE_IGNORE_NULLS), STATUS_SUCCESS);
  EXPECT_EQ(RtlStringCchCopyExA(text, 8, "a", nullptr, nullptr, 0x2000), STATUS_INVALID_PARAMETER);
}

TEST(SafeStrings, PrintfEx_TellsTheRest) {
  FakeKernel kernel;
  char16_t text[8];
  char16_t* end = nullptr;
  SIZE_T rest = 0;
  EXPECT_EQ(RtlStringCchPrintfExW(text, 8, &end, &rest, 0, u"%d", 123), STATUS_SUCCESS);
  EXPECT_EQ(rest, 5u);
  EXPECT_EQ(RtlStringCbPrintfExW(end, rest * 2, &end, &rest, 0, u"%s", u"abcdef"), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(std::u16string(text), u"123abcd");
  EXPECT_EQ(rest, 2u);
  FakeKernel::irql = DISPATCH_LEVEL;
  EXPECT_EQ(RtlStringCchPrintfW(text, 8, u"a"), STATUS_SUCCESS);
  EXPECT_TRUE(kernel.Reported("Nt.Irql", "RtlStringCchPrintfW"));
}

TEST(SafeStrings, Length_WithoutANullCharacter_IsRefused) {
  SIZE_T length = 9;
  EXPECT_EQ(RtlStringCbLengthW(u"abc", 8, &length), STATUS_SUCCESS);
  EXPECT_EQ(length, 6u);
  EXPECT_EQ(RtlStringCchLengthA("abc", 3, &length), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(length, 0u);
}

TEST(SafeStrings, CountedStrings_AreCutAtTheirMaximum) {
  FakeKernel kernel;
  char16_t buffer[5] = u"----";
  UNICODE_STRING text{0, 8, buffer};
  EXPECT_EQ(RtlUnicodeStringCopyString(&text, u"ab"), STATUS_SUCCESS);
  UNICODE_STRING more;
  EXPECT_EQ(RtlUnicodeStringInit(&more, u"cde"), STATUS_SUCCESS);
  EXPECT_EQ(RtlUnicodeStringCat(&text, &more), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(std::u16string(buffer, text.Length / 2), u"abcd");
  EXPECT_EQ(RtlUnicodeStringPrintf(&text, u"%u", 7), STATUS_SUCCESS);
  EXPECT_EQ(text.Length, 2);
  EXPECT_EQ(RtlUnicodeStringCatString(&text, u"89"), STATUS_SUCCESS);
  EXPECT_EQ(std::u16string(buffer, text.Length / 2), u"789");
  text.Length = 10;
  EXPECT_EQ(RtlUnicodeStringCopy(&text, &more), STATUS_INVALID_PARAMETER);
}

}  // namespace
}  // namespace tandem::drivers::host

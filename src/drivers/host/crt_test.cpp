// Functions of the C library that the NT kernel has beyond those of the standard.
#include <ntddk.h>

#include <cerrno>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

EXTERN_C int TandemNtSprintf(CHAR* Text, CONST CHAR* Format, ...);
EXTERN_C int TandemNtSnprintf(CHAR* Text, SIZE_T Size, CONST CHAR* Format, ...);

namespace {

TEST(CrtPrint, WithCount_LeavesTheNullCharacterOffWhereThereIsNoRoom) {
  char text[6] = "-----";
  EXPECT_EQ(_snprintf(text, 3, "%d", 123), 3);
  EXPECT_EQ(std::string(text, 5), "123--");
  EXPECT_EQ(_snprintf(text, 3, "%d", 4567), -1);
  EXPECT_EQ(std::string(text, 5), "456--");
  EXPECT_EQ(_snprintf(text, 5, "%u", 8u), 1);
  EXPECT_STREQ(text, "8");
  char16_t wide[4] = u"---";
  EXPECT_EQ(_snwprintf(wide, 2, u"%s", u"ab"), 2);
  EXPECT_EQ(std::u16string(wide), u"ab-");
}

TEST(CrtPrint, Safe_IsEmptyWhereTheTextDoesNotFit_ButForTruncate) {
  char text[4] = "---";
  EXPECT_EQ(sprintf_s(text, 4, "%d", 1234), -1);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(sprintf_s(text, 4, "%d", 123), 3);
  EXPECT_EQ(_snprintf_s(text, 4, _TRUNCATE, "%s", "abcdef"), -1);
  EXPECT_STREQ(text, "abc");
  EXPECT_EQ(_snprintf_s(text, 4, 2, "%s", "xyz"), -1);
  EXPECT_STREQ(text, "xy");
  EXPECT_EQ(_snprintf_s(text, 4, 9, "%s", "wxyz"), -1);
  EXPECT_STREQ(text, "");
  char16_t wide[4];
  EXPECT_EQ(swprintf_s(wide, 4, u"%x", 0xABC), 3);
  EXPECT_EQ(std::u16string(wide), u"abc");
}

TEST(CrtPrint, OfTheStandard_HasLongsWith32Bits) {
  char text[32];
  EXPECT_EQ(TandemNtSprintf(text, "%ld %ws", -1, u"w"), 4);
  EXPECT_STREQ(text, "-1 w");
  EXPECT_EQ(TandemNtSnprintf(text, 3, "%lu", 123456u), 6);
  EXPECT_STREQ(text, "12");
}

TEST(CrtStrings, Safe_RefuseWhatDoesNotFit) {
  char text[6] = "ab";
  EXPECT_EQ(strcat_s(text, 6, "cd"), 0);
  EXPECT_STREQ(text, "abcd");
  EXPECT_EQ(strcat_s(text, 6, "ef"), ERANGE);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(strncpy_s(text, 6, "abcdefgh", 3), 0);
  EXPECT_STREQ(text, "abc");
  EXPECT_EQ(strncpy_s(text, 6, "abcdefgh", _TRUNCATE), STRUNCATE);
  EXPECT_STREQ(text, "abcde");
  EXPECT_EQ(strcpy_s(text, 6, nullptr), EINVAL);
  char16_t wide[4];
  EXPECT_EQ(wcscpy_s(wide, 4, u"xyz"), 0);
  EXPECT_EQ(wcscpy_s(wide, 4, u"wxyz"), ERANGE);
  EXPECT_EQ(wide[0], 0);
}

TEST(CrtStrings, MemoryCopies_ZeroOrKeepTheDestination) {
  char bytes[4] = {1, 2, 3, 4};
  EXPECT_EQ(memcpy_s(bytes, 4, "ab", 2), 0);
  EXPECT_EQ(bytes[1], 'b');
  EXPECT_EQ(memmove_s(bytes, 1, "cd", 2), ERANGE);
  EXPECT_EQ(bytes[0], 'a');
  EXPECT_EQ(memcpy_s(bytes, 4, "efghij", 6), ERANGE);
  EXPECT_EQ(bytes[0] | bytes[3], 0);
}

TEST(CrtStrings, CaseAndNumbers) {
  EXPECT_EQ(_stricmp("VirtIO", "vIRTio"), 0);
  EXPECT_LT(_wcsicmp(u"abc", u"ABD"), 0);
  EXPECT_EQ(_wcsnicmp(u"abcX", u"ABCy", 3), 0);
  EXPECT_GT(_strnicmp("b", "A", 5), 0);
  char text[] = "mIx";
  EXPECT_STREQ(_strupr(text), "MIX");
  EXPECT_EQ(_wtoi(u" -42x"), -42);
  EXPECT_EQ(_wtol(u"99999999999"), MAXLONG);
}

}  // namespace

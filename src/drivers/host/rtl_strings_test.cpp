#include <ntddk.h>

#include <string>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

UNICODE_STRING Wide(const WCHAR* text) {
  UNICODE_STRING string;
  RtlInitUnicodeString(&string, text);
  return string;
}

STRING Narrow(const char* text) {
  STRING string;
  RtlInitAnsiString(&string, text);
  return string;
}

TEST(Guid, IsTheSameThroughItsText) {
  FakeKernel kernel;
  const UNICODE_STRING text = Wide(u"{12345678-9abc-DEF0-1122-334455667788}");
  GUID guid{};
  ASSERT_EQ(RtlGUIDFromString(&text, &guid), STATUS_SUCCESS);
  EXPECT_EQ(guid.Data1, 0x12345678u);
  EXPECT_EQ(guid.Data3, 0xDEF0);
  EXPECT_EQ(guid.Data4[7], 0x88);
  UNICODE_STRING back{};
  ASSERT_EQ(RtlStringFromGUID(guid, &back), STATUS_SUCCESS);
  EXPECT_EQ(std::u16string(back.Buffer, back.Length / 2), u"{12345678-9ABC-DEF0-1122-334455667788}");
  RtlFreeUnicodeString(&back);
  for (const WCHAR* const wrong : {u"{12345678-9abc-DEF0-1122-33445566778}", u"(12345678-9abc-DEF0-1122-334455667788)",
                                   u"{1234567g-9abc-DEF0-1122-334455667788}"}) {
    const UNICODE_STRING other = Wide(wrong);
    EXPECT_EQ(RtlGUIDFromString(&other, &guid), STATUS_INVALID_PARAMETER);
  }
  kernel.Detach();
  EXPECT_TRUE(kernel.Reports().empty());
}

TEST(CountedStrings, AreComparedWithAndWithoutCase) {
  FakeKernel kernel;
  const STRING one = Narrow("abC"), two = Narrow("ABc"), three = Narrow("abCd");
  EXPECT_TRUE(RtlEqualString(&one, &two, TRUE));
  EXPECT_FALSE(RtlEqualString(&one, &two, FALSE));
  EXPECT_LT(RtlCompareString(&one, &three, FALSE), 0);
  const UNICODE_STRING prefix = Wide(u"PCI\\"), whole = Wide(u"pci\\VEN_1AF4");
  EXPECT_TRUE(RtlPrefixUnicodeString(&prefix, &whole, TRUE));
  EXPECT_FALSE(RtlPrefixUnicodeString(&prefix, &whole, FALSE));
  ULONG left = 0, right = 0;
  const UNICODE_STRING upper = Wide(u"PCI\\VEN_1AF4");
  EXPECT_EQ(RtlHashUnicodeString(&whole, TRUE, HASH_STRING_ALGORITHM_DEFAULT, &left), STATUS_SUCCESS);
  EXPECT_EQ(RtlHashUnicodeString(&upper, TRUE, HASH_STRING_ALGORITHM_X65599, &right), STATUS_SUCCESS);
  EXPECT_EQ(left, right);
  EXPECT_EQ(RtlHashUnicodeString(&upper, TRUE, 2, &right), STATUS_INVALID_PARAMETER);
}

TEST(CountedStrings, AreCopiedAndConverted) {
  FakeKernel kernel;
  char bytes[2] = {};
  STRING target{0, 2, bytes};
  const STRING source = Narrow("xyz");
  RtlCopyString(&target, &source);
  EXPECT_EQ(std::string(bytes, target.Length), "xy");
  const UNICODE_STRING text = Wide(u"mi\u00E9x");
  UNICODE_STRING upper{};
  EXPECT_EQ(RtlUpcaseUnicodeString(&upper, &text, TRUE), STATUS_SUCCESS);
  EXPECT_EQ(std::u16string(upper.Buffer, upper.Length / 2), u"MI\u00C9X");
  RtlFreeUnicodeString(&upper);
  EXPECT_EQ(RtlDowncaseUnicodeChar(0xC9), 0xE9);
  WCHAR digits[20];
  UNICODE_STRING number{0, sizeof(digits), digits};
  EXPECT_EQ(RtlInt64ToUnicodeString(0xFEDCBA9876543210ull, 16, &number), STATUS_SUCCESS);
  EXPECT_EQ(std::u16string(digits), u"FEDCBA9876543210");
  ULONG value = 0;
  EXPECT_EQ(RtlCharToInteger("0x1F", 0, &value), STATUS_SUCCESS);
  EXPECT_EQ(value, 0x1Fu);
  EXPECT_EQ(RtlUlongByteSwap(0x01020304u), 0x04030201u);
}

}  // namespace
}  // namespace tandem::drivers::host

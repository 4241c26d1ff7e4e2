#include <ntddk.h>
#include <ntstrsafe.h>

#include <string>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

template <class... Values>
std::string Narrow(const char* format, Values... values) {
  char text[64];
  EXPECT_EQ(RtlStringCbPrintfA(text, sizeof(text), format, values...), STATUS_SUCCESS);
  return text;
}

template <class... Values>
std::u16string Wide(const char16_t* format, Values... values) {
  char16_t text[64];
  EXPECT_EQ(RtlStringCbPrintfW(text, sizeof(text), format, values...), STATUS_SUCCESS);
  return text;
}

TEST(Printf, LongHas32Bits_AndI64Has64) {
  FakeKernel kernel;
  EXPECT_EQ(Narrow("%ld %lu %lx", -1, 4294967295u, 0xFFFFFFFFu), "-1 4294967295 ffffffff");
  EXPECT_EQ(Narrow("%I64x %lld %Iu", 0x123456789ull, -5ll, std::size_t{7}), "123456789 -5 7");
  EXPECT_EQ(Narrow("%hx %04d|%-4d|%4s", 0x12345678, 7, 7, "ab"), "5678 0007|7   |  ab");
  EXPECT_EQ(Narrow("0x%p", reinterpret_cast<void*>(0xABCD)), "0x000000000000ABCD");
}

TEST(Printf, StringsOfBothWidths) {
  FakeKernel kernel;
  UNICODE_STRING counted;
  RtlInitUnicodeString(&counted, u"counted");
  EXPECT_EQ(Narrow("%s %S %ws %wZ", "a", u"b", u"c", &counted), "a b c counted");
  EXPECT_EQ(Wide(u"%s %S %hs %d%%", u"a", "b", "c", 5), u"a b c 5%");
  EXPECT_EQ(Narrow("%.2s|%s", "abcd", static_cast<const char*>(nullptr)), "ab|(null)");
}

TEST(Printf, TextThatDoesNotFit_IsCutAndEnds) {
  FakeKernel kernel;
  char16_t text[4];
  EXPECT_EQ(RtlStringCbPrintfW(text, sizeof(text), u"%d", 12345), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(std::u16string(text), u"123");
}

TEST(Unicode, AnsiConversion_Allocates_AndFreeTakesItBack) {
  FakeKernel kernel;
  ANSI_STRING ansi;
  RtlInitAnsiString(&ansi, "DriverDesc");
  UNICODE_STRING unicode;
  EXPECT_EQ(RtlAnsiStringToUnicodeString(&unicode, &ansi, TRUE), STATUS_SUCCESS);
  EXPECT_EQ(unicode.Length, 20);
  EXPECT_EQ(std::u16string(unicode.Buffer), u"DriverDesc");
  RtlFreeUnicodeString(&unicode);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
}

TEST(Unicode, Integers) {
  FakeKernel kernel;
  char16_t buffer[12];
  UNICODE_STRING text{0, sizeof(buffer), buffer};
  EXPECT_EQ(RtlIntegerToUnicodeString(0xBEEF, 16, &text), STATUS_SUCCESS);
  EXPECT_EQ(std::u16string(buffer), u"BEEF");
  ULONG value = 0;
  EXPECT_EQ(RtlUnicodeStringToInteger(&text, 16, &value), STATUS_SUCCESS);
  EXPECT_EQ(value, 0xBEEFu);
}

TEST(Registry, ValueOfADevicesKey_IsReadBack) {
  FakeKernel kernel;
  DEVICE_OBJECT device{};
  device.Name = "sample";
  HANDLE key = nullptr;
  ASSERT_EQ(IoOpenDeviceRegistryKey(&device, PLUGPLAY_REGKEY_DRIVER, KEY_SET_VALUE, &key), STATUS_SUCCESS);
  UNICODE_STRING name, other;
  RtlInitUnicodeString(&name, u"ChipType");
  RtlInitUnicodeString(&other, u"CHIPTYPE");
  ULONG value = 42;
  EXPECT_EQ(ZwSetValueKey(key, &name, 0, REG_DWORD, &value, sizeof(value)), STATUS_SUCCESS);
  struct {
    KEY_VALUE_PARTIAL_INFORMATION information;
    UCHAR more[16];
  } answer{};
  ULONG length = 0;
  EXPECT_EQ(ZwQueryValueKey(key, &other, KeyValuePartialInformation, &answer, sizeof(answer), &length), STATUS_SUCCESS);
  EXPECT_EQ(answer.information.Type, ULONG{REG_DWORD});
  EXPECT_EQ(answer.information.Data[0], 42);
  EXPECT_EQ(ZwQueryValueKey(key, &other, KeyValuePartialInformation, &answer, 4, &length), STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(length, offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data) + 4);
  EXPECT_EQ(ZwClose(key), STATUS_SUCCESS);
  EXPECT_EQ(ZwQueryValueKey(key, &other, KeyValuePartialInformation, &answer, sizeof(answer), &length), STATUS_INVALID_HANDLE);
  EXPECT_TRUE(kernel.Reported("Nt.Handle", "ZwQueryValueKey"));
  EXPECT_EQ(ZwClose(key), STATUS_INVALID_HANDLE);
  EXPECT_TRUE(kernel.Reported("Nt.HandleClosed", "ZwClose"));
}

TEST(Registry, UnknownKey_IsNotFound) {
  FakeKernel kernel;
  UNICODE_STRING name;
  RtlInitUnicodeString(&name, u"\\Registry\\Machine\\Software\\None");
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, nullptr, nullptr);
  HANDLE key = nullptr;
  EXPECT_EQ(ZwOpenKey(&key, KEY_READ, &attributes), STATUS_OBJECT_NAME_NOT_FOUND);
}

TEST(Event, NamedEvent_IsOneForOneName) {
  FakeKernel kernel;
  UNICODE_STRING name;
  RtlInitUnicodeString(&name, u"\\BaseNamedObjects\\Sample");
  HANDLE first = nullptr, second = nullptr;
  PKEVENT const event = IoCreateNotificationEvent(&name, &first);
  EXPECT_EQ(IoCreateNotificationEvent(&name, &second), event);
  EXPECT_EQ(KeReadStateEvent(event), 1);
  EXPECT_EQ(ZwClose(first), STATUS_SUCCESS);
  EXPECT_EQ(ZwClose(second), STATUS_SUCCESS);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
}

}  // namespace
}  // namespace tandem::drivers::host

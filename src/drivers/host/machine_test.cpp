// What the kernel's table brings along: registry values, I/O ports, guard pages.
#include <gtest/gtest.h>
#include <ntddk.h>

#include <cstring>
#include <string>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

constexpr ULONG kTag = 0x64636261;  // abcd

UNICODE_STRING Name(const WCHAR* text) {
  UNICODE_STRING name;
  RtlInitUnicodeString(&name, text);
  return name;
}

// The REG_DWORD of a key; 0 where there is none.
ULONG Number(HANDLE key, const WCHAR* text) {
  UNICODE_STRING name = Name(text);
  alignas(8) unsigned char buffer[64];
  ULONG needed = 0;
  if (!NT_SUCCESS(ZwQueryValueKey(key, &name, KeyValuePartialInformation, buffer, sizeof(buffer), &needed))) return 0;
  const auto* const information = reinterpret_cast<const KEY_VALUE_PARTIAL_INFORMATION*>(buffer);
  EXPECT_EQ(information->Type, ULONG{REG_DWORD});
  ULONG number = 0;
  std::memcpy(&number, information->Data, sizeof(number));
  return number;
}

TEST(Machine, RegistryValues_StandInTheirKeysBeforeDriverEntry) {
  const ULONG of_driver = 1, of_device = 2, of_service = 3;
  FakeKernel::registry = {{"driver", "Count", REG_DWORD, sizeof(ULONG), &of_driver},
                          {"device", "Count", REG_DWORD, sizeof(ULONG), &of_device},
                          {"service\\Parameters", "Count", REG_DWORD, sizeof(ULONG), &of_service}};
  FakeKernel kernel;
  DEVICE_OBJECT device{};
  device.Name = "screen";
  HANDLE key = nullptr;
  ASSERT_EQ(IoOpenDeviceRegistryKey(&device, PLUGPLAY_REGKEY_DRIVER, KEY_READ, &key), STATUS_SUCCESS);
  EXPECT_EQ(Number(key, u"count"), 1U);
  UNICODE_STRING name = Name(u"Count");
  ULONG own = 9;
  EXPECT_EQ(ZwSetValueKey(key, &name, 0, REG_DWORD, &own, sizeof(own)), STATUS_SUCCESS);
  EXPECT_EQ(Number(key, u"Count"), 9U);
  ZwClose(key);
  ASSERT_EQ(IoOpenDeviceRegistryKey(&device, PLUGPLAY_REGKEY_DEVICE, KEY_READ, &key), STATUS_SUCCESS);
  EXPECT_EQ(Number(key, u"Count"), 2U);
  ZwClose(key);
  UNICODE_STRING path = Name(u"\\Parameters");
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, &path, OBJ_KERNEL_HANDLE, nullptr, nullptr);
  ASSERT_EQ(ZwOpenKey(&key, KEY_READ, &attributes), STATUS_SUCCESS);
  EXPECT_EQ(Number(key, u"Count"), 3U);
  ZwClose(key);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reports().empty());
}

TEST(Machine, Version_IsTheSameForBothFunctions) {
  FakeKernel kernel;
  RTL_OSVERSIONINFOW information{};
  ASSERT_EQ(RtlGetVersion(&information), STATUS_SUCCESS);
  ULONG major = 0, build = 0;
  UNICODE_STRING pack = Name(u"1");
  EXPECT_FALSE(PsGetVersion(&major, nullptr, &build, &pack));
  EXPECT_EQ(major, information.dwMajorVersion);
  EXPECT_EQ(build, information.dwBuildNumber);
  EXPECT_EQ(pack.Length, 0);
}

TEST(Machine, Firmware_IsABiosWithoutVariables_AndNoDebuggerIsAttached) {
  FakeKernel kernel;
  EXPECT_EQ(ExGetFirmwareType(), FirmwareTypeBios);
  UNICODE_STRING name = Name(u"SecureBoot");
  GUID vendor{};
  ULONG value = 7, length = sizeof(value);
  EXPECT_EQ(ExGetFirmwareEnvironmentVariable(&name, &vendor, &value, &length, nullptr), STATUS_NOT_IMPLEMENTED);
  EXPECT_EQ(ExSetFirmwareEnvironmentVariable(&name, &vendor, &value, length, 0), STATUS_NOT_IMPLEMENTED);
  EXPECT_EQ(value, 7U);
  EXPECT_FALSE(*KdDebuggerEnabled);
  EXPECT_TRUE(KD_DEBUGGER_NOT_PRESENT);
}

TEST(Machine, Ports_OfADevice_ReachTheKernelAndOthersAreReported) {
  FakeKernel kernel;
  const auto port = [](std::size_t number) { return reinterpret_cast<PUCHAR>(number); };
  WRITE_PORT_USHORT(reinterpret_cast<PUSHORT>(port(FakeKernel::kPort)), 3);
  EXPECT_EQ(FakeKernel::port_value, 3U * 256 + 2);
  EXPECT_EQ(READ_PORT_ULONG(reinterpret_cast<PULONG>(port(FakeKernel::kPort))), 3U * 256 + 2 + 4);
  EXPECT_TRUE(kernel.Reports().empty());
  EXPECT_EQ(READ_PORT_UCHAR(port(0x3DA)), 0xFF);
  EXPECT_TRUE(kernel.Reported("Nt.Port", "READ_PORT_UCHAR accesses port 0x3da, which the device does not have."));
}

TEST(MachineDeathTest, GuardPages_AccessBehindABlockOrAfterItsEnd_NamesTag) {
  FakeKernel::guard_pages = TRUE;
  FakeKernel kernel;
  auto* const bytes = static_cast<volatile unsigned char*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 32, kTag));
  ASSERT_NE(bytes, nullptr);
  bytes[31] = 1;
  EXPECT_DEATH(bytes[32] = 1, "Nt.PoolOverrun: Tag 'abcd': the driver accesses byte 1 past the end of 32 bytes");
  ExFreePoolWithTag(const_cast<unsigned char*>(bytes), kTag);
  EXPECT_DEATH(bytes[0] = 1, "Nt.PoolFreed: Tag 'abcd': the driver accesses 32 bytes that it freed");
  auto* const pages = static_cast<volatile unsigned char*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, PAGE_SIZE + 8, kTag));
  EXPECT_EQ(reinterpret_cast<std::size_t>(pages) % PAGE_SIZE, 0U);
  pages[PAGE_SIZE + 8] = 1;  // within the last page
  ExFreePoolWithTag(const_cast<unsigned char*>(pages), kTag);
  EXPECT_TRUE(kernel.Reported("Nt.PoolOverrun", "wrote past the end of 4104 bytes"));
}

}  // namespace
}  // namespace tandem::drivers::host

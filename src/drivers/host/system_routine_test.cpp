#include <ntddk.h>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

EXTERN_C BOOLEAN NTAPI x86BiosCall(ULONG Interrupt, PVOID Registers);

namespace tandem::drivers::host {
namespace {

PVOID AddressOf(const WCHAR* text) {
  UNICODE_STRING name;
  RtlInitUnicodeString(&name, text);
  return MmGetSystemRoutineAddress(&name);
}

TEST(SystemRoutine, IsFoundByItsWholeName) {
  FakeKernel kernel;
  EXPECT_EQ(AddressOf(u"MmMapIoSpaceEx"), reinterpret_cast<PVOID>(&MmMapIoSpaceEx));
  EXPECT_EQ(AddressOf(u"MmMapIoSpace"), reinterpret_cast<PVOID>(&MmMapIoSpace));
  EXPECT_EQ(AddressOf(u"MmMapIoSpaceE"), nullptr);
  EXPECT_EQ(AddressOf(u"KeFrob"), nullptr);
  FakeKernel::irql = APC_LEVEL;
  EXPECT_EQ(AddressOf(u""), nullptr);
  EXPECT_TRUE(kernel.Reported("Nt.Irql", "MmGetSystemRoutineAddress"));
}

TEST(X86Bios, IsAbsent) {
  FakeKernel kernel;
  ULONG size = 1024;
  USHORT segment = 0, offset = 0;
  EXPECT_EQ(x86BiosAllocateBuffer(&size, &segment, &offset), STATUS_NOT_SUPPORTED);
  EXPECT_FALSE(x86BiosCall(0x10, nullptr));
}

}  // namespace
}  // namespace tandem::drivers::host

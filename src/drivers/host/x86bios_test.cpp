// The video BIOS that drivers for VGA call: its modes, and the registers that it sets.
#include <ntddk.h>

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

struct Registers {
  ULONG eax, ecx, edx, ebx, ebp, esi, edi;
  USHORT ds, es;
};
EXTERN_C BOOLEAN NTAPI x86BiosCall(ULONG Interrupt, PVOID Registers);

class VideoBios : public testing::Test {
 protected:
  VideoBios() {
    FakeKernel::mode_registers = {0xB0C5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 48, 0x1234};
    ULONG size = 1024;
    EXPECT_EQ(x86BiosAllocateBuffer(&size, &segment_, &offset_), STATUS_SUCCESS);
    EXPECT_GE(size, 1024u);
  }
  ~VideoBios() override { EXPECT_EQ(x86BiosFreeBuffer(segment_, offset_), STATUS_SUCCESS); }
  USHORT Call(ULONG function, ULONG ecx = 0, ULONG ebx = 0) {
    registers_ = {function, ecx, 0, ebx, 0, 0, offset_, 0, segment_};
    EXPECT_TRUE(x86BiosCall(0x10, &registers_));
    return static_cast<USHORT>(registers_.eax);
  }
  template <class T>
  T At(ULONG offset) {
    T value{};
    EXPECT_EQ(x86BiosReadMemory(segment_, static_cast<USHORT>(offset_ + offset), &value, sizeof(value)), STATUS_SUCCESS);
    return value;
  }
  std::vector<USHORT> Modes() {
    EXPECT_EQ(Call(0x4F00), 0x4F);
    const auto modes = At<ULONG>(14);
    EXPECT_EQ(modes >> 16, segment_);
    std::vector<USHORT> numbers;
    for (ULONG at = (modes & 0xFFFF) - offset_; At<USHORT>(at) != 0xFFFF; at += 2) numbers.push_back(At<USHORT>(at));
    return numbers;
  }

  FakeKernel kernel_;
  USHORT segment_ = 0, offset_ = 0;
  Registers registers_{};
};

TEST_F(VideoBios, Modes_FitIntoTheDisplayAndItsMemory) {
  EXPECT_EQ(Modes(), (std::vector<USHORT>{0x142, 0x143, 0x144}));
  EXPECT_EQ(At<ULONG>(0), 0x41534556u);  // VESA
  EXPECT_LT(At<ULONG>(14) & 0xFFFF, offset_ + 256u);
  EXPECT_EQ(At<USHORT>(18), 48);
  FakeKernel::mode_registers[10] = 20;  // 64 KiB each
  EXPECT_EQ(Modes(), std::vector<USHORT>{0x142});
}

TEST_F(VideoBios, Mode_IsDescribedAndSet) {
  EXPECT_EQ(Call(0x4F01, 0x143), 0x4F);
  EXPECT_EQ(At<USHORT>(16), 3200);
  EXPECT_EQ(At<USHORT>(18), 800);
  EXPECT_EQ(At<USHORT>(20), 600);
  EXPECT_EQ(At<UCHAR>(25), 32);
  EXPECT_EQ(At<ULONG>(40), 0x12340000u);
  EXPECT_EQ(At<USHORT>(50), 3200);
  EXPECT_EQ(Call(0x4F03), 0x4F);
  EXPECT_EQ(registers_.ebx, 3u);
  EXPECT_EQ(Call(0x4F02, 0, 0x4143), 0x4F);
  EXPECT_EQ(FakeKernel::mode_registers[1], 800u);
  EXPECT_EQ(FakeKernel::mode_registers[2], 600u);
  EXPECT_EQ(FakeKernel::mode_registers[4], 0x41u);
  EXPECT_EQ(Call(0x4F03), 0x4F);
  EXPECT_EQ(registers_.ebx, 0x4143u);
}

TEST_F(VideoBios, WhatThereIsNot_Fails) {
  EXPECT_EQ(Call(0x4F02, 0, 0x192), 0x14F);  // 1920 x 1080
  EXPECT_EQ(Call(0x4F15), 0x100);
  ULONG size = 16, byte = 0;
  USHORT segment = 0, offset = 0;
  EXPECT_EQ(x86BiosAllocateBuffer(&size, &segment, &offset), STATUS_NO_MEMORY);
  EXPECT_EQ(x86BiosReadMemory(0xC000, 0, &byte, 1), STATUS_INVALID_PARAMETER);
  EXPECT_FALSE(x86BiosCall(0x15, &registers_));
}

}  // namespace
}  // namespace tandem::drivers::host

// The frame buffer of firmware, as a driver finds it.
#include "bus/framebuffer.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "bus/testing/picture_output.h"

namespace tandem::bus {
namespace {

TEST(Framebuffer, Resources_AreTheMemoryOfThePictureAndTheRegisters) {
  const auto made = Framebuffer::Create(100, 20, std::make_shared<PictureOutput>());
  ASSERT_TRUE(made.ok()) << made.error().message;
  Framebuffer& framebuffer = **made;
  DXGK_DISPLAY_INFORMATION picture{};
  ASSERT_EQ(framebuffer.AcquirePostDisplayOwnership(picture), STATUS_SUCCESS);
  const CM_RESOURCE_LIST* const resources = framebuffer.TranslatedResources();
  ASSERT_NE(resources, nullptr);
  ASSERT_EQ(resources->Count, 1U);
  const CM_PARTIAL_RESOURCE_LIST& list = resources->List[0].PartialResourceList;
  ASSERT_EQ(list.Count, 2U);
  const CM_PARTIAL_RESOURCE_DESCRIPTOR& memory = list.PartialDescriptors[0];
  EXPECT_EQ(memory.Type, CmResourceTypeMemory);
  EXPECT_EQ(memory.u.Memory.Start.QuadPart, picture.PhysicAddress.QuadPart);
  EXPECT_GE(memory.u.Memory.Length, picture.Pitch * picture.Height);
  PVOID mapped = nullptr;
  EXPECT_EQ(framebuffer.MapMemory(memory.u.Memory.Start, memory.u.Memory.Length, mapped), STATUS_SUCCESS);
  EXPECT_EQ(framebuffer.UnmapMemory(mapped), STATUS_SUCCESS);
  const CM_PARTIAL_RESOURCE_DESCRIPTOR& registers = list.PartialDescriptors[1];
  EXPECT_TRUE(framebuffer.HasRegister(static_cast<std::uintptr_t>(registers.u.Memory.Start.QuadPart)));
  EXPECT_EQ(framebuffer.MapMemory(registers.u.Memory.Start, registers.u.Memory.Length, mapped), STATUS_SUCCESS);
  EXPECT_EQ(framebuffer.UnmapMemory(mapped), STATUS_SUCCESS);
  EXPECT_EQ(framebuffer.MapMemory(registers.u.Memory.Start, registers.u.Memory.Length + 1, mapped), STATUS_INVALID_PARAMETER);
}

TEST(Framebuffer, Configuration_IsThatOfAStandardVgaWithoutInterrupts) {
  const auto made = Framebuffer::Create(100, 20, std::make_shared<PictureOutput>());
  ASSERT_TRUE(made.ok()) << made.error().message;
  std::array<ULONG, 16> header{};
  ULONG done = 0;
  ASSERT_EQ((*made)->ReadConfiguration(0, header.data(), sizeof(header), done), STATUS_SUCCESS);
  EXPECT_EQ(done, sizeof(header));
  EXPECT_EQ(header[0], 0x11111234U);
  EXPECT_EQ(header[kPciClass / 4] >> 16, 0x0300U);
  EXPECT_EQ(header[kPciCommand / 4] >> 16, 0U) << "a list of capabilities";
  EXPECT_EQ(header[kPciInterruptLine / 4], 0U);
  ULONG size = ~0U;
  ASSERT_EQ((*made)->WriteConfiguration(0x10, &size, sizeof(size), done), STATUS_SUCCESS);
  ASSERT_EQ((*made)->ReadConfiguration(0x10, &size, sizeof(size), done), STATUS_SUCCESS);
  EXPECT_EQ(~(size & ~0xFU) + 1,
            (*made)->TranslatedResources()->List[0].PartialResourceList.PartialDescriptors[0].u.Memory.Length);
}

TEST(Framebuffer, ModeOfTheRegisters_IsWhatTheOutputGets) {
  const auto output = std::make_shared<PictureOutput>();
  const auto made = Framebuffer::Create(64, 20, output);
  ASSERT_TRUE(made.ok()) << made.error().message;
  Framebuffer& framebuffer = **made;
  for (const auto& [index, value] : std::initializer_list<std::pair<ULONG, ULONG>>{{1, 16}, {2, 2}, {3, 32}, {4, 0x41}}) {
    EXPECT_TRUE(framebuffer.WritePort(0x1CE, 2, index));
    EXPECT_TRUE(framebuffer.WritePort(0x1D0, 2, value));
  }
  DXGK_DISPLAY_INFORMATION picture{};
  ASSERT_EQ(framebuffer.AcquirePostDisplayOwnership(picture), STATUS_SUCCESS);
  auto* const pixels = reinterpret_cast<std::uint32_t*>(picture.PhysicAddress.QuadPart);
  pixels[16] = 0xABCDEF;
  ASSERT_TRUE(framebuffer.Show({0, 0, 16, 2}).ok());
  EXPECT_EQ(output->width, 16U);
  EXPECT_EQ(output->pixels[16], 0xABCDEFU);
  EXPECT_FALSE(framebuffer.Show({0, 0, 64, 2}).ok());
}

TEST(Framebuffer, RegistersOfTheBar_AreThoseOfThePorts) {
  const auto output = std::make_shared<PictureOutput>();
  const auto made = Framebuffer::Create(64, 20, output);
  ASSERT_TRUE(made.ok()) << made.error().message;
  Framebuffer& framebuffer = **made;
  const CM_PARTIAL_RESOURCE_LIST& list = framebuffer.TranslatedResources()->List[0].PartialResourceList;
  const auto registers = static_cast<std::uintptr_t>(list.PartialDescriptors[1].u.Memory.Start.QuadPart) + 0x500;
  EXPECT_TRUE(framebuffer.WriteRegister(registers + 2, 4, 2 << 16 | 16));  // width, height
  EXPECT_TRUE(framebuffer.WriteRegister(registers + 6, 2, 32));
  EXPECT_TRUE(framebuffer.WriteRegister(registers + 8, 2, 0x41));
  UINT64 value = 0;
  EXPECT_TRUE(framebuffer.ReadRegister(registers, 4, value));
  EXPECT_EQ(value, 16U << 16 | 0xB0C5U);
  ULONG width = 0;
  EXPECT_TRUE(framebuffer.WritePort(0x1CE, 2, 1));
  EXPECT_TRUE(framebuffer.ReadPort(0x1D0, 2, width));
  EXPECT_EQ(width, 16U);
  ASSERT_TRUE(framebuffer.Show({0, 0, 16, 2}).ok());
  EXPECT_EQ(output->width, 16U);
  EXPECT_TRUE(framebuffer.ReadRegister(registers + 22, 2, value));
  EXPECT_EQ(value, 0U);
  EXPECT_FALSE(framebuffer.ReadRegister(registers + 0xB00, 2, value));
}

}  // namespace
}  // namespace tandem::bus

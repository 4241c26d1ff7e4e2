// The frame buffer of firmware, as a driver finds it.
#include "bus/framebuffer.h"

#include <gtest/gtest.h>

#include <memory>

#include "bus/testing/picture_output.h"

namespace tandem::bus {
namespace {

TEST(Framebuffer, Resources_AreTheMemoryOfThePicture) {
  const auto made = Framebuffer::Create(100, 20, std::make_shared<PictureOutput>());
  ASSERT_TRUE(made.ok()) << made.error().message;
  Framebuffer& framebuffer = **made;
  DXGK_DISPLAY_INFORMATION picture{};
  ASSERT_EQ(framebuffer.AcquirePostDisplayOwnership(picture), STATUS_SUCCESS);
  const CM_RESOURCE_LIST* const resources = framebuffer.TranslatedResources();
  ASSERT_NE(resources, nullptr);
  ASSERT_EQ(resources->Count, 1U);
  const CM_PARTIAL_RESOURCE_LIST& list = resources->List[0].PartialResourceList;
  ASSERT_EQ(list.Count, 1U);
  const CM_PARTIAL_RESOURCE_DESCRIPTOR& memory = list.PartialDescriptors[0];
  EXPECT_EQ(memory.Type, CmResourceTypeMemory);
  EXPECT_EQ(memory.u.Memory.Start.QuadPart, picture.PhysicAddress.QuadPart);
  EXPECT_GE(memory.u.Memory.Length, picture.Pitch * picture.Height);
  PVOID mapped = nullptr;
  EXPECT_EQ(framebuffer.MapMemory(memory.u.Memory.Start, memory.u.Memory.Length, mapped), STATUS_SUCCESS);
  EXPECT_EQ(framebuffer.UnmapMemory(mapped), STATUS_SUCCESS);
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

}  // namespace
}  // namespace tandem::bus

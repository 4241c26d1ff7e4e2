// Primaries as the destination of decoding shaders.
#include <cstring>

#include <gtest/gtest.h>

#include "codec/pictures/pictures.h"
#include "color/format.h"
#include "drivers/vulkan/testing/link_machine.h"
#include "link/surface/link_surface.h"
#include "link/trial/encoding_trial.h"

namespace tandem::vulkan::testing {
namespace {

using color::Format;
using link::LinkEncoding;

class LinkPrimaryTest : public LinkMachineTest {};

// A primary's contents are where shaders decode them: equal whichever engine codes a slice, even if only changes cross.
TEST_P(LinkPrimaryTest, APrimary_IsInTheDevicesOwnMemory_AndTheSameWhoeverDecodes) {
  constexpr std::uint32_t kWidth = 150;  // the processor codes this width in 4:2:0
  constexpr std::uint32_t kHeight = 96;
  TestResource& drawn = Make(AllocationKind::kLinear, kWidth, kHeight, Format::kB8G8R8A8Unorm);
  TestResource& seen = Make(AllocationKind::kLinear, kWidth, kHeight, Format::kB8G8R8A8Unorm);
  TestResource& surface = MakeSurface(kWidth, kHeight, 3);
  const auto made = Allocation::Create(miniport().gpu(), miniport(),
                                       *DescribeSurface(AllocationKind::kPrimary, kWidth, kHeight, Format::kB8G8R8A8Unorm, 0));
  ASSERT_TRUE(made.ok());
  Allocation& primary = **made;
  // The earlier picture moves with the primary.
  const std::vector<std::byte> before = codec::DrawPicture(codec::Picture::kScene, kWidth, kHeight, 9);
  Fill(drawn, before);
  Run(ObjectOf(drawn), primary, 0, kHeight);
  EXPECT_EQ(primary.pictures().shadow_place(), RowsPlace::kSystem);
  ExpectedLink expected(kWidth, kHeight, 3, Format::kB8G8R8A8Unorm);
  expected.shown = before;
  const std::array steps{LinkEncoding::kLossless, LinkEncoding::kLossless, LinkEncoding::kYuv420, LinkEncoding::kLossless,
                         LinkEncoding::kLossless, LinkEncoding::kYuv420,   LinkEncoding::kPlain};
  for (std::uint32_t frame = 1; frame <= steps.size(); ++frame) {
    if (!link::IsBuilt(steps[frame - 1])) continue;
    SCOPED_TRACE(frame);
    std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kInterface, kWidth, kHeight, 1);
    for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = std::byte{255};
    pixels[kWidth * 4 * 50 + frame * 4] ^= std::byte{0x40};
    Fill(drawn, pixels);
    link::RequestLinkFrame(BytesOf(surface), frame, steps[frame - 1]);
    ASSERT_TRUE(Copy(drawn, surface));
    const std::uint32_t slice_rows = link::LinkSliceRows(kHeight, 3);
    for (std::uint32_t top = 0; top < kHeight; top += slice_rows) {
      Run(ObjectOf(surface), primary, top, top + slice_rows);
      if (frame > 1 || top > 0) continue;
      Run(primary, ObjectOf(seen), 0, kHeight);
      EXPECT_TRUE(std::equal(before.end() - kWidth * 4, before.end(), PixelsOf(seen).end() - kWidth * 4));
    }
    expected.Cross(frame, steps[frame - 1], pixels, 0);
    Run(primary, ObjectOf(seen), 0, kHeight);
    ASSERT_TRUE(PixelsOf(seen) == expected.shown);
    EXPECT_EQ(primary.pictures().shadow_place(), RowsPlace::kDevice);
    Result<Allocation*> shadow = primary.pictures().Shadow();
    ASSERT_TRUE(shadow.ok());
    EXPECT_EQ((*shadow)->rows().pixels != nullptr, GetParam().sees_all);
  }
  // The processor draws into the primary, too.
  Fill(drawn, before);
  Run(ObjectOf(drawn), primary, 0, kHeight);
  Run(primary, ObjectOf(seen), 0, kHeight);
  EXPECT_TRUE(PixelsOf(seen) == before);
  miniport().Forget(primary);
}

TEST_P(LinkPrimaryTest, APrimaryThatTheDeviceHasNoMemoryFor_StaysInSystemMemory) {
  TestResource& drawn = Make(AllocationKind::kLinear, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& seen = Make(AllocationKind::kLinear, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& surface = MakeSurface(128, 64, 1);
  const auto made = Allocation::Create(miniport().gpu(), miniport(),
                                       *DescribeSurface(AllocationKind::kPrimary, 128, 64, Format::kB8G8R8A8Unorm, 0));
  ASSERT_TRUE(made.ok());
  std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kScene, 128, 64, 1);
  for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = std::byte{255};
  Fill(drawn, pixels);
  Run(ObjectOf(drawn), **made, 0, 64);
  link::RequestLinkFrame(BytesOf(surface), 1, LinkEncoding::kLossless);
  ASSERT_TRUE(Copy(drawn, surface));
  ASSERT_TRUE(Copy(surface, seen));  // allocates everything else that is needed
  Liar::Arm("AllocateMemory", VK_ERROR_OUT_OF_DEVICE_MEMORY, 0);
  for (int i = 0; i < 2; ++i) Run(ObjectOf(surface), **made, 0, 64);
  EXPECT_TRUE(Liar::told());
  EXPECT_EQ((*made)->pictures().shadow_place(), RowsPlace::kSystem);
  Run(**made, ObjectOf(seen), 0, 64);
  EXPECT_TRUE(PixelsOf(seen) == pixels);
  EXPECT_FALSE(miniport().lost());
  miniport().Forget(**made);
}

INSTANTIATE_TEST_SUITE_P(Drivers, LinkPrimaryTest, LinkMachines(), NameOfMachine);

}  // namespace
}  // namespace tandem::vulkan::testing

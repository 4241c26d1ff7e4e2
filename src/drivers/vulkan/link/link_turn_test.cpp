// Pictures rotated while they are decoded: by shaders if these accept them, otherwise by the processor.
#include <cstring>
#include <utility>

#include <gtest/gtest.h>

#include "codec/pictures/pictures.h"
#include "color/blit.h"
#include "drivers/vulkan/testing/link_machine.h"
#include "link/surface/link_surface.h"
#include "link/trial/encoding_trial.h"

namespace tandem::vulkan::testing {
namespace {

using color::Format;
using color::Rotation;
using link::LinkEncoding;

constexpr std::uint32_t kTurnWidth = 148;
constexpr std::uint32_t kTurnHeight = 75;
constexpr std::uint32_t kSlices = 3;

class LinkTurnTest : public LinkMachineTest {
 protected:
  // A resource for the rotated picture of kTurnWidth x kTurnHeight.
  TestResource& MakeTurned(AllocationKind kind, Format format, Rotation rotation) {
    const bool quarter = color::IsQuarterTurn(rotation);
    return Make(kind, quarter ? kTurnHeight : kTurnWidth, quarter ? kTurnWidth : kTurnHeight, format);
  }
  static std::vector<std::byte> TurnPixels(const std::vector<std::byte>& pixels, Rotation rotation) {
    std::vector<std::byte> turned(pixels.size());
    const std::size_t pitch = color::IsQuarterTurn(rotation) ? kTurnHeight : kTurnWidth;
    for (std::uint32_t y = 0; y < kTurnHeight; ++y) {
      for (std::uint32_t x = 0; x < kTurnWidth; ++x) {
        const color::BlitRect at = color::RotatedRect({x, y, x + 1, y + 1}, kTurnWidth, kTurnHeight, rotation);
        std::memcpy(turned.data() + 4 * (at.top * pitch + at.left), pixels.data() + 4 * (std::size_t{y} * kTurnWidth + x), 4);
      }
    }
    return turned;
  }
  // Decodes in two pieces, as slices arrive.
  void Decode(TestResource& surface, TestResource& turned, Rotation rotation) {
    const std::uint32_t first = link::LinkSliceRows(kTurnHeight, kSlices);
    Run(ObjectOf(surface), ObjectOf(turned), first, kTurnHeight, rotation);
    Run(ObjectOf(surface), ObjectOf(turned), 0, first, rotation);
  }
};

TEST_P(LinkTurnTest, EachEncodingThatRefersToNoFrame_StandsAsItsUprightPixelsTurned) {
  std::uint64_t frame = 0;
  for (const Format format : {Format::kB8G8R8A8Unorm, Format::kR8G8B8A8Unorm, Format::kR10G10B10A2Unorm}) {
    TestResource& drawn = Make(AllocationKind::kImage, kTurnWidth, kTurnHeight, format);
    const std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kScene, kTurnWidth, kTurnHeight, 1);
    Write(drawn, pixels);
    TestResource& surface = MakeSurface(kTurnWidth, kTurnHeight, kSlices);
    ExpectedLink expected(kTurnWidth, kTurnHeight, kSlices, format);
    for (const LinkEncoding encoding : link::kLinkEncodingsByPicture) {
      if (link::RefersToFrames(encoding) || !link::IsBuilt(encoding)) continue;
      link::RequestLinkFrame(BytesOf(surface), ++frame, encoding);
      ASSERT_TRUE(Copy(drawn, surface));
      expected.Cross(frame, encoding, pixels, 0);
      for (const auto& [kind, rotation] : {std::pair(AllocationKind::kLinear, Rotation::k180),
                                           {AllocationKind::kImage, Rotation::k90},
                                           {AllocationKind::kImage, Rotation::k180},
                                           {AllocationKind::kImage, Rotation::k270}}) {
        SCOPED_TRACE(::testing::Message() << color::ToString(format) << " " << ToString(encoding) << " " << static_cast<int>(kind)
                                          << " " << static_cast<int>(rotation));
        TestResource& turned = MakeTurned(kind, format, rotation);
        const Blitter::Counters before = counters();
        Decode(surface, turned, rotation);
        // The processor decodes ten bits that crossed as eight, and pages that the device does not import.
        const bool processor = (format == Format::kR10G10B10A2Unorm && !link::IsExact(encoding)) ||
                               (kind == AllocationKind::kLinear && !GetParam().import);
        EXPECT_EQ(counters().by_processor - before.by_processor, processor ? 2U : 0U);
        ASSERT_TRUE(Read(turned) == TurnPixels(expected.shown, rotation));
      }
    }
  }
}

// A swap chain's primary, whose rotation changes with its path.
TEST_P(LinkTurnTest, APrimary_TurnedAnotherWayEachTime) {
  TestResource& drawn = Make(AllocationKind::kLinear, kTurnWidth, kTurnHeight, Format::kB8G8R8A8Unorm);
  TestResource& surface = MakeSurface(kTurnWidth, kTurnHeight, kSlices);
  TestResource& seen = MakeTurned(AllocationKind::kLinear, Format::kB8G8R8A8Unorm, Rotation::k90);
  const auto made =
      Allocation::Create(miniport().gpu(), miniport(),
                         *DescribeSurface(AllocationKind::kPrimary, kTurnHeight, kTurnWidth, Format::kB8G8R8A8Unorm, 0));
  ASSERT_TRUE(made.ok());
  std::uint64_t frame = 0;
  for (const Rotation rotation : {Rotation::k90, Rotation::k270, Rotation::k90}) {
    std::vector<std::byte> pixels =
        codec::DrawPicture(codec::Picture::kScene, kTurnWidth, kTurnHeight, static_cast<std::uint32_t>(++frame));
    for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = std::byte{255};
    Fill(drawn, pixels);
    link::RequestLinkFrame(BytesOf(surface), frame, LinkEncoding::kPacked);
    ASSERT_TRUE(Copy(drawn, surface));
    Run(ObjectOf(surface), **made, 0, kTurnHeight, rotation);
    Run(**made, ObjectOf(seen), 0, kTurnWidth);
    EXPECT_TRUE(PixelsOf(seen) == TurnPixels(pixels, rotation)) << frame;
  }
  miniport().Forget(**made);
}

INSTANTIATE_TEST_SUITE_P(Drivers, LinkTurnTest, LinkMachines(), NameOfMachine);

}  // namespace
}  // namespace tandem::vulkan::testing

// Present copies into link surfaces and out of them: what crosses, what is refused, what faults.
#include <cstring>

#include <gtest/gtest.h>

#include "color/blit.h"
#include "drivers/processor/kmd/command_stream.h"
#include "drivers/processor/kmd/device.h"
#include "drivers/soft/testing/fake_kernel.h"
#include "link/surface/link_surface.h"

namespace tandem::soft {
namespace {

using namespace processor;

using link::LinkEncoding;
using testing::FakeAllocation;
using testing::FakeKernel;
using testing::Pages;

constexpr auto kBgra = color::Format::kB8G8R8A8Unorm;
constexpr std::uint32_t kWidth = 70;
constexpr std::uint32_t kHeight = 50;

class LinkTest : public ::testing::Test {
 protected:
  LinkTest()
      : kernel_(description_),
        drawn_(kernel_.Allocate(*DescribeSurface(kWidth, kHeight, kBgra, 0, 0), Pages::kAnonymous)),
        surface_(
            kernel_.Allocate(*DescribeSurface(kWidth, kHeight, link::kLinkFormat, kAllocationCrossAdapter, 0), Pages::kMemfd)),
        shown_(kernel_.Allocate(*DescribeSurface(kWidth, kHeight, kBgra, kAllocationPrimary, 0), Pages::kAnonymous)) {
    for (std::uint64_t i = 0; i < drawn_.data.size; ++i) drawn_.cpu[i] = static_cast<std::byte>(i % 4 == 3 ? 255 : i * i / 11);
    std::memset(shown_.cpu, 0x22, shown_.data.size);
    link::InitializeLinkSurface(bytes(), link::LinkSliceRows(kHeight, 1));
  }

  [[nodiscard]] std::span<std::byte> bytes() const { return {surface_.cpu, surface_.data.size}; }
  NTSTATUS Copy(const FakeAllocation& from, const FakeAllocation& to, DXGK_PRESENTFLAGS flags = {}, RECT rect = kWhole) {
    DXGKARG_PRESENT present{};
    present.Flags = flags;
    present.Flags.Blt = 1;
    present.SrcRect = present.DstRect = rect;
    std::uint32_t passes = 0;
    return kernel_.Present(&from, &to, present, 4096, &passes);
  }
  [[nodiscard]] bool arrived() const {
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      if (std::memcmp(drawn_.cpu + y * drawn_.data.pitch, shown_.cpu + y * shown_.data.pitch, kWidth * 4) != 0) return false;
    }
    return true;
  }
  DXGK_INTERRUPT_TYPE Run(const LinkCommand& command) { return kernel_.Submit(0, &command, sizeof(command), false); }
  [[nodiscard]] LinkCommand Decode() const {
    LinkCommand link;
    link.header.opcode = Opcode::kDecode;
    link.picture_address = shown_.address;
    link.surface_address = surface_.address;
    link.picture_pitch = shown_.data.pitch;
    link.picture_format = static_cast<std::uint32_t>(kBgra);
    link.width = kWidth;
    link.height = kHeight;
    link.end_row = kHeight;
    return link;
  }

  static constexpr RECT kWhole{0, 0, kWidth, kHeight};
  DeviceDescription description_{3, 1 << 22, 1 << 24, CreateConnectors(1)};
  FakeKernel kernel_;
  FakeAllocation drawn_;
  FakeAllocation surface_;
  FakeAllocation shown_;
};

constexpr auto kDone = DXGK_INTERRUPT_DMA_COMPLETED;
constexpr auto kFault = DXGK_INTERRUPT_DMA_PAGE_FAULTED;

TEST_F(LinkTest, EachExactEncoding_ArrivesBitForBit) {
  std::uint64_t frame = 0;
  for (const LinkEncoding encoding : {LinkEncoding::kPlain, LinkEncoding::kLossless, LinkEncoding::kLossless}) {
    drawn_.cpu[4 * frame] ^= std::byte{0x40};
    link::RequestLinkFrame(bytes(), ++frame, encoding);
    ASSERT_EQ(Copy(drawn_, surface_), STATUS_SUCCESS);
    ASSERT_EQ(Copy(surface_, shown_), STATUS_SUCCESS);
    EXPECT_TRUE(arrived()) << frame;
    const link::LinkSlice slice = link::ReadLinkSlice(bytes(), 0);
    EXPECT_EQ(slice.frame, frame);
    EXPECT_EQ(link::ReadLinkHeld(bytes(), 0).frame, frame);
  }
}

TEST_F(LinkTest, WhatNoEncodingDoes_IsRefused) {
  link::RequestLinkFrame(bytes(), 1, LinkEncoding::kPlain);
  DXGK_PRESENTFLAGS flags{};
  flags.Rotate = 1;
  EXPECT_EQ(Copy(drawn_, surface_, flags), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  flags = {};
  flags.SrcColorKey = 1;
  EXPECT_EQ(Copy(drawn_, surface_, flags), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  EXPECT_EQ(Copy(surface_, surface_), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  EXPECT_EQ(Copy(drawn_, surface_, {}, {0, 0, kWidth - 1, kHeight}), STATUS_PRIVILEGED_INSTRUCTION);
  const auto half_float =
      kernel_.Allocate(*DescribeSurface(kWidth, kHeight, color::Format::kR16G16B16A16Float, 0, 0), Pages::kAnonymous);
  EXPECT_EQ(Copy(surface_, half_float), STATUS_GRAPHICS_CANNOTCOLORCONVERT);  // they come out as eight bits
  const auto smaller = kernel_.Allocate(*DescribeSurface(kWidth - 2, kHeight, kBgra, 0, 0), Pages::kAnonymous);
  EXPECT_EQ(Copy(smaller, surface_, {}, {0, 0, kWidth - 2, kHeight}), STATUS_PRIVILEGED_INSTRUCTION);
}

// A path that is turned, and a primary of its extent: what refers to no frame stands turned, of what may nothing is written.
TEST_F(LinkTest, Rotate_StandsAsThePathIsTurned) {
  std::uint64_t frame = 0;
  for (const color::Rotation rotation : {color::Rotation::k90, color::Rotation::k180, color::Rotation::k270}) {
    const bool quarter = color::IsQuarterTurn(rotation);
    const auto turned =
        kernel_.Allocate(*DescribeSurface(quarter ? kHeight : kWidth, quarter ? kWidth : kHeight, kBgra, kAllocationPrimary, 0),
                         Pages::kAnonymous);
    static_cast<Device*>(kernel_.adapter())->Commit(0, static_cast<const OpenedAllocation*>(turned.opened)->allocation, rotation);
    DXGK_PRESENTFLAGS flags{};
    flags.Rotate = 1;
    link::RequestLinkFrame(bytes(), ++frame, LinkEncoding::kPacked);
    ASSERT_EQ(Copy(drawn_, surface_), STATUS_SUCCESS);
    ASSERT_EQ(Copy(surface_, turned, flags), STATUS_SUCCESS);
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      for (std::uint32_t x = 0; x < kWidth; ++x) {
        const color::BlitRect at = color::RotatedRect({x, y, x + 1, y + 1}, kWidth, kHeight, rotation);
        ASSERT_EQ(std::memcmp(drawn_.cpu + y * drawn_.data.pitch + 4ULL * x,
                              turned.cpu + at.top * turned.data.pitch + 4ULL * at.left, 4),
                  0)
            << x << " " << y;
      }
    }
    // A quarter turn wants the other extent, none wants this one.
    if (quarter) {
      EXPECT_EQ(Copy(surface_, shown_, flags), STATUS_PRIVILEGED_INSTRUCTION);
      EXPECT_EQ(Copy(surface_, turned), STATUS_PRIVILEGED_INSTRUCTION);
    }
    link::RequestLinkFrame(bytes(), ++frame, LinkEncoding::kLossless);
    ASSERT_EQ(Copy(drawn_, surface_), STATUS_SUCCESS);
    LinkCommand link = Decode();
    link.picture_address = turned.address;
    link.picture_pitch = turned.data.pitch;
    link.rotation = static_cast<std::uint32_t>(rotation);
    EXPECT_EQ(Run(link), kFault);
  }
}

// Half of a frame is never written: what faults leaves the primary as it was.
TEST_F(LinkTest, ASurfaceThatContradictsItself_FaultsAndShowsNothing) {
  link::RequestLinkFrame(bytes(), 3, LinkEncoding::kLossless);
  ASSERT_EQ(Copy(drawn_, surface_), STATUS_SUCCESS);
  const std::vector<std::byte> before(shown_.cpu, shown_.cpu + shown_.data.size);
  link::RequestLinkFrame(bytes(), 4, LinkEncoding::kLossless);
  EXPECT_EQ(Run(Decode()), kFault);
  link::RequestLinkFrame(bytes(), 3, LinkEncoding::kLossless);
  surface_.cpu[link::LinkPayloadOffset(kWidth, 0) + 90] ^= std::byte{1};
  EXPECT_EQ(Run(Decode()), kFault);
  EXPECT_EQ(std::memcmp(before.data(), shown_.cpu, before.size()), 0);
  surface_.cpu[link::LinkPayloadOffset(kWidth, 0) + 90] ^= std::byte{1};
  EXPECT_EQ(Run(Decode()), kDone);
  EXPECT_TRUE(arrived());
}

// The pages say that the primary holds the frame, which came there never.
TEST_F(LinkTest, AFrameThatIsSaidToBeHeld_IsDecodedAllTheSame) {
  link::RequestLinkFrame(bytes(), 1, LinkEncoding::kLossless);
  ASSERT_EQ(Copy(drawn_, surface_), STATUS_SUCCESS);
  const link::LinkHeld forged{1, 0};
  std::memcpy(surface_.cpu + link::kLinkHeldOffset, &forged, sizeof(forged));
  EXPECT_EQ(Run(Decode()), kDone);
  EXPECT_TRUE(arrived());
}

TEST_F(LinkTest, EachBrokenField_Faults) {
  link::RequestLinkFrame(bytes(), 1, LinkEncoding::kPlain);
  ASSERT_EQ(Copy(drawn_, surface_), STATUS_SUCCESS);
  const auto run = [this](auto change) {
    LinkCommand link = Decode();
    change(link);
    return Run(link);
  };
  EXPECT_EQ(run([](LinkCommand& l) { l.picture_address = 0; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.surface_address = 0; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.surface_address += 64; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.picture_pitch = kWidth * 4 - 1; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.picture_pitch = ~0U; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.picture_format = 10; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.picture_format = ~0U; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.width = 0; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.height = ~0U; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.end_row = kHeight + 1; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.first_row = 8; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.rotation = 4; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.rotation = ~0U; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.rotation = 1, l.picture_pitch = kHeight * 4 - 1; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.rotation = 1, l.picture_pitch = 1 << 20; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.rotation = 1, l.header.opcode = Opcode::kEncode; }), kFault);
  EXPECT_EQ(run([](LinkCommand& l) { l.header.size = 40; }), kFault);
  EXPECT_EQ(run([](LinkCommand&) {}), kDone);
}

}  // namespace
}  // namespace tandem::soft

// Copies that stretch, convert, key, rotate or overlap: the soft adapter against color's reference.
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "color/blit.h"
#include "drivers/processor/kmd/command_stream.h"
#include "drivers/processor/kmd/device.h"
#include "drivers/soft/testing/fake_kernel.h"

namespace tandem::soft {
namespace {

using namespace processor;

using testing::FakeAllocation;
using testing::FakeKernel;
using testing::Pages;

constexpr auto kBgra = color::Format::kB8G8R8A8Unorm;
constexpr std::uint32_t kMatch = 0xFF112233;

struct Case {
  RECT source;
  RECT destination;
  std::vector<RECT> rects;  // in the destination
  color::Format from = kBgra;
  color::Format to = kBgra;
  color::Rotation rotation = color::Rotation::kIdentity;
  DXGK_PRESENTFLAGS flags{};
};

class BlitTest : public ::testing::Test {
 protected:
  explicit BlitTest(bool dithers = false) : kernel_(Dithering(description_, dithers)) {}
  static DeviceDescription& Dithering(DeviceDescription& description, bool dithers) {
    description.dithers = dithers;
    return description;
  }

  FakeAllocation Random(std::uint32_t width, std::uint32_t height, color::Format format) {
    auto surface = kernel_.Allocate(*DescribeSurface(width, height, format, kAllocationPrimary, 0), Pages::kAnonymous);
    for (std::uint64_t i = 0; i < surface.data.size; ++i) surface.cpu[i] = static_cast<std::byte>(random_());
    for (std::uint64_t i = 0; i < surface.data.size; i += 64) std::memcpy(surface.cpu + i, &kMatch, sizeof(kMatch));
    return surface;
  }
  // Presents and compares every byte of the destination with the reference.
  void Expect(const Case& c, std::uint32_t dma_bytes) {
    const auto source = Random(40, 30, c.from);
    const auto destination = Random(48, 36, c.to);
    auto& device = *static_cast<Device*>(kernel_.adapter());
    device.Commit(0, static_cast<const OpenedAllocation*>(destination.opened)->allocation, c.rotation);
    DXGKARG_PRESENT present{};
    present.Flags = c.flags;
    present.Flags.Blt = 1;
    present.Color = kMatch;
    present.SrcRect = c.source;
    present.DstRect = c.destination;
    present.SubRectCnt = static_cast<UINT>(c.rects.size());
    present.pDstSubRects = c.rects.data();
    std::vector<std::byte> expected(destination.cpu, destination.cpu + destination.data.size);
    for (const RECT& rect : c.rects) Reference(c, rect, source, destination.data, expected);
    ASSERT_EQ(kernel_.Present(&source, &destination, present, dma_bytes, &passes_), STATUS_SUCCESS);
    EXPECT_EQ(std::memcmp(expected.data(), destination.cpu, expected.size()), 0);
  }
  void Reference(const Case& c, const RECT& rect, const FakeAllocation& source, const AllocationData& to,
                 std::vector<std::byte>& pixels) const {
    const auto u32 = [](LONG value) { return static_cast<std::uint32_t>(value); };
    color::BlitRequest request;
    request.source = source.cpu + std::uint64_t{u32(c.source.top)} * source.data.pitch +
                     std::uint64_t{u32(c.source.left)} * color::BytesPerPixel(c.from);
    request.source_pitch = source.data.pitch;
    request.source_format = c.from;
    request.source_width = u32(c.source.right - c.source.left);
    request.source_height = u32(c.source.bottom - c.source.top);
    request.destination_format = c.to;
    request.destination_pitch = to.pitch;
    request.destination_width = u32(c.destination.right - c.destination.left);
    request.destination_height = u32(c.destination.bottom - c.destination.top);
    request.part = {u32(rect.left - c.destination.left), u32(rect.top - c.destination.top), u32(rect.right - c.destination.left),
                    u32(rect.bottom - c.destination.top)};
    request.rotation = c.flags.Rotate ? c.rotation : color::Rotation::kIdentity;
    request.dither = description_.dithers;
    if (c.flags.LinearToSrgb) request.transfer = color::Transfer::kLinearToSrgb;
    if (c.flags.SrcColorKey) request.key = color::ColorKey::kSkipSource;
    if (c.flags.DstColorKey) request.key = color::ColorKey::kOnlyOver;
    request.key_pixel = color::PixelOfArgb(kMatch, c.flags.SrcColorKey ? c.from : c.to);
    const bool turned = color::IsQuarterTurn(request.rotation);
    const color::BlitRect at = color::RotatedRect({u32(rect.left), u32(rect.top), u32(rect.right), u32(rect.bottom)},
                                                  turned ? to.height : to.width, turned ? to.width : to.height, request.rotation);
    request.destination = pixels.data() + std::uint64_t{at.top} * to.pitch + std::uint64_t{at.left} * color::BytesPerPixel(c.to);
    color::BlitReference(request);
  }

  DeviceDescription description_{3, 16 << 20, 64 << 20, CreateConnectors(1)};
  FakeKernel kernel_;
  std::mt19937 random_{11};
  std::uint32_t passes_ = 0;
};

TEST_F(BlitTest, Stretch_WindowBeyondTheScreen_KeepsTheRatio) {
  Expect({.source = {3, 2, 40, 30}, .destination = {-20, -7, 90, 50}, .rects = {{0, 0, 48, 36}}}, 4096);
  Expect({.source = {0, 0, 40, 30}, .destination = {1, 1, 14, 12}, .rects = {{1, 1, 5, 12}, {5, 3, 14, 4}}}, 4096);
}

class DitheringBlitTest : public BlitTest {
 protected:
  DitheringBlitTest() : BlitTest(true) {}
};

TEST_F(DitheringBlitTest, MoreThanEightBits_StretchedAndInParts_AreDithered) {
  for (const color::Format from : {color::Format::kR16G16B16A16Float, color::Format::kR10G10B10A2Unorm}) {
    for (const color::Format to : {kBgra, color::Format::kR8G8B8A8Unorm, color::Format::kR10G10B10A2Unorm}) {
      Case c{.source = {0, 0, 40, 30},
             .destination = {4, 3, 44, 36},
             .rects = {{4, 3, 30, 20}, {30, 20, 44, 33}},
             .from = from,
             .to = to};
      Expect(c, 4096);
      c.flags.LinearToSrgb = 1;
      Expect(c, 4096);
    }
  }
}

TEST_F(BlitTest, EveryPairOfFormats_IsConverted) {
  const color::Format formats[] = {color::Format::kR16G16B16A16Float, color::Format::kR10G10B10A2Unorm,
                                   color::Format::kR8G8B8A8Unorm, kBgra, color::Format::kB8G8R8X8Unorm};
  for (const color::Format from : formats) {
    for (const color::Format to : formats) {
      Case c{.source = {0, 0, 40, 30},
             .destination = {4, 3, 44, 33},
             .rects = {{4, 3, 30, 20}, {30, 20, 44, 33}},
             .from = from,
             .to = to};
      Expect(c, 4096);
      if (!color::CanBlit(from, to, color::Transfer::kLinearToSrgb)) continue;
      c.flags.LinearToSrgb = 1;
      Expect(c, 4096);
    }
  }
}

TEST_F(BlitTest, ColorKeys_LeaveTheRestAlone) {
  Case c{.source = {0, 0, 40, 30}, .destination = {0, 0, 48, 36}, .rects = {{0, 0, 48, 36}}};
  c.flags.SrcColorKey = 1;
  Expect(c, 4096);
  c.flags.Value = 0;
  c.flags.DstColorKey = 1;
  Expect(c, 4096);
}

TEST_F(BlitTest, Rotate_FollowsTheCommittedPath_AndOnlyWithTheFlag) {
  for (const color::Rotation rotation : {color::Rotation::k90, color::Rotation::k180, color::Rotation::k270}) {
    const bool turned = rotation != color::Rotation::k180;
    const LONG width = turned ? 36 : 48, height = turned ? 48 : 36;  // as clients see the screen
    Case c{.source = {0, 0, 40, 30},
           .destination = {0, 0, width, height},
           .rects = {{0, 0, width / 2, height}, {width / 2, 5, width, 9}},
           .to = color::Format::kR8G8B8A8Unorm,
           .rotation = rotation};
    c.flags.Rotate = 1;
    Expect(c, 4096);
    Case unstretched{.source = {1, 2, 31, 30}, .destination = {4, 5, 34, 33}, .rects = {{4, 5, 34, 33}}, .rotation = rotation};
    unstretched.flags.Rotate = 1;
    Expect(unstretched, 4096);
    unstretched.flags.Rotate = 0;
    Expect(unstretched, 4096);
  }
}

TEST_F(BlitTest, AnyDmaBufferThatHoldsOneRectangle_GivesTheSamePicture) {
  Case c{.source = {0, 0, 40, 30}, .destination = {0, 0, 36, 48}, .rects = {}, .rotation = color::Rotation::k90};
  c.flags.Rotate = 1;
  for (LONG y = 0; y < 48; y += 5) {
    for (LONG x = 0; x < 36; x += 7) c.rects.push_back({x, y, std::min(x + 7, LONG{36}), std::min(y + 5, LONG{48})});
  }
  constexpr std::uint32_t kOne = sizeof(BlitCommand);
  for (const std::uint32_t bytes : {kOne, kOne + 15, 2 * kOne, 1000U, 65536U}) {
    Expect(c, bytes);
    const auto rectangles = static_cast<std::uint32_t>(c.rects.size());
    EXPECT_EQ(passes_, (rectangles + bytes / kOne - 1) / (bytes / kOne)) << bytes;
  }
}

TEST_F(BlitTest, OntoItself_ReadsEverythingBeforeItWrites) {
  struct Move {
    RECT source, destination;
  };
  for (const Move& move :
       {Move{{0, 0, 30, 20}, {3, 2, 33, 22}}, Move{{3, 2, 33, 22}, {0, 0, 30, 20}}, Move{{0, 0, 30, 20}, {5, 0, 35, 20}},
        Move{{5, 0, 35, 20}, {0, 0, 30, 20}}, Move{{0, 0, 20, 20}, {5, 5, 40, 30}}, Move{{0, 0, 40, 30}, {5, 5, 20, 20}}}) {
    const auto surface = Random(40, 30, kBgra);
    Case c{.source = move.source, .destination = move.destination, .rects = {move.destination}};
    std::vector<std::byte> expected(surface.cpu, surface.cpu + surface.data.size);
    Reference(c, move.destination, surface, surface.data, expected);
    DXGKARG_PRESENT present{};
    present.Flags.Blt = 1;
    present.SrcRect = move.source;
    present.DstRect = move.destination;
    present.SubRectCnt = 1;
    present.pDstSubRects = &move.destination;
    ASSERT_EQ(kernel_.Present(&surface, &surface, present, 4096, &passes_), STATUS_SUCCESS);
    EXPECT_EQ(std::memcmp(expected.data(), surface.cpu, expected.size()), 0);
  }
}

// A buffer as one pass of DxgkDdiPresent leaves it.
struct Pass {
  NTSTATUS status = STATUS_SUCCESS;
  std::vector<std::byte> commands;
  std::vector<D3DDDI_PATCHLOCATIONLIST> patches;
};

class PassTest : public BlitTest {
 protected:
  enum class Addresses { kKnown, kUnknown };
  Pass Run(DXGKARG_PRESENT& present, Addresses addresses, UINT dma_bytes, UINT patches) {
    const bool known = addresses == Addresses::kKnown;
    DXGK_ALLOCATIONLIST list[] = {{}, FakeKernel::Entry(&source_, known, false), FakeKernel::Entry(&destination_, known, true)};
    Pass pass;
    pass.commands.resize(dma_bytes);
    pass.patches.resize(patches);
    present.pAllocationList = list;
    present.pDmaBuffer = pass.commands.data();
    present.DmaSize = dma_bytes;
    present.pPatchLocationListOut = pass.patches.data();
    present.PatchLocationListOutSize = patches;
    pass.status = kernel_.ddi().DxgkDdiPresent(kernel_.context(), &present);
    pass.commands.resize(static_cast<std::size_t>(static_cast<std::byte*>(present.pDmaBuffer) - pass.commands.data()));
    pass.patches.resize(static_cast<std::size_t>(present.pPatchLocationListOut - pass.patches.data()));
    return pass;
  }
  // Patches with the destination `moved` bytes away from where it is.
  void Patch(Pass& pass, std::uint64_t moved) {
    DXGK_ALLOCATIONLIST list[] = {{}, FakeKernel::Entry(&source_, true, false), FakeKernel::Entry(&destination_, true, true)};
    list[DXGK_PRESENT_DESTINATION_INDEX].PhysicalAddress.QuadPart += static_cast<LONGLONG>(moved);
    DXGKARG_PATCH patch{};
    patch.pDmaBuffer = pass.commands.data();
    patch.DmaBufferSize = patch.DmaBufferSubmissionEndOffset = static_cast<UINT>(pass.commands.size());
    patch.pAllocationList = list;
    patch.AllocationListSize = 3;
    patch.pPatchLocationList = pass.patches.data();
    patch.PatchLocationListSize = patch.PatchLocationListSubmissionLength = static_cast<UINT>(pass.patches.size());
    ASSERT_EQ(kernel_.ddi().DxgkDdiPatch(kernel_.adapter(), &patch), STATUS_SUCCESS);
  }
  DXGKARG_PRESENT Stretch() {
    DXGKARG_PRESENT present{};
    present.Flags.Blt = 1;
    present.SrcRect = {0, 0, 40, 30};
    present.DstRect = {0, 0, 48, 36};
    present.SubRectCnt = static_cast<UINT>(rects_.size());
    present.pDstSubRects = rects_.data();
    return present;
  }

  const FakeAllocation source_ = Random(40, 30, kBgra);
  const FakeAllocation destination_ = Random(48, 36, kBgra);
  const std::vector<RECT> rects_{{0, 0, 48, 10}, {0, 10, 20, 36}, {20, 10, 48, 30}, {20, 30, 48, 36}, {1, 1, 2, 2}};
};

TEST_F(PassTest, Patch_NeverOnceOrManyTimes_GivesTheSameBuffer) {
  DXGKARG_PRESENT present = Stretch();
  const Pass prepatched = Run(present, Addresses::kKnown, 4096, 64);
  present = Stretch();
  Pass pass = Run(present, Addresses::kUnknown, 4096, 64);
  EXPECT_EQ(pass.patches.size(), 2 * rects_.size());  // every reference, known or not
  EXPECT_EQ(prepatched.patches.size(), pass.patches.size());
  EXPECT_NE(pass.commands, prepatched.commands);
  for (int times = 0; times < 3; ++times) {
    Patch(pass, 0);
    EXPECT_EQ(pass.commands, prepatched.commands);
  }
  Patch(pass, 65536);
  EXPECT_NE(pass.commands, prepatched.commands);
  Patch(pass, 0);
  EXPECT_EQ(pass.commands, prepatched.commands);
}

TEST_F(PassTest, AnyDmaBufferAndPatchListThatHoldOneRectangle_WriteTheSameCommands) {
  DXGKARG_PRESENT present = Stretch();
  const Pass whole = Run(present, Addresses::kKnown, 4096, 64);
  ASSERT_EQ(whole.status, STATUS_SUCCESS);
  for (const auto& [bytes, patches] :
       {std::pair{std::uint32_t{sizeof(BlitCommand)}, 64U}, {4096U, 2U}, {4096U, 3U}, {200U, 5U}, {300U, 4U}}) {
    present = Stretch();
    std::vector<std::byte> commands;
    Pass pass;
    do {
      pass = Run(present, Addresses::kKnown, bytes, patches);
      ASSERT_TRUE(pass.status == STATUS_SUCCESS || pass.status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
      ASSERT_FALSE(pass.commands.empty());
      commands.insert(commands.end(), pass.commands.begin(), pass.commands.end());
    } while (pass.status != STATUS_SUCCESS);
    EXPECT_EQ(commands, whole.commands) << bytes << " " << patches;
  }
  present = Stretch();
  EXPECT_EQ(Run(present, Addresses::kKnown, 95, 64).commands.size(), 0U);
  present = Stretch();
  EXPECT_EQ(Run(present, Addresses::kKnown, 4096, 1).commands.size(), 0U);
}

}  // namespace
}  // namespace tandem::soft

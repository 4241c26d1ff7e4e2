// NV12 surfaces: copies into them and out of them, and their scan-out, against color's reference.
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "color/blit.h"
#include "color/nv12.h"
#include "drivers/processor/kmd/command_stream.h"
#include "drivers/processor/kmd/device.h"
#include "drivers/soft/testing/fake_kernel.h"
#include "outputs/output.h"

namespace tandem::soft {
namespace {

using namespace processor;

using testing::FakeAllocation;
using testing::FakeKernel;
using testing::Pages;
using Bytes = std::vector<std::byte>;

constexpr auto kBgra = color::Format::kB8G8R8A8Unorm;
constexpr std::uint32_t kWidth = 70;
constexpr std::uint32_t kHeight = 46;
constexpr RECT kWhole{0, 0, kWidth, kHeight};

// Keeps every pixel of what it was shown last.
class PictureOutput final : public outputs::Output {
 public:
  [[nodiscard]] const outputs::OutputInfo& info() const override { return info_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return {}; }
  Result<void> Show(const outputs::Surface& surface) override {
    const MutexLock lock(mutex_);
    format_ = surface.format;
    width_ = surface.width;
    pixels_.clear();
    const std::size_t row = std::size_t{surface.width} * color::BytesPerPixel(surface.format);
    for (std::uint32_t y = 0; y < surface.height; ++y) {
      const std::byte* const at = surface.pixels + std::size_t{y} * surface.pitch;
      pixels_.insert(pixels_.end(), at, at + row);
    }
    return {};
  }
  void Forget(std::uint64_t /*surface_id*/) override {}
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return 0; }

  [[nodiscard]] Bytes pixels() const {
    const MutexLock lock(mutex_);
    return pixels_;
  }
  [[nodiscard]] color::Format format() const {
    const MutexLock lock(mutex_);
    return format_;
  }
  [[nodiscard]] std::uint32_t width() const {
    const MutexLock lock(mutex_);
    return width_;
  }

 private:
  outputs::OutputInfo info_{"test", "a keeper of pictures", 2'000'000};
  mutable Mutex mutex_;
  Bytes pixels_ TANDEM_GUARDED_BY(mutex_);
  color::Format format_ TANDEM_GUARDED_BY(mutex_) = color::Format::kUnknown;
  std::uint32_t width_ TANDEM_GUARDED_BY(mutex_) = 0;
};

class Nv12Test : public ::testing::Test {
 protected:
  Nv12Test() : output_(std::make_shared<PictureOutput>()) {
    description_.local_memory_bytes = 1 << 22;
    description_.aperture_bytes = 1 << 24;
    description_.connectors = CreateConnectors(1);
    description_.scans_out_nv12 = true;
    static_cast<void>(description_.connectors->Plug(output_));
    kernel_ = std::make_unique<FakeKernel>(description_);
  }
  void SetUp() override {
    if constexpr (!color::kHasYuv420) GTEST_SKIP() << "This build has no 4:2:0.";
  }

  FakeAllocation Random(color::Format format, std::uint32_t width = kWidth, std::uint32_t height = kHeight,
                        std::uint32_t flags = kAllocationPrimary) {
    auto surface = kernel_->Allocate(*DescribeSurface(width, height, format, flags, 0), Pages::kMemfd);
    for (std::uint64_t i = 0; i < surface.data.size; ++i) surface.cpu[i] = static_cast<std::byte>(random_());
    return surface;
  }
  FakeAllocation Shared(color::Format format) { return Random(format, kWidth, kHeight, kAllocationCrossAdapter); }
  NTSTATUS Copy(const FakeAllocation& from, const FakeAllocation& to, RECT source, RECT destination,
                const std::vector<RECT>& rects = {}, DXGK_PRESENTFLAGS flags = {}) {
    DXGKARG_PRESENT present{};
    present.Flags = flags;
    present.Flags.Blt = 1;
    present.SrcRect = source;
    present.DstRect = destination;
    present.SubRectCnt = static_cast<UINT>(rects.size());
    present.pDstSubRects = rects.data();
    std::uint32_t passes = 0;
    return kernel_->Present(&from, &to, present, 4096, &passes);
  }
  void SetRotation(const FakeAllocation& primary, color::Rotation rotation) {
    static_cast<Device*>(kernel_->adapter())
        ->Commit(0, static_cast<const OpenedAllocation*>(primary.opened)->allocation, rotation);
  }

  DeviceDescription description_;
  std::shared_ptr<PictureOutput> output_;
  std::unique_ptr<FakeKernel> kernel_;
  std::mt19937 random_{5};
};

// The surface's pixels by the reference, without gaps.
Bytes Decoded(const FakeAllocation& nv12) {
  Bytes pixels(std::size_t{nv12.data.width} * nv12.data.height * 4);
  if constexpr (color::kHasYuv420) {
    color::DecodeYuv420Reference({pixels.data(), nv12.data.width * std::uint64_t{4}, nv12.data.width, nv12.data.height},
                                 color::Nv12Planes<const std::byte>(nv12.cpu, nv12.data.pitch, nv12.data.height), {},
                                 color::ChromaFilter::kNearest);
  }
  return pixels;
}

// Writes what a copy of `source` (of another surface) to `rect` does to the bytes of an NV12 surface, by the reference.
void Encode(const FakeAllocation& from, RECT source, RECT destination, RECT rect, const AllocationData& to, Bytes& bytes) {
  const auto u32 = [](LONG value) { return static_cast<std::uint32_t>(value); };
  const std::uint32_t width = u32(rect.right - rect.left), height = u32(rect.bottom - rect.top);
  Bytes pixels(std::size_t{width} * height * 4);
  color::BlitRequest request;
  request.source = from.cpu + std::uint64_t{u32(source.top)} * from.data.pitch +
                   std::uint64_t{u32(source.left)} * color::BytesPerPixel(from.data.format);
  request.source_pitch = from.data.pitch;
  request.source_format = from.data.format;
  request.source_width = u32(source.right - source.left);
  request.source_height = u32(source.bottom - source.top);
  request.destination = pixels.data();
  request.destination_pitch = std::uint64_t{width} * 4;
  request.destination_format = kBgra;
  request.destination_width = u32(destination.right - destination.left);
  request.destination_height = u32(destination.bottom - destination.top);
  request.part = {u32(rect.left - destination.left), u32(rect.top - destination.top), u32(rect.right - destination.left),
                  u32(rect.bottom - destination.top)};
  color::BlitReference(request);
  if constexpr (color::kHasYuv420) {
    std::byte* const luma = bytes.data() + std::uint64_t{u32(rect.top)} * to.pitch + u32(rect.left);
    color::EncodeYuv420Reference(
        color::Nv12Planes<std::byte>(luma, to.pitch, color::Nv12ChromaDistance(to.height, u32(rect.top))),
        {pixels.data(), request.destination_pitch, width, height}, {});
  }
}

TEST_F(Nv12Test, Layout_LumaThenPairsOfOnePitch) {
  const auto surface = DescribeSurface(1920, 1080, color::kNv12, kAllocationCrossAdapter, 0);
  ASSERT_TRUE(surface.ok());
  EXPECT_EQ(surface->pitch, 2048U);
  EXPECT_EQ(surface->size, 2048U * 1620);
  EXPECT_EQ(DescribeSurface(1920, 1080, color::kNv12, kAllocationCrossAdapter, 0, 1920)->size, 1920U * 1620 / 4096 * 4096 + 4096);
  EXPECT_FALSE(DescribeSurface(1920, 1080, color::kNv12, kAllocationCrossAdapter, 0, 1792).ok());
  EXPECT_EQ(drivers::ToD3dddiFormat(color::kNv12), D3DDDIFMT_NV12);
  EXPECT_EQ(drivers::ToColorFormat(D3DDDIFMT_NV12), color::kNv12);
}

TEST_F(Nv12Test, OddExtents_AreRefusedWithTheExtent) {
  for (const auto& [width, height] : {std::pair{801U, 600U}, {800U, 601U}, {1U, 1U}}) {
    const auto surface = DescribeSurface(width, height, color::kNv12, 0, 0);
    ASSERT_FALSE(surface.ok());
    EXPECT_EQ(surface.error().message,
              "Extent " + std::to_string(width) + " x " + std::to_string(height) + " of an NV12 surface is not even.");
  }
}

TEST_F(Nv12Test, IntoNv12_EachFormatStretchedAndInParts_IsTheReferenceBitForBit) {
  struct Case {
    RECT source;
    RECT destination;
    std::vector<RECT> rects;
  };
  const Case cases[] = {{kWhole, kWhole, {kWhole}},
                        {{1, 1, 41, 31}, {4, 6, 44, 36}, {{4, 6, 20, 36}, {20, 8, 44, 10}}},
                        {{3, 2, 40, 45}, {-20, -7, 90, 50}, {{0, 0, 70, 46}}},
                        {kWhole, {3, 3, 60, 40}, {{4, 4, 58, 38}}}};
  for (const color::Format format :
       {kBgra, color::Format::kB8G8R8X8Unorm, color::Format::kR8G8B8A8Unorm, color::Format::kR16G16B16A16Float}) {
    for (const Case& c : cases) {
      const auto source = Random(format);
      const auto surface = Shared(color::kNv12);
      Bytes expected(surface.cpu, surface.cpu + surface.data.size);
      for (const RECT& rect : c.rects) Encode(source, c.source, c.destination, rect, surface.data, expected);
      ASSERT_EQ(Copy(source, surface, c.source, c.destination, c.rects), STATUS_SUCCESS);
      EXPECT_EQ(std::memcmp(expected.data(), surface.cpu, expected.size()), 0) << ToString(format);
    }
  }
}

TEST_F(Nv12Test, OutOfNv12_EachFormatStretchedAndTurned_IsACopyOfTheReferencesPixels) {
  for (const color::Format format : {kBgra, color::Format::kR8G8B8A8Unorm, color::Format::kR10G10B10A2Unorm}) {
    for (const color::Rotation rotation : {color::Rotation::kIdentity, color::Rotation::k90, color::Rotation::k180}) {
      for (const RECT& rect : {kWhole, RECT{3, 5, 31, 40}, RECT{2, 4, 31, 41}}) {
        const auto surface = Shared(color::kNv12);
        const auto destination = Random(format);
        SetRotation(destination, rotation);
        const bool quarter = rotation == color::Rotation::k90;
        const RECT seen = quarter ? RECT{0, 0, kHeight, kWidth} : kWhole;
        // The same copy from a surface that holds what the reference decodes.
        const auto decoded = Random(kBgra);
        const Bytes pixels = Decoded(surface);
        for (std::uint32_t y = 0; y < kHeight; ++y)
          std::memcpy(decoded.cpu + y * decoded.data.pitch, pixels.data() + std::size_t{y} * kWidth * 4, kWidth * 4);
        const auto expected = Random(format);
        std::memcpy(expected.cpu, destination.cpu, expected.data.size);
        DXGK_PRESENTFLAGS flags{};
        flags.Rotate = 1;
        const std::vector<RECT> rects{
            {rect.left, rect.top, std::min(rect.right, seen.right), std::min(rect.bottom, seen.bottom)}};
        ASSERT_EQ(Copy(decoded, expected, kWhole, seen, rects, flags), STATUS_SUCCESS);
        ASSERT_EQ(Copy(surface, destination, kWhole, seen, rects, flags), STATUS_SUCCESS);
        EXPECT_EQ(std::memcmp(expected.cpu, destination.cpu, expected.data.size), 0) << ToString(format);
      }
    }
  }
}

// As the reference turns the pixels first.
TEST_F(Nv12Test, IntoNv12_Turned_IsTheTurnedPictureEncoded) {
  for (const color::Rotation rotation : {color::Rotation::k90, color::Rotation::k180, color::Rotation::k270}) {
    const bool quarter = rotation != color::Rotation::k180;
    const RECT seen = quarter ? RECT{0, 0, kHeight, kWidth} : kWhole;
    const auto source = Random(kBgra);
    const auto turned = Random(kBgra);
    const auto surface = Random(color::kNv12, kWidth, kHeight, kAllocationPrimary | kAllocationCrossAdapter);
    Bytes expected(surface.cpu, surface.cpu + surface.data.size);
    SetRotation(turned, rotation);
    DXGK_PRESENTFLAGS flags{};
    flags.Rotate = 1;
    ASSERT_EQ(Copy(source, turned, kWhole, seen, {seen}, flags), STATUS_SUCCESS);
    Encode(turned, kWhole, kWhole, kWhole, surface.data, expected);
    SetRotation(surface, rotation);
    ASSERT_EQ(Copy(source, surface, kWhole, seen, {{0, 0, 20, seen.bottom}, {20, 0, seen.right, seen.bottom}}, flags),
              STATUS_SUCCESS);
    EXPECT_EQ(std::memcmp(expected.data(), surface.cpu, expected.size()), 0);
  }
}

TEST_F(Nv12Test, WhatHasNoMeaning_IsRefused) {
  const auto drawn = Random(kBgra);
  const auto surface = Shared(color::kNv12);
  const Bytes before(surface.cpu, surface.cpu + surface.data.size);
  EXPECT_EQ(Copy(drawn, surface, kWhole, kWhole, {{1, 0, 20, 20}}), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  EXPECT_EQ(Copy(drawn, surface, kWhole, kWhole, {{0, 0, 20, 21}}), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  EXPECT_EQ(Copy(surface, drawn, {1, 0, 21, 20}, {0, 0, 20, 20}), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  EXPECT_EQ(Copy(surface, surface, kWhole, kWhole), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  EXPECT_EQ(Copy(drawn, surface, {0, 0, kWidth + 2, kHeight}, kWhole), STATUS_PRIVILEGED_INSTRUCTION);
  DXGK_PRESENTFLAGS flags{};
  flags.SrcColorKey = 1;
  EXPECT_EQ(Copy(drawn, surface, kWhole, kWhole, {}, flags), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  EXPECT_EQ(Copy(surface, drawn, kWhole, kWhole, {}, flags), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  DXGKARG_PRESENT fill{};
  fill.Flags.ColorFill = 1;
  fill.DstRect = kWhole;
  std::uint32_t passes = 0;
  EXPECT_EQ(kernel_->Present(nullptr, &surface, fill, 4096, &passes), STATUS_ILLEGAL_INSTRUCTION);
  EXPECT_EQ(std::memcmp(before.data(), surface.cpu, before.size()), 0);
}

TEST_F(Nv12Test, EachBrokenFieldOfABlit_Faults) {
  const auto drawn = Random(kBgra);
  const auto surface = Shared(color::kNv12);
  BlitCommand good;
  good.source_address = drawn.address;
  good.destination_address = surface.address;
  good.source_pitch = drawn.data.pitch;
  good.destination_pitch = surface.data.pitch;
  good.source_format = static_cast<std::uint32_t>(kBgra);
  good.destination_format = static_cast<std::uint32_t>(color::kNv12);
  good.source_width = good.destination_width = good.part_right = kWidth;
  good.source_height = good.destination_height = good.part_bottom = kHeight;
  good.chroma_distance = kHeight;
  const auto run = [this](BlitCommand blit, auto change) {
    change(blit);
    return kernel_->Submit(0, &blit, sizeof(blit), false);
  };
  constexpr auto kDone = DXGK_INTERRUPT_DMA_COMPLETED;
  constexpr auto kFault = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  const auto turn_round = [](BlitCommand b) {
    std::swap(b.source_address, b.destination_address);
    std::swap(b.source_pitch, b.destination_pitch);
    std::swap(b.source_format, b.destination_format);
    return b;
  };
  for (const BlitCommand& valid : {good, turn_round(good)}) {
    EXPECT_EQ(run(valid, [](BlitCommand&) {}), kDone);
    EXPECT_EQ(run(valid, [](BlitCommand& b) { b.chroma_distance = 0; }), kFault);
    EXPECT_EQ(run(valid, [](BlitCommand& b) { b.chroma_distance = kHeight - 1; }), kFault);
    EXPECT_EQ(run(valid, [](BlitCommand& b) { b.chroma_distance = ~0U; }), kFault);
    EXPECT_EQ(run(valid, [](BlitCommand& b) { b.source_format = b.destination_format; }), kFault);
    EXPECT_EQ(run(valid, [](BlitCommand& b) { b.source_address = 0; }), kFault);
    EXPECT_EQ(run(valid, [](BlitCommand& b) { b.destination_address = 0; }), kFault);
    EXPECT_EQ(run(valid, [](BlitCommand& b) { b.source_pitch = 16; }), kFault);
    EXPECT_EQ(run(valid, [](BlitCommand& b) { b.destination_pitch = 16; }), kFault);
    EXPECT_EQ(run(valid, [](BlitCommand& b) { b.key = 1; }), kFault);
  }
  EXPECT_EQ(run(good, [](BlitCommand& b) { b.part_right = kWidth - 1; }), kFault);
  EXPECT_EQ(run(good, [](BlitCommand& b) { b.rotation = 2; }), kDone);
  EXPECT_EQ(run(good, [](BlitCommand& b) { b.rotation = 1; }), kFault);  // more rows than luma has
  // The last row of chroma behind the end of mapped memory.
  EXPECT_EQ(run(good, [](BlitCommand& b) { b.chroma_distance = 16384; }), kFault);
  EXPECT_EQ(run(good, [](BlitCommand& b) { b.destination_format = static_cast<std::uint32_t>(kBgra); }), kFault);
}

TEST_F(Nv12Test, Flip_ShowsTheReferencesPixels) {
  const auto surface = Random(color::kNv12, kWidth, kHeight, kAllocationPrimary | kAllocationCrossAdapter);
  ASSERT_EQ(kernel_->Flip(0, surface, false), STATUS_SUCCESS);
  ASSERT_TRUE(kernel_->AwaitVsync(0, surface.address));
  EXPECT_EQ(output_->format(), color::Format::kB8G8R8X8Unorm);
  EXPECT_EQ(output_->width(), kWidth);
  EXPECT_EQ(output_->pixels(), Decoded(surface));
}

TEST_F(Nv12Test, Flip_TurnedTarget_ShowsThePictureTurned) {
  const auto surface = Random(color::kNv12, kWidth, kHeight, kAllocationPrimary | kAllocationCrossAdapter);
  static_cast<Device*>(kernel_->adapter())->display().SetRotation(0, color::Rotation::k180);
  ASSERT_EQ(kernel_->Flip(0, surface, false), STATUS_SUCCESS);
  ASSERT_TRUE(kernel_->AwaitVsync(0, surface.address));
  const Bytes pixels = output_->pixels(), upright = Decoded(surface);
  ASSERT_EQ(pixels.size(), upright.size());
  for (std::size_t i = 0; i < pixels.size() / 4; ++i) {
    ASSERT_EQ(std::memcmp(&pixels[pixels.size() - 4 - 4 * i], &upright[4 * i], 4), 0) << i;
  }
}

// A plane of NV12 under one that blends, and a part of one, stretched, over one of colours.
TEST_F(Nv12Test, Planes_LieUnderAndOverOthers) {
  const auto nv12 = Random(color::kNv12, kWidth, kHeight, kAllocationPrimary | kAllocationCrossAdapter);
  const auto colors = Random(kBgra, kWidth, kHeight, kAllocationPrimary | kAllocationCrossAdapter);
  const auto show = [&](const FakeAllocation& lower, const FakeAllocation& upper, RECT from, RECT to) {
    DXGK_PRIMARYCONTEXTDATA contexts[2]{};
    DXGK_PRIMARYCONTEXTDATA* context_list[2]{&contexts[0], &contexts[1]};
    DXGK_MULTIPLANE_OVERLAY_PLANE3 planes[2]{};
    DXGK_MULTIPLANE_OVERLAY_PLANE3* plane_list[2]{&planes[0], &planes[1]};
    for (UINT i = 0; i < 2; ++i) {
      const bool on_top = i == 0;
      const FakeAllocation& surface = on_top ? upper : lower;
      contexts[i].hAllocation = surface.info.hAllocation;
      contexts[i].SegmentAddress.QuadPart = static_cast<LONGLONG>(surface.address);
      planes[i].LayerIndex = i;
      planes[i].InputFlags.Enabled = 1;
      planes[i].ContextCount = 1;
      planes[i].ppContextData = &context_list[i];
      auto& attributes = planes[i].PlaneAttributes;
      attributes.SrcRect = on_top ? from : kWhole;
      attributes.DstRect = attributes.ClipRect = on_top ? to : kWhole;
      attributes.Rotation = D3DDDI_ROTATION_IDENTITY;
      attributes.Blend.AlphaBlend = on_top && upper.data.format == kBgra ? 1 : 0;
    }
    DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 set{};
    set.PlaneCount = 2;
    set.ppPlanes = plane_list;
    planes[0].InputFlags.FlipImmediate = 1;
    kernel_->ClearInterrupts();
    return kernel_->ddi().DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3(kernel_->adapter(), &set) == STATUS_SUCCESS &&
           kernel_->AwaitInterrupt([](const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
             return data.InterruptType == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2 &&
                    data.CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount == 2;
           });
  };
  const Bytes below = Decoded(nv12);
  for (std::uint32_t i = 0; i < kWidth * kHeight; ++i) {  // opaque, or not there at all
    const bool there = i % 3 != 0;
    std::byte* const pixel = colors.cpu + i / kWidth * colors.data.pitch + i % kWidth * 4;
    if (!there) std::memset(pixel, 0, 4);
    pixel[3] = there ? std::byte{255} : std::byte{0};
  }
  ASSERT_TRUE(show(nv12, colors, kWhole, kWhole));
  Bytes seen = output_->pixels();
  for (std::uint32_t i = 0; i < kWidth * kHeight; ++i) {
    const std::byte* const over = colors.cpu + i / kWidth * colors.data.pitch + i % kWidth * 4;
    ASSERT_EQ(std::memcmp(&seen[i * 4], i % 3 != 0 ? over : &below[i * 4], 3), 0) << i;
  }
  ASSERT_TRUE(show(colors, nv12, {2, 4, 22, 24}, {10, 0, 50, 40}));
  seen = output_->pixels();
  for (std::uint32_t y = 0; y < 40; ++y) {
    for (std::uint32_t x = 0; x < 40; ++x) {
      ASSERT_EQ(std::memcmp(&seen[(y * kWidth + 10 + x) * 4], &below[((4 + y / 2) * kWidth + 2 + x / 2) * 4], 3), 0)
          << x << " " << y;
    }
  }
  EXPECT_FALSE(show(colors, nv12, {1, 4, 21, 24}, {10, 0, 50, 40}));
}

TEST_F(Nv12Test, ControllerWithoutIt_RefusesPrimariesAndFlips_NotCopies) {
  DeviceDescription plain = description_;
  plain.scans_out_nv12 = false;
  plain.connectors = CreateConnectors(1);
  FakeKernel kernel(plain);
  const auto shared = kernel.Allocate(*DescribeSurface(kWidth, kHeight, color::kNv12, kAllocationCrossAdapter, 0), Pages::kMemfd);
  const auto drawn = kernel.Allocate(*DescribeSurface(kWidth, kHeight, kBgra, 0, 0), Pages::kAnonymous);
  EXPECT_EQ(kernel.Flip(0, shared, false), STATUS_INVALID_PARAMETER);
  DXGKARG_PRESENT present{};
  present.Flags.Flip = 1;
  std::uint32_t passes = 0;
  EXPECT_EQ(kernel.Present(&shared, nullptr, present, 4096, &passes), STATUS_ILLEGAL_INSTRUCTION);
  present.Flags.Value = 0;
  present.Flags.Blt = 1;
  present.SrcRect = present.DstRect = kWhole;
  EXPECT_EQ(kernel.Present(&drawn, &shared, present, 4096, &passes), STATUS_SUCCESS);
  AllocationData primary = *DescribeSurface(kWidth, kHeight, color::kNv12, kAllocationPrimary | kAllocationCrossAdapter, 0);
  DXGK_ALLOCATIONINFO info{};
  info.pPrivateDriverData = &primary;
  info.PrivateDriverDataSize = sizeof(primary);
  DXGKARG_CREATEALLOCATION create{};
  create.NumAllocations = 1;
  create.pAllocationInfo = &info;
  EXPECT_EQ(kernel.ddi().DxgkDdiCreateAllocation(kernel.adapter(), &create), STATUS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace tandem::soft

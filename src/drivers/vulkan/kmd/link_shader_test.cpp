// Presents into link surfaces and out of them by shaders: the processor's bytes on the link and the processor's pixels behind it,
// wherever the pictures are.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "codec/link_parts.h"
#include "codec/pictures.h"
#include "codec/tile_format.h"
#include "color/blit.h"
#include "color/nv12.h"
#include "drivers/vulkan/testing/adapter_test.h"
#include "drivers/vulkan/testing/liar.h"
#include "drivers/vulkan/testing/split_memory.h"

namespace tandem::vulkan::testing {
namespace {

using codec::LinkEncoding;
using color::Format;

struct Machine {
  Icd icd;
  bool import;
  bool sees_all;  // of the device's own memory
};

class LinkShaderTest : public AdapterTest, public ::testing::WithParamInterface<Machine> {
 protected:
  void SetUp() override {
    Lend(GetParam().icd);
    if (IsSkipped()) return;
    description_.lent = Liar::Wrap(*description_.lent);
    if (!GetParam().sees_all) description_.lent = SplitMemory(*description_.lent);
    description_.lent->external_memory_host = description_.lent->external_memory_host && GetParam().import;
    description_.links = BlitEngine::kShader;
    Start();
  }
  void TearDown() override {
    Liar::Disarm();
    AdapterTest::TearDown();
  }

  Blitter::Counters counters() { return miniport().blitter(kernel_->node()).counters(); }

  TestResource& MakeSurface(std::uint32_t width, std::uint32_t height, std::uint32_t slices) {
    TestResource& surface = Make(AllocationKind::kLinear, width, height, codec::kLinkFormat);
    codec::InitializeLinkSurface(BytesOf(surface), codec::LinkSliceRows(height, slices));
    return surface;
  }
  static std::span<std::byte> BytesOf(const TestResource& surface) { return {surface.pages, surface.data.size}; }

  bool Copy(TestResource& from, TestResource& to, std::uint32_t top, std::uint32_t bottom) {
    DXGKARG_PRESENT args{};
    args.SrcRect = args.DstRect = {0, static_cast<LONG>(top), static_cast<LONG>(to.data.width), static_cast<LONG>(bottom)};
    args.Flags.Blt = 1;
    const UINT fence = kernel_->Present(&from, to, args);
    return fence != 0 && kernel_->WaitFence(fence);
  }
  bool Copy(TestResource& from, TestResource& to) { return Copy(from, to, 0, to.data.height); }

  // Tightly packed pixels of a surface that the test sees, and of others by way of such a one.
  static void Fill(TestResource& visible, const std::vector<std::byte>& pixels) {
    const std::size_t row = std::size_t{visible.data.width} * color::BytesPerPixel(visible.data.format);
    for (std::uint32_t y = 0; y < visible.data.height; ++y)
      std::memcpy(visible.pages + std::size_t{y} * visible.data.pitch, pixels.data() + y * row, row);
  }
  static std::vector<std::byte> PixelsOf(const TestResource& visible) {
    const std::size_t row = std::size_t{visible.data.width} * 4;
    std::vector<std::byte> pixels(row * visible.data.height);
    for (std::uint32_t y = 0; y < visible.data.height; ++y)
      std::memcpy(pixels.data() + y * row, visible.pages + std::size_t{y} * visible.data.pitch, row);
    return pixels;
  }
  void Write(TestResource& surface, const std::vector<std::byte>& pixels) {
    TestResource& visible = Make(AllocationKind::kLinear, surface.data.width, surface.data.height, surface.data.format);
    Fill(visible, pixels);
    ASSERT_TRUE(Copy(visible, surface));
  }
  std::vector<std::byte> Read(TestResource& surface) {
    TestResource& visible = Make(AllocationKind::kLinear, surface.data.width, surface.data.height, surface.data.format);
    EXPECT_TRUE(Copy(surface, visible));
    return PixelsOf(visible);
  }

  // Rows of a copy without the kernel, which knows primaries only where there are windows.
  static Allocation& ObjectOf(const TestResource& resource) { return *reinterpret_cast<Allocation*>(resource.data.object); }
  void Run(Allocation& from, Allocation& to, std::uint32_t top, std::uint32_t bottom) {
    BlitCommand command;
    command.source = &from;
    command.destination = &to;
    command.from = {0, static_cast<LONG>(top), static_cast<LONG>(to.data().width), static_cast<LONG>(bottom)};
    command.to = command.rects[command.rect_count++] = command.from;
    Packet packet;
    packet.command = &command.header;
    miniport().Execute(miniport().engine(kernel_->node()), packet);
  }
};

// The same frames by the processor.
class Expected {
 public:
  // `format` is the drawn picture's.
  Expected(std::uint32_t width, std::uint32_t height, std::uint32_t slices, Format format, codec::LinkColors colors = {})
      : surface(codec::LinkSurfaceBytes(width, height)),
        shown(std::size_t{width} * height * 4),
        width_(width),
        height_(height),
        format_(format),
        colors_(colors) {
    codec::InitializeLinkSurface(surface, codec::LinkSliceRows(height, slices), colors);
  }
  void Cross(std::uint64_t frame, LinkEncoding encoding, const std::vector<std::byte>& pixels, std::uint32_t scout) {
    codec::WishLinkFrame(surface, frame, encoding, scout);
    const codec::LinkRows rows{surface, 0, height_};
    const std::uint64_t pitch = std::uint64_t{width_} * color::BytesPerPixel(format_);
    ASSERT_TRUE(codec::EncodeLinkRows(rows, {pixels.data(), pitch, format_, width_, height_}, MonotonicClock(), room_).ok());
    const Format linked = codec::LinkedFormat(format_, colors_);
    ASSERT_TRUE(
        codec::DecodeLinkRows(rows, {shown.data(), width_ * 4ULL, linked, width_, height_}, MonotonicClock(), room_).ok());
  }

  std::vector<std::byte> surface;
  std::vector<std::byte> shown;

 private:
  std::uint32_t width_;
  std::uint32_t height_;
  Format format_;
  codec::LinkColors colors_;
  std::vector<std::byte> room_;
};

struct Step {
  LinkEncoding encoding;
  std::uint32_t drawn;  // number of the picture
  std::uint32_t scout;
};

TEST_P(LinkShaderTest, EachEncoding_WhereverThePicturesAre_IsTheProcessors) {
  constexpr std::array kKinds{AllocationKind::kLinear, AllocationKind::kImage, AllocationKind::kLocal};
  // Still ones, moving ones until they rest, and changes of the encoding between.
  std::vector<Step> steps{{LinkEncoding::kPlain, 0, 0},    {LinkEncoding::kLossless, 0, 1}, {LinkEncoding::kLossless, 0, 0},
                          {LinkEncoding::kYuv420, 1, 2},   {LinkEncoding::kYuv420, 1, 0},   {LinkEncoding::kLossless, 1, 0},
                          {LinkEncoding::kLossless, 1, 0}, {LinkEncoding::kLossless, 2, 0}};
  for (const LinkEncoding encoding : {LinkEncoding::kPacked, LinkEncoding::kBc1, LinkEncoding::kPacked})
    steps.push_back({encoding, 2, 0});
  for (std::uint32_t i = 0; i < 12; ++i) steps.push_back({LinkEncoding::kLossless, 2 + i % 7 / 6, 0});
  std::uint32_t next = 0;
  for (const auto& [width, height, slices] : {std::tuple{64U, 48U, 1U}, {300U, 131U, 3U}}) {
    for (const AllocationKind kind : kKinds) {
      const Format format = next++ % 2 == 0 ? Format::kB8G8R8A8Unorm : Format::kR8G8B8A8Unorm;
      TestResource& drawn = Make(kind, width, height, format);
      TestResource& shown = Make(kKinds[next % kKinds.size()], width, height, format);
      TestResource& surface = MakeSurface(width, height, slices);
      Expected expected(width, height, slices, format);
      const std::uint64_t before = counters().by_processor;
      // Rows in pages that the device does not import are the processor's.
      std::uint64_t by_processor = 0;
      for (std::uint32_t frame = 1; frame <= steps.size(); ++frame) {
        const Step& step = steps[frame - 1];
        if (!codec::IsBuilt(step.encoding)) continue;
        if (!GetParam().import && kind == AllocationKind::kLinear) by_processor += slices;
        if (!GetParam().import && shown.data.kind == AllocationKind::kLinear) ++by_processor;
        SCOPED_TRACE(::testing::Message() << width << " x " << height << ", frame " << frame);
        std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kInterface, width, height, step.drawn);
        for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = std::byte{255};
        Write(drawn, pixels);
        const std::uint32_t scout = step.scout <= slices ? step.scout : 0;
        codec::WishLinkFrame(BytesOf(surface), frame, step.encoding, scout);
        const std::uint32_t slice_rows = codec::LinkSliceRows(height, slices);
        for (std::uint32_t top = 0; top < height; top += slice_rows)
          ASSERT_TRUE(Copy(drawn, surface, top, std::min(top + slice_rows, height)));
        ASSERT_TRUE(Copy(surface, shown));
        expected.Cross(frame, step.encoding, pixels, scout);
        for (std::uint32_t i = 0; i < codec::LinkSliceCount(height, slice_rows); ++i) {
          const codec::LinkSlice slice = codec::ReadLinkSlice(BytesOf(surface), i);
          const codec::LinkSlice wanted = codec::ReadLinkSlice(expected.surface, i);
          ASSERT_EQ(slice.frame, frame);
          ASSERT_EQ(slice.encoding, wanted.encoding);
          ASSERT_EQ(slice.bytes, wanted.bytes);
          EXPECT_EQ(slice.unchanged, wanted.unchanged);
          EXPECT_EQ(slice.link_ns, 0U);
          EXPECT_GT(slice.encode_ns, 0U);
          const std::uint64_t payload = codec::LinkPayloadOffset(width, i * slice_rows);
          ASSERT_EQ(std::memcmp(surface.pages + payload, expected.surface.data() + payload, slice.bytes), 0);
          EXPECT_EQ(codec::ReadLinkHeld(BytesOf(surface), i).frame, frame);
        }
        if (scout != 0) {
          EXPECT_EQ(codec::ReadLinkScouted(BytesOf(surface)).bytes, codec::ReadLinkScouted(expected.surface).bytes);
        }
        ASSERT_TRUE(Read(shown) == expected.shown);
      }
      EXPECT_EQ(counters().by_processor - before, by_processor);
    }
  }
}

// The pages say that the picture has slice 1 of the frame, which came there never.
TEST_P(LinkShaderTest, ASliceThatIsSaidToBeHeld_IsDecodedAllTheSame) {
  TestResource& drawn = Make(AllocationKind::kImage, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& shown = Make(AllocationKind::kImage, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& surface = MakeSurface(128, 64, 2);
  std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kScene, 128, 64, 1);
  for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = std::byte{255};
  Write(drawn, pixels);
  codec::WishLinkFrame(BytesOf(surface), 1, LinkEncoding::kLossless);
  ASSERT_TRUE(Copy(drawn, surface));
  const codec::LinkHeld forged{1, 0};
  std::memcpy(surface.pages + codec::kLinkHeldOffset + sizeof(forged), &forged, sizeof(forged));
  ASSERT_TRUE(Copy(surface, shown));
  EXPECT_TRUE(Read(shown) == pixels);
}

TEST_P(LinkShaderTest, FramesOfOneKind_RecordNothingFurther) {
  TestResource& drawn = Make(AllocationKind::kImage, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& shown = Make(AllocationKind::kImage, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& surface = MakeSurface(128, 64, 2);
  std::uint64_t recorded = 0;
  for (std::uint32_t frame = 1; frame <= 16; ++frame) {
    if (frame % 2 == 0) Write(drawn, codec::DrawPicture(codec::Picture::kScene, 128, 64, frame));
    codec::WishLinkFrame(BytesOf(surface), frame, LinkEncoding::kLossless);
    ASSERT_TRUE(Copy(drawn, surface));
    ASSERT_TRUE(Copy(surface, shown));
    if (frame == 6) recorded = counters().recorded;
  }
  EXPECT_GT(recorded, 0U);
  EXPECT_EQ(counters().recorded, recorded);
}

// What an encoding has no form of its own for is converted by shaders, too.
TEST_P(LinkShaderTest, PicturesOfMoreThanEightBits_AreTheProcessors) {
  constexpr std::uint32_t kWidth = 60;
  constexpr std::uint32_t kHeight = 50;
  std::mt19937 random(5);
  const std::pair<Format, codec::LinkColors> cases[] = {{Format::kR16G16B16A16Float, {}},
                                                        {Format::kR16G16B16A16Float, {.dithers = true}},
                                                        {Format::kR16G16B16A16Float, {.ten_bits = true}},
                                                        {Format::kR10G10B10A2Unorm, {}},
                                                        {Format::kR10G10B10A2Unorm, {.dithers = true}}};
  for (const auto& [format, colors] : cases) {
    const Format linked = codec::LinkedFormat(format, colors);
    for (const AllocationKind kind : {AllocationKind::kImage, AllocationKind::kLocal}) {
      TestResource& drawn = Make(kind, kWidth, kHeight, format);
      TestResource& shown = Make(kind, kWidth, kHeight, linked);
      TestResource& surface = MakeSurface(kWidth, kHeight, 2);
      codec::InitializeLinkSurface(BytesOf(surface), codec::LinkSliceRows(kHeight, 2), colors);
      Expected expected(kWidth, kHeight, 2, format, colors);
      std::uint64_t frame = 0;
      for (const LinkEncoding encoding : {LinkEncoding::kPlain, LinkEncoding::kPacked, LinkEncoding::kYuv420, LinkEncoding::kBc1,
                                          LinkEncoding::kLossless, LinkEncoding::kLossless, LinkEncoding::kBc1}) {
        if (!codec::IsBuilt(encoding)) continue;
        SCOPED_TRACE(::testing::Message() << color::ToString(format) << ", " << codec::ToString(encoding));
        const std::uint64_t before = counters().by_processor;
        std::vector<std::byte> pixels(std::size_t{kWidth} * kHeight * color::BytesPerPixel(format));
        const bool again = encoding == LinkEncoding::kLossless && frame > 5;
        for (std::size_t i = 0; i < pixels.size(); ++i)
          pixels[i] = static_cast<std::byte>(again || i % 512 < 200 ? i / 64 : random());
        Write(drawn, pixels);
        codec::WishLinkFrame(BytesOf(surface), ++frame, encoding);
        ASSERT_TRUE(Copy(drawn, surface));
        ASSERT_TRUE(Copy(surface, shown));
        expected.Cross(frame, encoding, pixels, 0);
        for (std::uint32_t i = 0; i < 2; ++i) {
          const codec::LinkSlice slice = codec::ReadLinkSlice(BytesOf(surface), i);
          EXPECT_EQ(slice.bytes, codec::ReadLinkSlice(expected.surface, i).bytes);
          EXPECT_EQ(slice.bits, codec::ReadLinkSlice(expected.surface, i).bits);
        }
        EXPECT_TRUE(Read(shown) == expected.shown);
        // Tiles and 4:2:0 of ten bits are the processor's, both ways; half floats that become ten bits and what is dithered, in.
        const bool tens = codec::LinkBits(encoding, linked) == 10;
        const bool out = tens && (encoding == LinkEncoding::kLossless || encoding == LinkEncoding::kYuv420);
        const bool converted =
            linked != format || codec::LinkBits(encoding, linked) < codec::LinkBits(LinkEncoding::kPlain, linked);
        const bool in = out || (tens && linked != format) || (colors.dithers && converted);
        EXPECT_EQ(counters().by_processor - before, (in ? 1U : 0U) + (out ? 1U : 0U));
      }
    }
  }
}

// What is scanned out as it crossed is made by them, too; parts that begin or end within a word are the processor's.
TEST_P(LinkShaderTest, IntoNv12_IsTheReferences) {
  if constexpr (!color::kHasYuv420) GTEST_SKIP() << "4:2:0 is not in the build.";
  constexpr std::uint32_t kWidth = 70;
  constexpr std::uint32_t kHeight = 50;
  for (const AllocationKind kind : {AllocationKind::kLinear, AllocationKind::kImage, AllocationKind::kLocal}) {
    TestResource& drawn = Make(kind, kWidth, kHeight, Format::kB8G8R8A8Unorm);
    TestResource& surface = Make(AllocationKind::kLinear, kWidth, kHeight, color::kNv12);
    const std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kScene, kWidth, kHeight, 1);
    Write(drawn, pixels);
    std::vector<std::byte> expected(surface.pages, surface.pages + surface.data.size);
    for (const RECT& rect : {RECT{0, 0, kWidth, kHeight}, RECT{4, 6, kWidth, 20}, RECT{8, 2, 40, 4}, RECT{2, 2, 40, 30}}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(kind) << ", from " << rect.left);
      const auto [left, top] = std::pair(static_cast<std::uint32_t>(rect.left), static_cast<std::uint32_t>(rect.top));
      const std::uint32_t width = static_cast<std::uint32_t>(rect.right) - left;
      const std::uint32_t height = static_cast<std::uint32_t>(rect.bottom) - top;
      if (rect.left != 0) std::memset(surface.pages, 0, surface.data.size);
      if (rect.left != 0) std::fill(expected.begin(), expected.end(), std::byte{});
      const std::uint64_t pitch = surface.data.pitch;
      color::EncodeYuv420Reference(
          color::Nv12Planes<std::byte>(expected.data() + top * pitch + left, pitch, color::Nv12ChromaDistance(kHeight, top)),
          {pixels.data() + 4ULL * (kWidth * top + left), 4ULL * kWidth, width, height}, {});
      const std::uint64_t before = counters().by_processor;
      DXGKARG_PRESENT args{};
      args.SrcRect = args.DstRect = rect;
      args.Flags.Blt = 1;
      ASSERT_TRUE(kernel_->WaitFence(kernel_->Present(&drawn, surface, args)));
      for (std::uint32_t y = 0; y < color::Nv12Rows(kHeight); ++y)
        ASSERT_EQ(std::memcmp(expected.data() + y * pitch, surface.pages + y * pitch, kWidth), 0) << y;
      EXPECT_EQ(counters().by_processor - before, GetParam().import && rect.left != 2 ? 0U : 1U);
    }
  }
}

// It is timed all the same, in parts that are submitted one by one.
TEST_P(LinkShaderTest, AQueueThatTellsNoTime_CodesTheSame) {
  Liar::Arm("CreateQueryPool", VK_ERROR_OUT_OF_HOST_MEMORY, 0);
  TestResource& drawn = Make(AllocationKind::kImage, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& shown = Make(AllocationKind::kImage, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& surface = MakeSurface(128, 64, 2);
  Expected expected(128, 64, 2, Format::kB8G8R8A8Unorm);
  std::uint64_t recorded = 0;
  for (std::uint32_t frame = 1; frame <= 6; ++frame) {
    std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kScene, 128, 64, frame);
    for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = std::byte{255};
    Write(drawn, pixels);
    const LinkEncoding encoding = frame % 2 == 0 ? LinkEncoding::kLossless : LinkEncoding::kPacked;
    codec::WishLinkFrame(BytesOf(surface), frame, encoding, frame % 2 == 0 ? 1 : 0);
    ASSERT_TRUE(Copy(drawn, surface));
    ASSERT_TRUE(Copy(surface, shown));
    expected.Cross(frame, encoding, pixels, 0);
    ASSERT_TRUE(Read(shown) == expected.shown) << frame;
    EXPECT_GT(codec::ReadLinkSlice(BytesOf(surface), 1).encode_ns, 0U);
    EXPECT_GT(codec::ReadLinkHeld(BytesOf(surface), 1).decode_ns, 0U);
    if (frame == 4) recorded = counters().recorded;
  }
  EXPECT_TRUE(Liar::told());
  EXPECT_EQ(counters().recorded, recorded);
}

// The marks of a recording, with the queue's clock and without.
TEST_P(LinkShaderTest, Marks_HaveTimesBetweenThem) {
  Gpu& gpu = miniport().gpu();
  const auto from = HostBuffer::CreateBounce(gpu, nullptr, 1 << 20);
  const auto to = HostBuffer::CreateBounce(gpu, nullptr, 1 << 20);
  ASSERT_TRUE(from.ok() && to.ok());
  std::memset((*from)->bounce(), 0x3C, 1 << 20);
  for (const bool clock : {true, false}) {
    if (!clock) Liar::Arm("CreateQueryPool", VK_ERROR_OUT_OF_HOST_MEMORY, 0);
    const auto work = RecordedWork::Create(gpu, *gpu.compute_queue());
    ASSERT_TRUE(work.ok());
    EXPECT_EQ((*work)->has_clock(), clock);
    std::memset((*to)->bounce(), 0, 1 << 20);
    const auto ran = (*work)->Run(
        {},
        [&](VkCommandBuffer& commands) {
          for (std::uint32_t mark = 0; mark < 3; ++mark) {
            (*work)->Mark(commands, mark);
            const VkBufferCopy half{mark * (1ULL << 19), mark * (1ULL << 19), 1ULL << 19};
            if (mark < 2) gpu.vk().CmdCopyBuffer(commands, (*from)->handle(), (*to)->handle(), 1, &half);
          }
          return Result<RecordedWork::Keep>(RecordedWork::Keep());
        },
        {}, miniport().engine(kernel_->node()));
    ASSERT_TRUE(ran.ok()) << ran.error().message;
    EXPECT_TRUE(ran->known);
    EXPECT_GT(ran->first_ns, 0);
    EXPECT_GT(ran->second_ns, 0);
    EXPECT_EQ(std::memcmp((*from)->bounce(), (*to)->bounce(), 1 << 20), 0);
  }
}

TEST_P(LinkShaderTest, RowsThatAreNoWholeWords_In420AreTheProcessors) {
  if (!codec::IsBuilt(LinkEncoding::kYuv420)) GTEST_SKIP() << "4:2:0 is not in the build.";
  TestResource& drawn = Make(AllocationKind::kImage, 70, 50, Format::kB8G8R8A8Unorm);
  TestResource& shown = Make(AllocationKind::kImage, 70, 50, Format::kB8G8R8A8Unorm);
  TestResource& surface = MakeSurface(70, 50, 1);
  const std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kScene, 70, 50, 1);
  Write(drawn, pixels);
  Expected expected(70, 50, 1, Format::kB8G8R8A8Unorm);
  std::uint64_t frame = 0;
  for (const LinkEncoding encoding :
       {LinkEncoding::kLossless, LinkEncoding::kYuv420, LinkEncoding::kLossless, LinkEncoding::kLossless}) {
    const Blitter::Counters before = counters();
    codec::WishLinkFrame(BytesOf(surface), ++frame, encoding);
    ASSERT_TRUE(Copy(drawn, surface));
    ASSERT_TRUE(Copy(surface, shown));
    expected.Cross(frame, encoding, pixels, 0);
    EXPECT_TRUE(Read(shown) == expected.shown) << frame;
    EXPECT_EQ(counters().by_processor - before.by_processor, encoding == LinkEncoding::kYuv420 ? 2U : 0U);
  }
}

TEST_P(LinkShaderTest, EachWayTo420_IsTheProcessors) {
  if (!codec::IsBuilt(LinkEncoding::kYuv420)) GTEST_SKIP() << "4:2:0 is not in the build.";
  for (const YuvPasses passes : {YuvPasses::kThree, YuvPasses::kFused}) {
    kernel_.reset();
    description_.yuv_passes = passes;
    ASSERT_NO_FATAL_FAILURE(Start());
    TestResource& drawn = Make(AllocationKind::kImage, 300, 131, Format::kR8G8B8A8Unorm);
    TestResource& shown = Make(AllocationKind::kImage, 300, 131, Format::kR8G8B8A8Unorm);
    TestResource& surface = MakeSurface(300, 131, 2);
    Expected expected(300, 131, 2, Format::kR8G8B8A8Unorm);
    for (std::uint32_t frame = 1; frame <= 2; ++frame) {
      const std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kScene, 300, 131, frame);
      Write(drawn, pixels);
      codec::WishLinkFrame(BytesOf(surface), frame, LinkEncoding::kYuv420);
      ASSERT_TRUE(Copy(drawn, surface));
      ASSERT_TRUE(Copy(surface, shown));
      expected.Cross(frame, LinkEncoding::kYuv420, pixels, 0);
      ASSERT_TRUE(Read(shown) == expected.shown) << frame;
    }
    const std::uint64_t first = codec::LinkPayloadOffset(300, 0);
    EXPECT_EQ(
        std::memcmp(surface.pages + first, expected.surface.data() + first, codec::ReadLinkSlice(expected.surface, 0).bytes), 0);
    EXPECT_EQ(counters().by_processor, 0U);
    EXPECT_EQ(counters().passes, passes);
    DestroyAll();
  }
}

// What a primary holds is where shaders decode it: the same whoever codes a slice, and where nothing but changes crosses.
TEST_P(LinkShaderTest, APrimary_IsInTheDevicesOwnMemory_AndTheSameWhoeverDecodes) {
  constexpr std::uint32_t kWidth = 150;  // in 4:2:0 the processor's
  constexpr std::uint32_t kHeight = 96;
  TestResource& drawn = Make(AllocationKind::kLinear, kWidth, kHeight, Format::kB8G8R8A8Unorm);
  TestResource& seen = Make(AllocationKind::kLinear, kWidth, kHeight, Format::kB8G8R8A8Unorm);
  TestResource& surface = MakeSurface(kWidth, kHeight, 3);
  const auto made = Allocation::Create(miniport().gpu(), miniport(),
                                       *DescribeSurface(AllocationKind::kPrimary, kWidth, kHeight, Format::kB8G8R8A8Unorm, 0));
  ASSERT_TRUE(made.ok());
  Allocation& primary = **made;
  // What was drawn before goes along.
  const std::vector<std::byte> before = codec::DrawPicture(codec::Picture::kScene, kWidth, kHeight, 9);
  Fill(drawn, before);
  Run(ObjectOf(drawn), primary, 0, kHeight);
  EXPECT_EQ(primary.shadow_place(), RowsPlace::kSystem);
  Expected expected(kWidth, kHeight, 3, Format::kB8G8R8A8Unorm);
  expected.shown = before;
  const std::array steps{LinkEncoding::kLossless, LinkEncoding::kLossless, LinkEncoding::kYuv420, LinkEncoding::kLossless,
                         LinkEncoding::kLossless, LinkEncoding::kYuv420,   LinkEncoding::kPlain};
  for (std::uint32_t frame = 1; frame <= steps.size(); ++frame) {
    if (!codec::IsBuilt(steps[frame - 1])) continue;
    SCOPED_TRACE(frame);
    std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kInterface, kWidth, kHeight, 1);
    for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = std::byte{255};
    pixels[kWidth * 4 * 50 + frame * 4] ^= std::byte{0x40};
    Fill(drawn, pixels);
    codec::WishLinkFrame(BytesOf(surface), frame, steps[frame - 1]);
    ASSERT_TRUE(Copy(drawn, surface));
    const std::uint32_t slice_rows = codec::LinkSliceRows(kHeight, 3);
    for (std::uint32_t top = 0; top < kHeight; top += slice_rows) {
      Run(ObjectOf(surface), primary, top, top + slice_rows);
      if (frame > 1 || top > 0) continue;
      Run(primary, ObjectOf(seen), 0, kHeight);
      EXPECT_TRUE(std::equal(before.end() - kWidth * 4, before.end(), PixelsOf(seen).end() - kWidth * 4));
    }
    expected.Cross(frame, steps[frame - 1], pixels, 0);
    Run(primary, ObjectOf(seen), 0, kHeight);
    ASSERT_TRUE(PixelsOf(seen) == expected.shown);
    EXPECT_EQ(primary.shadow_place(), RowsPlace::kDevice);
    Result<Allocation*> shadow = primary.Shadow();
    ASSERT_TRUE(shadow.ok());
    EXPECT_EQ((*shadow)->rows().pixels != nullptr, GetParam().sees_all);
  }
  // The processor draws into it, too.
  Fill(drawn, before);
  Run(ObjectOf(drawn), primary, 0, kHeight);
  Run(primary, ObjectOf(seen), 0, kHeight);
  EXPECT_TRUE(PixelsOf(seen) == before);
  miniport().Forget(primary);
}

TEST_P(LinkShaderTest, APrimaryThatTheDeviceHasNoMemoryFor_StaysInSystemMemory) {
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
  codec::WishLinkFrame(BytesOf(surface), 1, LinkEncoding::kLossless);
  ASSERT_TRUE(Copy(drawn, surface));
  ASSERT_TRUE(Copy(surface, seen));  // whatever else is needed is there then
  Liar::Arm("AllocateMemory", VK_ERROR_OUT_OF_DEVICE_MEMORY, 0);
  for (int i = 0; i < 2; ++i) Run(ObjectOf(surface), **made, 0, 64);
  EXPECT_TRUE(Liar::told());
  EXPECT_EQ((*made)->shadow_place(), RowsPlace::kSystem);
  Run(**made, ObjectOf(seen), 0, 64);
  EXPECT_TRUE(PixelsOf(seen) == pixels);
  EXPECT_FALSE(miniport().lost());
  miniport().Forget(**made);
}

// The same refusal as by the processor: nothing of it is shown, and the device counts as lost.
TEST_P(LinkShaderTest, APayloadThatIsNotSound_IsNotShown) {
  TestResource& drawn = Make(AllocationKind::kImage, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& shown = Make(AllocationKind::kLinear, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& surface = MakeSurface(128, 64, 1);
  Write(drawn, codec::DrawPicture(codec::Picture::kScene, 128, 64, 1));
  codec::WishLinkFrame(BytesOf(surface), 1, LinkEncoding::kLossless);
  ASSERT_TRUE(Copy(drawn, surface));
  surface.pages[codec::LinkPayloadOffset(128, 0) + 100] ^= std::byte{1};
  std::memset(shown.pages, 0x5A, shown.data.size);
  ASSERT_TRUE(Copy(surface, shown));
  EXPECT_TRUE(miniport().lost());
  EXPECT_EQ(shown.pages[0], std::byte{0x5A});
  EXPECT_EQ(std::memcmp(shown.pages, shown.pages + 1, shown.data.size - 1), 0);
}

// A surface that others write to after it was checked, with anything in it: the slice's rows of the picture and nothing else.
TEST_P(LinkShaderTest, APayloadOfNoise_WritesNothingBeyondItsRows) {
  constexpr std::uint32_t kWidth = 128;
  constexpr std::uint32_t kHeight = 64;
  constexpr std::uint32_t kPitch = 512;
  constexpr std::uint64_t kPicture = std::uint64_t{kPitch} * kHeight;
  Gpu& gpu = miniport().gpu();
  auto work = RecordedWork::Create(gpu, *gpu.compute_queue());
  ASSERT_TRUE(work.ok());
  auto recorder = LinkRecorder::Create(gpu, **work);
  ASSERT_TRUE(recorder.ok());
  ASSERT_TRUE((*recorder)->MakeRoom({{}, Format::kB8G8R8A8Unorm, kPitch, kWidth, kHeight}).ok());
  const std::uint64_t surface_bytes = codec::LinkSurfaceBytes(kWidth, kHeight);
  auto surface = HostBuffer::CreateBounce(gpu, nullptr, surface_bytes);
  auto guarded = HostBuffer::CreateBounce(gpu, nullptr, 3 * kPicture);
  ASSERT_TRUE(surface.ok() && guarded.ok());
  LinkJob job;
  job.picture = {(*guarded)->rows(), Format::kB8G8R8A8Unorm, kPitch, kWidth, kHeight};
  job.picture.rows.offset = kPicture;
  job.surface = {(*surface)->rows(), codec::kLinkFormat, codec::LinkReferencePitch(kWidth), kWidth, kHeight};
  job.part.encoding = LinkEncoding::kLossless;
  job.part.first_row = 16;
  job.part.row_count = 32;
  job.part.payload = codec::LinkPayloadOffset(kWidth, 16);
  job.part.capacity = codec::LinkPayloadOffset(kWidth, 48) - job.part.payload;
  ASSERT_EQ((*recorder)->RefusalOf(job, false), "");
  const std::uint64_t begin = kPicture + 16 * kPitch;
  const std::uint64_t end = kPicture + 48 * kPitch;
  std::mt19937 random(3);
  for (std::uint32_t round = 0; round < 8; ++round) {
    std::byte* const bytes = (*surface)->bounce();
    for (std::uint64_t i = 0; i < surface_bytes; ++i) bytes[i] = static_cast<std::byte>(random());
    // Rows of a few bytes lead further than rows of four thousand million.
    for (std::uint32_t row = 0; round % 2 == 1 && row < 4; ++row)
      std::memset(bytes + job.part.payload + sizeof(codec::TileSliceHeader) + 4 * row + 2, 0, 2);
    std::memset((*guarded)->bounce(), 0xA5, 3 * kPicture);
    const auto ran = (*work)->Run(
        {}, [&](VkCommandBuffer& commands) { return (*recorder)->Decode(commands, job); }, {},
        miniport().engine(kernel_->node()));
    ASSERT_TRUE(ran.ok()) << ran.error().message;
    for (std::uint64_t i = 0; i < 3 * kPicture; ++i) {
      if (i < begin || i >= end) {
        ASSERT_EQ((*guarded)->bounce()[i], std::byte{0xA5}) << i;
      }
    }
  }
}

std::string NameOfMachine(const ::testing::TestParamInfo<Machine>& info) {
  return std::string(info.param.icd == Icd::kLavapipe ? "Lavapipe" : "SwiftShader") +
         (info.param.import ? "Imported" : "Bounced") + (info.param.sees_all ? "" : "Split");
}

INSTANTIATE_TEST_SUITE_P(Drivers, LinkShaderTest,
                         ::testing::Values(Machine{Icd::kLavapipe, true, true}, Machine{Icd::kLavapipe, false, true},
                                           Machine{Icd::kLavapipe, true, false}, Machine{Icd::kLavapipe, false, false},
                                           Machine{Icd::kSwiftShader, true, true}, Machine{Icd::kSwiftShader, true, false}),
                         NameOfMachine);

}  // namespace
}  // namespace tandem::vulkan::testing

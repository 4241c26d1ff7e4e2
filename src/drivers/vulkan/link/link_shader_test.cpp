// Presents into and out of link surfaces by shaders. The bytes on the link and the pixels after it equal the processor's, for
// every location of the pictures.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "codec/pictures/pictures.h"
#include "codec/tiles/tile_format.h"
#include "color/blit.h"
#include "color/nv12.h"
#include "drivers/vulkan/testing/link_machine.h"
#include "link/surface/link_parts.h"

namespace tandem::vulkan::testing {
namespace {

using color::Format;
using link::LinkEncoding;

class LinkShaderTest : public LinkMachineTest {};

struct Step {
  LinkEncoding encoding;
  std::uint32_t drawn;  // number of the picture
  std::uint32_t probe;
};

TEST_P(LinkShaderTest, EachEncoding_WhereverThePicturesAre_IsTheProcessors) {
  constexpr std::array kKinds{AllocationKind::kLinear, AllocationKind::kImage, AllocationKind::kLocal};
  // Still frames, moving frames until they rest, and encoding changes between them.
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
      ExpectedLink expected(width, height, slices, format);
      const std::uint64_t before = counters().by_processor;
      // The processor codes rows in pages that the device does not import.
      std::uint64_t by_processor = 0;
      for (std::uint32_t frame = 1; frame <= steps.size(); ++frame) {
        const Step& step = steps[frame - 1];
        if (!link::IsBuilt(step.encoding)) continue;
        if (!GetParam().import && kind == AllocationKind::kLinear) by_processor += slices;
        if (!GetParam().import && shown.data.kind == AllocationKind::kLinear) ++by_processor;
        SCOPED_TRACE(::testing::Message() << width << " x " << height << ", frame " << frame);
        std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kInterface, width, height, step.drawn);
        for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = std::byte{255};
        Write(drawn, pixels);
        const std::uint32_t probe = step.probe <= slices ? step.probe : 0;
        link::RequestLinkFrame(BytesOf(surface), frame, step.encoding, probe);
        const std::uint32_t slice_rows = link::LinkSliceRows(height, slices);
        for (std::uint32_t top = 0; top < height; top += slice_rows)
          ASSERT_TRUE(Copy(drawn, surface, top, std::min(top + slice_rows, height)));
        ASSERT_TRUE(Copy(surface, shown));
        expected.Cross(frame, step.encoding, pixels, probe);
        for (std::uint32_t i = 0; i < link::LinkSliceCount(height, slice_rows); ++i) {
          const link::LinkSlice slice = link::ReadLinkSlice(BytesOf(surface), i);
          const link::LinkSlice wanted = link::ReadLinkSlice(expected.surface, i);
          ASSERT_EQ(slice.frame, frame);
          ASSERT_EQ(slice.encoding, wanted.encoding);
          ASSERT_EQ(slice.bytes, wanted.bytes);
          EXPECT_EQ(slice.unchanged, wanted.unchanged);
          EXPECT_EQ(slice.link_ns, 0U);
          EXPECT_GT(slice.encode_ns, 0U);
          const std::uint64_t payload = link::LinkPayloadOffset(width, i * slice_rows);
          ASSERT_EQ(std::memcmp(surface.pages + payload, expected.surface.data() + payload, slice.bytes), 0);
          EXPECT_EQ(link::ReadLinkHeld(BytesOf(surface), i).frame, frame);
        }
        if (probe != 0) {
          EXPECT_EQ(link::ReadLinkProbed(BytesOf(surface)).bytes, link::ReadLinkProbed(expected.surface).bytes);
        }
        ASSERT_TRUE(Read(shown) == expected.shown);
      }
      EXPECT_EQ(counters().by_processor - before, by_processor);
    }
  }
}

// The pages claim that the picture holds slice 1 of the frame, which never arrived.
TEST_P(LinkShaderTest, ASliceThatIsSaidToBeHeld_IsDecodedAllTheSame) {
  TestResource& drawn = Make(AllocationKind::kImage, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& shown = Make(AllocationKind::kImage, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& surface = MakeSurface(128, 64, 2);
  std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kScene, 128, 64, 1);
  for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = std::byte{255};
  Write(drawn, pixels);
  link::RequestLinkFrame(BytesOf(surface), 1, LinkEncoding::kLossless);
  ASSERT_TRUE(Copy(drawn, surface));
  const link::LinkHeld forged{1, 0};
  std::memcpy(surface.pages + link::kLinkHeldOffset + sizeof(forged), &forged, sizeof(forged));
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
    link::RequestLinkFrame(BytesOf(surface), frame, LinkEncoding::kLossless);
    ASSERT_TRUE(Copy(drawn, surface));
    ASSERT_TRUE(Copy(surface, shown));
    if (frame == 6) recorded = counters().recorded;
  }
  EXPECT_GT(recorded, 0U);
  EXPECT_EQ(counters().recorded, recorded);
}

// Shaders also convert formats that an encoding does not support.
TEST_P(LinkShaderTest, PicturesOfMoreThanEightBits_AreTheProcessors) {
  constexpr std::uint32_t kWidth = 60;
  constexpr std::uint32_t kHeight = 50;
  std::mt19937 random(5);
  const std::pair<Format, link::LinkColors> cases[] = {{Format::kR16G16B16A16Float, {}},
                                                       {Format::kR16G16B16A16Float, {.dithers = true}},
                                                       {Format::kR16G16B16A16Float, {.ten_bits = true}},
                                                       {Format::kR10G10B10A2Unorm, {}},
                                                       {Format::kR10G10B10A2Unorm, {.dithers = true}}};
  for (const auto& [format, colors] : cases) {
    const Format linked = link::LinkedFormat(format, colors);
    for (const AllocationKind kind : {AllocationKind::kImage, AllocationKind::kLocal}) {
      TestResource& drawn = Make(kind, kWidth, kHeight, format);
      TestResource& shown = Make(kind, kWidth, kHeight, linked);
      TestResource& surface = MakeSurface(kWidth, kHeight, 2);
      link::InitializeLinkSurface(BytesOf(surface), link::LinkSliceRows(kHeight, 2), colors);
      ExpectedLink expected(kWidth, kHeight, 2, format, colors);
      std::uint64_t frame = 0;
      for (const LinkEncoding encoding : {LinkEncoding::kPlain, LinkEncoding::kPacked, LinkEncoding::kYuv420, LinkEncoding::kBc1,
                                          LinkEncoding::kLossless, LinkEncoding::kLossless, LinkEncoding::kBc1}) {
        if (!link::IsBuilt(encoding)) continue;
        SCOPED_TRACE(::testing::Message() << color::ToString(format) << ", " << link::ToString(encoding));
        const std::uint64_t before = counters().by_processor;
        std::vector<std::byte> pixels(std::size_t{kWidth} * kHeight * color::BytesPerPixel(format));
        const bool again = encoding == LinkEncoding::kLossless && frame > 5;
        for (std::size_t i = 0; i < pixels.size(); ++i)
          pixels[i] = static_cast<std::byte>(again || i % 512 < 200 ? i / 64 : random());
        Write(drawn, pixels);
        link::RequestLinkFrame(BytesOf(surface), ++frame, encoding);
        ASSERT_TRUE(Copy(drawn, surface));
        ASSERT_TRUE(Copy(surface, shown));
        expected.Cross(frame, encoding, pixels, 0);
        for (std::uint32_t i = 0; i < 2; ++i) {
          const link::LinkSlice slice = link::ReadLinkSlice(BytesOf(surface), i);
          EXPECT_EQ(slice.bytes, link::ReadLinkSlice(expected.surface, i).bytes);
          EXPECT_EQ(slice.bits, link::ReadLinkSlice(expected.surface, i).bits);
        }
        EXPECT_TRUE(Read(shown) == expected.shown);
        // The processor codes tiles and 4:2:0 of ten bits, both ways. It encodes half floats that become ten bits, and dithered
        // pictures.
        const bool tens = link::LinkBits(encoding, linked) == 10;
        const bool out = tens && (encoding == LinkEncoding::kLossless || encoding == LinkEncoding::kYuv420);
        const bool converted =
            linked != format || link::LinkBits(encoding, linked) < link::LinkBits(LinkEncoding::kPlain, linked);
        const bool in = out || (tens && linked != format) || (colors.dithers && converted);
        EXPECT_EQ(counters().by_processor - before, (in ? 1U : 0U) + (out ? 1U : 0U));
      }
    }
  }
}

// Shaders also encode directly to the scanned-out NV12; the processor codes parts that begin or end within a word.
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

TEST_P(LinkShaderTest, RowsThatAreNoWholeWords_In420AreTheProcessors) {
  if (!link::IsBuilt(LinkEncoding::kYuv420)) GTEST_SKIP() << "4:2:0 is not in the build.";
  TestResource& drawn = Make(AllocationKind::kImage, 70, 50, Format::kB8G8R8A8Unorm);
  TestResource& shown = Make(AllocationKind::kImage, 70, 50, Format::kB8G8R8A8Unorm);
  TestResource& surface = MakeSurface(70, 50, 1);
  const std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kScene, 70, 50, 1);
  Write(drawn, pixels);
  ExpectedLink expected(70, 50, 1, Format::kB8G8R8A8Unorm);
  std::uint64_t frame = 0;
  for (const LinkEncoding encoding :
       {LinkEncoding::kLossless, LinkEncoding::kYuv420, LinkEncoding::kLossless, LinkEncoding::kLossless}) {
    const Blitter::Counters before = counters();
    link::RequestLinkFrame(BytesOf(surface), ++frame, encoding);
    ASSERT_TRUE(Copy(drawn, surface));
    ASSERT_TRUE(Copy(surface, shown));
    expected.Cross(frame, encoding, pixels, 0);
    EXPECT_TRUE(Read(shown) == expected.shown) << frame;
    EXPECT_EQ(counters().by_processor - before.by_processor, encoding == LinkEncoding::kYuv420 ? 2U : 0U);
  }
}

TEST_P(LinkShaderTest, EachWayTo420_IsTheProcessors) {
  if (!link::IsBuilt(LinkEncoding::kYuv420)) GTEST_SKIP() << "4:2:0 is not in the build.";
  for (const YuvPasses passes : {YuvPasses::kThree, YuvPasses::kFused}) {
    kernel_.reset();
    description_.yuv_passes = passes;
    ASSERT_NO_FATAL_FAILURE(Start());
    TestResource& drawn = Make(AllocationKind::kImage, 300, 131, Format::kR8G8B8A8Unorm);
    TestResource& shown = Make(AllocationKind::kImage, 300, 131, Format::kR8G8B8A8Unorm);
    TestResource& surface = MakeSurface(300, 131, 2);
    ExpectedLink expected(300, 131, 2, Format::kR8G8B8A8Unorm);
    for (std::uint32_t frame = 1; frame <= 2; ++frame) {
      const std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kScene, 300, 131, frame);
      Write(drawn, pixels);
      link::RequestLinkFrame(BytesOf(surface), frame, LinkEncoding::kYuv420);
      ASSERT_TRUE(Copy(drawn, surface));
      ASSERT_TRUE(Copy(surface, shown));
      expected.Cross(frame, LinkEncoding::kYuv420, pixels, 0);
      ASSERT_TRUE(Read(shown) == expected.shown) << frame;
    }
    const std::uint64_t first = link::LinkPayloadOffset(300, 0);
    EXPECT_EQ(std::memcmp(surface.pages + first, expected.surface.data() + first, link::ReadLinkSlice(expected.surface, 0).bytes),
              0);
    EXPECT_EQ(counters().by_processor, 0U);
    EXPECT_EQ(counters().passes, passes);
    DestroyAll();
  }
}

TEST_P(LinkShaderTest, EachMatrixRangeAndFilter_IsTheProcessors) {
  if (!link::IsBuilt(LinkEncoding::kYuv420)) GTEST_SKIP() << "4:2:0 is not in the build.";
  TestResource& drawn = Make(AllocationKind::kImage, 148, 75, Format::kR8G8B8A8Unorm);
  TestResource& shown = Make(AllocationKind::kImage, 148, 75, Format::kR8G8B8A8Unorm);
  const std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kScene, 148, 75, 1);
  Write(drawn, pixels);
  for (std::uint32_t i = 0; i < 12; ++i) {
    link::LinkColors colors;
    colors.yuv.coding = {static_cast<color::YuvMatrix>(i / 4), static_cast<color::YuvRange>(i % 2)};
    colors.yuv.filter = static_cast<color::ChromaFilter>(i / 2 % 2);
    SCOPED_TRACE(link::LinkYuvText(colors.yuv));
    TestResource& surface = MakeSurface(148, 75, 2, colors);
    ExpectedLink expected(148, 75, 2, Format::kR8G8B8A8Unorm, colors);
    link::RequestLinkFrame(BytesOf(surface), 1, LinkEncoding::kYuv420);
    ASSERT_TRUE(Copy(drawn, surface));
    ASSERT_TRUE(Copy(surface, shown));
    expected.Cross(1, LinkEncoding::kYuv420, pixels, 0);
    EXPECT_TRUE(Read(shown) == expected.shown);
  }
  EXPECT_EQ(counters().by_processor, 0U);
}

// Refused as by the processor: nothing of the slice is shown, and the device counts as lost.
TEST_P(LinkShaderTest, APayloadThatIsNotSound_IsNotShown) {
  TestResource& drawn = Make(AllocationKind::kImage, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& shown = Make(AllocationKind::kLinear, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& surface = MakeSurface(128, 64, 1);
  Write(drawn, codec::DrawPicture(codec::Picture::kScene, 128, 64, 1));
  link::RequestLinkFrame(BytesOf(surface), 1, LinkEncoding::kLossless);
  ASSERT_TRUE(Copy(drawn, surface));
  surface.pages[link::LinkPayloadOffset(128, 0) + 100] ^= std::byte{1};
  std::memset(shown.pages, 0x5A, shown.data.size);
  ASSERT_TRUE(Copy(surface, shown));
  EXPECT_TRUE(miniport().lost());
  EXPECT_EQ(shown.pages[0], std::byte{0x5A});
  EXPECT_EQ(std::memcmp(shown.pages, shown.pages + 1, shown.data.size - 1), 0);
}

// Others write arbitrary bytes to the surface after the check: only the slice's rows of the picture may change.
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
  const std::uint64_t surface_bytes = link::LinkSurfaceBytes(kWidth, kHeight);
  auto surface = HostBuffer::CreateBounce(gpu, nullptr, surface_bytes);
  auto guarded = HostBuffer::CreateBounce(gpu, nullptr, 3 * kPicture);
  ASSERT_TRUE(surface.ok() && guarded.ok());
  LinkJob job;
  job.picture = {(*guarded)->rows(), Format::kB8G8R8A8Unorm, kPitch, kWidth, kHeight};
  job.picture.rows.offset = kPicture;
  job.surface = {(*surface)->rows(), link::kLinkFormat, link::LinkReferencePitch(kWidth), kWidth, kHeight};
  job.part.encoding = LinkEncoding::kLossless;
  job.part.first_row = 16;
  job.part.row_count = 32;
  job.part.payload = link::LinkPayloadOffset(kWidth, 16);
  job.part.capacity = link::LinkPayloadOffset(kWidth, 48) - job.part.payload;
  ASSERT_EQ((*recorder)->limits().RefusalOf(job, false), "");
  const std::uint64_t begin = kPicture + 16 * kPitch;
  const std::uint64_t end = kPicture + 48 * kPitch;
  std::mt19937 random(3);
  for (std::uint32_t round = 0; round < 8; ++round) {
    std::byte* const bytes = (*surface)->bounce();
    for (std::uint64_t i = 0; i < surface_bytes; ++i) bytes[i] = static_cast<std::byte>(random());
    // Short row lengths lead further than lengths of four thousand million.
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

INSTANTIATE_TEST_SUITE_P(Drivers, LinkShaderTest, LinkMachines(), NameOfMachine);

}  // namespace
}  // namespace tandem::vulkan::testing

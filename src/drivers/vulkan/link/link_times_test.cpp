// Times of engines and links, with a queue's clock and without.
#include <atomic>
#include <cstring>

#include <gtest/gtest.h>

#include "codec/pictures/pictures.h"
#include "color/format.h"
#include "drivers/vulkan/link/link_shader.h"
#include "drivers/vulkan/testing/link_machine.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan::testing {
namespace {

using color::Format;
using link::LinkEncoding;

class LinkTimesTest : public LinkMachineTest {};

// The work is still timed, in separately submitted parts.
TEST_P(LinkTimesTest, AQueueThatTellsNoTime_CodesTheSame) {
  Liar::Arm("CreateQueryPool", VK_ERROR_OUT_OF_HOST_MEMORY, 0);
  TestResource& drawn = Make(AllocationKind::kImage, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& shown = Make(AllocationKind::kImage, 128, 64, Format::kB8G8R8A8Unorm);
  TestResource& surface = MakeSurface(128, 64, 2);
  ExpectedLink expected(128, 64, 2, Format::kB8G8R8A8Unorm);
  std::uint64_t recorded = 0;
  for (std::uint32_t frame = 1; frame <= 6; ++frame) {
    std::vector<std::byte> pixels = codec::DrawPicture(codec::Picture::kScene, 128, 64, frame);
    for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = std::byte{255};
    Write(drawn, pixels);
    const LinkEncoding encoding = frame % 2 == 0 ? LinkEncoding::kLossless : LinkEncoding::kPacked;
    link::RequestLinkFrame(BytesOf(surface), frame, encoding, frame % 2 == 0 ? 1 : 0);
    ASSERT_TRUE(Copy(drawn, surface));
    ASSERT_TRUE(Copy(surface, shown));
    expected.Cross(frame, encoding, pixels, 0);
    ASSERT_TRUE(Read(shown) == expected.shown) << frame;
    EXPECT_GT(link::ReadLinkSlice(BytesOf(surface), 1).encode_ns, 0U);
    EXPECT_GT(link::ReadLinkHeld(BytesOf(surface), 1).decode_ns, 0U);
    if (frame == 4) recorded = counters().recorded;
  }
  EXPECT_TRUE(Liar::told());
  EXPECT_EQ(counters().recorded, recorded);
}

// Marks of a recording, with the queue's clock and without.
TEST_P(LinkTimesTest, Marks_HaveTimesBetweenThem) {
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

TEST_P(LinkTimesTest, TriedTasks_GiveTheProcessorsBits) {
  constexpr std::uint32_t kWidth = 192, kHeight = 96;
  auto shader = LinkShader::Create(miniport().gpu(), miniport().engine(kernel_->node()));
  ASSERT_TRUE(shader.ok()) << shader.error().message;
  std::vector<std::byte> picture = codec::DrawPicture(codec::Picture::kScene, kWidth, kHeight, 3);
  for (std::size_t i = 3; i < picture.size(); i += 4) picture[i] = std::byte{255};
  const std::atomic<bool> stop{false};
  for (const LinkEncoding encoding : {LinkEncoding::kPacked, LinkEncoding::kLossless, LinkEncoding::kBc1}) {
    for (const LinkDirection direction : {LinkDirection::kEncode, LinkDirection::kDecode}) {
      SCOPED_TRACE(std::string(link::ToString(encoding)) + (direction == LinkDirection::kEncode ? ", encoded" : ", decoded"));
      const auto tried = (*shader)->Try({direction, encoding}, picture, kWidth, kHeight, stop);
      ASSERT_TRUE(tried.ok()) << tried.error().message;
      EXPECT_TRUE(tried->same);
      EXPECT_GT(tried->bytes, 0U);
      EXPECT_LT(tried->bytes, picture.size());
      EXPECT_GT(tried->times.shader_ns, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Drivers, LinkTimesTest, LinkMachines(), NameOfMachine);

}  // namespace
}  // namespace tandem::vulkan::testing

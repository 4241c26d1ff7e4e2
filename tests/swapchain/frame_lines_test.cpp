// Each presented frame has one line in the log, whatever happened to it.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "swapchain/frame_line.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using link::LinkEncoding;
using swapchain::FrameLine;
using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

constexpr std::uint32_t kFrames = 300;

class Lines final : public swapchain::FrameSink {
 public:
  void Report(const FrameLine& line) override { lines.push_back(line); }
  std::vector<FrameLine> lines;
};

// Presents all frames and destroys the swap chain.
std::vector<FrameLine> LinesOf(PathRequest path, PresentMode mode, LinkEncoding encoding, std::uint32_t display_buffers) {
  PairOptions options;
  options.refresh_period_ns = 500'000;
  options.opaque = 0xFF000000U;
  const auto pair = SoftPair::Create(options);
  if (!pair) return {};
  Just policy(encoding);
  Lines sink;
  SwapChainDesc desc;
  desc.width = 64;
  desc.height = 48;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.path = path;
  desc.present_mode = mode;
  desc.display_buffers = display_buffers;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  desc.encodings = &policy;
  desc.frames = &sink;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  EXPECT_TRUE(chain.ok()) << chain.error().message;
  if (!chain.ok()) return {};
  {
    const TestApplication application(pair->render(), **chain, desc, options.opaque);
    EXPECT_TRUE(PresentFrames(**chain, application, 1, kFrames).ok());
    EXPECT_TRUE((*chain)->WaitForPresent(kFrames, kPatienceNs).ok());
  }
  const auto statistics = (*chain)->statistics();
  chain->reset();
  const auto shown = std::ranges::count_if(sink.lines, [](const FrameLine& line) { return line.shown_ns != 0; });
  EXPECT_EQ(static_cast<std::uint64_t>(shown), statistics.frames_shown);
  return sink.lines;
}

void ExpectEachOnceWithItsTimes(std::vector<FrameLine> lines) {
  ASSERT_EQ(lines.size(), kFrames);
  std::ranges::sort(lines, {}, &FrameLine::number);
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    EXPECT_EQ(lines[i].number, i + 1);
    EXPECT_GT(lines[i].acquired_ns, 0);
    EXPECT_GE(lines[i].presented_ns, lines[i].acquired_ns);
    if (lines[i].shown_ns != 0) {
      EXPECT_GE(lines[i].shown_ns, lines[i].presented_ns);
    }
  }
  EXPECT_NE(lines.back().shown_ns, 0);
}

TEST(SwapChainFrameLines, EachPathAndMode_OneLineForEachFrame) {
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy, PathRequest::kCompressed}) {
    for (const PresentMode mode : {PresentMode::kFifo, PresentMode::kMailbox, PresentMode::kImmediate}) {
      SCOPED_TRACE(std::string(ToString(path)) + " " + std::string(ToString(mode)));
      const auto lines = LinesOf(path, mode, LinkEncoding::kPlain, 0);
      ASSERT_NO_FATAL_FAILURE(ExpectEachOnceWithItsTimes(lines));
      const bool in_order = std::ranges::is_sorted(lines, {}, &FrameLine::number);
      EXPECT_TRUE(in_order || mode == PresentMode::kMailbox);
    }
  }
}

// Times of a shown frame's copy lie between its present and its flip. The direct path copies nothing.
TEST(SwapChainFrameLines, ShownFrames_HaveTheTimesOfTheirCopies) {
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy, PathRequest::kCompressed}) {
    SCOPED_TRACE(std::string(ToString(path)));
    for (const FrameLine& line : LinesOf(path, PresentMode::kFifo, LinkEncoding::kPlain, 0)) {
      EXPECT_LE(line.flip_queued_ns, line.shown_ns);
      EXPECT_GE(line.flip_queued_ns, line.presented_ns);
      EXPECT_EQ(line.copy.link_begin_ns, 0);  // the link is not emulated
      if (path == PathRequest::kDirect) {
        EXPECT_EQ(line.copy, PassTimes());
        continue;
      }
      EXPECT_GE(line.copy.begin_ns, line.presented_ns);
      EXPECT_GE(line.copy.end_ns, line.copy.begin_ns);
      EXPECT_LE(line.copy.end_ns, line.flip_queued_ns);
    }
  }
}

TEST(SwapChainFrameLines, EncodedFrames_HaveWhatTheyTook) {
  for (const std::uint32_t primaries : {0U, 2U}) {
    const auto lines = LinesOf(PathRequest::kCompressed, PresentMode::kFifo, LinkEncoding::kPlain, primaries);
    ASSERT_EQ(lines.size(), kFrames);
    std::uint32_t decoded = 0;
    for (const FrameLine& line : lines) {
      EXPECT_EQ(line.encoding, LinkEncoding::kPlain);
      EXPECT_EQ(line.bytes, 64U * 48 * 4);
      EXPECT_GT(line.encode_ns, 0);
      decoded += line.decode_ns > 0 ? 1 : 0;
    }
    EXPECT_GT(decoded, 0U);
    if (primaries == 0) {
      EXPECT_EQ(decoded, kFrames);  // the buffer is kept until the frame leaves the screen
    }
  }
}

}  // namespace
}  // namespace tandem::swapchain_test

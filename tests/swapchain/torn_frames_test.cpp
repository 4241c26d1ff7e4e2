// The render adapter disappears while an encoded frame is on its way: the shown picture is still one whole frame, in each
// encoding.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using link::LinkEncoding;
using swapchain::PathRequest;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

// Each frame has a single grey, which every encoding preserves as a single grey. Two greys in a picture are parts of two
// frames.
class GreyOutput final : public outputs::Output {
 public:
  GreyOutput() { info_.refresh_period_ns = 500'000; }
  [[nodiscard]] const outputs::OutputInfo& info() const override { return info_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return {}; }
  Result<void> Show(const outputs::Surface& surface) override {
    const std::size_t row_bytes = std::size_t{surface.width} * 4;
    bool one = true;
    for (std::uint32_t y = 0; y < surface.height; ++y) {
      const std::byte* const row = surface.pixels + std::size_t{y} * surface.pitch;
      for (std::size_t at = 0; at < row_bytes; at += 4) one = one && std::memcmp(row + at, surface.pixels, 4) == 0;
    }
    one ? ++whole_ : ++torn_;
    return {};
  }
  void Forget(std::uint64_t /*surface_id*/) override {}
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return 0; }

  [[nodiscard]] std::uint32_t whole() const { return whole_; }
  [[nodiscard]] std::uint32_t torn() const { return torn_; }

 private:
  outputs::OutputInfo info_;
  std::atomic<std::uint32_t> whole_{0};
  std::atomic<std::uint32_t> torn_{0};
};

// Presents `frames` frames; the last ones are still on their way when the adapter disappears.
void LoseRenderAfter(std::uint32_t frames, LinkEncoding encoding, std::uint32_t display_buffers) {
  PairOptions options;
  options.link_bytes_per_second = 1'000'000;  // a plain slice takes 4 ms
  const auto output = std::make_shared<GreyOutput>();
  options.output = output;
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  Just policy(encoding);
  SwapChainDesc desc;
  desc.width = 64;
  desc.height = 64;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.path = PathRequest::kCompressed;
  desc.display_buffers = display_buffers;
  desc.encodings = &policy;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  {
    const TestApplication application(pair->render(), **chain, desc);
    for (std::uint32_t number = 1; number <= frames; ++number) {
      const auto image = (*chain)->Acquire(kPatienceNs);
      ASSERT_TRUE(image.ok()) << image.error().message;
      application.Fill(*image, static_cast<std::uint8_t>(number * 37));
      ASSERT_TRUE((*chain)->Present(*image, number).ok());
    }
    pair->RemoveRender();
    const auto shown = (*chain)->WaitForPresent(frames, kPatienceNs);
    EXPECT_TRUE(shown.ok() || shown.error().kind == ErrorKind::kDeviceLost) << shown.error().message;
  }
  chain->reset();
  EXPECT_EQ(output->torn(), 0U);
  EXPECT_GT(output->whole(), 0U);
}

TEST(SwapChainTornFrames, RenderAdapterGoesWithinAFrame_NothingHalfIsShown) {
  for (const LinkEncoding encoding : link::kLinkEncodingsByPicture) {
    if (!link::IsBuilt(encoding)) continue;
    for (const std::uint32_t display_buffers : {0U, 2U}) {
      for (const std::uint32_t frames : {5U, 6U, 9U}) {
        SCOPED_TRACE(std::string(ToString(encoding)) + ", " + std::to_string(display_buffers) + ", " + std::to_string(frames));
        ASSERT_NO_FATAL_FAILURE(LoseRenderAfter(frames, encoding, display_buffers));
      }
    }
  }
}

}  // namespace
}  // namespace tandem::swapchain_test

// The display adapter scans frames out as NV12, as they crossed the link. Checks the picture pixel by pixel, and the fall-back
// when scan-out is impossible.
#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "color/nv12.h"
#include "drivers/processor/umd/umd_device.h"
#include "tests/swapchain/other_screen.h"
#include "tests/swapchain/refusing_umd.h"

namespace tandem::swapchain_test {
namespace {

using link::LinkEncoding;
using swapchain::Path;
using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::ShownBy;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;
using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kWidth = 70, kHeight = 46;
constexpr std::uint64_t kFrameBytes = kWidth * kHeight * 3 / 2;

// Rows of 4-byte pixels without padding.
Bytes DrawFrame(std::uint32_t number, std::uint32_t width, std::uint32_t height) {
  std::mt19937 random(number);
  Bytes pixels(std::size_t{width} * height * 4);
  for (std::byte& byte : pixels) byte = static_cast<std::byte>(random());
  return pixels;
}

// The expected picture: encoded and decoded by the scalar functions, with red and blue where the encoding expects them.
Bytes Model(Bytes pixels, std::uint32_t width, std::uint32_t height, bool red_first) {
  if (red_first) {
    for (std::size_t i = 0; i < pixels.size(); i += 4) std::swap(pixels[i], pixels[i + 2]);
  }
  Bytes nv12(color::Nv12Bytes(width, height));
  const std::uint64_t row = std::uint64_t{width} * 4;
  if constexpr (color::kHasYuv420) {
    color::EncodeYuv420Reference(color::Nv12Planes<std::byte>(nv12.data(), width, height), {pixels.data(), row, width, height},
                                 {});
    color::DecodeYuv420Reference({pixels.data(), row, width, height},
                                 color::Nv12Planes<const std::byte>(nv12.data(), width, height), {},
                                 color::ChromaFilter::kNearest);
  }
  return pixels;
}

std::size_t HashOf(const Bytes& pixels) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(pixels.data()), pixels.size()});
}

// Knows the pictures of frames 1..count, upright and rotated by half a turn, and records the numbers shown.
class KnowingOutput final : public outputs::Output {
 public:
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFF;

  KnowingOutput(std::uint32_t frames, bool red_first, std::int64_t refresh_period_ns)
      : info_{"test", "a knower of pictures", refresh_period_ns} {
    for (std::uint32_t number = 1; number <= frames; ++number) {
      Bytes picture = Model(DrawFrame(number, kWidth, kHeight), kWidth, kHeight, red_first);
      known_[HashOf(picture)] = number;
      auto* const words = reinterpret_cast<std::uint32_t*>(picture.data());
      std::reverse(words, words + picture.size() / 4);
      known_[HashOf(picture)] = number;
    }
  }
  [[nodiscard]] const outputs::OutputInfo& info() const override { return info_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return {}; }
  Result<void> Show(const outputs::Surface& surface) override {
    Bytes picture;
    for (std::uint32_t y = 0; y < surface.height; ++y) {
      const std::byte* const row = surface.pixels + std::size_t{y} * surface.pitch;
      picture.insert(picture.end(), row, row + std::size_t{surface.width} * color::BytesPerPixel(surface.format));
    }
    if (surface.format == color::Format::kR8G8B8A8Unorm) {
      for (std::size_t i = 0; i < picture.size(); i += 4) std::swap(picture[i], picture[i + 2]);
    }
    const auto found = known_.find(HashOf(picture));
    const MutexLock lock(mutex_);
    numbers_.push_back(found == known_.end() ? kUnknown : found->second);
    return {};
  }
  void Forget(std::uint64_t /*surface_id*/) override {}
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return 0; }

  // The numbers in order, without repetitions and without pictures of others.
  [[nodiscard]] std::vector<std::uint32_t> Seen(std::size_t foreign) const {
    const MutexLock lock(mutex_);
    std::vector<std::uint32_t> seen = numbers_;
    for (; foreign != 0; --foreign) {
      const auto unknown = std::find(seen.begin(), seen.end(), kUnknown);
      if (unknown == seen.end()) break;
      seen.erase(unknown);
    }
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    return seen;
  }

 private:
  outputs::OutputInfo info_;
  std::unordered_map<std::size_t, std::uint32_t> known_;
  mutable Mutex mutex_;
  std::vector<std::uint32_t> numbers_ TANDEM_GUARDED_BY(mutex_);
};

void Draw(swapchain::RuntimeDevice& render, const SwapChain& chain, std::uint32_t image, const Bytes& pixels) {
  const processor::UmdResource& resource = processor::FromHandle(chain.image(image));
  D3DKMT_LOCK2 lock{};
  lock.hDevice = render.kernel_device();
  lock.hAllocation = resource.allocation;
  ASSERT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
  const std::size_t row = std::size_t{resource.data.width} * 4;
  for (std::uint32_t y = 0; y < resource.data.height; ++y) {
    std::memcpy(static_cast<std::byte*>(lock.pData) + std::size_t{y} * resource.data.pitch, pixels.data() + y * row, row);
  }
  const D3DKMT_UNLOCK2 unlock{render.kernel_device(), resource.allocation};
  ASSERT_EQ(D3DKMTUnlock2(&unlock), STATUS_SUCCESS);
}

std::vector<std::uint32_t> Range(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::uint32_t i = 0; i < count; ++i) numbers[i] = first + i;
  return numbers;
}

// A pair whose display adapter has the knowing output in its second connector, with a swap chain there.
class SwapChainNv12 : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kSource = 1;

  void SetUp() override {
    if constexpr (!color::kHasYuv420) GTEST_SKIP() << "This build has no 4:2:0.";
    options_.scans_out_nv12 = true;
    options_.connectors = 3;
    desc_.width = kWidth;
    desc_.height = kHeight;
    desc_.format = DXGI_FORMAT_B8G8R8A8_UNORM;
    desc_.path = PathRequest::kCompressed;
    desc_.vidpn_source = kSource;
    desc_.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
    desc_.encodings = &policy_;
  }
  // One pair at a time, because a process has one kernel.
  void Start(std::uint32_t frames) {
    chain_.reset();
    pair_.reset();
    pair_ = SoftPair::Create(options_);
    ASSERT_TRUE(pair_);
    output_ = std::make_shared<KnowingOutput>(frames, desc_.format == DXGI_FORMAT_R8G8B8A8_UNORM, options_.refresh_period_ns);
    ASSERT_TRUE(pair_->connectors().Plug(output_).ok());
    auto chain = SwapChain::Create(pair_->render(), pair_->display(), desc_, MonotonicClock());
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    chain_ = *std::move(chain);
  }
  void Show(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t number = first; number < first + count; ++number) {
      const auto image = chain_->Acquire(kPatienceNs);
      ASSERT_TRUE(image.ok()) << image.error().message;
      ASSERT_NO_FATAL_FAILURE(Draw(pair_->render(), *chain_, *image, DrawFrame(number, desc_.width, desc_.height)));
      ASSERT_TRUE(chain_->Present(*image, number).ok());
    }
    ASSERT_TRUE(chain_->WaitForPresent(first + count - 1, kPatienceNs).ok());
  }
  void ExpectDecodes(const std::string& why) {
    EXPECT_EQ(chain_->decision().path, Path::kCompressed);
    EXPECT_EQ(chain_->decision().encoding, LinkEncoding::kPlain);
    ASSERT_FALSE(chain_->decision().refused.empty());
    EXPECT_EQ(chain_->decision().refused[0], why);
  }

  PairOptions options_;
  SwapChainDesc desc_;
  Just policy_{LinkEncoding::kYuv420};
  std::unique_ptr<SoftPair> pair_;
  std::shared_ptr<KnowingOutput> output_;
  std::unique_ptr<SwapChain> chain_;
};

TEST_F(SwapChainNv12, EachFormatAndMode_IsSeenAsTheModelSays_AndNothingIsDecoded) {
  for (const DXGI_FORMAT format : {DXGI_FORMAT_B8G8R8A8_UNORM, DXGI_FORMAT_R8G8B8A8_UNORM}) {
    for (const PresentMode mode : {PresentMode::kFifo, PresentMode::kImmediate}) {
      desc_.format = format;
      desc_.present_mode = mode;
      ASSERT_NO_FATAL_FAILURE(Start(12));
      EXPECT_EQ(chain_->decision().path, Path::kOneCopy);
      EXPECT_EQ(chain_->decision().encoding, LinkEncoding::kYuv420);
      EXPECT_EQ(chain_->decision().reason,
                "render copies as 4:2:0 into memory that display scans out as NV12, so no copy decodes. It was asked for.");
      EXPECT_TRUE(chain_->decision().refused.empty());
      ASSERT_NO_FATAL_FAILURE(Show(1, 12));
      EXPECT_EQ(output_->Seen(0), Range(1, 12));
      const auto statistics = chain_->statistics();
      EXPECT_EQ(statistics.full_frame_copies, 12U);
      EXPECT_EQ(statistics.frames_composed, 0U);
      EXPECT_EQ(statistics.link_bytes, 12 * kFrameBytes);
      EXPECT_EQ(statistics.bytes_moved, 12 * kFrameBytes);
      EXPECT_EQ(statistics.frames_by_encoding[static_cast<std::size_t>(LinkEncoding::kYuv420)], 12U);
      EXPECT_EQ(statistics.encoding_reason, "420: nothing else is allowed, and the display adapter scans it out as it is.");
    }
  }
}

TEST_F(SwapChainNv12, DecodingThePicture_ShowsTheSamePixels) {
  options_.scans_out_nv12 = false;
  ASSERT_NO_FATAL_FAILURE(Start(6));
  ExpectDecodes("one-copy with NV12: display adapter display does not scan this surface out of shared memory (NO_SCANOUT).");
  ASSERT_NO_FATAL_FAILURE(Show(1, 6));
  EXPECT_EQ(output_->Seen(0), Range(1, 6));
}

TEST_F(SwapChainNv12, OddExtents_AreDecoded) {
  desc_.width = kWidth + 1;
  ASSERT_NO_FATAL_FAILURE(Start(0));
  ExpectDecodes("one-copy with NV12: NV12 has pictures of even extents and 71 x 46 is not.");
  ASSERT_NO_FATAL_FAILURE(Show(1, 3));
}

// 4:2:0 also saves bandwidth of the display controller.
TEST_F(SwapChainNv12, StaticCheck_GoesByTheBytesThatAreRead) {
  const std::uint64_t frames_per_second = 1'000'000'000 / static_cast<std::uint64_t>(options_.refresh_period_ns);
  options_.scan_out_bytes_per_second = kFrameBytes * frames_per_second;
  ASSERT_NO_FATAL_FAILURE(Start(0));
  EXPECT_EQ(chain_->decision().encoding, LinkEncoding::kYuv420);
  options_.scan_out_bytes_per_second -= 1;
  ASSERT_NO_FATAL_FAILURE(Start(0));
  ExpectDecodes("one-copy with NV12: display adapter display cannot scan this surface out as it is set up now (StaticCheck).");
}

TEST_F(SwapChainNv12, EmulatedLink_CarriesOneAndAHalfBytesAPixel) {
  constexpr std::uint32_t kFrames = 20;
  options_.link_bytes_per_second = 1'000'000;
  desc_.path = PathRequest::kAuto;
  desc_.present_mode = PresentMode::kImmediate;
  desc_.refresh_period_ns = options_.refresh_period_ns;
  ASSERT_NO_FATAL_FAILURE(Start(kFrames));
  EXPECT_EQ(chain_->decision().encoding, LinkEncoding::kYuv420);
  EXPECT_NE(chain_->decision().reason.find("the link carries 1 MB/s (emulated)"), std::string::npos);
  const std::int64_t begin_ns = MonotonicClock().NowNs();
  ASSERT_NO_FATAL_FAILURE(Show(1, kFrames));
  EXPECT_GE(MonotonicClock().NowNs() - begin_ns, static_cast<std::int64_t>(kFrames * kFrameBytes * 1000));
  EXPECT_EQ(chain_->statistics().link_bytes, kFrames * kFrameBytes);
}

// The display adapter decodes into its own memory while it cannot scan out.
TEST_F(SwapChainNv12, OutputTurned_FramesAreComposedUntilItIsTurnedBack) {
  ASSERT_NO_FATAL_FAILURE(Start(30));
  swapchain::ResourceDesc surface;
  surface.width = kWidth;
  surface.height = kHeight;
  surface.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  surface.bind_flags = D3D10_DDI_BIND_PRESENT;
  surface.primary = true;
  surface.vidpn_source = kSource;
  OtherScreen settings(*pair_, surface);
  ASSERT_NO_FATAL_FAILURE(Show(1, 10));
  settings.SetMode(D3DDDI_ROTATION_180);
  ASSERT_NO_FATAL_FAILURE(Show(11, 10));
  settings.SetMode(D3DDDI_ROTATION_IDENTITY);
  ASSERT_NO_FATAL_FAILURE(Show(21, 10));
  EXPECT_EQ(output_->Seen(2), Range(1, 30));  // each mode shows the settings' primary, which is empty
  const auto statistics = chain_->statistics();
  EXPECT_EQ(statistics.frames_composed, 10U);
  EXPECT_EQ(statistics.full_frame_copies, 40U);
  EXPECT_EQ(statistics.bytes_moved, 30 * kFrameBytes + 10 * kWidth * kHeight * 4);
  const auto events = chain_->events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].frame, 11U);
  EXPECT_EQ(events[0].now, ShownBy::kComposition);
  EXPECT_EQ(events[1].now, ShownBy::kScanOut);
}

TEST_F(SwapChainNv12, SecondScreenTakesTheBandwidth_FramesAreComposedWhileItDoes) {
  const std::uint64_t frames_per_second = 1'000'000'000 / static_cast<std::uint64_t>(options_.refresh_period_ns);
  options_.scan_out_bytes_per_second = kFrameBytes * frames_per_second * 3 / 2;
  ASSERT_NO_FATAL_FAILURE(Start(200));
  ASSERT_TRUE(pair_->connectors().Plug(std::make_shared<ReadingOutput>(options_.refresh_period_ns)).ok());
  ASSERT_NO_FATAL_FAILURE(Show(1, 10));
  std::uint32_t next = 11;
  {
    swapchain::ResourceDesc surface;
    surface.width = kWidth;
    surface.height = kHeight;
    surface.format = DXGI_FORMAT_B8G8R8A8_UNORM;
    surface.bind_flags = D3D10_DDI_BIND_PRESENT;
    surface.sharing = swapchain::Sharing::kCrossAdapter;
    surface.primary = true;
    surface.vidpn_source = kSource + 1;
    OtherScreen other(*pair_, surface);
    other.Flip();
    for (; chain_->events().empty() && next < 100; ++next) ASSERT_NO_FATAL_FAILURE(Show(next, 1));
    ASSERT_NO_FATAL_FAILURE(Show(next, 10));
    next += 10;
  }
  for (; chain_->events().size() < 2 && next < 180; ++next) ASSERT_NO_FATAL_FAILURE(Show(next, 1));
  ASSERT_NO_FATAL_FAILURE(Show(next, 10));
  next += 10;
  EXPECT_EQ(output_->Seen(0), Range(1, next - 1));
  EXPECT_GE(chain_->statistics().frames_composed, 10U);
  ASSERT_EQ(chain_->events().size(), 2U);
  EXPECT_EQ(chain_->events()[0].now, ShownBy::kComposition);
  EXPECT_EQ(chain_->events()[1].now, ShownBy::kScanOut);
}

}  // namespace
}  // namespace tandem::swapchain_test

// In the steady state a frame allocates nothing, neither in the application's and the display thread nor in kernel and drivers.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "link/governor/governor.h"
#include "swapchain/frame_line.h"
#include "swapchain/live_figures.h"
#include "tests/swapchain/other_screen.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

void* Allocate(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::aligned_alloc(alignment, (size / alignment + 1) * alignment)) return memory;
  throw std::bad_alloc();
}

// Inlined into a caller, the call of free would look like a mismatch of its operator new.
[[gnu::noinline]] void Free(void* memory) { std::free(memory); }

constexpr std::size_t kPlain = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* operator new(std::size_t size) { return Allocate(size, kPlain); }
void* operator new[](std::size_t size) { return Allocate(size, kPlain); }
void* operator new(std::size_t size, std::align_val_t alignment) { return Allocate(size, static_cast<std::size_t>(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return Allocate(size, static_cast<std::size_t>(alignment)); }
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete[](void* memory) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { Free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { Free(memory); }
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept { Free(memory); }
void operator delete[](void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept { Free(memory); }

namespace tandem::swapchain_test {
namespace {

using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::SwapChain;

void PresentAndWait(SwapChain& chain, const TestApplication& application, std::uint32_t first, std::uint32_t count) {
  ASSERT_TRUE(PresentFrames(chain, application, first, count).ok());
  ASSERT_TRUE(chain.WaitForPresent(first + count - 1, kPatienceNs).ok());
}

void ExpectNoAllocations(SwapChain& chain, const TestApplication& application, std::uint32_t first, std::uint32_t count) {
  const std::uint64_t before = allocations;
  const auto presented = PresentFrames(chain, application, first, count);
  const auto shown = chain.WaitForPresent(first + count - 1, kPatienceNs);
  const std::uint64_t after = allocations;
  ASSERT_TRUE(presented.ok() && shown.ok());
  EXPECT_EQ(after - before, 0U);
}

TEST(SwapChainSteadyState, EachPathAndMode_FramesAllocateNothing) {
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy}) {
    for (const PresentMode mode : {PresentMode::kFifo, PresentMode::kMailbox, PresentMode::kImmediate}) {
      SCOPED_TRACE(std::string(ToString(path)) + " " + std::string(ToString(mode)));
      const auto pair = SoftPair::Create({3, 3, 500'000});
      ASSERT_TRUE(pair);
      swapchain::SwapChainDesc desc = DrawnByProcessor(64, 64, path);
      desc.present_mode = mode;
      auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
      ASSERT_TRUE(chain.ok()) << chain.error().message;
      const TestApplication application(pair->render(), **chain, desc);
      PresentAndWait(**chain, application, 1, 50);
      ExpectNoAllocations(**chain, application, 51, 200);
    }
  }
}

// Long enough for figures to change.
TEST(SwapChainSteadyState, FiguresInThePicture_AllocateNothing) {
  const auto pair = SoftPair::Create({3, 3, 500'000});
  ASSERT_TRUE(pair);
  swapchain::SwapChainDesc desc = DrawnByProcessor(320, 200, PathRequest::kAuto);
  desc.hud = true;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  const TestApplication application(pair->render(), **chain, desc);
  PresentAndWait(**chain, application, 1, 1000);
  ExpectNoAllocations(**chain, application, 1001, 1000);
}

// Cycles through the encodings.
class InTurn final : public link::EncodingPolicy {
 public:
  link::EncodingChoice Choose(std::int64_t /*now_ns*/, bool /*waited*/) override {
    const std::uint32_t turn = next_++ % (2 * link::kLinkEncodings);
    return {static_cast<link::LinkEncoding>(turn / 2), turn % 2 == 0};
  }
  void Sent(const link::SentFrame& /*frame*/) override {}
  [[nodiscard]] std::optional<link::LinkEncoding> Only() const override { return std::nullopt; }
  [[nodiscard]] std::size_t Explain(std::span<char> /*room*/) const override { return 0; }

 private:
  std::uint32_t next_ = 0;
};

// A sink that receives every report.
class Watched final : public swapchain::LiveSink {
 public:
  void Report(const swapchain::LiveFigures& figures) override {
    if (figures.encodings != nullptr) {
      told_ += figures.encodings->Explain(room_);
    }
    ++told_;
  }
  [[nodiscard]] std::size_t told() const { return told_; }

 private:
  std::array<char, link::kMaxReasonBytes> room_{};
  std::size_t told_ = 0;
};

class Counted final : public swapchain::FrameSink {
 public:
  void Report(const swapchain::FrameLine& line) override { frames_ = std::max(frames_, line.number); }
  [[nodiscard]] std::uint64_t frames() const { return frames_; }

 private:
  std::uint64_t frames_ = 0;
};

TEST(SwapChainSteadyState, EncodedFrames_AllocateNothing) {
  struct Case {
    DXGI_FORMAT format;
    PresentMode mode;
    std::uint64_t frame_bytes = 0;
  };
  for (const auto& [format, mode, frame_bytes] :
       {Case{DXGI_FORMAT_R8G8B8A8_UNORM, PresentMode::kFifo}, Case{DXGI_FORMAT_R8G8B8A8_UNORM, PresentMode::kMailbox},
        Case{DXGI_FORMAT_R8G8B8A8_UNORM, PresentMode::kImmediate}, Case{DXGI_FORMAT_R10G10B10A2_UNORM, PresentMode::kFifo},
        Case{DXGI_FORMAT_R16G16B16A16_FLOAT, PresentMode::kFifo}, Case{DXGI_FORMAT_R8G8B8A8_UNORM, PresentMode::kFifo, 1},
        Case{DXGI_FORMAT_R10G10B10A2_UNORM, PresentMode::kFifo, 1},
        Case{DXGI_FORMAT_R16G16B16A16_FLOAT, PresentMode::kFifo, 1}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", ToString(mode), static_cast<int>(format), frame_bytes));
    PairOptions options;
    options.refresh_period_ns = 500'000;
    options.link_bytes_per_second = 1'000'000'000;
    const auto pair = SoftPair::Create(options);
    ASSERT_TRUE(pair);
    InTurn policy;
    Watched watched;
    swapchain::SwapChainDesc desc;
    desc.live = &watched;
    desc.width = 64;
    desc.height = 64;
    desc.format = format;
    desc.path = PathRequest::kCompressed;
    desc.present_mode = mode;
    desc.encodings = &policy;
    desc.frame_bytes = frame_bytes;
    auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    const TestApplication application(pair->render(), **chain, desc);
    // Encodes and decodes with each encoding; a mailbox alone does not guarantee that.
    for (std::uint32_t number = 1; number <= 20; ++number) {
      PresentAndWait(**chain, application, number, 1);
    }
    PresentAndWait(**chain, application, 21, 30);
    ExpectNoAllocations(**chain, application, 51, 200);
    EXPECT_GE(watched.told(), swapchain::kLiveFirstFrames);
  }
}

// Uses the governor of real programs.
TEST(SwapChainSteadyState, GovernedFrames_AllocateNothing) {
  for (const link::LinkEncoding encoding : link::kLinkEncodingsByPicture) {
    if (!link::IsBuilt(encoding)) continue;
    SCOPED_TRACE(ToString(encoding));
    PairOptions options;
    options.refresh_period_ns = 500'000;
    options.link_bytes_per_second = 20'000'000;
    const auto pair = SoftPair::Create(options);
    ASSERT_TRUE(pair);
    Watched watched;
    Counted counted;
    swapchain::SwapChainDesc desc;
    desc.live = &watched;
    desc.frames = &counted;
    desc.width = 64;
    desc.height = 64;
    desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
    desc.path = PathRequest::kCompressed;
    desc.refresh_period_ns = options.refresh_period_ns;
    link::GovernorDesc governed;
    governed.request = *link::ParseEncodings(ToString(encoding));
    governed.content = link::ContentKind::kGame;
    governed.width = desc.width;
    governed.height = desc.height;
    governed.refresh_period_ns = desc.refresh_period_ns;
    governed.link_bytes_per_second = options.link_bytes_per_second;
    link::Governor governor(governed);
    desc.encodings = &governor;
    auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    const TestApplication application(pair->render(), **chain, desc);
    PresentAndWait(**chain, application, 1, 100);
    ExpectNoAllocations(**chain, application, 101, 200);
    EXPECT_EQ(counted.frames(), 300U);
    EXPECT_EQ((*chain)->statistics().frames_by_encoding[static_cast<std::uint32_t>(encoding)], 300U);
  }
}

TEST(SwapChainSteadyState, Nv12Frames_AllocateNothing) {
  if constexpr (!color::kHasYuv420) GTEST_SKIP() << "This build has no 4:2:0.";
  PairOptions options;
  options.refresh_period_ns = 500'000;
  options.scans_out_nv12 = true;
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  Just policy(link::LinkEncoding::kYuv420);
  swapchain::SwapChainDesc desc;
  desc.width = 64;
  desc.height = 64;
  desc.format = DXGI_FORMAT_R8G8B8A8_UNORM;
  desc.path = PathRequest::kCompressed;
  desc.encodings = &policy;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  ASSERT_EQ((*chain)->decision().encoding, link::LinkEncoding::kYuv420);
  const TestApplication application(pair->render(), **chain, desc);
  ASSERT_TRUE(PresentFrames(**chain, application, 1, 30).ok());
  ASSERT_TRUE((*chain)->WaitForPresent(30, kPatienceNs).ok());
  const std::uint64_t before = allocations;
  const auto presented = PresentFrames(**chain, application, 31, 200);
  const auto shown = (*chain)->WaitForPresent(230, kPatienceNs);
  const std::uint64_t after = allocations;
  ASSERT_TRUE(presented.ok() && shown.ok());
  EXPECT_EQ(after - before, 0U);
}

TEST(SwapChainSteadyState, ComposedFrames_AllocateNothing) {
  PairOptions options;
  options.refresh_period_ns = 500'000;
  options.connectors = 2;
  options.scan_out_bytes_per_second = 64 * 64 * 4 * 3000;  // bandwidth of 1.5 screens
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  ASSERT_TRUE(pair->connectors().Plug(std::make_shared<ReadingOutput>(options.refresh_period_ns)).ok());
  swapchain::SwapChainDesc desc;
  desc.width = 64;
  desc.height = 64;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  swapchain::ResourceDesc surface;
  surface.width = surface.height = 64;
  surface.format = desc.format;
  surface.bind_flags = D3D10_DDI_BIND_PRESENT;
  surface.sharing = swapchain::Sharing::kCrossAdapter;
  surface.primary = true;
  surface.vidpn_source = 1;
  OtherScreen other(*pair, surface);
  other.Flip();
  const TestApplication application(pair->render(), **chain, desc);
  PresentAndWait(**chain, application, 1, 50);
  ASSERT_EQ((*chain)->events().size(), 1U);
  ExpectNoAllocations(**chain, application, 51, 200);
  EXPECT_GE((*chain)->statistics().frames_composed, 200U);
}

}  // namespace
}  // namespace tandem::swapchain_test

// Faults while frames are on their way: calls end with the right error, and nothing hangs.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using swapchain::DisplayStatus;
using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

constexpr std::int64_t kForEver = INT64_MAX;

SwapChainDesc FaultsDesc(PathRequest path) {
  SwapChainDesc desc;
  desc.width = 50;
  desc.height = 40;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.path = path;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  return desc;
}

std::unique_ptr<SwapChain> Make(SoftPair& pair, const SwapChainDesc& desc) {
  auto chain = SwapChain::Create(pair.render(), pair.display(), desc, MonotonicClock());
  EXPECT_TRUE(chain.ok()) << chain.error().message;
  return chain.ok() ? *std::move(chain) : nullptr;
}

// Presents until an error and returns its kind.
ErrorKind PresentUntilError(SwapChain& chain, std::atomic<std::uint32_t>& presented) {
  for (;;) {
    const auto image = chain.Acquire(kForEver);
    if (!image.ok()) return image.error().kind;
    if (const auto done = chain.Present(*image, presented + 1); !done.ok()) return done.error().kind;
    ++presented;
  }
}

enum class Gone { kRender, kDisplay };

void RemoveInTheMiddle(PathRequest path, Gone gone) {
  PairOptions options;
  if (path == PathRequest::kCompressed) options.link_bytes_per_second = 20'000'000;  // slices are mostly on the link
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  Just policy(link::LinkEncoding::kLossless);
  SwapChainDesc desc = FaultsDesc(path);
  desc.encodings = &policy;
  const auto chain = Make(*pair, desc);
  ASSERT_TRUE(chain);
  std::atomic<std::uint32_t> presented{0};
  ErrorKind error = ErrorKind::kInternal;
  ErrorKind wait_error = ErrorKind::kInternal;
  std::thread application([&] { error = PresentUntilError(*chain, presented); });
  std::thread waiter([&] {
    const auto waited = chain->WaitForPresent(1'000'000'000, kForEver);
    if (!waited.ok()) wait_error = waited.error().kind;
  });
  while (presented < 20) std::this_thread::yield();
  gone == Gone::kRender ? pair->RemoveRender() : pair->RemoveDisplay();
  application.join();
  waiter.join();
  const ErrorKind expected = gone == Gone::kRender ? ErrorKind::kDeviceLost : ErrorKind::kSurfaceLost;
  EXPECT_EQ(error, expected) << ToString(error);
  EXPECT_EQ(wait_error, expected) << ToString(wait_error);
  EXPECT_FALSE(chain->Present(0, 0).ok());
  EXPECT_EQ(chain->Acquire(kForEver).error().kind, expected);
}

TEST(SwapChainFaults, RenderAdapterRemoved_IsDeviceLost) {
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy, PathRequest::kCompressed}) {
    SCOPED_TRACE(ToString(path));
    for (int i = 0; i < 5; ++i) RemoveInTheMiddle(path, Gone::kRender);
  }
}

TEST(SwapChainFaults, DisplayAdapterRemoved_IsSurfaceLost) {
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy, PathRequest::kCompressed}) {
    SCOPED_TRACE(ToString(path));
    for (int i = 0; i < 5; ++i) RemoveInTheMiddle(path, Gone::kDisplay);
  }
}

class FakeStatus final : public swapchain::DisplayStatusSource {
 public:
  [[nodiscard]] DisplayStatus Status() const override { return status; }
  std::atomic<DisplayStatus> status{DisplayStatus::kOk};
};

TEST(SwapChainFaults, WindowClosed_IsSurfaceLostForEverybody) {
  const auto pair = SoftPair::Create({});
  ASSERT_TRUE(pair);
  FakeStatus window;
  SwapChainDesc desc = FaultsDesc(PathRequest::kOneCopy);
  desc.display_status = &window;
  const auto chain = Make(*pair, desc);
  ASSERT_TRUE(chain);
  const auto image = chain->Acquire(0);
  ASSERT_TRUE(image.ok());
  ASSERT_TRUE(chain->Present(*image, 1).ok());
  ASSERT_TRUE(chain->WaitForPresent(1, kForEver).ok());
  window.status = DisplayStatus::kResized;
  EXPECT_EQ(chain->WaitForPresent(2, 1'000'000).error().kind, ErrorKind::kTimeout);
  EXPECT_EQ(chain->display_status(), DisplayStatus::kResized);
  window.status = DisplayStatus::kLost;
  EXPECT_EQ(chain->WaitForPresent(2, kForEver).error().kind, ErrorKind::kSurfaceLost);
  EXPECT_EQ(chain->Acquire(kForEver).error().kind, ErrorKind::kSurfaceLost);
  EXPECT_TRUE(chain->WaitForPresent(1, 0).ok()) << "it was shown";
}

TEST(SwapChainFaults, AcquireAndWait_HaveTimeouts) {
  const auto pair = SoftPair::Create({});
  ASSERT_TRUE(pair);
  const auto chain = Make(*pair, FaultsDesc(PathRequest::kOneCopy));
  ASSERT_TRUE(chain);
  for (std::uint32_t i = 0; i < chain->image_count(); ++i) ASSERT_TRUE(chain->Acquire(0).ok());
  EXPECT_EQ(chain->Acquire(0).error().kind, ErrorKind::kTimeout);
  const std::int64_t start_ns = MonotonicClock().NowNs();
  EXPECT_EQ(chain->Acquire(20'000'000).error().kind, ErrorKind::kTimeout);
  EXPECT_GE(MonotonicClock().NowNs() - start_ns, 20'000'000);
  EXPECT_EQ(chain->WaitForPresent(1, 0).error().kind, ErrorKind::kTimeout);
  std::thread other([&] { EXPECT_TRUE(chain->Release(1).ok()); });
  const auto image = chain->Acquire(kForEver);
  other.join();
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(*image, 1U);
}

TEST(SwapChainFaults, Retire_EndsWaitsAndRefusesFrames) {
  const auto pair = SoftPair::Create({});
  ASSERT_TRUE(pair);
  const auto chain = Make(*pair, FaultsDesc(PathRequest::kTwoCopy));
  ASSERT_TRUE(chain);
  const auto image = chain->Acquire(0);
  ASSERT_TRUE(image.ok());
  std::thread waiter([&] { EXPECT_EQ(chain->WaitForPresent(5, kForEver).error().kind, ErrorKind::kOutOfDate); });
  chain->Retire();
  waiter.join();
  EXPECT_EQ(chain->Acquire(kForEver).error().kind, ErrorKind::kOutOfDate);
  EXPECT_EQ(chain->Present(*image, 5).error().kind, ErrorKind::kOutOfDate);
  EXPECT_TRUE(chain->Release(*image).ok());
}

TEST(SwapChainFaults, Create_BadDescription_SaysValueAndLimit) {
  const auto pair = SoftPair::Create({3, 2, 2'000'000});
  ASSERT_TRUE(pair);
  const auto message = [&](const SwapChainDesc& desc) {
    const auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
    return chain.ok() ? std::string("ok") : chain.error().message;
  };
  SwapChainDesc desc = FaultsDesc(PathRequest::kAuto);
  desc.width = 0;
  EXPECT_EQ(message(desc), "Width 0 is not in 1..16384.");
  desc = FaultsDesc(PathRequest::kAuto);
  desc.height = 16385;
  EXPECT_EQ(message(desc), "Height 16385 is not in 1..16384.");
  desc = FaultsDesc(PathRequest::kAuto);
  desc.image_count = 1;
  EXPECT_EQ(message(desc), "Image count 1 is not in 2..16.");
  desc = FaultsDesc(PathRequest::kAuto);
  desc.ring_buffers = 9;
  EXPECT_EQ(message(desc), "Ring buffer count 9 is not in 2..8.");
  desc = FaultsDesc(PathRequest::kAuto);
  desc.format = DXGI_FORMAT_UNKNOWN;
  EXPECT_EQ(message(desc), "DXGI format 0 is not one that crosses adapters.");
  EXPECT_EQ(
      message(FaultsDesc(PathRequest::kDirect)),
      "No path for the frames (asked for: direct). direct: display adapter display has cross-adapter tier 2 and tier 3 is needed "
      "(scan-out of shared memory).");
}

class NoImage final : public swapchain::ImageCheck {
 public:
  Result<void> Check(D3D10DDI_HRESOURCE /*image*/) const override {
    if (++asked > 1) return {};
    return Fail(ErrorKind::kUnsupported, "It has no linear image.");
  }
  mutable int asked = 0;
};

TEST(SwapChainFaults, Create_ImageCheckRefuses_TheNextPathIsTaken) {
  const auto pair = SoftPair::Create({});
  ASSERT_TRUE(pair);
  const NoImage check;
  SwapChainDesc desc = FaultsDesc(PathRequest::kAuto);
  desc.image_check = &check;
  const auto chain = Make(*pair, desc);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->decision().path, swapchain::Path::kOneCopy);
  ASSERT_EQ(chain->decision().refused.size(), 1U);
  EXPECT_EQ(chain->decision().refused[0], "direct: render adapter render did not create the images: It has no linear image.");
}

}  // namespace
}  // namespace tandem::swapchain_test

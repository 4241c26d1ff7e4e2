// A retired swap chain shows its accepted frames for as long as it may, on a test clock.
#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/fake_clock.h"
#include "tests/swapchain/gate.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using swapchain::SwapChain;
using swapchain::SwapChainDesc;

constexpr std::int64_t kLimitNs = 5'000'000'000;

class Retire : public ::testing::Test {
 protected:
  // Presents more frames than there are buffers while no vertical blank comes, so the last frame waits for a buffer. Then a
  // waiting thread calls Retire.
  void SetUp() override {
    PairOptions options;
    options.before_show = [this] { gate_.Pass(); };
    pair_ = SoftPair::Create(options);
    ASSERT_TRUE(pair_);
    desc_.width = 40;
    desc_.height = 30;
    desc_.format = DXGI_FORMAT_B8G8R8A8_UNORM;
    desc_.path = swapchain::PathRequest::kOneCopy;
    desc_.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
    auto chain = SwapChain::Create(pair_->render(), pair_->display(), desc_, time_);
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    chain_ = *std::move(chain);
    const TestApplication application(pair_->render(), *chain_, desc_);
    for (std::uint32_t frame = 1; frame <= frames(); ++frame) {
      const auto image = chain_->Acquire(kNoDeadline);
      ASSERT_TRUE(image.ok()) << image.error().message;
      application.Draw(*image, frame);
      ASSERT_TRUE(chain_->Present(*image, frame).ok());
    }
    retired_ = std::async(std::launch::async, [this] { chain_->Retire(); });
    time_.AwaitWaiterWithin(kLimitNs);
  }
  void TearDown() override {
    gate_.Open(Gate::kAll);
    if (retired_.valid()) retired_.wait();
  }
  [[nodiscard]] std::uint32_t frames() const { return desc_.ring_buffers + 1; }
  bool AwaitRetired() { return retired_.wait_for(std::chrono::nanoseconds(kPatienceNs)) == std::future_status::ready; }

  FakeClock time_{1'000'000'000};
  Gate gate_;
  SwapChainDesc desc_;
  std::unique_ptr<SoftPair> pair_;
  std::unique_ptr<SwapChain> chain_;
  std::future<void> retired_;
};

TEST_F(Retire, TheScreenGoesOnJustBeforeTheLimit_EveryFrameIsShown) {
  time_.Advance(kLimitNs - 1);
  gate_.Open(Gate::kAll);
  ASSERT_TRUE(AwaitRetired());
  const auto statistics = chain_->statistics();
  EXPECT_EQ(statistics.frames_shown, frames());
  EXPECT_EQ(statistics.frames_dropped, 0U);
}

TEST_F(Retire, TheScreenStandsStill_WhatWaitsIsDroppedAtTheLimit) {
  time_.Advance(kLimitNs);
  EXPECT_TRUE(AwaitRetired());
  const auto statistics = chain_->statistics();
  EXPECT_EQ(statistics.frames_shown, 0U);
  EXPECT_EQ(statistics.frames_dropped, 1U);
}

}  // namespace
}  // namespace tandem::swapchain_test

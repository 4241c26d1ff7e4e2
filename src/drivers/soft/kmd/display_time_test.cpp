// Vertical blanks of a display that keeps time itself.
#include <cstdint>
#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/sleep.h"
#include "color/format.h"
#include "drivers/soft/testing/fake_kernel.h"
#include "drivers/soft/testing/fake_output.h"

namespace tandem::soft {
namespace {

using namespace processor;

using testing::FakeAllocation;
using testing::FakeKernel;
using testing::FakeOutput;
using testing::Pages;

constexpr std::int64_t kPeriodNs = 1'000'000;
constexpr std::int64_t kHiddenNs = 100'000'000;  // a display that asks for nothing is waited for as long as this

class DisplayTime : public ::testing::Test {
 protected:
  DisplayTime() {
    description_.connectors = CreateConnectors(1);
    output_->KeepTime();
    connector_ = *description_.connectors->Plug(output_);
    kernel_ = std::make_unique<FakeKernel>(description_);
    for (std::uint32_t i = 0; i < 3; ++i) {
      surfaces_[i] = kernel_->Allocate(
          *DescribeSurface(64, 32, color::Format::kB8G8R8A8Unorm, kAllocationPrimary | kAllocationCrossAdapter, 0),
          Pages::kMemfd);
      std::memcpy(surfaces_[i].cpu, &i, sizeof(i));
    }
  }
  void Flip(std::uint32_t surface) { ASSERT_EQ(kernel_->Flip(connector_, surfaces_[surface], false), STATUS_SUCCESS); }

  DeviceDescription description_;
  std::shared_ptr<FakeOutput> output_ = std::make_shared<FakeOutput>(kPeriodNs);
  std::uint32_t connector_ = 99;
  std::unique_ptr<FakeKernel> kernel_;
  FakeAllocation surfaces_[3];
};

TEST_F(DisplayTime, EachFlip_WaitsForTheDisplaysRequest) {
  Flip(0);
  ASSERT_TRUE(output_->AwaitShown(1));
  std::int64_t asked_ns[3] = {};
  for (std::uint32_t i = 1; i < 3; ++i) {
    Flip(i);
    SleepFor(MonotonicClock(), 20 * kPeriodNs);  // long enough for a scan-out that does not wait
    asked_ns[i] = output_->Beat();
    ASSERT_TRUE(output_->AwaitShown(i + 1));
  }
  const auto shown = output_->shown();
  for (std::uint32_t i = 1; i < 3; ++i) {
    EXPECT_EQ(shown[i].first_pixel, i);
    EXPECT_TRUE(shown[i].time_ns >= asked_ns[i] || shown[i].time_ns - shown[i - 1].time_ns >= kHiddenNs) << i;
  }
}

TEST_F(DisplayTime, VerticalBlankOfAFlip_HasTheTimeThatTheDisplayKnowsItBy) {
  const auto output = std::make_shared<FakeOutput>(kPeriodNs);
  output->NameFrames();
  DeviceDescription description;
  description.connectors = CreateConnectors(1);
  const std::uint32_t connector = *description.connectors->Plug(output);
  FakeKernel kernel(description);
  const FakeAllocation surface = kernel.Allocate(
      *DescribeSurface(64, 32, color::Format::kB8G8R8A8Unorm, kAllocationPrimary | kAllocationCrossAdapter, 0), Pages::kMemfd);
  for (std::size_t flip = 1; flip <= 3; ++flip) {
    kernel.ClearInterrupts();
    ASSERT_EQ(kernel.Flip(connector, surface, flip == 2), STATUS_SUCCESS);
    ASSERT_TRUE(kernel.AwaitVsync(connector, surface.address));
    const auto shown = output->shown();
    ASSERT_GE(shown.size(), flip);
    ASSERT_FALSE(kernel.stamps().empty());
    EXPECT_EQ(kernel.stamps().back(), shown.back().time_ns);
  }
}

TEST_F(DisplayTime, RequestBeforeTheFlip_ShowsItAtOnce) {
  Flip(0);
  ASSERT_TRUE(output_->AwaitShown(1));
  output_->Beat();
  Flip(1);
  EXPECT_TRUE(output_->AwaitShown(2));
}

TEST_F(DisplayTime, ImmediateFlip_ReachesTheOutputAsOne) {
  for (std::uint32_t i = 0; i < 3; ++i) {
    ASSERT_EQ(kernel_->Flip(connector_, surfaces_[i], i == 1), STATUS_SUCCESS);
    ASSERT_TRUE(output_->AwaitShown(i + 1));
    EXPECT_EQ(output_->shown()[i].at_once, i == 1);
  }
}

TEST_F(DisplayTime, DisplayThatAsksForNothing_HoldsNobody) {
  for (std::uint32_t i = 0; i < 3; ++i) {
    Flip(i);
    EXPECT_TRUE(kernel_->AwaitVsync(connector_, surfaces_[i].address));
  }
  EXPECT_EQ(output_->shown().size(), 3U);
}

TEST_F(DisplayTime, Unplugged_IsListenedToNoMore) {
  Flip(0);
  ASSERT_TRUE(output_->AwaitShown(1));
  description_.connectors->Unplug(connector_);
  output_->Beat();
  Flip(1);
  EXPECT_TRUE(kernel_->AwaitVsync(connector_, surfaces_[1].address));
  EXPECT_EQ(output_->shown().size(), 1U);
}

}  // namespace
}  // namespace tandem::soft

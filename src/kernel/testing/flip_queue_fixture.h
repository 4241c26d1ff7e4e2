// A flip queue of an adapter whose display the test plays.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/present/flip_queue.h"
#include "kernel/testing/started_miniport.h"

namespace tandem::kernel {

inline constexpr std::int64_t kPeriodNs = 16'666'667;
// Addresses of surfaces; kC is on the screen when a test starts.
inline constexpr std::uint64_t kA = 0x10000, kB = 0x20000, kC = 0x30000, kD = 0x40000, kE = 0x50000;

class FlipQueueTest : public StartedMiniport, public FlipQueue::Owner {
 protected:
  void SetUp() override {
    miniport_.on_set_vidpn_source_address = [this](const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
      const std::lock_guard<std::mutex> lock(mutex_);
      programmed_.push_back(*args);
      return STATUS_SUCCESS;
    };
  }
  // With the first source visible at surface kC.
  void StartVisible() {
    Start();
    queue_ = FlipQueue::Create(*adapter_, *this);
    ASSERT_EQ(SetMode(kC), STATUS_SUCCESS);
    ASSERT_EQ(queue_->SetVisibility(0, true), STATUS_SUCCESS);
    Settle();
    programmed_.clear();
    retired_.clear();
    miniport_.ForgetCalls();
  }
  void TearDown() override {
    queue_.reset();
    adapter_.reset();
  }

  // The cookie is the address.
  static Flip FlipTo(std::uint64_t address, D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_ONE) {
    Flip flip;
    flip.allocation = reinterpret_cast<HANDLE>(address + 1);
    flip.context = reinterpret_cast<HANDLE>(address + 2);
    flip.segment = 2;
    flip.address = address;
    flip.interval = interval;
    flip.cookie = address;
    return flip;
  }
  NTSTATUS SetMode(std::uint64_t address, FlipQueue::FirstFlip first_flip = FlipQueue::FirstFlip::kIsProgrammed) {
    queue_->HoldFlips(0);
    const NTSTATUS status = queue_->SetMode(0, FlipTo(address), first_flip);
    queue_->ReleaseFlips(0);
    return status;
  }
  // A vertical blank one period later that reports `address`; returns when the queue has seen it.
  void Vsync(std::uint64_t address) { VsyncOf(0, address); }
  void VsyncOf(std::uint32_t target, std::uint64_t address) {
    clock_.Advance(kPeriodNs);
    miniport_.Vsync(target, address);
    Settle();
  }
  // Starts visible, with targets 2 and 1 showing the source.
  void StartClone() {
    miniport_.children = 3;
    Start();
    queue_ = FlipQueue::Create(*adapter_, *this);
    queue_->SetTargets(0, std::array<std::uint32_t, 2>{2, 1});
    ASSERT_EQ(SetMode(kC), STATUS_SUCCESS);
    ASSERT_EQ(queue_->SetVisibility(0, true), STATUS_SUCCESS);
    Settle();
    programmed_.clear();
    retired_.clear();
  }
  std::vector<std::uint64_t> Programmed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::uint64_t> addresses;
    for (const auto& args : programmed_) addresses.push_back(static_cast<std::uint64_t>(args.PrimaryAddress.QuadPart));
    return addresses;
  }
  std::vector<std::uint64_t> RetiredCookies() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::uint64_t> cookies;
    for (const auto& [cookie, time_ns] : retired_) cookies.push_back(cookie);
    return cookies;
  }

  void OnFlipRetired(std::uint32_t vidpn_source, const RetiredFlip& retired) override {
    EXPECT_EQ(vidpn_source, 0U);
    EXPECT_EQ(CurrentIrql(), DISPATCH_LEVEL);
    const std::lock_guard<std::mutex> lock(mutex_);
    retired_.emplace_back(retired.cookie, retired.time_ns);
  }

  std::mutex mutex_;
  std::vector<DXGKARG_SETVIDPNSOURCEADDRESS> programmed_;
  std::vector<std::pair<std::uint64_t, std::int64_t>> retired_;
  std::unique_ptr<FlipQueue> queue_;
};

}  // namespace tandem::kernel

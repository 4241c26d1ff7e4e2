// A fake miniport whose adapter runs, and a sink that writes down what it hears: the ground of the kernel's tests.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/testing/fake_clock.h"
#include "kernel/adapter/adapter.h"
#include "kernel/adapter/driver.h"
#include "kernel/testing/fake_miniport.h"
#include "kernel/testing/test_features.h"

namespace tandem::kernel {

// Threads: the DPC thread writes, the test waits.
class RecordingSink final : public InterruptSink {
 public:
  struct Heard {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    std::int64_t time_ns;
    KIRQL irql;
  };
  explicit RecordingSink(Adapter& adapter) : adapter_(adapter) { adapter_.AddSink(*this); }
  ~RecordingSink() override { adapter_.RemoveSink(*this); }

  void OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) override {
    Change([&] { heard_.push_back({data, adapter_.interrupt_time_ns(), CurrentIrql()}); });
  }
  void OnDpc() override {
    Change([&] { ++dpcs_; });
  }
  void OnAdapterLost() override {
    Change([&] { ++losses_; });
  }

  // Each blocks until so many came, or longer than any test should take.
  [[nodiscard]] std::vector<Heard> AwaitInterrupts(std::size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), [&] { return heard_.size() >= count; }));
    return heard_;
  }
  void AwaitDpc() {
    std::unique_lock<std::mutex> lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), [&] { return dpcs_ > 0; }));
    dpcs_ = 0;
  }
  void AwaitLoss() {
    std::unique_lock<std::mutex> lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), [&] { return losses_ > 0; }));
  }

 private:
  template <class F>
  void Change(F change) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      change();
    }
    changed_.notify_all();
  }

  Adapter& adapter_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Heard> heard_;
  int dpcs_ = 0, losses_ = 0;
};

// Set miniport() up, then Start().
class StartedMiniport : public ::testing::Test {
 protected:
  void Start() {
    auto driver = LoadDriver(FakeMiniport::Entry(), "fake", features_);
    ASSERT_TRUE(driver.ok()) << driver.error().message;
    driver_ = std::move(driver).value();
    auto adapter = StartAdapter(*driver_, nullptr, "fake0", LUID{1, 0}, AdapterVisibility::kListed, clock_);
    ASSERT_TRUE(adapter.ok()) << adapter.error().message;
    adapter_ = std::move(adapter).value();
  }
  // Returns when the DPC thread has done all that was requested before. The adapter is alive.
  void Settle() {
    RecordingSink sink(*adapter_);
    adapter_->RequestDpc();
    sink.AwaitDpc();
  }
  // A vertical blank that reports the address is noted; its DPC waits until it is released. Once in a test.
  void HoldDpcOf(UINT target, std::uint64_t address) {
    miniport_.on_dpc = [this] {
      in_dpc_ = true;
      while (dpc_is_held_) std::this_thread::yield();
    };
    miniport_.Vsync(target, address);
    while (!in_dpc_) std::this_thread::yield();
  }
  void ReleaseDpc() {
    dpc_is_held_ = false;
    Settle();
  }

  std::atomic<bool> dpc_is_held_{true}, in_dpc_{false};
  FakeClock clock_{1'000'000};
  FakeMiniport miniport_;
  KernelFeatures features_{BuiltInRegistry()};
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<Adapter> adapter_;
};

}  // namespace tandem::kernel

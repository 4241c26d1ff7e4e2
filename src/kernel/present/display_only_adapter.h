// The adapter behind display_only.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kernel/adapter/adapter.h"
#include "kernel/adapter/driver.h"
#include "kernel/adapter/system_display.h"
#include "kernel/display_only.h"
#include "kernel/feature/kernel_features.h"
#include "kernel/present/call_thread.h"
#include "kernel/present/mode_commit.h"
#include "kernel/present/pointer.h"

namespace tandem::kernel {

// A driver that was entered, and the features that it may ask for.
struct EnteredDriver {
  std::unique_ptr<KernelFeatures> features;
  std::unique_ptr<Driver> driver;
};

// Shows on VidPn source 0 and the first target. The driver is called on a thread of its own, and once a call does not return
// the adapter, the driver and what the call refers to stay for good.
class DisplayOnlyAdapterImpl final : public DisplayOnlyAdapter, private InterruptSink, private ChildStatuses::Listener {
 public:
  DisplayOnlyAdapterImpl(EnteredDriver driver, std::unique_ptr<Adapter> adapter, std::unique_ptr<CallThread> calls,
                         const TdrSettings& tdr);
  ~DisplayOnlyAdapterImpl() override { static_cast<void>(Stop()); }

  Result<DisplayOnlyMode> SetMode(std::uint32_t width, std::uint32_t height) override;
  Result<void> Present(const std::byte* pixels, std::uint32_t pitch, std::span<const RECT> dirty) override;
  Result<void> SetVisible(bool visible) override;
  Result<void> TakeOff() override;
  Result<SystemDisplay> EnableSystemDisplay() override { return kernel::EnableSystemDisplay(*adapter_); }
  Result<void> WriteSystemDisplay(const SystemBlock& block) override { return kernel::WriteSystemDisplay(*adapter_, block); }
  Result<DXGK_DISPLAY_INFORMATION> ReleasePostDisplay() override { return adapter_->HandDisplayOver(); }
  [[nodiscard]] bool TakeMonitorChange() override { return monitor_changed_.exchange(false, std::memory_order_acq_rel); }
  [[nodiscard]] MonitorDescription monitor() const override;
  NTSTATUS SetGammaRamp(const D3DKMDT_GAMMA_RAMP& ramp) override;
  NTSTATUS RecommendMode(DisplayOnlyMode& mode) override;
  Result<void> SetPointerShape(const PointerShape& shape) override;
  Result<void> SetPointerPosition(const PointerPosition& position) override;
  [[nodiscard]] PointerCaps pointer() const override { return PointerCapsOf(*adapter_); }
  bool Stop() override;
  [[nodiscard]] const std::string& name() const override { return adapter_->name(); }
  [[nodiscard]] std::uint32_t wddm_version() const override { return static_cast<std::uint32_t>(adapter_->caps().WDDMVersion); }
  Result<bool> IsConnected() override;
  NTSTATUS Escape(D3DDDI_ESCAPEFLAGS flags, std::span<std::byte> data) override;
  NTSTATUS QueryChildStatus(DXGK_CHILD_STATUS& status) override;
  [[nodiscard]] std::string violation() const override { return adapter_->violation(); }

 private:
  void OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) override;
  void OnChildStatus(ULONG child, DXGK_CHILD_STATUS_TYPE type) override;
  void OnAdapterLost() override;

  // The status of `call`, on the driver's thread; STATUS_DEVICE_REMOVED when it does not return. It refers to no memory of the
  // caller.
  [[nodiscard]] NTSTATUS OnThread(std::function<NTSTATUS()> call);
  [[nodiscard]] NTSTATUS Negotiate(std::uint32_t width, std::uint32_t height);
  // Nothing for STATUS_SUCCESS; kDeviceLost once the driver broke a rule.
  [[nodiscard]] Result<void> Check(const char* ddi, NTSTATUS status) const;

  const std::unique_ptr<CallThread> calls_;
  EnteredDriver driver_;
  std::unique_ptr<Adapter> adapter_;  // null once it was stopped
  Clock& clock_;
  const std::int64_t limit_ns_;       // of a present that is pending
  const std::int64_t stop_limit_ns_;  // of the driver's end
  bool visible_ = false;
  std::atomic<bool> monitor_changed_{false};
  DisplayOnlyMode mode_;  // zeros before the first
  PinnedSource active_;   // without targets: there is no mode, or no monitor
};

}  // namespace tandem::kernel

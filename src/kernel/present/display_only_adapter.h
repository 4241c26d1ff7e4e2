// The adapter behind display_only.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/adapter/adapter.h"
#include "kernel/adapter/driver.h"
#include "kernel/adapter/system_display.h"
#include "kernel/display_only.h"
#include "kernel/feature/kernel_features.h"
#include "kernel/present/pointer.h"

namespace tandem::kernel {

// A driver that was entered, and the features that it may ask for.
struct EnteredDriver {
  std::unique_ptr<KernelFeatures> features;
  std::unique_ptr<Driver> driver;
};

// Shows on VidPn source 0 and the first target.
class DisplayOnlyAdapterImpl final : public DisplayOnlyAdapter, private InterruptSink, private ChildStatuses::Listener {
 public:
  DisplayOnlyAdapterImpl(EnteredDriver driver, std::unique_ptr<Adapter> adapter, std::int64_t limit_ns);
  // A driver with a call that does not return stays, and what it uses.
  ~DisplayOnlyAdapterImpl() override;

  Result<DisplayOnlyMode> SetMode(std::uint32_t width, std::uint32_t height) override;
  Result<void> Present(const std::byte* pixels, std::uint32_t pitch, std::span<const RECT> dirty) override;
  Result<void> SetVisible(bool visible) override;
  Result<void> TakeOff() override;
  Result<SystemDisplay> EnableSystemDisplay() override { return kernel::EnableSystemDisplay(*adapter_); }
  Result<void> WriteSystemDisplay(const SystemBlock& block) override { return kernel::WriteSystemDisplay(*adapter_, block); }
  Result<DXGK_DISPLAY_INFORMATION> HandOver() override { return adapter_->HandDisplayOver(); }
  [[nodiscard]] bool TakeMonitorChange() override { return monitor_changed_.exchange(false, std::memory_order_acq_rel); }
  [[nodiscard]] MonitorDescription monitor() const override;
  Result<void> SetPointerShape(const PointerShape& shape) override;
  Result<void> SetPointerPosition(const PointerPosition& position) override;
  [[nodiscard]] PointerCaps pointer() const override { return PointerCapsOf(*adapter_); }
  [[nodiscard]] const std::string& name() const override { return adapter_->name(); }
  [[nodiscard]] std::uint32_t wddm_version() const override { return static_cast<std::uint32_t>(adapter_->caps().WDDMVersion); }
  Result<bool> IsConnected() override;
  [[nodiscard]] std::string violation() const override { return adapter_->violation(); }

 private:
  void OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) override;
  void OnChildStatus(ULONG child, DXGK_CHILD_STATUS_TYPE type) override;
  // Nothing for STATUS_SUCCESS; kDeviceLost once the driver broke a rule.
  [[nodiscard]] Result<void> Check(const char* ddi, NTSTATUS status) const;

  EnteredDriver driver_;
  std::unique_ptr<Adapter> adapter_;
  const std::int64_t limit_ns_;  // of a present that is pending
  bool visible_ = false;
  std::atomic<bool> monitor_changed_{false};
  std::vector<RECT> dirty_;
};

}  // namespace tandem::kernel

// The adapter behind display_only.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/adapter/adapter.h"
#include "kernel/adapter/driver.h"
#include "kernel/display_only.h"
#include "kernel/feature/kernel_features.h"

namespace tandem::kernel {

// A driver that was entered, and the features that it may ask for.
struct EnteredDriver {
  std::unique_ptr<KernelFeatures> features;
  std::unique_ptr<Driver> driver;
};

// Shows on VidPn source 0 and the first target.
class DisplayOnlyAdapterImpl final : public DisplayOnlyAdapter, private InterruptSink {
 public:
  DisplayOnlyAdapterImpl(EnteredDriver driver, std::unique_ptr<Adapter> adapter, std::int64_t limit_ns);
  // A driver with a call that does not return stays, and what it uses.
  ~DisplayOnlyAdapterImpl() override;

  Result<DisplayOnlyMode> SetMode(std::uint32_t width, std::uint32_t height) override;
  Result<void> Present(const std::byte* pixels, std::uint32_t pitch, std::span<const RECT> dirty) override;
  Result<void> SetVisible(bool visible) override;
  [[nodiscard]] const std::string& name() const override { return adapter_->name(); }
  [[nodiscard]] std::uint32_t wddm_version() const override { return static_cast<std::uint32_t>(adapter_->caps().WDDMVersion); }
  Result<bool> IsConnected() override;
  [[nodiscard]] std::string violation() const override { return adapter_->violation(); }

 private:
  void OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) override;
  // Nothing for STATUS_SUCCESS; kDeviceLost once the driver broke a rule.
  [[nodiscard]] Result<void> Check(const char* ddi, NTSTATUS status) const;

  EnteredDriver driver_;
  std::unique_ptr<Adapter> adapter_;
  const std::int64_t limit_ns_;  // of a present that is pending
  bool visible_ = false;
  std::vector<RECT> dirty_;
};

}  // namespace tandem::kernel

// An output that a display-only driver shows: each frame goes through its DxgkDdiPresentDisplayOnly to a device.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/thread.h"
#include "bus/display_device.h"
#include "color/blit.h"
#include "kernel/display_only.h"
#include "outputs/output.h"

namespace tandem::bus {

// Part of the device's picture that its output gets: all of it, or the place of the frame.
enum class ShownPart : std::uint8_t { kScreen, kFrame };

// While the driver says that no monitor is connected, frames are dropped. A frame of another size than the driver's mode stands
// in the middle, one that is larger is shrunk to fit.
class DriverOutput final : public outputs::Output {
 public:
  // Starts the driver on the device and sets the mode that is closest to it. Errors: StartDisplayOnlyAdapter's and
  // SetMode's; kNotFound when the driver says that no monitor is connected; kTimeout when a call of the driver does not return:
  // its code must stay.
  static Result<std::unique_ptr<DriverOutput>> Create(DRIVER_INITIALIZE* entry, const std::string& driver_name,
                                                      std::unique_ptr<DisplayDevice> device, ShownPart part);
  ~DriverOutput() override { static_cast<void>(Stop()); }
  // Unloads the driver, as the destructor does; only destroyed afterwards. False: a call of the driver does not return, and its
  // code must stay. The device stays, too.
  bool Stop();

  [[nodiscard]] const outputs::OutputInfo& info() const override { return info_; }
  [[nodiscard]] outputs::OutputStatus Status() const override;
  [[nodiscard]] outputs::OutputStatus AskStatus() const override;
  Result<void> Show(const outputs::Surface& surface) override;
  [[nodiscard]] bool KeepsTime() const override { return screen().KeepsTime(); }
  [[nodiscard]] outputs::Beat last_beat() override { return screen().last_beat(); }
  [[nodiscard]] bool HoldsSurfaces() const override { return screen().HoldsSurfaces(); }
  void Listen(std::function<void()> call) override { screen().Listen(std::move(call)); }
  [[nodiscard]] outputs::DisplayReport report() override { return screen().report(); }
  void Forget(std::uint64_t /*surface_id*/) override {}
  // Bytes of the picture's composition, of the rectangles that the driver had to draw, and of the screen's own copy.
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return copied_bytes_; }

  [[nodiscard]] kernel::DisplayOnlyMode mode() const;
  // Shows all of the device's picture, where the driver drew to it beside frames. Not beside Show(); errors:
  // DisplayDevice::Show's.
  Result<void> ShowScreen();
  // As DisplayDevice's.
  bool SetCable(bool plugged) { return device_->SetCable(plugged); }
  // For what the kernel asks beside frames: its functions that any thread may call.
  [[nodiscard]] kernel::DisplayOnlyAdapter& adapter() { return *adapter_; }
  [[nodiscard]] std::uint32_t wddm_version() const { return adapter_->wddm_version(); }
  // The rule that the driver broke, and how; empty while it broke none. Any thread.
  [[nodiscard]] std::string violation() const { return adapter_->violation(); }

 private:
  DriverOutput(std::unique_ptr<DisplayDevice> device, std::unique_ptr<kernel::DisplayOnlyAdapter> adapter, ShownPart part);
  Result<void> Start(const std::string& driver_name);
  // Sets the mode that is closest to the device's display, within it.
  Result<void> SetMode();

  [[nodiscard]] outputs::Output& screen() const { return device_->output(); }
  [[nodiscard]] outputs::OutputStatus WithLoss(outputs::OutputStatus status) const;

  // The driver indicated another monitor, or none: its mode is set anew, or taken off.
  Result<void> FollowMonitor();
  // Makes the picture of the mode's size with the surface at `place`, in memory of the output's own.
  void Compose(const outputs::Surface& surface, const color::BlitRect& place);

  std::unique_ptr<DisplayDevice> device_;  // outlives the adapter
  const std::unique_ptr<kernel::DisplayOnlyAdapter> adapter_;
  mutable Mutex mode_mutex_;
  kernel::DisplayOnlyMode mode_ TANDEM_GUARDED_BY(mode_mutex_);  // written by the thread that shows
  bool plugged_ = true;                                          // of that thread
  const ShownPart part_;
  outputs::OutputInfo info_;
  std::vector<std::byte> picture_;
  color::BlitRect composed_;  // place of the frame in the picture; what lies around it is black
  color::BlitRect shown_;     // place of the last frame on the screen
  std::uint64_t copied_bytes_ = 0;
  std::atomic<bool> lost_{false};
};

}  // namespace tandem::bus

// An output that a full driver without a user-mode half shows: each frame goes through its copies and flips to a virtio GPU.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/result.h"
#include "color/blit.h"
#include "outputs/output.h"
#include "system/desktop_screen.h"
#include "system/display_full_driver.h"

namespace tandem::system {

// A frame of another size than the driver's mode stands in the middle, one that is larger is shrunk to fit.
class DesktopOutput final : public outputs::Output {
 public:
  // Starts the driver and sets its mode that is closest to the extent of `screen`, which gets the place of the frame. Errors:
  // FullDriverAdapter's and DesktopScreen's.
  static Result<std::shared_ptr<DesktopOutput>> Create(FullDriver& driver, std::shared_ptr<outputs::Output> screen);
  // Waits until the last frame is shown.
  ~DesktopOutput() override;

  [[nodiscard]] const outputs::OutputInfo& info() const override { return info_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return WithLoss(output_->Status()); }
  [[nodiscard]] outputs::OutputStatus AskStatus() const override { return WithLoss(output_->AskStatus()); }
  Result<void> Show(const outputs::Surface& surface) override;
  // The window shows a frame a while after a driver that waits for its own blanks got it.
  [[nodiscard]] bool KeepsTime() const override { return output_->KeepsTime() && !screen_->waits_for_blanks(); }
  [[nodiscard]] outputs::Beat last_beat() override { return output_->last_beat(); }
  [[nodiscard]] bool HoldsSurfaces() const override { return output_->HoldsSurfaces(); }
  void Listen(std::function<void()> call) override { output_->Listen(std::move(call)); }
  [[nodiscard]] outputs::DisplayReport report() override { return output_->report(); }
  void Forget(std::uint64_t /*surface_id*/) override {}
  // Bytes of the frame in the shadow surface, of the primary, and of the GPU's own copies for the frame before.
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return copied_bytes_; }

  // As VirtioGpuDevice's.
  bool SetCable(bool plugged) { return adapter_->gpu().SetCable(plugged); }

 private:
  DesktopOutput(std::shared_ptr<outputs::Output> output, std::unique_ptr<FullDriverAdapter> adapter,
                std::unique_ptr<DesktopScreen> screen, const std::string& driver_name);
  [[nodiscard]] outputs::OutputStatus WithLoss(outputs::OutputStatus status) const;
  Result<void> Draw(const outputs::Surface& surface, const color::BlitRect& place);
  Result<void> ShowDrawn(const color::BlitRect& place);

  const std::shared_ptr<outputs::Output> output_;
  const std::unique_ptr<FullDriverAdapter> adapter_;
  const std::unique_ptr<DesktopScreen> screen_;  // of the adapter
  outputs::OutputInfo info_;
  color::BlitRect place_;        // of the frame in the shadow surface; what lies around it is black
  std::uint64_t gpu_bytes_ = 0;  // that the GPU had copied after the last frame
  std::uint64_t copied_bytes_ = 0;
  std::atomic<bool> lost_{false};
};

}  // namespace tandem::system

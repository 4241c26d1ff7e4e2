// The scan-out to one target: a virtual vertical blank, at which the programmed surface goes to the connector's output.
//
// - Program() only latches. At the next vertical blank, or at once for an immediate flip, the thread shows the surface and then
//   raises CRTC_VSYNC with its address, or the form for planes with their PresentIds.
// - While the interrupt is enabled and the target is visible, every vertical blank raises CRTC_VSYNC with the address that is
//   scanned out. Otherwise the thread sleeps until something is programmed: a vertical blank that nobody waits for costs nothing.
// - An output that keeps the display's time leads the vertical blank: a frame waits until the display has asked for it, or for a
//   tenth of a second, as long as a hidden window's program waits.
// - A lost or missing output changes nothing of this, so whoever waits for a flip is released.
// - Until the first Program() the address is that of local memory's first byte: a device always scans out something.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/condition.h"
#include "base/thread.h"
#include "color/blit.h"
#include "drivers/common/palette.h"
#include "drivers/processor/kmd/display.h"
#include "drivers/processor/kmd/interrupts.h"
#include "drivers/soft/connectors.h"
#include "drivers/soft/kmd/picture_maker.h"
#include "drivers/soft/kmd/plane_composer.h"
#include "outputs/output.h"

#include <d3dkmddi.h>

namespace tandem::soft {

// Threads: any; Program up to DIRQL. All references outlive it.
class ScanOut {
 public:
  static Result<std::unique_ptr<ScanOut>> Create(std::uint32_t target, ConnectorsImpl& connectors, processor::GpuMemory& memory,
                                                 processor::InterruptRegisters& interrupts, Clock& clock, bool dithers);
  ~ScanOut();

  void Program(const processor::ScanOutFrame& frame, processor::FlipTiming timing);
  // Rotation of pictures on their way to the output, from the next one on.
  void SetRotation(color::Rotation rotation);
  [[nodiscard]] color::Rotation rotation();
  // Colours of a surface of indexes, at once also of the one that is shown.
  void SetPalette(const drivers::PaletteColors& palette);
  // The pointer over the picture, at once also over the one that is shown. Not turned with the source's content, but with the
  // target.
  void SetPointerImage(std::shared_ptr<const PointerImage> image);
  void SetPointerPosition(std::int32_t x, std::int32_t y, bool visible);
  // The ramp of the picture and the pointer over it, at once also of the one that is shown.
  void SetGammaRamp(processor::GammaRamp ramp);
  // Waits for the report of a surface that was latched in the dark. PASSIVE_LEVEL.
  void SetVisible(bool visible);
  void EnableInterrupt(bool enabled);
  // The system has stopped. The frame is seen at once and without pointer; nothing is seen; or the same frame is seen once more,
  // after `write` has changed its pixels. Both others first wait, for a short time at most, for an output that reads the surface.
  void Take(const processor::ScanOutFrame& frame);
  void Blank();
  void Overwrite(const std::function<void()>& write);
  // The output lets go of what it attached to this memory, soon.
  void ForgetMemory(std::uint64_t memory_id);
  // Line 0..height-1 that the virtual beam is at, by the clock; the last 5 % of a period are the vertical blank.
  [[nodiscard]] processor::Beam BeamPosition();
  [[nodiscard]] std::int64_t RefreshPeriodNs() const { return connectors_.RefreshPeriodNs(target_); }
  // Read from system memory for what is on the screen or about to be, whichever is more; nothing for what lies in local memory.
  [[nodiscard]] std::uint64_t BytesPerSecond();

 private:
  ScanOut(std::uint32_t target, ConnectorsImpl& connectors, processor::GpuMemory& memory,
          processor::InterruptRegisters& interrupts, Clock& clock, bool dithers);

  // The picture that is shown is shown once more, because what lies over it has changed.
  void ShowAgain() TANDEM_REQUIRES(mutex_);
  void AwaitUnread(MutexLock& lock) TANDEM_REQUIRES(mutex_);
  void Run();
  void OnBeat();
  [[nodiscard]] std::int64_t NextBlank(std::int64_t now_ns) const TANDEM_REQUIRES(mutex_);
  // Until the vertical blank that is due; false when something else woke it up. Lock held.
  bool AwaitVerticalBlank(MutexLock& lock) TANDEM_REQUIRES(mutex_);
  // Latches what is pending, which is current from then on, and shows it, without the lock.
  void Latch() TANDEM_REQUIRES(mutex_);
  void TryToShow(const processor::ScanOutFrame& frame);
  void Show(const processor::ScanOutFrame& frame);
  // `written`: bytes, to make the surface.
  void ShowMade(const outputs::Surface& surface, std::uint64_t written);

  const std::uint32_t target_;
  ConnectorsImpl& connectors_;
  processor::GpuMemory& memory_;
  processor::InterruptRegisters& interrupts_;
  Clock& clock_;
  const std::int64_t start_ns_;
  const bool dithers_;

  Mutex mutex_;
  Condition wake_;
  Condition reported_;
  std::optional<processor::ScanOutFrame> pending_ TANDEM_GUARDED_BY(mutex_);
  processor::FlipTiming pending_timing_ TANDEM_GUARDED_BY(mutex_) = processor::FlipTiming::kVerticalBlank;
  processor::ScanOutFrame current_ TANDEM_GUARDED_BY(mutex_);
  std::optional<bool> visible_ TANDEM_GUARDED_BY(mutex_);  // nothing: never said, so a programmed surface is shown
  PictureSettings settings_ TANDEM_GUARDED_BY(mutex_);
  bool programmed_ TANDEM_GUARDED_BY(mutex_) = false;
  bool interrupt_enabled_ TANDEM_GUARDED_BY(mutex_) = false;
  bool stop_ TANDEM_GUARDED_BY(mutex_) = false;
  bool reports_in_the_dark_ TANDEM_GUARDED_BY(mutex_) = false;
  bool showing_ TANDEM_GUARDED_BY(mutex_) = false;  // the thread reads the surface for an output
  std::int64_t last_blank_ns_ TANDEM_GUARDED_BY(mutex_);
  std::vector<std::uint64_t> forgotten_ TANDEM_GUARDED_BY(mutex_);
  // The thread's own.
  bool lost_was_logged_ = false;
  bool shown_at_once_ = false;
  std::int64_t shown_ns_ = 0;  // of the frame that was latched last, by which its output knows it; 0: unknown to it
  PictureSettings shown_settings_;
  PictureMaker maker_;
  PlaneComposer composer_;

  Thread thread_;
};

}  // namespace tandem::soft

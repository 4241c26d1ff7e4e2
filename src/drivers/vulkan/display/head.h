// One VidPn source of a Vulkan display adapter: acquires images of the window system's swap chain, has frames copied into them,
// shows them and reports the vertical blank.
//
// - An image belongs to its frame's primary from the copy to that primary's flip. The next frame reuses the image if an
//   immediate flip overtook the primary, or the primary is gone.
// - A copy of a primary's own picture brings only the drawn rectangles into an image. The flip copies the missing rows.
// - A flip is reported when the window system has taken the frame and has room for another; FIFO paces flips in this way. An
//   immediate flip is reported as soon as the frame is taken. A frame that cannot be shown (no window, a lost one, one that
//   takes no frames) is reported as well, at a blank of 60 Hz.
// - While the source is visible, its interrupt enabled and nothing is shown, this virtual blank continues. Flips with longer
//   intervals count these blanks. A flip to the surface on the screen only waits for the blank.
// - No report from before a flip to the same address completes that flip: an unread report is withdrawn, and a report about to
//   be raised is left to the flip.
// - With the interrupt disabled flips still happen, without reports. A frame flipped to in the dark is shown when the source
// becomes
//   visible, if its image is still kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/condition.h"
#include "base/thread.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/display/display.h"
#include "drivers/vulkan/display/frame_copier.h"
#include "drivers/vulkan/display/missing_rows.h"
#include "drivers/vulkan/display/wsi_connectors.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/wsi/wsi_presenter.h"

namespace tandem::vulkan {

// Period of the virtual vertical blank.
inline constexpr std::int64_t kVirtualRefreshPeriodNs = 16'666'667;
// A window that takes no frame for this long (hidden, or a stopped compositor) loses it.
inline constexpr std::int64_t kMaxFrameWaitNs = 250'000'000;

// Threads: its own, which alone uses the surface. SetAddress: any thread at any IRQL; all other functions: any thread.
class Head final : public WsiConnectorsImpl::Listener {
 public:
  // All references must outlive the head. kOutOfMemory, kLimit (threads).
  [[nodiscard]] static Result<std::unique_ptr<Head>> Create(std::uint32_t source, Gpu& gpu, WsiConnectorsImpl& connectors,
                                                            Display::Owner& owner, Clock& clock);
  ~Head() override;
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;

  // See Display.
  void Copy(const CopyCommand& command, PassMeter* meter);
  void SetAddress(const Allocation* primary, std::uint64_t address, bool immediate);
  // True if a frame of the primary is shown, or was copied to be.
  [[nodiscard]] bool Keeps(const Allocation& primary);
  // Shows at once the frames copied for the primary since it was shown. Does nothing if another primary is on the screen, or
  // about to be.
  void ShowAgain(const Allocation& primary);
  // Sets the rotation of later frames on their way to the window.
  void SetOffset(color::Rotation offset) { offset_.store(offset, std::memory_order_release); }
  [[nodiscard]] bool turns() const { return offset_.load(std::memory_order_acquire) != color::Rotation::kIdentity; }
  // Becoming dark waits while a frame goes to the window. PASSIVE_LEVEL.
  void SetVisible(bool visible);
  void EnableInterrupt(bool enable);
  // The position since the last vertical blank, by the virtual blank's period, whose last 5 % are the blank. Lines are
  // 0..height - 1 of the shown picture.
  struct Beam {
    std::uint32_t line = 0;
    bool in_vertical_blank = false;
  };
  [[nodiscard]] Beam BeamPosition();
  void Forget(const Allocation& allocation);
  void OnPlugChanged() override;

 private:
  struct Flip {
    const Allocation* primary = nullptr;  // only compared, never dereferenced
    std::uint64_t address = 0;
    bool immediate = false;
    std::uint32_t height = 0;
  };
  // An image that was acquired and not yet presented.
  struct Held {
    const Allocation* primary = nullptr;  // only compared, never dereferenced; null: no primary
    WsiPresenter::Image image;
    bool written = false;  // a copy signals its `presentable`
    // Rows that the flip copies from `picture` for `target`; both are only compared if no row is missing.
    MissingRows missing;
    Allocation* picture = nullptr;
    Allocation* target = nullptr;
  };
  enum class Source : std::uint8_t {
    kFrame,   // rows that are written after the copy by others
    kPicture  // the primary's own picture
  };
  struct Job {
    const CopyCommand* command = nullptr;
    Source source = Source::kFrame;
    std::uint64_t copied = 0;  // value of the copier's timeline; 0: dropped
    PassCount passes;
    bool done = false;
  };

  Head(std::uint32_t source, Gpu& gpu, WsiConnectorsImpl& connectors, Display::Owner& owner, Clock& clock)
      : source_(source), gpu_(gpu), connectors_(connectors), owner_(owner), clock_(clock) {}

  void Run();
  void UpdatePlug();
  void OpenWindow(const WsiTarget& target);
  void CloseWindow();

  // Copies into the image that is kept for the primary; does nothing when the window takes no image.
  std::uint64_t CopyFrame(const Job& job, PassCount& passes);
  // `command` is the job's or the rotated one; both are for the primary.
  std::uint64_t CopyFrameOf(const Allocation* primary, const CopyCommand& command, Source source, PassCount& passes);
  static void NoteCopied(const CopyCommand& command, const FrameTarget& target, Held& held);
  Result<void> PrepareWindow(const AllocationData& frame, const AllocationData& primary);
  std::optional<Held> TakeImage(const Allocation* primary);
  // Waits for the window system, at most for kMaxFrameWaitNs.
  enum class WhileWaiting : std::uint8_t { kOnlyWait, kShowFlips };
  std::optional<Held> AwaitImage(WhileWaiting flips);

  // Flip.
  void ShowNext();
  bool ShowFlip(const Flip& flip);
  // Copies the missing rows. Precondition: `held` is completing_.
  void Complete(const Held& held);
  void AwaitVirtualBlank();
  void Report();  // for the shown surface

  // The next frames take the images that were kept for the primary.
  void FreeImagesOf(const Allocation* primary) TANDEM_REQUIRES(mutex_);
  std::optional<Held> TakeHeld(const Allocation* primary) TANDEM_REQUIRES(mutex_);
  void NoteFailure(const Error& error);
  [[nodiscard]] bool MustStopWaiting();

  const std::uint32_t source_;
  Gpu& gpu_;
  WsiConnectorsImpl& connectors_;
  Display::Owner& owner_;
  Clock& clock_;
  std::unique_ptr<FrameCopier> copier_;
  std::atomic<color::Rotation> offset_{color::Rotation::kIdentity};

  // Used only on the head's thread.
  std::unique_ptr<WsiPresenter> presenter_;
  bool window_lost_ = false;
  bool failure_was_logged_ = false;
  std::uint64_t generation_ = 0;
  FrameFormat format_;
  color::Format format_for_ = color::Format::kUnknown;  // the frames' format for which format_ was chosen
  std::vector<std::byte> completion_;                   // memory of a CopyCommand and its rectangles

  Mutex mutex_;
  Condition wake_;       // wakes the thread
  Condition job_done_;   // wakes Copy
  Condition completed_;  // wakes Forget
  Condition taken_;      // wakes SetVisible
  std::optional<Flip> pending_ TANDEM_GUARDED_BY(mutex_);
  std::vector<Held> held_ TANDEM_GUARDED_BY(mutex_);
  const Held* completing_ TANDEM_GUARDED_BY(mutex_) = nullptr;  // its allocations must not be destroyed
  Job* job_ TANDEM_GUARDED_BY(mutex_) = nullptr;
  WsiPacing pacing_ TANDEM_GUARDED_BY(mutex_) = WsiPacing::kVerticalBlank;
  const Allocation* shown_ TANDEM_GUARDED_BY(mutex_) = nullptr;  // currently; only compared, never dereferenced
  std::uint64_t address_ TANDEM_GUARDED_BY(mutex_) = 0;          // shown_'s address
  std::uint32_t height_ TANDEM_GUARDED_BY(mutex_) = 0;           // shown_'s height
  std::int64_t next_blank_ns_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::optional<bool> visible_ TANDEM_GUARDED_BY(mutex_);  // nothing: never said, so frames are shown and no blank continues
  bool showing_ TANDEM_GUARDED_BY(mutex_) = false;         // the thread reads pictures for the window
  bool interrupt_enabled_ TANDEM_GUARDED_BY(mutex_) = false;
  bool plug_changed_ TANDEM_GUARDED_BY(mutex_) = false;
  bool stop_ TANDEM_GUARDED_BY(mutex_) = false;

  Thread thread_;
};

}  // namespace tandem::vulkan

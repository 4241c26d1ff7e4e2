// One VidPn source of a Vulkan display adapter: takes images of the window system's swap chain, has frames copied into them,
// shows them and reports the vertical blank.
//
// - An image belongs to the primary that a frame was copied to, from the copy to the flip of that primary. What a primary held
//   that was overtaken by an immediate flip, or is gone, is taken for the next frame.
// - Of a primary's own picture an image gets the rectangles that were drawn. Rows that none brought are copied by the flip.
// - A flip is reported when the window system has taken the frame and has room for another one: that is how FIFO paces. An
//   immediate one is reported as soon as it was taken. A frame that cannot be shown (no window, a lost one, one that takes no
//   frames) is reported all the same, at a blank of 60 Hz.
// - While the source is visible, its interrupt enabled and nothing is shown, the same virtual blank goes on: it is what flips of
//   longer intervals are counted by. A flip of what is shown already is a wait for the blank and no more.
// - No report from before a flip to the same address counts for it: what was not read yet is withdrawn, what is about to be
//   reported is left to the flip.
// - With the interrupt disabled flips happen all the same and nobody hears of them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/thread.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/display/display.h"
#include "drivers/vulkan/display/frame_copier.h"
#include "drivers/vulkan/display/missing_rows.h"
#include "drivers/vulkan/display/wsi_sockets.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/wsi/wsi_presenter.h"

namespace tandem::vulkan {

// Of the virtual vertical blank.
inline constexpr std::int64_t kVirtualRefreshPeriodNs = 16'666'667;
// A window that takes no frame for so long (hidden, or a stopped compositor) loses it.
inline constexpr std::int64_t kMaxFrameWaitNs = 250'000'000;

// Threads: its own, which alone uses the surface; SetAddress and SetVisible by any at any IRQL; Copy, Forget and the rest by any.
class Head final : public WsiSockets::Listener {
 public:
  // All references outlive it. kOutOfMemory, kLimit (threads).
  [[nodiscard]] static Result<std::unique_ptr<Head>> Create(std::uint32_t source, Gpu& gpu, WsiSockets& sockets,
                                                            Display::Owner& owner, Clock& clock);
  ~Head() override;
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;

  // See Display.
  void Copy(const CopyCommand& command, PassMeter* meter);
  void SetAddress(const Allocation* primary, std::uint64_t address, bool immediate);
  // A frame of the primary is shown, or was copied to be.
  [[nodiscard]] bool Keeps(const Allocation& primary);
  // What was copied for the primary since it was shown is shown at once; nothing when another one is on the screen or about to
  // be.
  void ShowAgain(const Allocation& primary);
  // How far frames are turned on their way to the window, from the next one on.
  void SetOffset(color::Rotation offset) { offset_.store(offset, std::memory_order_release); }
  [[nodiscard]] bool turns() const { return offset_.load(std::memory_order_acquire) != color::Rotation::kIdentity; }
  void SetVisible(bool visible);
  void EnableInterrupt(bool enable);
  // By the virtual blank's period since the last vertical blank; its last 5 % are the blank. Line 0..height - 1 of what is shown.
  struct Beam {
    std::uint32_t line = 0;
    bool in_vertical_blank = false;
  };
  [[nodiscard]] Beam BeamPosition();
  void Forget(const Allocation& allocation);
  void OnPlugChanged() override;

 private:
  struct Flip {
    const Allocation* primary = nullptr;  // a name only
    std::uint64_t address = 0;
    bool immediate = false;
    std::uint32_t height = 0;
  };
  // An image that was acquired and not presented yet.
  struct Held {
    const Allocation* primary = nullptr;  // a name only; null: nobody's
    WsiPresenter::Image image;
    bool written = false;  // its `presentable` is signalled by a copy
    // Copied by the flip, out of `picture` of `target`: names where no row is missing.
    MissingRows missing;
    Allocation* picture = nullptr;
    Allocation* target = nullptr;
  };
  enum class Source : std::uint8_t {
    kFrame,   // rows that others write after the copy
    kPicture  // the primary's own
  };
  struct Job {
    const CopyCommand* command = nullptr;
    Source source = Source::kFrame;
    std::uint64_t copied = 0;  // value of the copier's timeline; 0: dropped
    PassCount passes;
    bool done = false;
  };

  Head(std::uint32_t source, Gpu& gpu, WsiSockets& sockets, Display::Owner& owner, Clock& clock)
      : source_(source), gpu_(gpu), sockets_(sockets), owner_(owner), clock_(clock) {}

  void Run();
  void UpdatePlug();
  void OpenWindow(const WsiTarget& target);
  void CloseWindow();

  // Copy: the image that the frame goes to, kept for the primary; nothing when the window takes none.
  std::uint64_t CopyFrame(const Job& job, PassCount& passes);
  // `command` is that of the job, or the turned one; for the primary either way.
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
  // Brings the rows that are missing. `held` is completing_.
  void Complete(const Held& held);
  void AwaitVirtualBlank();
  void Report();  // of what is shown

  std::optional<Held> TakeHeld(const Allocation* primary) TANDEM_REQUIRES(mutex_);
  void NoteFailure(const Error& error);
  [[nodiscard]] bool MustStopWaiting();

  const std::uint32_t source_;
  Gpu& gpu_;
  WsiSockets& sockets_;
  Display::Owner& owner_;
  Clock& clock_;
  std::unique_ptr<FrameCopier> copier_;
  std::atomic<color::Rotation> offset_{color::Rotation::kIdentity};

  // The thread's own.
  std::unique_ptr<WsiPresenter> presenter_;
  bool window_lost_ = false;
  bool failure_was_logged_ = false;
  std::uint64_t generation_ = 0;
  FrameFormat format_;
  color::Format format_for_ = color::Format::kUnknown;  // of frames, that format_ was chosen for
  std::vector<std::byte> completion_;                   // a CopyCommand and its rectangles

  Mutex mutex_;
  std::condition_variable wake_;       // the thread
  std::condition_variable job_done_;   // Copy
  std::condition_variable completed_;  // Forget
  std::optional<Flip> pending_ TANDEM_GUARDED_BY(mutex_);
  std::vector<Held> held_ TANDEM_GUARDED_BY(mutex_);
  const Held* completing_ TANDEM_GUARDED_BY(mutex_) = nullptr;  // its allocations stay
  Job* job_ TANDEM_GUARDED_BY(mutex_) = nullptr;
  WsiPacing pacing_ TANDEM_GUARDED_BY(mutex_) = WsiPacing::kVerticalBlank;
  const Allocation* shown_ TANDEM_GUARDED_BY(mutex_) = nullptr;  // now; a name only
  std::uint64_t address_ TANDEM_GUARDED_BY(mutex_) = 0;          // of it
  std::uint32_t height_ TANDEM_GUARDED_BY(mutex_) = 0;           // of it
  std::int64_t next_blank_ns_ TANDEM_GUARDED_BY(mutex_) = 0;
  bool visible_ TANDEM_GUARDED_BY(mutex_) = false;
  bool interrupt_enabled_ TANDEM_GUARDED_BY(mutex_) = false;
  bool plug_changed_ TANDEM_GUARDED_BY(mutex_) = false;
  bool stop_ TANDEM_GUARDED_BY(mutex_) = false;

  Thread thread_;
};

}  // namespace tandem::vulkan

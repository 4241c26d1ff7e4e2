// The scan-out to one connector of a card: flips at its vertical blanks, which its events report.
//
// - Program() only latches. The thread commits the frame, and CRTC_VSYNC is raised with its address when the card reports the
//   flip. One commit is on its way at a time; a frame that is programmed meanwhile waits, and a newer one takes its place.
// - While the interrupt is enabled and the target is visible, every vertical blank raises CRTC_VSYNC with the address that is
//   scanned out. Drivers without vertical blanks, dark screens and screens that are gone get a clock with the mode's period.
// - A card that is gone, or a console that another session has, changes nothing of this, so whoever waits for a flip is released.
// - The kernel makes a head without a display invisible, and sets its mode again when a display is there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/condition.h"
#include "base/thread.h"
#include "color/blit.h"
#include "drivers/kms/card/card_events.h"
#include "drivers/kms/kmd/cursor.h"
#include "drivers/kms/kmd/head_picture.h"
#include "drivers/processor/kmd/display.h"
#include "drivers/processor/kmd/interrupts.h"

namespace tandem::kms {

// Threads: any; Program() and EnableInterrupt() up to DIRQL. All references outlive it.
class Head {
 public:
  // kLimit when no thread can be started.
  static Result<std::unique_ptr<Head>> Create(std::uint32_t target, const CardParts& card, const HeadParts& head,
                                              processor::GpuMemory& memory, processor::InterruptRegisters& interrupts,
                                              Clock& clock);
  ~Head();

  void Program(const processor::ScanOutFrame& frame, processor::FlipTiming timing);
  void SetRotation(color::Rotation rotation);
  [[nodiscard]] color::Rotation rotation();
  // Becoming visible waits for the report of a surface that was latched in the dark; becoming dark waits while the processor
  // copies a surface for the card. PASSIVE_LEVEL.
  void SetVisible(bool visible);
  void EnableInterrupt(bool enabled);
  void ForgetMemory(std::uint64_t memory_id);
  [[nodiscard]] processor::Beam BeamPosition();
  [[nodiscard]] Cursor& cursor() { return cursor_; }
  // True if planes of the card can read the frame where it is, as far as a test of the card says. PASSIVE_LEVEL.
  [[nodiscard]] bool CanRead(const processor::ScanOutFrame& frame);

  // The card's event thread.
  void OnFlip(const FlipEvent& event);
  void OnSequence(const SequenceEvent& event);
  // A display is in the connector that was not before; it is lit anew.
  void OnDisplay(const Connector& connector);
  void OnGone();
  // Any thread. While `active` is false another session has the card; the last frame is lit again afterwards.
  void OnSeat(bool active);

 private:
  Head(std::uint32_t target, const CardParts& card, const HeadParts& head, processor::GpuMemory& memory,
       processor::InterruptRegisters& interrupts, Clock& clock);

  void Run();
  // Each does one thing that is due and returns true, or has nothing to do. They give the lock back while they use the card.
  bool DoHousekeeping() TANDEM_REQUIRES(mutex_);
  bool FinishFlip(MutexLock& lock) TANDEM_REQUIRES(mutex_);
  bool BeginFlip(MutexLock& lock) TANDEM_REQUIRES(mutex_);
  // A vertical blank without a flip, or the wait for whatever comes next.
  void Tick(MutexLock& lock) TANDEM_REQUIRES(mutex_);
  void Latch() TANDEM_REQUIRES(mutex_);
  // `time_ns`: the card's time of the vertical blank; 0: a clock stands for it.
  void Report(std::int64_t time_ns = 0) TANDEM_REQUIRES(mutex_);
  // Until the clock's next vertical blank, or until something else happens, which is false.
  bool AwaitClock(MutexLock& lock) TANDEM_REQUIRES(mutex_);
  void Wait(MutexLock& lock, std::int64_t deadline_ns) TANDEM_REQUIRES(mutex_);
  // Has pending_ show the latched frame again, unless a newer one waits.
  void ShowAgain() TANDEM_REQUIRES(mutex_);
  [[nodiscard]] bool Shows() const TANDEM_REQUIRES(mutex_) { return visible_.value_or(true) && has_seat_ && !gone_; }
  [[nodiscard]] bool Ticks() const TANDEM_REQUIRES(mutex_) {
    return interrupt_enabled_ && (visible_.has_value() ? *visible_ : programmed_);
  }
  void NoteBlank(std::uint32_t sequence, std::int64_t time_ns) TANDEM_REQUIRES(mutex_);

  const std::uint32_t target_;
  const std::uint32_t crtc_id_;
  const CardParts card_;
  processor::InterruptRegisters& interrupts_;
  Clock& clock_;
  Cursor cursor_;
  HeadPicture picture_;  // the thread's

  Mutex mutex_;
  Condition wake_;
  Condition answered_;  // who waits for the thread
  std::optional<processor::ScanOutFrame> pending_ TANDEM_GUARDED_BY(mutex_);
  processor::FlipTiming pending_timing_ TANDEM_GUARDED_BY(mutex_) = processor::FlipTiming::kVerticalBlank;
  processor::ScanOutFrame current_ TANDEM_GUARDED_BY(mutex_);  // latched last
  std::optional<bool> visible_ TANDEM_GUARDED_BY(mutex_);      // nothing: never said, so a programmed surface is shown
  color::Rotation rotation_ TANDEM_GUARDED_BY(mutex_) = color::Rotation::kIdentity;
  bool programmed_ TANDEM_GUARDED_BY(mutex_) = false;
  bool interrupt_enabled_ TANDEM_GUARDED_BY(mutex_) = false;
  bool stop_ TANDEM_GUARDED_BY(mutex_) = false;
  bool gone_ TANDEM_GUARDED_BY(mutex_) = false;
  bool has_seat_ TANDEM_GUARDED_BY(mutex_) = true;
  bool seat_came_back_ TANDEM_GUARDED_BY(mutex_) = false;
  bool turns_dark_ TANDEM_GUARDED_BY(mutex_) = false;
  std::int64_t dark_at_ns_ TANDEM_GUARDED_BY(mutex_) = 0;
  bool reports_in_the_dark_ TANDEM_GUARDED_BY(mutex_) = false;
  bool showing_ TANDEM_GUARDED_BY(mutex_) = false;    // the thread makes a picture of a surface
  bool in_flight_ TANDEM_GUARDED_BY(mutex_) = false;  // a commit whose event has not come
  std::int64_t flip_deadline_ns_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::optional<FlipEvent> flipped_ TANDEM_GUARDED_BY(mutex_);
  std::optional<SequenceEvent> reached_ TANDEM_GUARDED_BY(mutex_);
  bool sequence_queued_ TANDEM_GUARDED_BY(mutex_) = false;
  std::int64_t sequence_deadline_ns_ TANDEM_GUARDED_BY(mutex_) = 0;
  bool has_blanks_ TANDEM_GUARDED_BY(mutex_) = false;    // the driver counts them
  bool failed_ TANDEM_GUARDED_BY(mutex_) = false;        // the last frame is not on the screen: the clock leads
  std::int64_t retry_ns_ TANDEM_GUARDED_BY(mutex_) = 0;  // after EBUSY
  std::uint32_t last_sequence_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::int64_t last_blank_ns_ TANDEM_GUARDED_BY(mutex_);
  std::vector<std::uint64_t> forgotten_ TANDEM_GUARDED_BY(mutex_);
  std::optional<Connector> connector_ TANDEM_GUARDED_BY(mutex_);  // with a display that a hot plug brought
  struct Question {
    processor::ScanOutFrame frame;
    std::optional<bool> answer;
  };
  std::optional<Question> question_ TANDEM_GUARDED_BY(mutex_);
  Mutex question_mutex_ TANDEM_ACQUIRED_BEFORE(mutex_);  // one question at a time

  Thread thread_;
};

}  // namespace tandem::kms

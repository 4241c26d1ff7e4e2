// The world of ring_facts.h around a schedule: takes one step after the other and checks all rules at each.
#pragma once

#include <algorithm>
#include <cstring>

#include "swapchain/testing/ring_facts.h"

namespace tandem::swapchain {

// Schedule: FrameSchedule, or one with a deliberate mistake.
template <class Schedule>
class RingWorld {
 public:
  explicit RingWorld(const RingCase& test) : case_(test), schedule_(test.schedule) { facts_.screen = RingFacts::kNone; }

  // Returns false if the step cannot come next or would change nothing.
  bool Do(RingStep step);
  // The first broken rule; null: none.
  [[nodiscard]] const char* broken() const { return broken_; }
  // True if one picture is drawn while another is copied.
  [[nodiscard]] bool overlaps() const {
    return facts_.copies.count != 0 && (by_gpu() ? facts_.drawings.count != 0 : facts_.holds != 0);
  }
  // Precondition: only free steps are left.
  void CheckAtRest();

  // Two worlds of one case with the same numbers behave alike.
  template <class Visit>
  void VisitState(Visit visit) const {
    std::array<std::uint64_t, (sizeof(facts_) + 7) / 8> words{};
    std::memcpy(words.data(), &facts_, sizeof(facts_));
    for (const std::uint64_t word : words) visit(word);
    schedule_.VisitState(visit);
  }

 private:
  using Copy = RingFacts::Copy;
  using Queued = RingFacts::Queued;
  using Pending = RingFacts::Pending;
  static constexpr std::uint8_t kNone = RingFacts::kNone;
  static constexpr std::int64_t kNow = 1;

  [[nodiscard]] const ScheduleDesc& desc() const { return case_.schedule; }
  [[nodiscard]] bool by_gpu() const { return desc().acquire_when == AcquireWhen::kCopySubmitted; }
  [[nodiscard]] bool at_blanks() const { return desc().mode == PresentMode::kFifoLatestReady; }
  [[nodiscard]] bool decodes() const { return case_.shape == Shape::kPicture; }
  [[nodiscard]] bool second_copy() const { return case_.shape == Shape::kBehind || case_.shape == Shape::kInTurn || decodes(); }
  [[nodiscard]] std::uint8_t slices() const { return static_cast<std::uint8_t>(desc().slices); }
  void Expect(bool holds, const char* rule) {
    if (!holds && broken_ == nullptr) broken_ = rule;
  }

  // The application.
  bool Acquire();
  bool Present(std::uint8_t which);
  bool Release();
  bool Draw();
  // The render adapter.
  void QueueCopies();
  bool CopySlice();
  // The display thread.
  bool Think(std::int64_t now_ns);
  void Collect();
  void Submit();
  // The display adapter.
  bool RunQueue();
  bool Blank();
  void Show(const Pending& flip);

  // The move to another display adapter.
  bool Leave();
  bool GoOn();

  void CheckReplaced();
  void CheckDequeued(std::uint64_t shown_before);
  [[nodiscard]] bool IsSeen(std::uint8_t surface) const;           // on the screen, or may come to it at any time
  [[nodiscard]] bool IsToBeSeen(std::uint8_t surface) const;       // IsSeen(), or a flip to it is queued
  [[nodiscard]] bool IsRead(std::uint8_t buffer) const;            // read by the display adapter, now or by queued work
  [[nodiscard]] bool IsWritten(std::uint8_t buffer) const;         // written by queued copies
  [[nodiscard]] std::uint8_t FrameIn(std::uint8_t surface) const;  // kHalf unless the surface contains one whole frame
  [[nodiscard]] std::uint64_t StateSum() const;

  RingCase case_;
  Schedule schedule_;
  RingFacts facts_{};
  const char* broken_ = nullptr;
};

template <class Schedule>
bool RingWorld<Schedule>::Do(RingStep step) {
  const bool draws = facts_.render_gone == 0;
  const bool shows = facts_.display_gone == 0;
  switch (step) {
    case RingStep::kAcquire: return Acquire();
    case RingStep::kPresentOldest: return facts_.holds != 0 && Present(0);
    case RingStep::kPresentNewest: return facts_.holds > 1 && Present(static_cast<std::uint8_t>(facts_.holds - 1));
    case RingStep::kRelease: return Release();
    case RingStep::kDraw: return draws && Draw();
    case RingStep::kCopySlice: return draws && CopySlice();
    case RingStep::kThread: return Think(kNow);
    case RingStep::kThreadLate: return desc().mode == PresentMode::kFifoRelaxed && Think(kNow + desc().refresh_period_ns + 1);
    case RingStep::kDisplayQueue: return shows && RunQueue();
    case RingStep::kVerticalBlank: return shows && Blank();
    case RingStep::kRemoveRender: return case_.removal && draws && shows && (facts_.render_gone = 1) != 0;
    case RingStep::kRemoveDisplay: return case_.removal && draws && shows && facts_.moved == 0 && (facts_.display_gone = 1) != 0;
    case RingStep::kNotice:
      if (case_.follows && draws) return false;
      return !(draws && shows) && facts_.lost == 0 && facts_.has_work == 0 && (facts_.lost = 1) != 0;
    case RingStep::kLeave: return case_.follows && draws && !shows && facts_.has_work == 0 && facts_.left == 0 && Leave();
    case RingStep::kGoOn: return draws && facts_.left != 0 && GoOn();
  }
  return false;
}

template <class Schedule>
bool RingWorld<Schedule>::Acquire() {
  if (facts_.lost != 0 || facts_.holds == 2 || facts_.presented + facts_.holds >= case_.frames) return false;
  const auto got = schedule_.Acquire();
  if (!got) return false;
  const auto image = static_cast<std::uint8_t>(*got);
  for (std::uint8_t i = 0; i < facts_.holds; ++i) Expect(facts_.held[i] != image, "An image is given out twice.");
  facts_.held[facts_.holds++] = image;
  facts_.after[image] = 0;
  for (std::uint8_t i = 0; i < facts_.copies.count; ++i) {
    if (facts_.copies.items[i].image != image) continue;
    Expect(by_gpu(), "An image that the processor draws into is given out while it is copied from.");
    facts_.after[image] = static_cast<std::uint8_t>(facts_.copies_complete + i + 1);
  }
  if (case_.shape == Shape::kDirect) Expect(!IsRead(image), "An image is given out while the display adapter reads it.");
  if (!by_gpu()) facts_.drawn[image] = RingFacts::kHalf;  // the processor draws at once
  return true;
}

template <class Schedule>
bool RingWorld<Schedule>::Present(std::uint8_t which) {
  const std::uint8_t image = facts_.held[which];
  if (facts_.lost != 0) return false;
  for (std::uint8_t i = which; i + 1 < facts_.holds; ++i) facts_.held[i] = facts_.held[i + 1];
  facts_.held[--facts_.holds] = 0;
  const std::uint8_t frame = ++facts_.presented;
  facts_.told[image] = frame;
  by_gpu() ? facts_.drawings.Push({image, frame, facts_.after[image]}) : void(facts_.drawn[image] = frame);
  Expect(schedule_.QueueFrame(image, frame, kNow).ok(), "An image that was acquired cannot be presented.");
  QueueCopies();
  return true;
}

template <class Schedule>
bool RingWorld<Schedule>::Release() {
  if (facts_.holds == 0 || facts_.released == case_.releases) return false;
  ++facts_.released;
  const std::uint8_t image = facts_.held[--facts_.holds];
  facts_.held[facts_.holds] = 0;
  Expect(schedule_.Release(image).ok(), "An image that was acquired cannot be released.");
  return true;
}

// The present passed the rendering to the GPU, which starts it when earlier copies are complete.
template <class Schedule>
bool RingWorld<Schedule>::Draw() {
  if (facts_.drawings.count == 0 || facts_.copies_complete < facts_.drawings.items[0].after) return false;
  const RingFacts::Drawing drawing = facts_.drawings.Pop();
  if (case_.shape == Shape::kDirect) Expect(!IsToBeSeen(drawing.image), "A picture is drawn into while it is seen.");
  facts_.drawn[drawing.image] = drawing.frame;
  return true;
}

template <class Schedule>
void RingWorld<Schedule>::QueueCopies() {
  if (facts_.left != 0) return;
  while (const auto work = schedule_.NextCopy()) {
    Expect(work->serial == ++facts_.copies_queued, "Copies are queued in another order than their numbers.");
    const auto buffer = static_cast<std::uint8_t>(work->buffer);
    const auto image = static_cast<std::uint8_t>(work->image);
    Expect(!IsRead(buffer), "A buffer is given to a copy while the display adapter reads it.");
    Expect(!IsWritten(buffer), "A buffer is given to two copies.");
    facts_.copies.Push({image, buffer, facts_.told[image], 0});
  }
}

template <class Schedule>
bool RingWorld<Schedule>::CopySlice() {
  if (facts_.copies.count == 0) return false;
  Copy& copy = facts_.copies.items[0];
  if (facts_.drawings.count != 0 && facts_.drawings.items[0].frame <= copy.frame) return false;  // waits for the rendering
  Expect(facts_.drawn[copy.image] == copy.frame, "An image is drawn into before its copy is done.");
  if (case_.shape != Shape::kDirect) {
    Expect(second_copy() || !IsToBeSeen(copy.buffer), "A buffer is written while it is seen.");
    facts_.ring[copy.buffer][copy.slices] = facts_.drawn[copy.image];
  }
  ++facts_.copy_fence;
  if (++copy.slices < slices()) return true;
  ++facts_.copies_complete;
  static_cast<void>(facts_.copies.Pop());
  return true;
}

template <class Schedule>
bool RingWorld<Schedule>::Think(std::int64_t now_ns) {
  if (facts_.has_work != 0) {
    if (now_ns != kNow) return false;
    Submit();
    return true;
  }
  if (facts_.lost != 0 || facts_.left != 0) return false;
  const std::uint64_t before = StateSum();
  const std::uint64_t shown_before = schedule_.shown();
  Collect();
  CheckReplaced();
  CheckDequeued(shown_before);
  QueueCopies();
  facts_.has_work = 1;
  if (const auto slice = schedule_.NextSlice()) {
    const auto buffer = static_cast<std::uint8_t>(slice->buffer);
    facts_.work = {0, 0, buffer, buffer, static_cast<std::uint8_t>(slice->slice), 0, 0};
  } else if (const auto flip = schedule_.NextFlip(now_ns)) {
    const auto buffer = static_cast<std::uint8_t>(flip->buffer);
    facts_.work = {1,
                   flip->when == FlipWhen::kImmediate,
                   buffer,
                   static_cast<std::uint8_t>(flip->primary),
                   kNone,
                   static_cast<std::uint8_t>(flip->serial),
                   case_.shape == Shape::kDirect ? facts_.drawn[buffer] : facts_.ring[buffer][0]};
  } else {
    facts_.has_work = 0;
  }
  return facts_.has_work != 0 || StateSum() != before;
}

template <class Schedule>
void RingWorld<Schedule>::Collect() {
  schedule_.SlicesDone(facts_.copy_fence);
  schedule_.CopiedOn(facts_.copied_on_fence);
  while (schedule_.NextShown(facts_.flip_fence, kNow)) {
  }
  Expect(schedule_.shown_id() <= facts_.shown, "A frame is reported as shown that is not.");
}

// The render adapter completes its copies before.
template <class Schedule>
bool RingWorld<Schedule>::Leave() {
  if (facts_.copies.count != 0) return false;
  Collect();
  facts_.dropped = static_cast<std::uint8_t>(facts_.dropped + schedule_.LoseDisplay());
  facts_.seen_dropped = static_cast<std::uint8_t>(schedule_.dropped());
  facts_.left = 1;
  facts_.after = {};
  for (auto& drawing : facts_.drawings.items) drawing.after = 0;
  facts_.ring = facts_.pictures = facts_.primaries = {};
  facts_.display_queue = {};
  facts_.pending = {};
  facts_.copies_queued = facts_.copies_complete = facts_.copy_fence = facts_.copied_on_fence = facts_.flip_fence = 0;
  facts_.screen = kNone;
  // Frames in between are lost.
  facts_.shown = static_cast<std::uint8_t>(facts_.presented - schedule_.waiting());
  return true;
}

template <class Schedule>
bool RingWorld<Schedule>::GoOn() {
  facts_.left = facts_.display_gone = 0;
  facts_.moved = 1;
  if (case_.shape == Shape::kDirect) case_.shape = Shape::kScanOut;
  case_.schedule.buffers = BufferKind::kRing;
  schedule_.GoOn(case_.schedule);
  return true;
}

template <class Schedule>
void RingWorld<Schedule>::Submit() {
  facts_.has_work = 0;
  Queued flip = facts_.work;
  facts_.work = {};
  if (flip.flip != 0 && second_copy() && (slices() == 1 || decodes())) {
    Queued copy = flip;
    copy.flip = 0;
    if (decodes() && slices() == 1) {
      Queued decoding = copy;
      decoding.slice = 0;
      facts_.display_queue.Push(decoding);
    }
    facts_.display_queue.Push(copy);
  }
  facts_.display_queue.Push(flip);
}

template <class Schedule>
bool RingWorld<Schedule>::RunQueue() {
  if (facts_.display_queue.count == 0) return false;
  const Queued next = facts_.display_queue.Pop();
  if (next.flip == 0) {
    if (next.slice != kNone && decodes()) {
      facts_.pictures[next.buffer][next.slice] = facts_.ring[next.buffer][next.slice];
      return true;
    }
    Expect(!IsSeen(next.primary), "A primary is written while it is seen.");
    if (next.slice == kNone) {
      facts_.primaries[next.primary] = (decodes() ? facts_.pictures : facts_.ring)[next.buffer];
      facts_.copied_on_fence = next.serial;
    } else {
      facts_.primaries[next.primary][next.slice] = facts_.ring[next.buffer][next.slice];
    }
    return true;
  }
  const Pending flip{next.primary, next.frame, next.serial};
  Expect(FrameIn(flip.surface) == flip.frame, "A frame is flipped to before it is whole.");
  if (next.immediate != 0) {
    Expect(facts_.pending.count == 0, "A flip overtakes another.");
    Show(flip);
  } else {
    facts_.pending.Push(flip);
  }
  return true;
}

template <class Schedule>
bool RingWorld<Schedule>::Blank() {
  if (facts_.pending.count == 0) return false;
  Show(facts_.pending.Pop());
  return true;
}

template <class Schedule>
void RingWorld<Schedule>::Show(const Pending& flip) {
  Expect(FrameIn(flip.surface) == flip.frame, "What is shown is not one whole frame.");
  Expect(flip.frame > facts_.shown, "Frames are shown in another order.");
  Expect(Replaces(desc().mode, desc().slow_flips) || flip.frame == facts_.shown + 1, "A frame is lost.");
  facts_.screen = flip.surface;
  facts_.shown = flip.frame;
  facts_.flip_fence = flip.serial;
}

// VK_PRESENT_MODE_MAILBOX_KHR, and IMMEDIATE where flips are slow: images of a prior entry of the queue become available when a
// new one replaces it, whatever the display does.
template <class Schedule>
void RingWorld<Schedule>::CheckReplaced() {
  if (!Replaces(desc().mode, desc().slow_flips) || at_blanks() || case_.shape != Shape::kDirect) return;
  std::array<bool, kMostInWorld> taken{};
  for (std::uint8_t i = 0; i < facts_.holds; ++i) taken[facts_.held[i]] = true;
  Schedule asked = schedule_;
  while (const auto image = asked.Acquire()) taken[*image] = true;
  std::uint8_t newest = 0;
  const auto complete = [&](std::uint8_t image) { return !taken[image] && !IsWritten(image); };
  for (std::uint8_t image = 0; image < desc().image_count; ++image) {
    if (complete(image)) newest = std::max(newest, facts_.told[image]);
  }
  for (std::uint8_t image = 0; image < desc().image_count; ++image) {
    const bool kept = !complete(image) || IsToBeSeen(image) || facts_.told[image] == newest;
    Expect(kept, "A frame that was replaced keeps its image.");
  }
}

// VK_PRESENT_MODE_FIFO_LATEST_READY_KHR: each vertical blank takes all ready frames off the queue, and no frame leaves it between
// two of them.
template <class Schedule>
void RingWorld<Schedule>::CheckDequeued(std::uint64_t shown_before) {
  if (!at_blanks()) return;
  const std::uint64_t dropped = schedule_.dropped() - facts_.seen_dropped;
  facts_.seen_dropped = static_cast<std::uint8_t>(schedule_.dropped());
  if (schedule_.shown() == shown_before) {
    Expect(dropped == 0, "A frame is dropped without a vertical blank.");
    return;
  }
  const std::uint64_t left = schedule_.presented() - schedule_.shown() - schedule_.dropped();
  constexpr std::uint64_t kReadyAndWaiting = 2;
  Expect(left <= kReadyAndWaiting + facts_.copies.count, "A ready frame stays in the queue at a vertical blank.");
}

template <class Schedule>
void RingWorld<Schedule>::CheckAtRest() {
  if (facts_.render_gone != 0 || facts_.display_gone != 0) {
    Expect(facts_.lost != 0, "A call waits for an adapter that is gone.");
    return;
  }
  Expect(facts_.shown == facts_.presented, "The last frame does not come to the screen.");
  Expect(schedule_.idle() && schedule_.shown_id() == facts_.shown, "A frame that was shown is not reported.");
  Expect(Replaces(desc().mode, desc().slow_flips) || schedule_.dropped() == facts_.dropped, "A frame is dropped.");
  Expect(facts_.holds != 0 || schedule_.Acquire().has_value(), "An acquire waits for ever.");
}

template <class Schedule>
bool RingWorld<Schedule>::IsSeen(std::uint8_t surface) const {
  if (facts_.screen == surface) return true;
  const auto* const end = facts_.pending.items.begin() + facts_.pending.count;
  return std::any_of(facts_.pending.items.begin(), end, [surface](const Pending& flip) { return flip.surface == surface; });
}

template <class Schedule>
bool RingWorld<Schedule>::IsToBeSeen(std::uint8_t surface) const {
  if (IsSeen(surface) || (facts_.has_work != 0 && facts_.work.flip != 0 && facts_.work.primary == surface)) return true;
  const auto* const end = facts_.display_queue.items.begin() + facts_.display_queue.count;
  return std::any_of(facts_.display_queue.items.begin(), end,
                     [surface](const Queued& queued) { return queued.flip != 0 && queued.primary == surface; });
}

template <class Schedule>
bool RingWorld<Schedule>::IsRead(std::uint8_t buffer) const {
  if (!second_copy()) return IsToBeSeen(buffer);
  if (facts_.has_work != 0 && facts_.work.buffer == buffer) return true;
  const auto* const end = facts_.display_queue.items.begin() + facts_.display_queue.count;
  return std::any_of(facts_.display_queue.items.begin(), end,
                     [buffer](const Queued& queued) { return queued.flip == 0 && queued.buffer == buffer; });
}

template <class Schedule>
bool RingWorld<Schedule>::IsWritten(std::uint8_t buffer) const {
  const auto* const end = facts_.copies.items.begin() + facts_.copies.count;
  return std::any_of(facts_.copies.items.begin(), end, [buffer](const Copy& copy) { return copy.buffer == buffer; });
}

template <class Schedule>
std::uint8_t RingWorld<Schedule>::FrameIn(std::uint8_t surface) const {
  if (case_.shape == Shape::kDirect) return facts_.drawn[surface];
  const auto& parts = (second_copy() ? facts_.primaries : facts_.ring)[surface];
  const bool whole = std::all_of(parts.begin(), parts.begin() + slices(), [&](std::uint8_t part) { return part == parts[0]; });
  return whole ? parts[0] : RingFacts::kHalf;
}

template <class Schedule>
std::uint64_t RingWorld<Schedule>::StateSum() const {
  std::uint64_t sum = 0;
  schedule_.VisitState([&sum](std::uint64_t number) { sum = Mixed(sum, number); });
  return sum;
}

}  // namespace tandem::swapchain

#include "drivers/kms/kmd/head.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/log.h"
#include "color/blit.h"
#include "outputs/output.h"

namespace tandem::kms {
namespace {

// An event that does not come within this time is lost with its driver's interrupt.
constexpr std::int64_t kLongestFlipNs = 1'000'000'000;
constexpr std::int64_t kBusyNs = 1'000'000;
constexpr std::int64_t kLongestAnswerNs = 5'000'000'000;
// A source is dark for a moment while its mode changes. A display that goes dark for that shows nothing for a second.
constexpr std::int64_t kDarkAfterNs = 250'000'000;

}  // namespace

Head::Head(std::uint32_t target, const CardParts& card, const HeadParts& head, processor::GpuMemory& memory,
           processor::InterruptRegisters& interrupts, Clock& clock)
    : target_(target),
      crtc_id_(head.crtc.id),
      card_(card),
      interrupts_(interrupts),
      clock_(clock),
      cursor_(card.card, head.crtc.id),
      picture_(target, card, head, memory, cursor_),
      last_blank_ns_(clock.NowNs()) {}

Result<std::unique_ptr<Head>> Head::Create(std::uint32_t target, const CardParts& card, const HeadParts& parts,
                                           processor::GpuMemory& memory, processor::InterruptRegisters& interrupts,
                                           Clock& clock) {
  std::unique_ptr<Head> head(new Head(target, card, parts, memory, interrupts, clock));
  auto thread = Thread::Start("kms-crtc-" + std::to_string(target), [raw = head.get()] { raw->Run(); });
  if (!thread.ok()) return std::move(thread).error().Context("Starting a scan-out of a card");
  head->thread_ = *std::move(thread);
  return head;
}

Head::~Head() {
  {
    const MutexLock lock(mutex_);
    stop_ = true;
  }
  wake_.NotifyAll();
  thread_.Join();
}

void Head::Program(const processor::ScanOutFrame& frame, processor::FlipTiming timing) {
  {
    const MutexLock lock(mutex_);
    // A surface that is about to be shown at once does not wait because it is flipped to as well.
    const bool at_once = pending_ && pending_timing_ == processor::FlipTiming::kImmediate && pending_->address == frame.address;
    pending_ = frame;
    pending_timing_ = at_once ? processor::FlipTiming::kImmediate : timing;
    programmed_ = true;
    interrupts_.WithdrawVerticalBlank(target_, frame.address);
  }
  wake_.NotifyOne();
}

void Head::SetRotation(color::Rotation rotation) {
  const MutexLock lock(mutex_);
  rotation_ = rotation;
}

color::Rotation Head::rotation() {
  const MutexLock lock(mutex_);
  return rotation_;
}

void Head::SetVisible(bool visible) {
  {
    MutexLock lock(mutex_);
    // A report of what nobody saw would count for the flip that follows.
    while (visible && reports_in_the_dark_) answered_.Wait(lock.native());
    // A surface that was programmed in the dark is seen from now on.
    if (visible && !visible_.value_or(true) && programmed_) ShowAgain();
    turns_dark_ = !visible && programmed_;
    dark_at_ns_ = clock_.NowNs() + kDarkAfterNs;
    visible_ = visible;
    // Whoever made the source dark may draw into its surface from now on.
    while (!visible && showing_) answered_.Wait(lock.native());
  }
  wake_.NotifyOne();
}

void Head::EnableInterrupt(bool enabled) {
  {
    const MutexLock lock(mutex_);
    interrupt_enabled_ = enabled;
  }
  wake_.NotifyOne();
}

void Head::ForgetMemory(std::uint64_t memory_id) {
  {
    const MutexLock lock(mutex_);
    forgotten_.push_back(memory_id);
  }
  wake_.NotifyOne();
}

processor::Beam Head::BeamPosition() {
  const std::int64_t period_ns = card_.screens.StateOf(target_).refresh_period_ns;
  const MutexLock lock(mutex_);
  const std::int64_t into_period_ns = (clock_.NowNs() - last_blank_ns_) % period_ns;
  const std::int64_t active_ns = period_ns - period_ns / 20;
  if (current_.height == 0 || into_period_ns < 0 || into_period_ns >= active_ns) return {current_.height, true};
  return {static_cast<std::uint32_t>(into_period_ns * current_.height / active_ns), false};
}

bool Head::CanRead(const processor::ScanOutFrame& frame) {
  const MutexLock one(question_mutex_);
  MutexLock lock(mutex_);
  if (!Shows()) return false;
  question_.emplace(Question{frame, std::nullopt});
  wake_.NotifyOne();
  const std::int64_t deadline_ns = clock_.NowNs() + kLongestAnswerNs;
  while (!question_->answer && clock_.NowNs() < deadline_ns) clock_.WaitUntil(lock.native(), answered_, deadline_ns);
  const bool answer = question_->answer.value_or(false);
  question_.reset();
  return answer;
}

void Head::OnFlip(const FlipEvent& event) {
  {
    const MutexLock lock(mutex_);
    flipped_ = event;
  }
  wake_.NotifyOne();
}

void Head::OnSequence(const SequenceEvent& event) {
  {
    const MutexLock lock(mutex_);
    reached_ = event;
  }
  wake_.NotifyOne();
}

void Head::OnDisplay(const Connector& connector) {
  {
    const MutexLock lock(mutex_);
    connector_ = connector;
  }
  wake_.NotifyOne();
}

void Head::OnGone() {
  {
    const MutexLock lock(mutex_);
    gone_ = true;
  }
  card_.screens.SetLost(target_);
  wake_.NotifyOne();
}

void Head::OnSeat(bool active) {
  {
    const MutexLock lock(mutex_);
    has_seat_ = active;
    seat_came_back_ = active;
  }
  wake_.NotifyOne();
}

void Head::ShowAgain() {
  if (pending_) return;
  pending_ = current_;
  pending_timing_ = processor::FlipTiming::kImmediate;
}

void Head::Run() {
  RequestDisplayPriority();
  MutexLock lock(mutex_);
  while (!stop_) {
    if (!DoHousekeeping() && !FinishFlip(lock) && !BeginFlip(lock)) Tick(lock);
  }
}

bool Head::DoHousekeeping() {
  if (question_ && !question_->answer) {
    const processor::ScanOutFrame frame = question_->frame;
    const color::Rotation rotation = rotation_;
    mutex_.Unlock();
    const bool answer = picture_.CanRead(frame, rotation);
    mutex_.Lock();
    if (question_) question_->answer = answer;
    answered_.NotifyAll();
    return true;
  }
  if (!forgotten_.empty()) {
    const std::uint64_t memory_id = forgotten_.back();
    forgotten_.pop_back();
    mutex_.Unlock();
    picture_.Forget(memory_id);
    mutex_.Lock();
    return true;
  }
  if (connector_ && !in_flight_) {
    const Connector connector = *std::exchange(connector_, std::nullopt);
    mutex_.Unlock();
    picture_.SetConnector(connector);
    mutex_.Lock();
    has_blanks_ = false;
    return true;
  }
  if (std::exchange(seat_came_back_, false)) {
    if (programmed_ && visible_.value_or(true)) ShowAgain();
    turns_dark_ = programmed_ && !visible_.value_or(true);
    mutex_.Unlock();
    picture_.ForgetMode();
    mutex_.Lock();
    return true;
  }
  if (turns_dark_ && !in_flight_ && clock_.NowNs() >= dark_at_ns_) {
    turns_dark_ = false;
    mutex_.Unlock();
    picture_.SwitchOff();
    mutex_.Lock();
    has_blanks_ = false;
    return true;
  }
  return false;
}

void Head::NoteBlank(std::uint32_t sequence, std::int64_t time_ns) {
  last_sequence_ = sequence;
  last_blank_ns_ = std::max(last_blank_ns_, time_ns);
}

bool Head::FinishFlip(MutexLock& lock) {
  if (!in_flight_) {
    flipped_.reset();
    return false;
  }
  const std::int64_t now_ns = clock_.NowNs();
  if (!flipped_ && !gone_ && now_ns < flip_deadline_ns_) {
    Wait(lock, flip_deadline_ns_);
    return true;
  }
  if (!flipped_ && !gone_) Log(LogLevel::kWarn, "A flip of CRTC {} is not reported within a second.", crtc_id_);
  const std::int64_t shown_ns = flipped_ ? flipped_->time_ns : 0;
  if (flipped_) NoteBlank(flipped_->sequence, shown_ns);
  flipped_.reset();
  in_flight_ = false;
  mutex_.Unlock();
  picture_.Flipped();
  picture_.WriteBack();
  mutex_.Lock();
  Report(shown_ns);
  return true;
}

void Head::Report(std::int64_t time_ns) {
  // A flip to this address that came meanwhile would be taken for done by the report: its own report counts for both.
  if (pending_ && pending_->address == current_.address) return;
  interrupts_.SetVerticalBlank(target_, current_, time_ns);
  mutex_.Unlock();
  interrupts_.Raise();
  mutex_.Lock();
  if (std::exchange(reports_in_the_dark_, false)) answered_.NotifyAll();
}

bool Head::BeginFlip(MutexLock& lock) {
  if (!pending_) return false;
  const std::int64_t now_ns = clock_.NowNs();
  if (now_ns < retry_ns_) {
    Wait(lock, retry_ns_);
    return true;
  }
  const bool clocked = !Shows() || !has_blanks_ || failed_;
  if (clocked && pending_timing_ == processor::FlipTiming::kVerticalBlank && !AwaitClock(lock)) return true;
  Latch();
  return true;
}

void Head::Latch() {
  const processor::ScanOutFrame before = current_;
  current_ = *std::exchange(pending_, std::nullopt);
  const processor::FlipTiming timing = pending_timing_;
  const processor::ScanOutFrame frame = current_;
  const color::Rotation rotation = rotation_;
  const bool shows = Shows();
  reports_in_the_dark_ = !visible_.value_or(true);
  if (!shows || frame.width == 0) return Report();
  showing_ = true;
  mutex_.Unlock();
  const Showing showing = picture_.Show(frame, rotation, timing == processor::FlipTiming::kImmediate);
  const bool sets_mode = showing == Showing::kShown;
  const bool counts_blanks = sets_mode && LastSequence(card_.card, crtc_id_).ok();
  if (sets_mode) picture_.WriteBack();
  mutex_.Lock();
  showing_ = false;
  answered_.NotifyAll();
  if (sets_mode) {
    has_blanks_ = counts_blanks;
    last_blank_ns_ = clock_.NowNs();
  }
  failed_ = showing == Showing::kNotShown || showing == Showing::kGone;
  if (showing == Showing::kBusy) {
    current_ = before;
    if (!pending_) {
      pending_ = frame;
      pending_timing_ = timing;
    }
    retry_ns_ = clock_.NowNs() + kBusyNs;
    return;
  }
  if (showing == Showing::kGone) card_.screens.SetLost(target_);
  if (showing == Showing::kPending) {
    in_flight_ = true;
    flip_deadline_ns_ = clock_.NowNs() + kLongestFlipNs;
    return;
  }
  Report();
}

void Head::Tick(MutexLock& lock) {
  const bool from_card = Ticks() && Shows() && has_blanks_ && !failed_;
  if (reached_) {
    const SequenceEvent reached = *std::exchange(reached_, std::nullopt);
    sequence_queued_ = false;
    const auto sequence = static_cast<std::uint32_t>(reached.sequence);
    const bool is_new = static_cast<std::int32_t>(sequence - last_sequence_) > 0;
    if (is_new) NoteBlank(sequence, reached.time_ns);
    if (is_new && from_card) Report(reached.time_ns);
    return;
  }
  if (!Ticks()) return Wait(lock, turns_dark_ ? dark_at_ns_ : kNoDeadline);
  if (!from_card) {
    if (AwaitClock(lock)) Report();
    return;
  }
  if (sequence_queued_ && clock_.NowNs() < sequence_deadline_ns_) return Wait(lock, sequence_deadline_ns_);
  mutex_.Unlock();
  const auto queued = QueueSequence(card_.card, crtc_id_, 0, target_);
  mutex_.Lock();
  sequence_queued_ = queued.ok();
  has_blanks_ = queued.ok();
  sequence_deadline_ns_ = clock_.NowNs() + kLongestFlipNs;
}

bool Head::AwaitClock(MutexLock& lock) {
  const std::int64_t period_ns = std::max<std::int64_t>(card_.screens.StateOf(target_).refresh_period_ns, 1'000'000);
  const std::int64_t now_ns = clock_.NowNs();
  // When several passed meanwhile only the latest counts, and at once.
  const std::int64_t due_ns = std::max(last_blank_ns_ + period_ns, now_ns - (now_ns - last_blank_ns_) % period_ns);
  if (due_ns > now_ns) {
    Wait(lock, due_ns);
    return false;
  }
  last_blank_ns_ = due_ns;
  return true;
}

// With the lock, which the wait gives back meanwhile.
void Head::Wait(MutexLock& lock, std::int64_t deadline_ns) { clock_.WaitUntil(lock.native(), wake_, deadline_ns); }

}  // namespace tandem::kms

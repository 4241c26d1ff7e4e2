#include "drivers/kms/card/card_events.h"

#include <array>
#include <cerrno>
#include <type_traits>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

constexpr int kNodeCheckMs = 1'000;

void Deliver(const CardEvent& event, CardListener& listener) {
  if (const auto* flip = std::get_if<FlipEvent>(&event)) listener.OnFlip(*flip);
  if (const auto* sequence = std::get_if<SequenceEvent>(&event)) listener.OnSequence(*sequence);
}

bool IsOf(const Uevent& event, const CardIdentity& identity) {
  return event.subsystem == "drm" && event.major == identity.major && event.minor == identity.minor;
}

Error SequenceError(std::uint32_t crtc_id, int error) {
  // A CRTC that is off has no vertical blanks.
  return Fail(KindOf(error), "CRTC {} counts no vertical blanks: {}.", crtc_id, ErrnoText(error));
}

}  // namespace

Result<std::unique_ptr<CardEvents>> CardEvents::Start(const Card& card, CardListener& listener) {
  std::unique_ptr<CardEvents> events(new CardEvents(card, listener));
  events->wake_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!events->wake_.valid()) return Fail(ErrorKind::kLimit, "No eventfd for a card's events: {}.", ErrnoText(errno));
  if (auto socket = UeventSocket::Open(); socket.ok()) {
    events->uevents_ = *std::move(socket);
  } else {
    Log(LogLevel::kWarn, "Displays that come and go are not seen: {}", socket.error().message);
  }
  auto thread = Thread::Start("tandem-kms", [raw = events.get()] { raw->Run(); });
  if (!thread.ok()) return std::move(thread).error().Context("Reading a card's events");
  events->thread_ = *std::move(thread);
  return events;
}

CardEvents::~CardEvents() {
  stop_ = true;
  static_cast<void>(eventfd_write(wake_.get(), 1));
  thread_.Join();
}

void CardEvents::Run() {
  RequestDisplayPriority();
  std::array<pollfd, 3> waits{};
  waits[0] = {wake_.get(), POLLIN, 0};
  waits[1] = {card_.fd(), POLLIN, 0};
  waits[2] = {uevents_ ? uevents_->fd() : -1, POLLIN, 0};
  bool present = true;
  while (!stop_ && present) {
    const int ready = poll(waits.data(), waits.size(), uevents_ ? -1 : kNodeCheckMs);
    if (stop_) return;
    if (ready < 0 && errno != EINTR) break;
    if (ready <= 0) {
      present = uevents_ || card_.IsPresent();
      continue;
    }
    // A card that is removed may leave flips behind that were shown: they are delivered first.
    if (waits[1].revents != 0) present = ReadCard();
    if (waits[2].revents != 0) present = ReadUevents() && present;
  }
  if (!stop_) listener_.OnRemoved();
}

bool CardEvents::ReadCard() {
  alignas(8) std::array<std::byte, 4096> buffer{};  // whole events only, 32 bytes each
  const ssize_t length = read(card_.fd(), buffer.data(), buffer.size());
  if (length < 0) return errno == EINTR || errno == EAGAIN;
  if (length == 0) return card_.IsPresent();
  std::span<const std::byte> bytes = std::span(buffer).first(static_cast<std::size_t>(length));
  // The kernel hands an event out once: what was read is delivered, also while the destructor waits.
  while (const auto event = TakeEvent(bytes)) Deliver(*event, listener_);
  return true;
}

bool CardEvents::ReadUevents() {
  bool changed = false;
  std::optional<std::uint32_t> connector_id;
  Uevent event;
  for (;;) {
    const UeventSocket::Read read = uevents_->Next(event);
    if (read == UeventSocket::Read::kEmpty) break;
    if (read == UeventSocket::Read::kLost) {
      if (!card_.IsPresent()) return false;
      changed = true;
    }
    if (read != UeventSocket::Read::kEvent || !IsOf(event, card_.identity())) continue;
    if (EndsDevice(event)) {
      if (!event.wedged.empty())
        Log(LogLevel::kWarn, "The card {} hung; what mends it: {}.", card_.identity().driver, event.wedged);
      return false;
    }
    if (event.action != UeventAction::kChange) continue;
    // Two changes at once are one of unknown connectors.
    connector_id = changed ? std::nullopt : event.connector_id;
    changed = true;
  }
  if (changed && !stop_) listener_.OnHotPlug(connector_id);
  return true;
}

Result<void> QueueSequence(const Card& card, std::uint32_t crtc_id, std::uint32_t ahead, std::uint64_t user_data) {
  std::uint64_t queued = 0;
  const int status = Drm().CrtcQueueSequence(card.fd(), crtc_id, DRM_CRTC_SEQUENCE_RELATIVE | DRM_CRTC_SEQUENCE_NEXT_ON_MISS,
                                             std::uint64_t{ahead} + 1, &queued, user_data);
  if (status == 0) return {};
  return SequenceError(crtc_id, errno);
}

Result<CrtcSequence> LastSequence(const Card& card, std::uint32_t crtc_id) {
  CrtcSequence last;
  std::uint64_t time_ns = 0;
  if (Drm().CrtcGetSequence(card.fd(), crtc_id, &last.sequence, &time_ns) != 0) return SequenceError(crtc_id, errno);
  last.time_ns = static_cast<std::int64_t>(time_ns);
  return last;
}

}  // namespace tandem::kms

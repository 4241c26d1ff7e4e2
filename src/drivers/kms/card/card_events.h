// Events of a card: flips that were shown, vertical blanks, displays that come and go, the card's removal.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "base/thread.h"
#include "base/unique_fd.h"
#include "drivers/kms/card/card.h"
#include "drivers/kms/card/event_bytes.h"
#include "drivers/kms/card/uevent_socket.h"

namespace tandem::kms {

// Called by the card's event thread with no lock held. The next event waits for the return.
class CardListener {
 public:
  virtual ~CardListener() = default;
  // A commit with CommitFlags::event is on the screen.
  virtual void OnFlip(const FlipEvent& event) = 0;
  // A sequence that QueueSequence() asked for was reached.
  virtual void OnSequence(const SequenceEvent& event) = 0;
  // Displays may have changed: read the resources again. `connector_id`: the one that did, where the kernel says it.
  virtual void OnHotPlug(std::optional<std::uint32_t> connector_id) = 0;
  // The card's device is gone, or hung for good. Called once; no other call follows.
  virtual void OnRemoved() = 0;
};

class CardEvents {
 public:
  // Card and listener outlive it. Without a uevent socket (kUnsupported in sandboxes) flips and sequences still come, the node is
  // looked for once a second, and displays' changes are not seen; the reason is logged. kLimit, kIo.
  [[nodiscard]] static Result<std::unique_ptr<CardEvents>> Start(const Card& card, CardListener& listener);
  // No listener runs afterwards. Not on the event thread.
  ~CardEvents();
  CardEvents(const CardEvents&) = delete;
  CardEvents& operator=(const CardEvents&) = delete;

  // False without a uevent socket: no OnHotPlug comes.
  [[nodiscard]] bool sees_displays() const { return uevents_.has_value(); }

 private:
  CardEvents(const Card& card, CardListener& listener) : card_(card), listener_(listener) {}
  void Run();
  // False when the card is gone.
  [[nodiscard]] bool ReadCard();
  [[nodiscard]] bool ReadUevents();

  const Card& card_;
  CardListener& listener_;
  std::optional<UeventSocket> uevents_;
  UniqueFd wake_;
  std::atomic<bool> stop_{false};
  Thread thread_;
};

// Requests a SequenceEvent at the CRTC's next vertical blank after the present one plus `ahead` (0: the next one). kUnsupported
// for drivers without vertical blanks (virtio-gpu, bochs) and for a CRTC that is off: a clock stands in. kDeviceLost, kIo.
[[nodiscard]] Result<void> QueueSequence(const Card& card, std::uint32_t crtc_id, std::uint32_t ahead, std::uint64_t user_data);

struct CrtcSequence {
  std::uint64_t sequence = 0;
  std::int64_t time_ns = 0;  // CLOCK_MONOTONIC, of that vertical blank
};
// The CRTC's last vertical blank. Errors: QueueSequence.
[[nodiscard]] Result<CrtcSequence> LastSequence(const Card& card, std::uint32_t crtc_id);

}  // namespace tandem::kms

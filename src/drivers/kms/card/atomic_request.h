// One atomic commit: properties of several objects that change together, or not at all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "drivers/kms/card/card.h"

namespace tandem::kms {

enum class CommitOutcome : std::uint8_t {
  kDone,
  kBusy,       // EBUSY: a CRTC has a commit that is not shown yet; again after its FlipEvent
  kNoSpace,    // ENOSPC: the framebuffer is smaller than what a plane shows of it, or no bandwidth is left
  kRange,      // ERANGE: a position, scaling or rotation that the hardware has not
  kInvalid,    // EINVAL: a combination that the driver refuses
  kGone,       // ENODEV, or another refusal of a card whose node is gone: it was removed
  kNoObject,   // ENOENT: a connector went with its dock, or the lease was revoked
  kNotMaster,  // EACCES, EPERM: the session was switched away
  kNoMemory,   // ENOMEM; also when 128 events of the card's file wait to be read
  kTooMany,    // more than AtomicRequest::kMaxProperties; nothing was asked of the kernel
  kOther,
};

struct CommitResult {
  CommitOutcome outcome = CommitOutcome::kDone;
  int error = 0;  // errno; 0: done

  [[nodiscard]] bool done() const { return outcome == CommitOutcome::kDone; }
};

// `what` begins a sentence: "The flip of CRTC 40". Precondition: not done.
[[nodiscard]] Error ToError(const CommitResult& result, std::string_view what);

struct CommitFlags {
  bool test_only = false;      // asks whether the commit would do; excludes the three below but allow_modeset
  bool nonblocking = false;    // returns before it is shown, and before fences signal
  bool event = false;          // a FlipEvent for each CRTC of the commit
  bool async_flip = false;     // tears: shown at once. Only plane FB_IDs may change; many drivers answer EINVAL
  bool allow_modeset = false;  // CRTCs may go dark for the change; may take 100 ms and more
};

// Allocates nothing: the object itself is about 10 KiB. One thread at a time.
class AtomicRequest {
 public:
  static constexpr std::size_t kMaxProperties = 512;

  void Clear();
  // The last of several values for one property counts. `property_id` 0, a property that the object lacks, is ignored: ask
  // Properties::Has first where that matters.
  void Set(std::uint32_t object_id, std::uint32_t property_id, std::uint64_t value);
  // A position to return to, so that a common part is written once.
  struct Mark {
    std::size_t objects = 0;
    std::size_t properties = 0;
  };
  [[nodiscard]] Mark mark() const { return {object_count_, property_count_}; }
  void ReturnTo(const Mark& mark);

  [[nodiscard]] bool empty() const { return property_count_ == 0; }
  // "31: 17=40 20=0; 40: 22=1": objects with property ids and values, in order.
  [[nodiscard]] std::string Text() const;

  // `user_data` comes back in FlipEvent::user_data. Blocks until the picture is shown unless test_only or nonblocking is set.
  CommitResult Commit(const Card& card, const CommitFlags& flags, std::uint64_t user_data);

 private:
  std::size_t object_count_ = 0;
  std::size_t property_count_ = 0;
  bool too_many_ = false;
  std::array<std::uint32_t, kMaxProperties> objects_{};  // runs of properties of one object
  std::array<std::uint32_t, kMaxProperties> counts_{};   // properties of each run
  std::array<std::uint32_t, kMaxProperties> properties_{};
  std::array<std::uint64_t, kMaxProperties> values_{};
};

}  // namespace tandem::kms

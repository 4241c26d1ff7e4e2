// A card of the machine with one connector lit, for tests in a virtual machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/condition.h"
#include "base/result.h"
#include "base/thread.h"
#include "drivers/kms/card/atomic_request.h"
#include "drivers/kms/card/buffer.h"
#include "drivers/kms/card/card_events.h"
#include "drivers/kms/card/framebuffer.h"
#include "drivers/kms/card/resources.h"

namespace tandem::kms {

// The driver's name for itself in this kernel ("bochs-drm" has become "bochs"), and whether the machine has such a card.
[[nodiscard]] std::optional<std::string> FindDriver(std::string_view name);

// Pixels of the card's own memory with a framebuffer on them.
struct LitBuffer {
  DumbBuffer buffer;
  MemoryMap map;
  Framebuffer framebuffer;
};
[[nodiscard]] Result<LitBuffer> MakeBuffer(const Card& card, std::uint32_t fourcc, std::uint32_t width, std::uint32_t height);

// Card, connector, CRTC and primary plane in a small mode.
class LitCard {
 public:
  [[nodiscard]] static Result<std::unique_ptr<LitCard>> Open(const std::string& driver);
  // On a card that is open already, with what it lists.
  [[nodiscard]] static Result<std::unique_ptr<LitCard>> Adopt(std::unique_ptr<Card> card);

  [[nodiscard]] const Card& card() const { return *card_; }
  [[nodiscard]] GemHandles& handles() { return handles_; }
  [[nodiscard]] const Resources& resources() const { return resources_; }
  [[nodiscard]] const Connector& connector() const { return *connector_; }
  [[nodiscard]] const Crtc& crtc() const { return *crtc_; }
  [[nodiscard]] const Plane& primary() const { return *primary_; }
  [[nodiscard]] const Mode& mode() const { return mode_; }
  [[nodiscard]] Result<LitBuffer> MakeScreen(std::uint32_t fourcc) const {
    return MakeBuffer(*card_, fourcc, mode_.width, mode_.height);
  }

  // Light() sets this mode from now on.
  [[nodiscard]] Result<void> ChooseMode(const Mode& mode);
  // The whole pipe with the framebuffer on the primary plane, by a modeset.
  CommitResult Light(std::uint32_t framebuffer_id, bool test_only = false);
  // Only the primary plane's framebuffer.
  CommitResult Flip(std::uint32_t framebuffer_id, const CommitFlags& flags, std::uint64_t user_data);
  AtomicRequest& request() { return request_; }

 private:
  explicit LitCard(std::unique_ptr<Card> card) : card_(std::move(card)), handles_(*card_) {}

  std::unique_ptr<Card> card_;
  GemHandles handles_;
  Resources resources_;
  const Connector* connector_ = nullptr;
  const Crtc* crtc_ = nullptr;
  const Plane* primary_ = nullptr;
  Mode mode_;
  PropertyBlob mode_blob_;
  AtomicRequest request_;
};

// Keeps the events of a card and lets a test wait for them.
class KeptEvents final : public CardListener {
 public:
  void OnFlip(const FlipEvent& event) override;
  void OnSequence(const SequenceEvent& event) override;
  void OnHotPlug(std::optional<std::uint32_t> connector_id) override;
  void OnRemoved() override;

  // Each waits for at most a minute, which an emulated machine under load may need.
  [[nodiscard]] std::optional<FlipEvent> WaitForFlip();  // takes the oldest; a removed card has no new ones
  [[nodiscard]] std::optional<SequenceEvent> WaitForSequence();
  [[nodiscard]] bool WaitForHotPlug();
  [[nodiscard]] bool WaitForRemoval();
  [[nodiscard]] std::size_t flips() const;  // that wait

 private:
  // False when the time is over.
  bool Wait(MutexLock& lock, std::int64_t deadline_ns);

  mutable Mutex mutex_;
  Condition changed_;
  std::vector<FlipEvent> flips_ TANDEM_GUARDED_BY(mutex_);
  std::vector<SequenceEvent> sequences_ TANDEM_GUARDED_BY(mutex_);
  int hot_plugs_ TANDEM_GUARDED_BY(mutex_) = 0;
  bool removed_ TANDEM_GUARDED_BY(mutex_) = false;
};

// Writes a file of sysfs or debugfs; false when it cannot.
bool WriteSystemFile(const std::string& path, std::string_view text);

}  // namespace tandem::kms

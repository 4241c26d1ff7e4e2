// The connectors from the driver's side: the window plugged into each connector, and the head that uses it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/condition.h"
#include "base/thread.h"
#include "drivers/vulkan/vulkan_device.h"
#include "drivers/vulkan/wsi/wsi_presenter.h"
#include "outputs/output.h"

namespace tandem::vulkan {

// Thread-safe. A connector belongs to its attached head from Attach to Detach.
class WsiConnectorsImpl final : public WsiConnectors {
 public:
  explicit WsiConnectorsImpl(std::uint32_t count) : connectors_(count) {}

  // Waits until the head has made the surface or failed: kUnsupported, kSurfaceLost, kOutOfMemory. Without a head the result is
  // not yet known; the status tells it later. kLimit when all connectors are taken.
  Result<std::uint32_t> Plug(const WsiTarget& target) override;
  // Returns when the head has released the surface.
  void Unplug(std::uint32_t connector) override;
  [[nodiscard]] outputs::OutputStatus Status(std::uint32_t connector) const override;
  [[nodiscard]] outputs::OutputStatus AskStatus(std::uint32_t connector) const override;
  [[nodiscard]] bool TakesTenBits(std::uint32_t connector) const override;
  [[nodiscard]] Counters CountersOf(std::uint32_t connector) const override;

  // Notifications for a head. Any thread; must not call back.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void OnPlugChanged() = 0;
  };

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(connectors_.size()); }
  void Attach(std::uint32_t connector, Listener& listener);
  void Detach(std::uint32_t connector);

  // The rest is for the head's thread.
  // The plugged window that the head has not taken yet, if any. The head must then call Opened.
  [[nodiscard]] std::optional<WsiTarget> Take(std::uint32_t connector);
  // `presenter` answers Status until Released. Null on failure, with the error.
  void Opened(std::uint32_t connector, WsiPresenter* presenter, const Error* failure);
  // True while the taken window is plugged.
  [[nodiscard]] bool IsPlugged(std::uint32_t connector) const;
  // Must precede the presenter's destruction: Status does not ask it any more.
  void Close(std::uint32_t connector);
  // Must follow that destruction: the window belongs to the application again.
  void Released(std::uint32_t connector);
  void CountShown(std::uint32_t connector);
  void CountWritten(std::uint32_t connector, std::uint64_t bytes);  // any thread

 private:
  enum class State : std::uint8_t {
    kEmpty,
    kPlugged,  // no head has taken it yet
    kTaken,    // the head makes the surface
    kOpen,     // the head has a surface
    kFailed,   // the head could not make a surface, or stopped
    kLeaving,  // unplugged, but the head still has a surface
  };
  struct Connector {
    mutable Mutex mutex;
    Condition changed;
    State state TANDEM_GUARDED_BY(mutex) = State::kEmpty;
    WsiTarget target TANDEM_GUARDED_BY(mutex);
    std::optional<Error> failure TANDEM_GUARDED_BY(mutex);
    WsiPresenter* presenter TANDEM_GUARDED_BY(mutex) = nullptr;
    Listener* listener TANDEM_GUARDED_BY(mutex) = nullptr;
    Counters counters TANDEM_GUARDED_BY(mutex);
  };

  Result<void> AwaitOpen(Connector& connector);
  [[nodiscard]] outputs::OutputStatus StatusOf(std::uint32_t connector, StatusAge age) const;

  std::vector<Connector> connectors_;
};

}  // namespace tandem::vulkan

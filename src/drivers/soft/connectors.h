// The connectors from the driver's side.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/thread.h"
#include "drivers/soft/soft_device.h"
#include "outputs/output.h"

namespace tandem::soft {

// Refresh period of an empty connector, or of an output without a rate.
inline constexpr std::int64_t kDefaultRefreshPeriodNs = 16'666'667;

class ConnectorsImpl final : public Connectors {
 public:
  explicit ConnectorsImpl(std::uint32_t count) : connectors_(count) {}
  ~ConnectorsImpl() override;

  Result<std::uint32_t> Plug(std::shared_ptr<outputs::Output> output) override;
  void Unplug(std::uint32_t connector) override;
  void SetCable(std::uint32_t connector, bool plugged) override;
  [[nodiscard]] outputs::OutputStatus Status(std::uint32_t connector) const override;
  [[nodiscard]] Counters CountersOf(std::uint32_t connector) const override;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(connectors_.size()); }
  [[nodiscard]] std::int64_t RefreshPeriodNs(std::uint32_t connector) const;
  // The display's own time; nothing where the output keeps none.
  [[nodiscard]] std::optional<outputs::Beat> BeatOf(std::uint32_t connector) const;
  // `call` is called after each beat of the connector's output, whichever it is, until the next OnBeat of this connector returns.
  void OnBeat(std::uint32_t connector, std::function<void()> call);
  [[nodiscard]] bool HasCable(std::uint32_t connector) const;
  // `call` is called after each change of a connector's cable, until the next OnCable returns.
  void OnCable(std::function<void(std::uint32_t connector)> call);
  // Shows a surface, if the cable is in; scan-out thread of this connector. kSurfaceLost for an empty connector. `written` counts
  // the bytes that passes wrote to prepare the surface.
  Result<void> Show(std::uint32_t connector, const outputs::Surface& surface, std::uint64_t written);
  // Output::last_shown_ns of the last Show; scan-out thread of this connector.
  [[nodiscard]] std::int64_t LastShownNs(std::uint32_t connector) const;
  // Output::TakesNv12; false for an empty connector.
  [[nodiscard]] bool TakesNv12(std::uint32_t connector) const;
  void Forget(std::uint32_t connector, std::uint64_t surface_id);

 private:
  struct Connector {
    mutable Mutex mutex;  // held briefly only
    std::shared_ptr<outputs::Output> output TANDEM_GUARDED_BY(mutex);
    Counters counters TANDEM_GUARDED_BY(mutex);
    bool has_cable TANDEM_GUARDED_BY(mutex) = true;
    Mutex use_mutex;  // held while the driver uses the output; taken before `mutex`
    Mutex beat_mutex;
    std::function<void()> on_beat TANDEM_GUARDED_BY(beat_mutex);
  };

  [[nodiscard]] std::shared_ptr<outputs::Output> OutputOf(std::uint32_t connector) const;
  void Beat(std::uint32_t connector);

  std::vector<Connector> connectors_;
  Mutex cable_mutex_;
  std::function<void(std::uint32_t)> on_cable_ TANDEM_GUARDED_BY(cable_mutex_);
};

}  // namespace tandem::soft

// The connector from the driver's side.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread.h"
#include "drivers/soft/soft_device.h"
#include "outputs/output.h"

namespace tandem::soft {

// Refresh period of an empty socket, or of an output without a rate.
inline constexpr std::int64_t kDefaultRefreshPeriodNs = 16'666'667;

class Sockets final : public Connector {
 public:
  explicit Sockets(std::uint32_t count) : sockets_(count) {}

  Result<std::uint32_t> Plug(std::shared_ptr<outputs::Output> output) override;
  void Unplug(std::uint32_t socket) override;
  [[nodiscard]] outputs::OutputStatus Status(std::uint32_t socket) const override;
  [[nodiscard]] Counters CountersOf(std::uint32_t socket) const override;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(sockets_.size()); }
  [[nodiscard]] std::int64_t RefreshPeriodNs(std::uint32_t socket) const;
  // Shows a surface; scan-out thread of this socket. kSurfaceLost for an empty socket. `written` counts the bytes that passes
  // wrote to prepare the surface.
  Result<void> Show(std::uint32_t socket, const outputs::Surface& surface, std::uint64_t written);
  // Output::TakesNv12; false for an empty socket.
  [[nodiscard]] bool TakesNv12(std::uint32_t socket) const;
  void Forget(std::uint32_t socket, std::uint64_t surface_id);

 private:
  struct Socket {
    mutable Mutex mutex;  // held briefly only
    std::shared_ptr<outputs::Output> output TANDEM_GUARDED_BY(mutex);
    Counters counters TANDEM_GUARDED_BY(mutex);
    Mutex use_mutex;  // held while the driver uses the output; taken before `mutex`
  };

  [[nodiscard]] std::shared_ptr<outputs::Output> OutputOf(std::uint32_t socket) const;

  std::vector<Socket> sockets_;
};

}  // namespace tandem::soft

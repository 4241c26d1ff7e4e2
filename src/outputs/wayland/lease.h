// A connector of a card that a Wayland compositor shows on, leased to this process: wp_drm_lease_device_v1.
#pragma once

#include <cstdint>
#include <memory>

#include <sys/types.h>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem::outputs {

// The compositor leaves the connector's display to the lease until it ends. One thread at a time.
class WaylandLease {
 public:
  // Borrows connector `connector_id`, the kernel's number, of the card with device number `card`, from the compositor that
  // $WAYLAND_DISPLAY names. Each wait for the compositor ends after ten seconds. kSurfaceLost when no compositor answers;
  // kUnsupported without the protocol, in the build or the compositor; kNotFound when the compositor does not offer the
  // connector: most offer headsets alone; kIo when it refuses.
  [[nodiscard]] static Result<std::unique_ptr<WaylandLease>> Take(dev_t card, std::uint32_t connector_id);
  // Ends the lease: commits through the descriptor are refused from then on.
  virtual ~WaylandLease() = default;

  // The card's node, whose master the lease is, with the leased objects alone. Once.
  [[nodiscard]] virtual UniqueFd TakeCard() = 0;
};

}  // namespace tandem::outputs

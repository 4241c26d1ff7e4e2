// A connector of the card that an X server shows on, leased to this process (RandR 1.6).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <sys/types.h>
#include <xcb/xcb.h>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem::outputs {

// The server's windows leave the connector's display until the lease ends. One thread at a time.
class X11Lease {
 public:
  // Borrows connector `connector_id`, the kernel's number, of the card with device number `card`, and its CRTC or a free one.
  // `display` as for X11Connection::Open. kSurfaceLost when no server answers; kUnsupported for a server without leases, such as
  // Xwayland; kNotFound when no output of the server is that connector, or no CRTC is free; kIo when the server refuses.
  [[nodiscard]] static Result<std::unique_ptr<X11Lease>> Take(const std::string& display, dev_t card, std::uint32_t connector_id);
  // Ends the lease: commits through the descriptor are refused from then on.
  ~X11Lease();
  X11Lease(const X11Lease&) = delete;
  X11Lease& operator=(const X11Lease&) = delete;

  // The card's node, whose master the lease is, with the leased objects alone. Once.
  [[nodiscard]] UniqueFd TakeCard() { return std::move(card_); }

 private:
  explicit X11Lease(xcb_connection_t* connection) : connection_(connection) {}
  Result<void> Request(dev_t card, std::uint32_t connector_id);
  void End();

  xcb_connection_t* const connection_;
  std::uint32_t lease_ = 0;  // 0: none
  UniqueFd card_;
};

}  // namespace tandem::outputs

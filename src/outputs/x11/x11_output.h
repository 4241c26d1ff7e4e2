// An X11 window as an output. MIT-SHM lets the X server read the adapters' shared pages directly.
#pragma once

#include <memory>

#include "base/result.h"
#include "outputs/output.h"
#include "outputs/x11/window_watch.h"

namespace tandem::outputs {

// Opens a connection of its own, so that the application's events and errors stay with the application. The server reads 8-bit
// formats in B, G, R order directly from a memfd's shared pages. Other surfaces are converted or copied into the output's own
// segment; LastShowCopiedBytes counts these bytes. A server without MIT-SHM 1.2, for example a remote one, gets the pixels
// through the connection. Show returns kSurfaceLost when the window or the server is gone, or the server does not answer for
// ten seconds. Errors of this call: kSurfaceLost when the server or window does not exist, kUnsupported for a window without 24
// or 32 bits in B, G, R order.
[[nodiscard]] Result<std::unique_ptr<Output>> CreateX11Output(const X11Target& target);

}  // namespace tandem::outputs

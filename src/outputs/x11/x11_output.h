// An X11 window as an output. MIT-SHM lets the X server read the very pages that the adapters share.
#pragma once

#include <memory>

#include "base/result.h"
#include "outputs/output.h"
#include "outputs/x11/window_watch.h"

namespace tandem::outputs {

// Opens a connection of its own: the application's events and errors are its own business. Formats of 8 bits in B, G, R order in
// a memfd are read by the server from the shared pages; any other surface is converted or copied into a segment of the output's
// own (LastShowCopiedBytes tells). A server without MIT-SHM 1.2, such as a remote one, gets the pixels through the connection.
// Show answers kSurfaceLost when the window or the server is gone, and when the server does not answer for ten seconds.
// kSurfaceLost when there is no such server or window, kUnsupported for a window that is not of 24 or 32 bits in B, G, R order.
[[nodiscard]] Result<std::unique_ptr<Output>> CreateX11Output(const X11Target& target);

}  // namespace tandem::outputs

// Where in a driver a thread is: for whoever reports a crash.
#pragma once

namespace tandem::kernel {

// "DxgkDdiPresent" when the calling thread is in that DDI of any adapter; null when it is in none. Async-signal-safe.
[[nodiscard]] const char* CurrentDdiName();

}  // namespace tandem::kernel

// The DDI that a thread is in: for reports of a crash, and for a trace of calls.
#pragma once

namespace tandem::kernel {

// "DxgkDdiPresent" when the calling thread is in that DDI of any adapter; null when it is in none. Async-signal-safe.
[[nodiscard]] const char* CurrentDdiName();

// A line on `fd` for each call of a driver from now on: thread, adapter, IRQL, DDI, arguments that matter, status. -1: no more.
void TraceDdis(int fd);

}  // namespace tandem::kernel

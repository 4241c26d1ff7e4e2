// Waits for dispatcher objects. See dispatch.h.
#pragma once

#include <ntddk.h>

#include <cstdint>

namespace tandem::drivers::host {

// Waits for one of the objects, or for all. Deadline in monotonic nanoseconds; 0 does not block. STATUS_WAIT_0 plus the object's
// index, or STATUS_TIMEOUT.
NTSTATUS WaitFor(ULONG count, PVOID* objects, bool all, std::uint64_t deadline_ns);

// Returns the count before, or -1 when the limit would be passed.
LONG AddToSemaphore(KSEMAPHORE* semaphore, LONG adjustment);

// Returns the state before: 0 or negative; 1 when `owner` does not own the mutex.
LONG ReleaseMutant(KMUTANT* mutant, PVOID owner);

}  // namespace tandem::drivers::host

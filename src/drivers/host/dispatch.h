// Dispatcher objects: their states, and waits for them. Any thread.
//
// The state lies in the object; mutexes and condition variables lie in a table that the object's address chooses from. So memory
// with an object in it may be freed without any call.
#pragma once

#include <ntddk.h>

#include <cstddef>
#include <cstdint>

namespace tandem::drivers::host {

// DISPATCHER_HEADER.Type, as in the NT kernel.
enum ObjectType : UCHAR {
  kNotificationEvent = 0,
  kSynchronizationEvent = 1,
  kMutant = 2,
  kSemaphore = 5,
  kThread = 6,
  kNotificationTimer = 8,
  kSynchronizationTimer = 9,
};

void InitializeHeader(DISPATCHER_HEADER* header, ObjectType type, LONG state);

// False: reported. `function` is the caller's name.
bool CheckInitialized(const DISPATCHER_HEADER* header, const char* function);

// Sets SignalState and wakes the waiters; returns the state before.
LONG SetState(DISPATCHER_HEADER* header, LONG state);
LONG StateOf(DISPATCHER_HEADER* header);

// Reports DPCs and timers within memory that is freed, and takes them out of their queues.
void ForgetObjectsWithin(const void* bytes, std::size_t size);
void ForgetDpcsWithin(const void* bytes, std::size_t size);
void ForgetTimersWithin(const void* bytes, std::size_t size);

[[nodiscard]] bool IsDpcQueued(const KDPC* dpc);
// True in a DPC routine, where a wait for another one would never end.
[[nodiscard]] bool IsInDpc();

// Monotonic nanoseconds of a Timeout: NULL is kForever; negative is relative; positive is the system's time.
[[nodiscard]] std::uint64_t DeadlineOf(const LARGE_INTEGER* timeout);

// Reports a wait at a level, or with spin locks held, that forbids it.
void CheckWait(const char* function, bool may_block);

}  // namespace tandem::drivers::host

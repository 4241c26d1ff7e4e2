#include "drivers/host/waiters.h"

#include <cstddef>

#include "drivers/host/dispatch.h"
#include "drivers/host/lock.h"

namespace tandem::drivers::host {
namespace {

constexpr std::size_t kBuckets = 61;

struct Bucket {
  Mutex mutex;
  Condition changed;
};
constinit Bucket buckets[kBuckets];

// Waits for several objects sleep here; any signal wakes them all.
constinit Mutex several_mutex;
constinit Condition several_changed;
std::uint64_t several_generation = 0;
int several_waiters = 0;  // Atomic.

std::size_t IndexOf(const void* object) { return (reinterpret_cast<std::uintptr_t>(object) >> 4) % kBuckets; }
Bucket& BucketOf(const void* object) { return buckets[IndexOf(object)]; }

// The caller holds the bucket's mutex.
bool IsAvailable(const DISPATCHER_HEADER* header, PVOID thread) {
  if (header->SignalState > 0) return true;
  return header->Type == kMutant && reinterpret_cast<const KMUTANT*>(header)->OwnerThread == thread;
}

void Take(DISPATCHER_HEADER* header, PVOID thread) {
  switch (header->Type) {
    case kSynchronizationEvent:
    case kSynchronizationTimer: header->SignalState = 0; break;
    case kSemaphore: --header->SignalState; break;
    case kMutant:
      --header->SignalState;
      reinterpret_cast<KMUTANT*>(header)->OwnerThread = thread;
      break;
    default: break;  // Notification objects and threads stay signaled.
  }
}

// The caller does not hold the bucket's mutex any more.
void WakeSeveral() {
  if (__atomic_load_n(&several_waiters, __ATOMIC_SEQ_CST) == 0) return;
  const Locked locked(several_mutex);
  ++several_generation;
  several_changed.Wake();
}

// Changes the state under the bucket's mutex; wakes the waiters when it is positive then.
template <class Change>
LONG ChangeState(DISPATCHER_HEADER* header, Change change) {
  LONG before = 0;
  bool signaled = false;
  {
    Bucket& bucket = BucketOf(header);
    const Locked locked(bucket.mutex);
    before = change();
    signaled = header->SignalState > 0;
    if (signaled) bucket.changed.Wake();
  }
  if (signaled) WakeSeveral();
  return before;
}

NTSTATUS WaitForOne(DISPATCHER_HEADER* header, PVOID thread, std::uint64_t deadline_ns) {
  Bucket& bucket = BucketOf(header);
  const Locked locked(bucket.mutex);
  while (!IsAvailable(header, thread)) {
    if (deadline_ns == 0) return STATUS_TIMEOUT;
    if (!bucket.changed.WaitUntil(bucket.mutex, deadline_ns) && !IsAvailable(header, thread)) return STATUS_TIMEOUT;
  }
  Take(header, thread);
  return STATUS_WAIT_0;
}

NTSTATUS TryAny(ULONG count, PVOID* objects, PVOID thread) {
  for (ULONG i = 0; i < count; ++i) {
    if (WaitForOne(static_cast<DISPATCHER_HEADER*>(objects[i]), thread, 0) == STATUS_WAIT_0) {
      return STATUS_WAIT_0 + static_cast<NTSTATUS>(i);
    }
  }
  return STATUS_TIMEOUT;
}

// Buckets are locked in the order of the table.
NTSTATUS TryAll(ULONG count, PVOID* objects, PVOID thread) {
  bool used[kBuckets] = {};
  for (ULONG i = 0; i < count; ++i) used[IndexOf(objects[i])] = true;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if (used[i]) pthread_mutex_lock(&buckets[i].mutex.native);
  }
  bool available = true;
  for (ULONG i = 0; i < count; ++i) available = available && IsAvailable(static_cast<DISPATCHER_HEADER*>(objects[i]), thread);
  for (ULONG i = 0; available && i < count; ++i) Take(static_cast<DISPATCHER_HEADER*>(objects[i]), thread);
  for (std::size_t i = kBuckets; i-- > 0;) {
    if (used[i]) pthread_mutex_unlock(&buckets[i].mutex.native);
  }
  return available ? STATUS_WAIT_0 : STATUS_TIMEOUT;
}

}  // namespace

LONG SetState(DISPATCHER_HEADER* header, LONG state) {
  return ChangeState(header, [&] {
    const LONG before = header->SignalState;
    header->SignalState = state;
    return before;
  });
}

LONG StateOf(DISPATCHER_HEADER* header) {
  const Locked locked(BucketOf(header).mutex);
  return header->SignalState;
}

LONG AddToSemaphore(KSEMAPHORE* semaphore, LONG adjustment) {
  return ChangeState(&semaphore->Header, [&] {
    const LONG before = semaphore->Header.SignalState;
    if (adjustment <= 0 || before > semaphore->Limit - adjustment) return -1;
    semaphore->Header.SignalState = before + adjustment;
    return before;
  });
}

LONG ReleaseMutant(KMUTANT* mutant, PVOID owner) {
  return ChangeState(&mutant->Header, [&] {
    const LONG before = mutant->Header.SignalState;
    if (before > 0 || mutant->OwnerThread != owner) return 1;
    if (++mutant->Header.SignalState == 1) mutant->OwnerThread = nullptr;
    return before;
  });
}

NTSTATUS WaitFor(ULONG count, PVOID* objects, bool all, std::uint64_t deadline_ns) {
  PVOID const thread = KeGetCurrentThread();
  if (count == 1) return WaitForOne(static_cast<DISPATCHER_HEADER*>(objects[0]), thread, deadline_ns);
  const auto attempt = [&] { return all ? TryAll(count, objects, thread) : TryAny(count, objects, thread); };
  __atomic_add_fetch(&several_waiters, 1, __ATOMIC_SEQ_CST);
  NTSTATUS status = STATUS_TIMEOUT;
  for (bool in_time = deadline_ns != 0;;) {
    std::uint64_t generation = 0;
    {
      const Locked locked(several_mutex);
      generation = several_generation;
    }
    status = attempt();
    if (status != STATUS_TIMEOUT || !in_time) break;
    const Locked locked(several_mutex);
    while (in_time && generation == several_generation) in_time = several_changed.WaitUntil(several_mutex, deadline_ns);
  }
  __atomic_sub_fetch(&several_waiters, 1, __ATOMIC_SEQ_CST);
  return status;
}

}  // namespace tandem::drivers::host

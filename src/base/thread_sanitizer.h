// Tells ThreadSanitizer of order that it cannot see. It looks at a driver that was built with it; what the driver's host and the
// kernel order by atomic operations of their own is invisible to it, unlike mutexes and condition variables.
#pragma once

namespace tandem {
namespace internal {

// Null in a process that did not preload the sanitizer's runtime.
using OrderFunction = void (*)(void* object);
extern const OrderFunction tsan_acquire;
extern const OrderFunction tsan_release;

}  // namespace internal

// Work of this thread so far comes before work behind TellAfter of `object` in any thread. Threads: any; nothing waits.
inline void TellBefore(const void* object) {
  if (internal::tsan_release != nullptr) internal::tsan_release(const_cast<void*>(object));
}
inline void TellAfter(const void* object) {
  if (internal::tsan_acquire != nullptr) internal::tsan_acquire(const_cast<void*>(object));
}

}  // namespace tandem

// Tells ThreadSanitizer of order that it cannot see: this library is not built with it, the driver around it may be.
#pragma once

extern "C" {
// The sanitizer's runtime. Null in a program without it.
void __tsan_acquire(void* object) __attribute__((weak));  // NOLINT(bugprone-reserved-identifier)
void __tsan_release(void* object) __attribute__((weak));  // NOLINT(bugprone-reserved-identifier)
}

namespace tandem::drivers::host {

// Work of this thread so far comes before work behind TellAfter of `object` in any thread.
inline void TellBefore(void* object) {
  if (&__tsan_release != nullptr) __tsan_release(object);
}
inline void TellAfter(void* object) {
  if (&__tsan_acquire != nullptr) __tsan_acquire(object);
}

}  // namespace tandem::drivers::host

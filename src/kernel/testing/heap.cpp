#include "kernel/testing/heap.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include "base/testing/sanitizer.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<std::uint64_t> allocations{0};
constexpr int kNever = -1;
thread_local int until_failure = kNever;
thread_local bool failed = false;

#if !TANDEM_UNDER_SANITIZER
void* Allocate(std::size_t size) {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
  if (until_failure != kNever && until_failure-- == 0) {
    failed = true;
    throw std::bad_alloc();
  }
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
#endif

}  // namespace

#if !TANDEM_UNDER_SANITIZER
// For the whole program: every thread counts.
void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace tandem::kernel::heap {

bool IsWatched() { return !kUnderSanitizer; }

void StartCounting() {
  allocations = 0;
  counting = true;
}

std::uint64_t StopCounting() {
  counting = false;
  return allocations;
}

void FailOnce(int number) {
  failed = false;
  until_failure = number;
}

bool StopFailing() {
  until_failure = kNever;
  return failed;
}

}  // namespace tandem::kernel::heap

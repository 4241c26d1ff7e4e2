// Assertions, for our own bugs only. Input, drivers and the system are answered with Result.
#pragma once

namespace tandem::internal {
// One line on standard error, then abort().
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line) noexcept;
}  // namespace tandem::internal

// Always on.
#define TANDEM_CHECK(condition)                                             \
  (__builtin_expect(static_cast<bool>(condition), 1) ? static_cast<void>(0) \
                                                     : ::tandem::internal::CheckFailed(#condition, __FILE__, __LINE__))

// On where NDEBUG is not defined (every preset but release); elsewhere the condition is compiled and not evaluated.
#ifdef NDEBUG
#define TANDEM_ASSERT(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#else
#define TANDEM_ASSERT(condition) TANDEM_CHECK(condition)
#endif

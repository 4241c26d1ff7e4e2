// Assertions, for our own bugs only. Functions answer bad input and failures of drivers or the system with a Result.
#pragma once

namespace tandem::internal {
// Writes one line to standard error, then calls abort().
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line) noexcept;
}  // namespace tandem::internal

// Active in every build.
#define TANDEM_CHECK(condition)                                             \
  (__builtin_expect(static_cast<bool>(condition), 1) ? static_cast<void>(0) \
                                                     : ::tandem::internal::CheckFailed(#condition, __FILE__, __LINE__))

// Active unless NDEBUG is defined (only release defines it); otherwise the condition is compiled but not evaluated.
#ifdef NDEBUG
#define TANDEM_ASSERT(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#else
#define TANDEM_ASSERT(condition) TANDEM_CHECK(condition)
#endif

// The sanitizers of a test build. Tests of results that a second build proves again try fewer cases there.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TANDEM_UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TANDEM_UNDER_SANITIZER 1
#endif
#endif
#ifndef TANDEM_UNDER_SANITIZER
#define TANDEM_UNDER_SANITIZER 0
#endif

namespace tandem {

// The address sanitizer or the thread sanitizer.
inline constexpr bool kUnderSanitizer = TANDEM_UNDER_SANITIZER != 0;

}  // namespace tandem

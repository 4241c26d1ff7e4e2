// Annotations that clang's -Wthread-safety checks; other compilers ignore them.
#pragma once

#if defined(__clang__)
#define TANDEM_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define TANDEM_THREAD_ANNOTATION(x)
#endif

#define TANDEM_CAPABILITY(name) TANDEM_THREAD_ANNOTATION(capability(name))
#define TANDEM_SCOPED_CAPABILITY TANDEM_THREAD_ANNOTATION(scoped_lockable)
#define TANDEM_GUARDED_BY(x) TANDEM_THREAD_ANNOTATION(guarded_by(x))
#define TANDEM_PT_GUARDED_BY(x) TANDEM_THREAD_ANNOTATION(pt_guarded_by(x))
#define TANDEM_ACQUIRED_BEFORE(...) TANDEM_THREAD_ANNOTATION(acquired_before(__VA_ARGS__))
#define TANDEM_ACQUIRED_AFTER(...) TANDEM_THREAD_ANNOTATION(acquired_after(__VA_ARGS__))
#define TANDEM_REQUIRES(...) TANDEM_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define TANDEM_EXCLUDES(...) TANDEM_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define TANDEM_ACQUIRE(...) TANDEM_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define TANDEM_RELEASE(...) TANDEM_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define TANDEM_TRY_ACQUIRE(...) TANDEM_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define TANDEM_RETURN_CAPABILITY(x) TANDEM_THREAD_ANNOTATION(lock_returned(x))
#define TANDEM_ASSERT_CAPABILITY(x) TANDEM_THREAD_ANNOTATION(assert_capability(x))
// For code that the analysis cannot follow; a comment beside it gives the reason.
#define TANDEM_NO_THREAD_SAFETY_ANALYSIS TANDEM_THREAD_ANNOTATION(no_thread_safety_analysis)

// operator new of the whole test program, watched: who allocates, and what happens when it fails.
#pragma once

#include <cstdint>

namespace tandem::kernel::heap {

// False under a sanitizer that has operator new for itself: nothing below does anything.
[[nodiscard]] bool IsWatched();

// Allocations of all threads between the two.
void StartCounting();
[[nodiscard]] std::uint64_t StopCounting();

// The allocation of this thread with that number, from 0, throws std::bad_alloc; the later ones do not.
void FailOnce(int number);
// Ends it. True when one has failed.
[[nodiscard]] bool StopFailing();

}  // namespace tandem::kernel::heap

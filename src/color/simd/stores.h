// The way that rows are written.
#pragma once

#include <cstdint>

namespace tandem::color::simd {

// kStreamed writes past the caches if rows are aligned for it; FenceStreams() must follow before another thread reads.
enum class Stores : std::uint8_t { kCached, kStreamed };

void FenceStreams();

}  // namespace tandem::color::simd

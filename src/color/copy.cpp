#include "color/copy.h"

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "color/simd/stream_rows.h"

namespace tandem::color {
namespace {

// AMD processors with fast strings: memcpy uses these and takes 0.78 of the streaming loop's time for a frame of 33 MB (Zen 5,
// contract_bench).
bool MemcpyIsFastest() {
#if defined(__x86_64__)
  static const bool fastest = [] {
    constexpr unsigned kExtendedFeatures = 7, kFastStrings = 1U << 9;  // in EBX: ERMS
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __builtin_cpu_is("amd") != 0 && __get_cpuid_count(kExtendedFeatures, 0, &eax, &ebx, &ecx, &edx) != 0 &&
           (ebx & kFastStrings) != 0;
  }();
  return fastest;
#else
  return false;
#endif
}

}  // namespace

void CopyRows(std::byte* destination, std::uint64_t destination_pitch, const std::byte* source, std::uint64_t source_pitch,
              std::uint64_t row_bytes, std::uint64_t rows) {
  if (rows == 0 || row_bytes == 0) return;
  if (destination_pitch == row_bytes && source_pitch == row_bytes) {
    row_bytes *= rows;
    rows = 1;
  }
  if (row_bytes * rows >= kStreamingThresholdBytes && !MemcpyIsFastest()) {
    simd::StreamRows(destination, destination_pitch, source, source_pitch, row_bytes, rows);
    return;
  }
  for (std::uint64_t row = 0; row < rows; ++row) {
    std::memcpy(destination + row * destination_pitch, source + row * source_pitch, row_bytes);
  }
}

void CopyBytes(std::byte* destination, const std::byte* source, std::uint64_t bytes) {
  CopyRows(destination, bytes, source, bytes, bytes, 1);
}

}  // namespace tandem::color

// Counts the passes of LinkRecorder's recordings.
#pragma once

#include <algorithm>

#include "base/pass_meter.h"
#include "drivers/vulkan/link/link_job.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {

[[nodiscard]] inline PassCount PassOver(const LinkJob& job, std::uint64_t pixel_bytes) {
  const std::uint64_t pixels = std::uint64_t{job.picture.width} * job.part.row_count;
  return {pixels, pixels * pixel_bytes};
}

// Reads the picture, converts it if necessary, encodes it to `bytes` of payload, and writes these over the link. Plain rows are
// written directly.
[[nodiscard]] inline PassCount EncodingPasses(const LinkJob& job, std::uint64_t bytes) {
  const PassCount coded{PassOver(job, 0).pixels, bytes};
  PassCount passes = PassOver(job, drivers::PixelBytes(job.picture.format));
  if (Converts(job, true)) passes += PassOver(job, kPixelBytes);
  passes += coded;
  if (job.part.encoding != link::LinkEncoding::kPlain) passes += coded;
  if (job.keeps) passes += PassOver(job, kPixelBytes);
  if (job.surface.rows.bounce != nullptr) passes += {coded.pixels, job.part.capacity};
  return passes;
}

[[nodiscard]] inline PassCount ProbingPasses(const LinkJob& job, std::uint64_t bytes) {
  PassCount passes = PassOver(job, drivers::PixelBytes(job.picture.format));
  if (Converts(job, true)) passes += PassOver(job, kPixelBytes);
  return passes += {PassOver(job, 0).pixels, bytes};
}

// The passes of decoding. `unchanged`: tiles with unchanged pixels, per mille.
[[nodiscard]] inline PassCount DecodingPasses(const LinkJob& job, std::uint32_t unchanged) {
  const PassCount coded{PassOver(job, 0).pixels, job.part.bytes};
  const bool copied = job.part.encoding == link::LinkEncoding::kPlain && !IsTurned(job);
  const std::uint64_t changed = coded.pixels * (1000 - std::min(unchanged, 1000U)) / 1000;
  PassCount passes{changed, changed * kPixelBytes};
  if (!copied) passes += coded;
  if (Converts(job, false)) passes += PassOver(job, drivers::PixelBytes(job.picture.format));
  if (job.image != nullptr) passes += PassOver(job, drivers::PixelBytes(job.picture.format));
  if (job.surface.rows.bounce != nullptr) passes += coded;
  return passes;
}

}  // namespace tandem::vulkan

// Work of the commands of a DMA buffer: bytes that crossed the link, and passes over pixels.
#pragma once

#include <cstdint>
#include <utility>

#include "base/pass_meter.h"
#include "drivers/processor/kmd/command_stream.h"
#include "drivers/processor/kmd/gpu_memory.h"

namespace tandem::processor {

// Threads: the engine's.
class WorkTally {
 public:
  void NotePass(const PassCount& pass) { passes_ += pass; }
  void NoteCrossing(std::uint64_t bytes) { crossed_bytes_ += bytes; }
  // Bytes that were copied bit by bit between two addresses.
  void NoteCopy(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes) {
    NoteCrossing(source, destination, bytes);
    copied_bytes_ += bytes;
  }
  // A blit that wrote `bytes`.
  void NoteBlit(const BlitCommand& blit, std::uint64_t bytes) {
    NoteCrossing(blit.source_address, blit.destination_address, bytes);
    passes_ += {std::uint64_t{blit.part_right - blit.part_left} * (blit.part_bottom - blit.part_top), bytes};
  }

  // Bytes that were written from local to system memory since the last call.
  [[nodiscard]] std::uint64_t TakeCrossedBytes() { return std::exchange(crossed_bytes_, 0); }
  // Passes that wrote to surfaces since the last call. `pixel_bytes` is the pixel of surfaces that were copied bit by bit, not 0.
  [[nodiscard]] PassCount TakePasses(std::uint32_t pixel_bytes) {
    const std::uint64_t copied = std::exchange(copied_bytes_, 0);
    PassCount passes = std::exchange(passes_, {});
    return passes += {copied / pixel_bytes, copied};
  }

 private:
  void NoteCrossing(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes) {
    if (source < kApertureBase && destination >= kApertureBase) crossed_bytes_ += bytes;
  }

  std::uint64_t crossed_bytes_ = 0;
  std::uint64_t copied_bytes_ = 0;
  PassCount passes_;
};

}  // namespace tandem::processor

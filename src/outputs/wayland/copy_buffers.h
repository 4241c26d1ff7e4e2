// Buffers of the output's own, for frames that the compositor cannot read where they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/memory_map.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "outputs/output.h"
#include "outputs/wayland/events.h"
#include "outputs/wayland/globals.h"
#include "outputs/wayland/page_buffer.h"

namespace tandem::outputs {

// A compositor gives a buffer back when the next one is on the screen, which is two frames of 30 Hz at most.
inline constexpr std::int64_t kBufferKeptNs = 100'000'000;

// One is on the screen, one is about to be, one is written. Threads: one. Destroyed before `events` and `globals`.
class CopyBuffers {
 public:
  CopyBuffers(WaylandEvents& events, const WaylandGlobals& globals) : events_(events), globals_(globals) {}

  // The surface as B8G8R8X8 in a buffer that the compositor does not read; after kBufferKeptNs in the one that was written first.
  Result<PageBuffer*> Fill(const Surface& surface, bool blends);

 private:
  struct Copy {
    UniqueFd fd;
    MemoryMap pages;
    std::unique_ptr<PageBuffer> buffer;
  };

  Copy& Next();
  Result<void> Fit(Copy& copy, const Surface& surface, bool blends);

  WaylandEvents& events_;
  const WaylandGlobals& globals_;
  std::array<Copy, 3> copies_;
  std::size_t last_ = 0;
};

}  // namespace tandem::outputs

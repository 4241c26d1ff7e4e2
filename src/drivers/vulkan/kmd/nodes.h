// The nodes of an adapter: each has an engine, recordings and a blitter of its own.
#pragma once

#include <array>
#include <memory>

#include "drivers/vulkan/gpu/command_cache.h"
#include "drivers/vulkan/gpu/engine.h"
#include "drivers/vulkan/kmd/blitter.h"

namespace tandem::vulkan {

// All are there between StartDevice and StopDevice.
struct Nodes {
  std::array<std::unique_ptr<Engine>, kNodeCount> engines;
  std::array<std::unique_ptr<CommandCache>, kNodeCount> caches;
  std::array<std::unique_ptr<Blitter>, kNodeCount> blitters;

  // The semaphore of a timeline, by its index.
  [[nodiscard]] VkSemaphore TimelineOf(std::uint32_t timeline) const {
    const Engine& engine = *engines[timeline / 2];
    return timeline % 2 == 0 ? engine.timeline() : engine.late_timeline();
  }
};

}  // namespace tandem::vulkan

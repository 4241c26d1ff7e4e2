// Builds the surfaces of the best path that a pair of adapters can take. Internal to the module.
#pragma once

#include <cstdint>
#include <memory>

#include "swapchain/buffer_set.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

struct BuiltPath {
  std::unique_ptr<BufferSet> buffers;
  PathDecision decision;
};

// `images`: those that exist already; empty: the path makes them. Errors: PathCandidates::Failure().
[[nodiscard]] Result<BuiltPath> BuildPath(Runtime& render, Runtime& display, const SwapChainDesc& desc, const Images& images);

// Bytes of one pixel in formats that cross adapters; 0 for others.
[[nodiscard]] std::uint32_t BytesPerPixel(DXGI_FORMAT format);

}  // namespace tandem::swapchain

// Runs blits on the worker of their node, and brings what they leave in a primary to its windows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/emulated_link.h"
#include "base/limits.h"
#include "drivers/common/palette.h"
#include "drivers/vulkan/display/display.h"
#include "drivers/vulkan/kmd/nodes.h"

namespace tandem::vulkan {

// Threads: Run the worker of its node; the others any.
class BlitRunner {
 public:
  // All outlive it. `display` and `link` are null where the adapter has none.
  BlitRunner(Gpu& gpu, Nodes& nodes, Display* display, const EmulatedLink* link)
      : gpu_(gpu), nodes_(nodes), display_(display), link_(link) {}

  void Run(Engine& engine, Packet& packet, const BlitCommand& blit, const Rows& source, const Rows& destination);

  // DxgkDdiSetPalette: what is shown or about to be changes its colours at once. Blocks until it was copied.
  void SetPalette(const DXGKARG_SETPALETTE& args);
  // A primary with a palette exists from here on, until Forget.
  void AddPalettePrimary(Allocation& primary);
  void Forget(const Allocation& allocation);

 private:
  void PlacePicture(std::uint32_t node, const BlitCommand& blit, const Rows& source);
  void Show(std::uint32_t node, const BlitCommand& blit);
  void ShowInColors(Allocation& primary);

  Gpu& gpu_;
  Nodes& nodes_;
  Display* const display_;
  const EmulatedLink* const link_;
  std::array<std::vector<std::byte>, kNodeCount> shown_;  // the copy command of Show, the node's worker's
  std::array<drivers::SourcePalette, kMaxVidPnSources> palettes_;
  std::mutex palette_mutex_;  // pictures of primaries with a palette, and the list of these
  std::vector<Allocation*> palette_primaries_;
};

}  // namespace tandem::vulkan

// The compositor's part of a swap chain whose surfaces are scanned out of shared memory: it asks before each flip whether they
// still can be, and while they cannot the display adapter copies each frame into primaries of its own. Internal to the room.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "swapchain/resource.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// Flips may be pending on two primaries while a third is on the screen.
inline constexpr std::uint32_t kComposedPrimaries = 3;

// Threads: the display thread. A frame allocates nothing but when the way changes, for the reason.
class Compositor {
 public:
  // The primaries are made here. Where they cannot be, frames are scanned out whatever the check says, and that is said.
  [[nodiscard]] static std::unique_ptr<Compositor> Create(Runtime& display, const SwapChainDesc& desc);

  struct Prepared {
    D3D10DDI_HRESOURCE surface{};  // to flip to
    ShownBy by = ShownBy::kScanOut;
    std::optional<std::string> reason;  // when the way is another than the frame's before: why
  };
  // The overlay check, and the copy if it takes one.
  [[nodiscard]] Result<Prepared> Prepare(const Resource& shared);

 private:
  Compositor(Runtime& display, const SwapChainDesc& desc) : display_(display), desc_(desc) {}
  [[nodiscard]] Result<void> MakePrimaries();
  [[nodiscard]] std::string Refusal(const OverlayAnswer& answer) const;

  Runtime& display_;
  const SwapChainDesc desc_;
  std::array<std::unique_ptr<Resource>, kComposedPrimaries> primaries_;
  std::string no_primaries_;  // why there are none; empty when there are
  std::uint32_t next_ = 0;
  bool refused_ = false;  // the last answer
};

}  // namespace tandem::swapchain

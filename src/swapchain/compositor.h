// The compositor's part of a swap chain: where the display adapter cannot show a surface as it is, because the overlay check
// refuses to scan it out of shared memory or because the path of its source is turned, that adapter copies each frame into
// primaries of its own, turned as the path is. Internal to the room.
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

// Threads: the display thread. A frame allocates nothing but when the way changes, for the reason and for primaries.
class Compositor {
 public:
  // When the upright primaries are made; those of a path that is turned by a quarter always when the first frame wants one.
  enum class Primaries : std::uint8_t { kNow, kWhenNeeded };
  // `format` of the primaries. Where they cannot be made, frames are shown as they are, and that is said.
  [[nodiscard]] static std::unique_ptr<Compositor> Create(Runtime& display, const SwapChainDesc& desc, DXGI_FORMAT format,
                                                          Primaries primaries);

  struct Prepared {
    D3D10DDI_HRESOURCE surface{};  // to flip to
    ShownBy by = ShownBy::kScanOut;
    std::optional<std::string> reason;  // when the way is another than the frame's before: why
    D3DKMT_HANDLE context = 0;          // that the copy is queued in; 0: there is none
  };
  // Of a surface that is scanned out of shared memory: the overlay check, and the copy if it takes one.
  [[nodiscard]] Result<Prepared> Prepare(const Resource& shared);
  // Of a frame that has a primary of the display adapter's, unturned: `picture` holds it. While the path is not turned nothing is
  // copied, and the answer is that primary.
  [[nodiscard]] Result<Prepared> PrepareTurned(D3D10DDI_HRESOURCE picture, D3D10DDI_HRESOURCE primary);

 private:
  struct PrimarySet {
    std::array<std::unique_ptr<Resource>, kComposedPrimaries> primaries;
    std::uint32_t next = 0;
    bool made = false;    // or tried
    std::string refusal;  // why there are none; empty when there are
  };

  Compositor(Runtime& display, const SwapChainDesc& desc, DXGI_FORMAT format) : display_(display), desc_(desc), format_(format) {}
  // As the path is turned now, made at first use.
  [[nodiscard]] PrimarySet& SetFor(D3DDDI_ROTATION rotation);
  [[nodiscard]] Result<void> MakePrimaries(PrimarySet& set, std::uint32_t width, std::uint32_t height);
  // From `picture` into the next of the set.
  [[nodiscard]] Result<void> Compose(D3D10DDI_HRESOURCE picture, PrimarySet& set, Prepared& prepared);

  Runtime& display_;
  const SwapChainDesc desc_;
  const DXGI_FORMAT format_;
  PrimarySet upright_;
  PrimarySet sideways_;    // for paths that are turned by a quarter
  bool composed_ = false;  // the frame before, or it would have been had there been primaries
};

}  // namespace tandem::swapchain

// The compositor's part of a swap chain: where the display adapter cannot show a surface as it is, because the overlay check
// refuses to scan it out of shared memory or because the path of its source is turned, that adapter copies each frame into
// primaries of its own, turned as the path is, or decodes it into such ones. Internal to the module.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "swapchain/pass_meters.h"
#include "swapchain/resource.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// Flips may be pending on two primaries while a third is on the screen.
inline constexpr std::uint32_t kComposedPrimaries = 3;

// A path may be turned while a frame is made ready for it, which is then done again; so often at most.
inline constexpr std::uint32_t kMostTurns = 16;

// Threads: the display thread. A frame allocates nothing but when the way changes, for the reason and for primaries.
class Compositor {
 public:
  // When the upright primaries are made; those of a path that is turned by a quarter always when the first frame wants one.
  enum class Primaries : std::uint8_t { kNow, kWhenNeeded };
  // `format` of the primaries, `buffers` that frames may be decoded out of. Where primaries cannot be made, frames are shown as
  // they are, and that is said. `meters` get theirs and outlive it.
  [[nodiscard]] static std::unique_ptr<Compositor> Create(Runtime& display, const SwapChainDesc& desc, DXGI_FORMAT format,
                                                          std::uint32_t buffers, Primaries primaries, PassMeters& meters);

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

  // One that frames are decoded to as the path is turned.
  struct TurnedPrimary {
    D3D10DDI_HRESOURCE surface{};
    D3DDDI_ROTATION rotation = D3DDDI_ROTATION_IDENTITY;
  };
  // The buffer's own. Nothing: the path is not turned now, or there is no such primary.
  [[nodiscard]] std::optional<TurnedPrimary> PrimaryToDecodeTo(std::uint32_t buffer);
  // Of a frame that was decoded to it.
  [[nodiscard]] Prepared PrepareDecoded(const TurnedPrimary& primary);

 private:
  struct PrimarySet {
    std::vector<std::unique_ptr<Resource>> primaries;
    std::uint32_t next = 0;  // of copies
    bool made = false;       // or tried
    std::string refusal;     // why there are none; empty when there are
  };
  // What gets frames there.
  enum class By : std::uint8_t { kCopies, kDecoding };
  enum class Way : std::uint8_t { kAsItIs, kCopied, kDecoded };

  Compositor(Runtime& display, const SwapChainDesc& desc, DXGI_FORMAT format, std::uint32_t buffers, PassMeters& meters)
      : display_(display), desc_(desc), format_(format), buffers_(buffers), meters_(meters) {}
  // As the path is turned now, made at first use.
  [[nodiscard]] PrimarySet& SetFor(D3DDDI_ROTATION rotation, By by);
  [[nodiscard]] Result<void> MakePrimaries(PrimarySet& set, bool quarter, By by);
  // From `picture` into the next primary that is as the path is turned: as the caller found it, or by now.
  [[nodiscard]] Result<void> Compose(D3D10DDI_HRESOURCE picture, D3DDDI_ROTATION rotation, Prepared& prepared);

  Runtime& display_;
  const SwapChainDesc desc_;
  const DXGI_FORMAT format_;
  const std::uint32_t buffers_;
  PassMeters& meters_;
  // Upright, and for paths that are turned by a quarter.
  std::array<PrimarySet, 2> copied_;
  std::array<PrimarySet, 2> decoded_;
  Way way_ = Way::kAsItIs;  // the frame's before, or it would have been had there been primaries
};

}  // namespace tandem::swapchain

// Copies or decodes frames into primaries of the display adapter, rotated as the path is. It does so if that adapter cannot
// show the frame's surface: the overlay check refuses scan-out of shared memory, or the path is rotated. Internal to the
// module.
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

// Most attempts to prepare one frame; an attempt is repeated if the path's rotation changed meanwhile.
inline constexpr std::uint32_t kMostTurns = 16;

// Thread: the display thread. Only a change of the way allocates memory, for the reason and for primaries.
class Compositor {
 public:
  // Time when the upright primaries are created. Those for a quarter turn are always created by the first frame that needs one.
  enum class Primaries : std::uint8_t { kNow, kWhenNeeded };
  // `format`: the primaries' format. `buffers`: count of buffers that frames may be decoded from. If primaries cannot be
  // created, frames are shown as they are, and the log says so. `meters` receives the primaries' meters and must outlive the
  // compositor.
  [[nodiscard]] static std::unique_ptr<Compositor> Create(Runtime& display, const SwapChainDesc& desc, DXGI_FORMAT format,
                                                          std::uint32_t buffers, Primaries primaries, PassMeters& meters);

  struct Prepared {
    D3D10DDI_HRESOURCE surface{};  // surface to flip to
    ShownBy by = ShownBy::kScanOut;
    std::optional<std::string> reason;  // reason for the change if the previous frame was shown another way
    D3DKMT_HANDLE context = 0;          // context of the copy; 0: no copy
  };
  // Prepares a surface that is scanned out of shared memory: the overlay check, and the copy if that is needed.
  [[nodiscard]] Result<Prepared> Prepare(const Resource& shared);
  // Prepares a frame with an unrotated `primary` of the display adapter. `picture`: the surface that contains the frame.
  // Returns `primary` without a copy while the path is not rotated.
  [[nodiscard]] Result<Prepared> PrepareTurned(D3D10DDI_HRESOURCE picture, D3D10DDI_HRESOURCE primary);

  // A primary for decoded frames, with the path's rotation.
  struct TurnedPrimary {
    D3D10DDI_HRESOURCE surface{};
    D3DDDI_ROTATION rotation = D3DDDI_ROTATION_IDENTITY;
  };
  // The buffer's own rotated primary. Empty: the path is not rotated now, or there is no such primary.
  [[nodiscard]] std::optional<TurnedPrimary> PrimaryToDecodeTo(std::uint32_t buffer);
  // Prepares a frame that was decoded into `primary`.
  [[nodiscard]] Prepared PrepareDecoded(const TurnedPrimary& primary);

 private:
  struct PrimarySet {
    std::vector<std::unique_ptr<Resource>> primaries;
    std::uint32_t next = 0;  // next destination of a copy
    bool made = false;       // created, or tried to
    std::string refusal;     // reason why there are no primaries; empty if there are
  };
  // The way that frames get into the primaries.
  enum class By : std::uint8_t { kCopies, kDecoding };
  enum class Way : std::uint8_t { kAsItIs, kCopied, kDecoded };

  Compositor(Runtime& display, const SwapChainDesc& desc, DXGI_FORMAT format, std::uint32_t buffers, PassMeters& meters)
      : display_(display), desc_(desc), format_(format), buffers_(buffers), meters_(meters) {}
  // The primaries for the rotation, created at first use.
  [[nodiscard]] PrimarySet& SetFor(D3DDDI_ROTATION rotation, By by);
  [[nodiscard]] Result<void> MakePrimaries(PrimarySet& set, bool quarter, By by);
  // Copies `picture` into the next primary. `rotation`: the path's as the caller found it; it may have changed since.
  [[nodiscard]] Result<void> Compose(D3D10DDI_HRESOURCE picture, D3DDDI_ROTATION rotation, Prepared& prepared);

  Runtime& display_;
  const SwapChainDesc desc_;
  const DXGI_FORMAT format_;
  const std::uint32_t buffers_;
  PassMeters& meters_;
  // Index 0: upright; 1: paths rotated by a quarter turn.
  std::array<PrimarySet, 2> copied_;
  std::array<PrimarySet, 2> decoded_;
  Way way_ = Way::kAsItIs;  // the previous frame's way, or the one it needed without having primaries
};

}  // namespace tandem::swapchain

// The soft adapter's user-mode driver, refusing to create some surfaces while it is told to.
#pragma once

#include <atomic>
#include <cstdint>

#include <d3d10umddi.h>

namespace tandem::swapchain_test {

enum class Refuse : std::uint8_t {
  kNothing,
  kScanOut,         // shared primaries, with DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT
  kSharedPrimary,   // the same, for want of memory
  kPrivatePrimary,  // primaries that are not shared, for want of memory
  kLink,            // link surfaces, as one that knows no encodings
};

// What its GetCaps says of SupportsRowMajorTexture, whatever the kernel-mode driver's tier is.
extern std::atomic<bool> claims_row_major_textures;

// Of all devices that were opened by RefusingOpenAdapter10_2; one test at a time.
extern std::atomic<Refuse> refuse;

extern "C" HRESULT RefusingOpenAdapter10_2(D3D10DDIARG_OPENADAPTER* args);

}  // namespace tandem::swapchain_test

// The soft adapter's user-mode driver, which refuses to create some surfaces on request.
#pragma once

#include <atomic>
#include <cstdint>

#include <d3d10umddi.h>

namespace tandem::swapchain_test {

enum class Refuse : std::uint8_t {
  kNothing,
  kScanOut,         // shared primaries, with DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT
  kSharedPrimary,   // shared primaries, as if out of memory
  kPrivatePrimary,  // private primaries, as if out of memory
  kLink,            // link surfaces, like a driver without encodings
};

// The value of SupportsRowMajorTexture in GetCaps, whatever the kernel-mode driver's tier is.
extern std::atomic<bool> claims_row_major_textures;

// Applies to all devices opened by RefusingOpenAdapter10_2; one test at a time.
extern std::atomic<Refuse> refuse;

extern "C" HRESULT RefusingOpenAdapter10_2(D3D10DDIARG_OPENADAPTER* args);

}  // namespace tandem::swapchain_test

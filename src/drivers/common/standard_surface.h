// DxgkDdiGetStandardAllocationDriverData: surfaces that the kernel makes without a user-mode driver.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/result.h"
#include "color/format.h"
#include "drivers/common/pixel_format.h"

#include <d3dkmddi.h>

namespace tandem::drivers {

enum class StandardUse : std::uint8_t {
  kPrimary,  // of a VidPn source
  kShared,   // rows in system memory that processors and other adapters see
  kTexture,  // rows in the adapter's own memory
};

struct StandardSurface {
  StandardUse use = StandardUse::kShared;
  std::uint32_t width = 0;                         // pixels; bytes of a heap
  std::uint32_t height = 0;                        // pixels
  color::Format format = color::Format::kUnknown;  // kUnknown: the format does not cross adapters
  bool heap = false;                               // bytes without a format
  std::uint32_t pitch = 0;                         // that another adapter chose for the same memory; 0: none did
  std::uint32_t vidpn_source = 0;                  // of a primary
};

// kInvalidArgument for a source that does not exist and for a request without data, kUnsupported for another kind of surface.
[[nodiscard]] Result<StandardSurface> ReadStandardSurface(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args,
                                                          std::uint32_t sources);

// Tells the kernel the pitch of the surface that was made of a request; a heap and a primary have none.
void WritePitch(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args, const StandardSurface& surface, std::uint32_t pitch);

// Answers with the private data of one allocation. Without a buffer the kernel asks for the size alone. STATUS_BUFFER_TOO_SMALL.
template <class Data>
NTSTATUS WriteAllocationData(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args, const Data& data) {
  if (args.pAllocationPrivateDriverData != nullptr) {
    if (args.AllocationPrivateDriverDataSize < sizeof(data)) return STATUS_BUFFER_TOO_SMALL;
    std::memcpy(args.pAllocationPrivateDriverData, &data, sizeof(data));
  }
  args.AllocationPrivateDriverDataSize = sizeof(data);
  args.ResourcePrivateDriverDataSize = 0;
  return STATUS_SUCCESS;
}

}  // namespace tandem::drivers

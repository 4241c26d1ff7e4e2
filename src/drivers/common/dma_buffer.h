// DMA buffers and handles, for every driver that patches 64-bit addresses.
#pragma once

#include <dispmprt.h>

namespace tandem::drivers {

// DxgkDdiPatch: writes the 64-bit address of each patch location of the submission, counted from pDmaBuffer. A location outside
// the buffer or the lists stays as it is.
void WriteAddresses(const DXGKARG_PATCH& args);

// The driver's object behind an allocation handle; null for a handle that names none.
template <class Allocation>
[[nodiscard]] Allocation* AllocationOf(const DXGKRNL_INTERFACE& kernel, D3DKMT_HANDLE handle) {
  DXGKARGCB_GETHANDLEDATA query{};
  query.hObject = handle;
  query.Type = DXGK_HANDLE_ALLOCATION;
  return static_cast<Allocation*>(kernel.DxgkCbGetHandleData(&query));
}

}  // namespace tandem::drivers

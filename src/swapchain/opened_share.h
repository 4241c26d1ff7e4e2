// A shared resource, opened in one kernel device: the arguments of pfnOpenResource. Used by this module and the shim.
#pragma once

#include <cstddef>
#include <vector>

#include <d3d10umddi.h>
#include <d3dkmthk.h>

namespace tandem::swapchain {

// The kernel's resource belongs to the caller, who destroys it.
class OpenedShare {
 public:
  // D3DKMTQueryResourceInfo and D3DKMTOpenResource2; STATUS_INVALID_PARAMETER for a resource without an allocation.
  [[nodiscard]] NTSTATUS Open(D3DKMT_HANDLE device, D3DKMT_HANDLE global_share);

  [[nodiscard]] D3DKMT_HANDLE resource() const { return resource_; }
  [[nodiscard]] D3DKMT_HANDLE allocation() const { return allocations_.front().hAllocation; }
  // Valid as long as this object.
  [[nodiscard]] D3D10DDIARG_OPENRESOURCE Arguments();

 private:
  D3DKMT_HANDLE resource_ = 0;
  std::vector<D3DDDI_OPENALLOCATIONINFO2> allocations_;
  std::vector<std::byte> resource_data_;
  std::vector<std::byte> total_data_;
};

}  // namespace tandem::swapchain

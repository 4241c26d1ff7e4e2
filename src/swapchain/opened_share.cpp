#include "swapchain/opened_share.h"

namespace tandem::swapchain {

NTSTATUS OpenedShare::Open(D3DKMT_HANDLE device, D3DKMT_HANDLE global_share) {
  D3DKMT_QUERYRESOURCEINFO info{};
  info.hDevice = device;
  info.hGlobalShare = global_share;
  if (const NTSTATUS status = D3DKMTQueryResourceInfo(&info); !NT_SUCCESS(status)) return status;
  if (info.NumAllocations == 0) return STATUS_INVALID_PARAMETER;
  allocations_.resize(info.NumAllocations);
  resource_data_.resize(info.ResourcePrivateDriverDataSize);
  total_data_.resize(info.TotalPrivateDriverDataSize);
  D3DKMT_OPENRESOURCE open{};
  open.hDevice = device;
  open.hGlobalShare = global_share;
  open.NumAllocations = info.NumAllocations;
  open.pOpenAllocationInfo2 = allocations_.data();
  open.pResourcePrivateDriverData = resource_data_.data();
  open.ResourcePrivateDriverDataSize = info.ResourcePrivateDriverDataSize;
  open.pTotalPrivateDriverDataBuffer = total_data_.data();
  open.TotalPrivateDriverDataBufferSize = info.TotalPrivateDriverDataSize;
  const NTSTATUS status = D3DKMTOpenResource2(&open);
  if (NT_SUCCESS(status)) resource_ = open.hResource;
  return status;
}

D3D10DDIARG_OPENRESOURCE OpenedShare::Arguments() {
  D3D10DDIARG_OPENRESOURCE args{};
  args.NumAllocations = static_cast<UINT>(allocations_.size());
  args.pOpenAllocationInfo2 = allocations_.data();
  args.hKMResource.handle = resource_;
  args.pPrivateDriverData = resource_data_.data();
  args.PrivateDriverDataSize = static_cast<UINT>(resource_data_.size());
  return args;
}

}  // namespace tandem::swapchain

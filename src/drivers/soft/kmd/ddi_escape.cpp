// DxgkDdiEscape: the backing stores that are shared with user mode, and the meters of allocations.
#include <cstring>

#include "drivers/soft/backing_store_escape.h"
#include "drivers/soft/kmd/ddi.h"
#include "drivers/soft/kmd/device.h"

namespace tandem::soft {
namespace {

const Allocation* Find(HANDLE adapter, D3DKMT_HANDLE handle) {
  DXGKARGCB_GETHANDLEDATA query{};
  query.hObject = handle;
  query.Type = DXGK_HANDLE_ALLOCATION;
  const DXGKRNL_INTERFACE& kernel = static_cast<Device*>(adapter)->kernel();
  return static_cast<const Allocation*>(kernel.DxgkCbGetHandleData(&query));
}

NTSTATUS FindMeter(HANDLE adapter, PassMeterEscape& request) {
  if (request.magic != PassMeterEscape::kMagic) return STATUS_NOT_SUPPORTED;
  const Allocation* const allocation = Find(adapter, request.allocation);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  request.meter = new std::shared_ptr<const PassMeter>(allocation->passes);
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS SoftEscape(HANDLE adapter, CONST DXGKARG_ESCAPE* escape) {
  if (escape->pPrivateDriverData != nullptr && escape->PrivateDriverDataSize == sizeof(PassMeterEscape)) {
    PassMeterEscape request;
    std::memcpy(&request, escape->pPrivateDriverData, sizeof(request));
    const NTSTATUS status = FindMeter(adapter, request);
    std::memcpy(escape->pPrivateDriverData, &request, sizeof(request));
    return status;
  }
  BackingStoreEscape request;
  if (escape->pPrivateDriverData == nullptr || escape->PrivateDriverDataSize != sizeof(request)) return STATUS_NOT_SUPPORTED;
  std::memcpy(&request, escape->pPrivateDriverData, sizeof(request));
  if (request.magic != kBackingStoreEscapeMagic) return STATUS_NOT_SUPPORTED;
  const Allocation* const allocation = Find(adapter, request.allocation);
  if (allocation == nullptr || allocation->backing_store == nullptr) return STATUS_INVALID_HANDLE;
  if (request.offset > allocation->data.size - sizeof(request.value)) return STATUS_INVALID_PARAMETER;
  std::byte* const at = allocation->backing_store + request.offset;
  if (request.access == BackingStoreAccess::kWrite) {
    std::memcpy(at, &request.value, sizeof(request.value));
  } else {
    std::memcpy(&request.value, at, sizeof(request.value));
  }
  std::memcpy(escape->pPrivateDriverData, &request, sizeof(request));
  return STATUS_SUCCESS;
}

}  // namespace tandem::soft

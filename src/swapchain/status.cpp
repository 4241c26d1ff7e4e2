#include "swapchain/status.h"

#include <cstdint>

#include "base/status_name.h"

namespace tandem::swapchain {
namespace {

ErrorKind KindOf(NTSTATUS status) {
  switch (status) {
    case STATUS_DEVICE_REMOVED:
    case STATUS_DEVICE_HUNG:
    case STATUS_GRAPHICS_ADAPTER_WAS_RESET:
    case STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE: return ErrorKind::kDeviceLost;
    case STATUS_NO_MEMORY:
    case STATUS_INSUFFICIENT_RESOURCES: return ErrorKind::kOutOfMemory;
    case STATUS_GRAPHICS_NO_VIDEO_MEMORY: return ErrorKind::kOutOfVideoMemory;
    case STATUS_NOT_SUPPORTED:
    case STATUS_NOT_IMPLEMENTED: return ErrorKind::kUnsupported;
    case STATUS_TIMEOUT: return ErrorKind::kTimeout;
    default: return ErrorKind::kInternal;
  }
}

ErrorKind KindOfHresult(HRESULT result) {
  switch (result) {
    case D3DDDIERR_DEVICEREMOVED: return ErrorKind::kDeviceLost;
    case E_OUTOFMEMORY: return ErrorKind::kOutOfMemory;
    case DXGI_DDI_ERR_UNSUPPORTED:
    case E_NOTIMPL: return ErrorKind::kUnsupported;
    default: return ErrorKind::kInternal;
  }
}

}  // namespace

Error FromStatus(std::string_view doing, NTSTATUS status) {
  const ErrorKind kind = KindOf(status);
  return Fail(kind, "{}: the kernel answered {} ({}).", doing, StatusText(status), ToString(kind));
}

Error FromHresult(std::string_view doing, HRESULT result) {
  const ErrorKind kind = KindOfHresult(result);
  return Fail(kind, "{}: the user-mode driver answered 0x{:08X} ({}).", doing, static_cast<std::uint32_t>(result),
              ToString(kind));
}

Result<void> CheckStatus(std::string_view doing, NTSTATUS status) {
  if (NT_SUCCESS(status)) return {};
  return FromStatus(doing, status);
}

HRESULT ToHresult(NTSTATUS status) {
  if (NT_SUCCESS(status)) return S_OK;
  switch (KindOf(status)) {
    case ErrorKind::kDeviceLost: return D3DDDIERR_DEVICEREMOVED;
    case ErrorKind::kOutOfMemory:
    case ErrorKind::kOutOfVideoMemory: return E_OUTOFMEMORY;
    case ErrorKind::kUnsupported: return DXGI_DDI_ERR_UNSUPPORTED;
    default: return E_INVALIDARG;
  }
}

}  // namespace tandem::swapchain

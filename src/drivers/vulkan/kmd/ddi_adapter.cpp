// Life of the adapter, its children, devices and contexts.
#include <algorithm>
#include <cstring>
#include <new>

#include "base/log.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {
namespace {

Miniport& FromContext(PVOID context) { return *static_cast<Miniport*>(context); }

const Allocation* Find(const Miniport& miniport, D3DKMT_HANDLE handle) {
  DXGKARGCB_GETHANDLEDATA query{};
  query.hObject = handle;
  query.Type = DXGK_HANDLE_ALLOCATION;
  return static_cast<const Allocation*>(miniport.callbacks().DxgkCbGetHandleData(&query));
}

NTSTATUS TouchBackingStore(const Miniport& miniport, BackingStoreEscape& escape) {
  if (escape.magic != BackingStoreEscape::kMagic) return STATUS_INVALID_PARAMETER;
  const Allocation* allocation = Find(miniport, escape.allocation);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  std::byte* const store = allocation->backing_store();
  if (store == nullptr) return STATUS_NOT_SUPPORTED;
  if (escape.offset > allocation->data().size - sizeof(escape.value)) return STATUS_INVALID_PARAMETER;
  if (escape.write != 0) {
    std::memcpy(store + escape.offset, &escape.value, sizeof(escape.value));
  } else {
    std::memcpy(&escape.value, store + escape.offset, sizeof(escape.value));
  }
  return STATUS_SUCCESS;
}

NTSTATUS FindMeter(const Miniport& miniport, PassMeterEscape& escape) {
  if (escape.magic != PassMeterEscape::kMagic) return STATUS_INVALID_PARAMETER;
  const Allocation* const allocation = Find(miniport, escape.allocation);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  escape.meter = new std::shared_ptr<const PassMeter>(allocation->passes);
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS VulkanAddDevice(CONST PDEVICE_OBJECT physical_device_object, PVOID* miniport_context) {
  const auto* description = static_cast<const DeviceDescription*>(physical_device_object->DeviceExtension);
  if (description == nullptr) return STATUS_INVALID_PARAMETER;
  *miniport_context = new (std::nothrow) Miniport(*description, physical_device_object->Bus);
  return *miniport_context == nullptr ? STATUS_NO_MEMORY : STATUS_SUCCESS;
}

NTSTATUS VulkanStartDevice(CONST PVOID miniport_context, PDXGK_START_INFO, PDXGKRNL_INTERFACE dxgkrnl, PULONG sources,
                           PULONG children) {
  Miniport& miniport = FromContext(miniport_context);
  if (Result<void> started = miniport.Start(*dxgkrnl); !started.ok()) {
    Log(LogLevel::kError, "A Vulkan adapter cannot be started: {}", started.error().message);
    miniport.Stop();
    return ToNtStatus(started.error().kind);
  }
  *sources = miniport.vidpn_sources();
  *children = miniport.vidpn_sources();
  return STATUS_SUCCESS;
}

NTSTATUS VulkanStopDevice(CONST PVOID miniport_context) {
  FromContext(miniport_context).Stop();
  return STATUS_SUCCESS;
}

NTSTATUS VulkanRemoveDevice(CONST PVOID miniport_context) {
  delete static_cast<Miniport*>(miniport_context);
  return STATUS_SUCCESS;
}

BOOLEAN VulkanInterruptRoutine(CONST PVOID miniport_context, ULONG) {
  return FromContext(miniport_context).ReportInterrupts() ? TRUE : FALSE;
}

VOID VulkanDpcRoutine(CONST PVOID miniport_context) {
  const DXGKRNL_INTERFACE& callbacks = FromContext(miniport_context).callbacks();
  callbacks.DxgkCbNotifyDpc(callbacks.DeviceHandle);
}

NTSTATUS VulkanQueryChildRelations(CONST PVOID miniport_context, PDXGK_CHILD_DESCRIPTOR children, ULONG size) {
  const std::uint32_t count = FromContext(miniport_context).vidpn_sources();
  if (size < (count + 1) * sizeof(DXGK_CHILD_DESCRIPTOR)) return STATUS_BUFFER_TOO_SMALL;
  for (std::uint32_t i = 0; i < count; ++i) {
    children[i] = {};
    children[i].ChildDeviceType = TypeVideoOutput;
    children[i].ChildCapabilities.Type.VideoOutput.InterfaceTechnology = D3DKMDT_VOT_OTHER;
    children[i].ChildCapabilities.HpdAwareness = HpdAwarenessAlwaysConnected;
    children[i].ChildUid = i;
  }
  children[count] = {};
  return STATUS_SUCCESS;
}

NTSTATUS VulkanQueryChildStatus(CONST PVOID miniport_context, PDXGK_CHILD_STATUS status, BOOLEAN) {
  if (status->ChildUid >= FromContext(miniport_context).vidpn_sources()) return STATUS_INVALID_PARAMETER;
  if (status->Type == StatusConnection) status->HotPlug.Connected = TRUE;
  return STATUS_SUCCESS;
}

NTSTATUS VulkanQueryDeviceDescriptor(CONST PVOID, ULONG, PDXGK_DEVICE_DESCRIPTOR) {
  return STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED;  // A window has no EDID.
}

NTSTATUS VulkanCreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* args) {
  auto* device = new (std::nothrow) Device{static_cast<Miniport*>(adapter)};
  if (device == nullptr) return STATUS_NO_MEMORY;
  args->hDevice = device;
  return STATUS_SUCCESS;
}

NTSTATUS VulkanDestroyDevice(HANDLE device) {
  delete static_cast<Device*>(device);
  return STATUS_SUCCESS;
}

NTSTATUS VulkanCreateContext(HANDLE device, DXGKARG_CREATECONTEXT* args) {
  if (args->NodeOrdinal >= kNodeCount) return STATUS_INVALID_PARAMETER;
  auto* context = new (std::nothrow) Context{static_cast<Device*>(device)->miniport, args->NodeOrdinal};
  if (context == nullptr) return STATUS_NO_MEMORY;
  args->hContext = context;
  args->ContextInfo = {};
  args->ContextInfo.DmaBufferSize = kDmaBufferBytes;
  args->ContextInfo.DmaBufferPrivateDataSize = kDmaPrivateBytes;
  args->ContextInfo.AllocationListSize = 16;
  args->ContextInfo.PatchLocationListSize = 16;
  return STATUS_SUCCESS;
}

NTSTATUS VulkanDestroyContext(HANDLE context) {
  delete static_cast<Context*>(context);
  return STATUS_SUCCESS;
}

NTSTATUS VulkanEscape(HANDLE adapter, CONST DXGKARG_ESCAPE* args) {
  Miniport& miniport = *static_cast<Miniport*>(adapter);
  if (args->pPrivateDriverData != nullptr && args->PrivateDriverDataSize == sizeof(BackingStoreEscape)) {
    return TouchBackingStore(miniport, *static_cast<BackingStoreEscape*>(args->pPrivateDriverData));
  }
  if (args->pPrivateDriverData != nullptr && args->PrivateDriverDataSize == sizeof(PassMeterEscape)) {
    return FindMeter(miniport, *static_cast<PassMeterEscape*>(args->pPrivateDriverData));
  }
  if (args->pPrivateDriverData == nullptr || args->PrivateDriverDataSize != sizeof(EscapeData)) return STATUS_INVALID_PARAMETER;
  auto& escape = *static_cast<EscapeData*>(args->pPrivateDriverData);
  if (escape.magic != EscapeData::kMagic || escape.version != EscapeData::kVersion) return STATUS_INVALID_PARAMETER;
  const Allocation* allocation = Find(miniport, escape.allocation);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  escape.presentable = allocation->image() != VK_NULL_HANDLE ? 1 : 0;
  const std::string reason = escape.presentable != 0 ? std::string() : allocation->presentable_refusal();
  escape.reason.fill('\0');
  std::memcpy(escape.reason.data(), reason.data(), std::min(reason.size(), escape.reason.size() - 1));
  return STATUS_SUCCESS;
}

}  // namespace tandem::vulkan

// Life of the adapter, its children, devices and contexts.
#include <algorithm>
#include <cstring>
#include <new>

#include "base/log.h"
#include "drivers/common/children.h"
#include "drivers/common/escapes.h"
#include "drivers/common/status.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {
namespace {

Miniport& FromContext(PVOID context) { return *static_cast<Miniport*>(context); }

NTSTATUS DescribeImage(const Allocation* allocation, EscapeData& escape) {
  if (escape.version != EscapeData::kVersion) return STATUS_INVALID_PARAMETER;
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  escape.presentable = allocation->image() != VK_NULL_HANDLE ? 1 : 0;
  const std::string reason = escape.presentable != 0 ? std::string() : allocation->presentable_refusal();
  escape.reason.fill('\0');
  std::memcpy(escape.reason.data(), reason.data(), std::min(reason.size(), escape.reason.size() - 1));
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
    return drivers::ToNtStatus(started.error());
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
  Miniport& miniport = FromContext(miniport_context);
  return miniport.interrupts().Report(miniport.callbacks()) ? TRUE : FALSE;
}

VOID VulkanDpcRoutine(CONST PVOID miniport_context) {
  const DXGKRNL_INTERFACE& callbacks = FromContext(miniport_context).callbacks();
  callbacks.DxgkCbNotifyDpc(callbacks.DeviceHandle);
}

NTSTATUS VulkanQueryChildRelations(CONST PVOID miniport_context, PDXGK_CHILD_DESCRIPTOR children, ULONG size) {
  return drivers::QueryChildRelations(FromContext(miniport_context).vidpn_sources(), HpdAwarenessAlwaysConnected, children, size);
}

NTSTATUS VulkanQueryChildStatus(CONST PVOID miniport_context, PDXGK_CHILD_STATUS status, BOOLEAN) {
  return drivers::QueryChildStatus(FromContext(miniport_context).vidpn_sources(), *status);
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
  if (args->NodeOrdinal >= kNodeCount || args->Flags.VirtualAddressing != 0 || args->Flags.HwQueueSupported != 0) {
    return STATUS_INVALID_PARAMETER;
  }
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
  const auto find = [&](D3DKMT_HANDLE handle) {
    return drivers::AllocationOf<const Allocation>(static_cast<Miniport*>(adapter)->callbacks(), handle);
  };
  const auto meter = [&](PassMeterEscape& request) { return drivers::FindMeter(request, find(request.allocation)); };
  const auto image = [&](EscapeData& request) { return DescribeImage(find(request.allocation), request); };
  const auto touch = [&](drivers::BackingStoreEscape& request) -> NTSTATUS {
    const Allocation* const allocation = find(request.allocation);
    if (allocation == nullptr) return STATUS_INVALID_HANDLE;
    return drivers::TouchBackingStore(request, allocation->backing_store(), allocation->data().size);
  };
  NTSTATUS status = STATUS_NOT_SUPPORTED;
  static_cast<void>(drivers::AnswerEscape<PassMeterEscape>(*args, status, meter) ||
                    drivers::AnswerEscape<EscapeData>(*args, status, image) ||
                    drivers::AnswerEscape<drivers::BackingStoreEscape>(*args, status, touch));
  return status;
}

}  // namespace tandem::vulkan

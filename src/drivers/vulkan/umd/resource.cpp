// Resources: images for applications, surfaces that cross adapters, primaries.
#include <cstring>
#include <new>

#include "base/log.h"
#include "color/format.h"
#include "drivers/vulkan/format.h"
#include "drivers/vulkan/umd/umd_device.h"

namespace tandem::vulkan {
namespace {

UmdDevice& DeviceOf(D3D10DDI_HDEVICE handle) { return *static_cast<UmdDevice*>(handle.pDrvPrivate); }
UmdResource& ResourceOf(D3D10DDI_HRESOURCE handle) { return *static_cast<UmdResource*>(handle.pDrvPrivate); }

struct Plan {
  AllocationKind kind = AllocationKind::kImage;
  bool presentable = false;  // a linear image is needed over the shared rows
};

// Chooses the allocation for the arguments, or returns the error that the runtime expects.
HRESULT Choose(const UmdDevice& device, const D3D11DDIARG_CREATERESOURCE& args, Plan& plan) {
  if (args.ResourceDimension != D3D10DDIRESOURCE_TEXTURE2D || args.pMipInfoList == nullptr || args.MipLevels > 1 ||
      args.ArraySize > 1 || args.SampleDesc.Count > 1) {
    return E_INVALIDARG;
  }
  const bool display = device.adapter->data.vidpn_sources > 0;
  const bool present = (args.BindFlags & D3D10_DDI_BIND_PRESENT) != 0;
  if ((args.MiscFlags & D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER) != 0) {
    plan.kind = AllocationKind::kLinear;
    plan.presentable = present && !display;
    if (!display || args.pPrimaryDesc == nullptr) return S_OK;
    // A window system does not show foreign memory.
    args.pPrimaryDesc->DriverFlags |= DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT;
    return (args.pPrimaryDesc->Flags & DXGI_DDI_PRIMARY_OPTIONAL) != 0 ? S_OK : DXGI_DDI_ERR_UNSUPPORTED;
  }
  if (!present) return E_INVALIDARG;
  plan.kind = display && args.pPrimaryDesc != nullptr ? AllocationKind::kPrimary : AllocationKind::kImage;
  return S_OK;
}

void AddImageInfo(UmdDevice& device, AllocationData& data) {
  const std::lock_guard<std::mutex> lock(device.mutex);
  data.image_usage = device.image_usage;
  data.image_flags = device.image_flags;
  data.view_format_count = device.view_format_count;
  data.view_formats = device.view_formats;
  if (!device.has_image_info) data.image_usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
}

HRESULT Create(UmdDevice& device, const D3D11DDIARG_CREATERESOURCE& args, UmdResource& resource) {
  Plan plan;
  if (const HRESULT result = Choose(device, args, plan); FAILED(result)) return result;
  Result<AllocationData> data = DescribeSurface(plan.kind, args.pMipInfoList->TexelWidth, args.pMipInfoList->TexelHeight,
                                                static_cast<color::Format>(args.Format), 0);
  if (!data.ok()) {
    Log(LogLevel::kWarn, "{}", data.error().message);
    return E_INVALIDARG;
  }
  if (plan.presentable && ToVkFormat(data->format) == VK_FORMAT_UNDEFINED) return DXGI_DDI_ERR_UNSUPPORTED;
  if (plan.kind == AllocationKind::kImage) AddImageInfo(device, *data);
  D3DDDI_ALLOCATIONINFO2 info{};
  info.pPrivateDriverData = &resource.data;
  info.PrivateDriverDataSize = sizeof(resource.data);
  if (plan.kind == AllocationKind::kPrimary) {
    data->vidpn_source = args.pPrimaryDesc->VidPnSourceId;
    info.VidPnSourceId = args.pPrimaryDesc->VidPnSourceId;
    // Something is drawn into it, not only copied: the driver needs the pixels at hand.
    const bool drawn = (args.BindFlags & D3D10_DDI_BIND_RENDER_TARGET) != 0 || data->format == drivers::kPaletteFormat;
    if (!drawn) data->flags = kFramesOnly;
    info.Flags.Primary = 1;
  }
  resource.data = *data;
  D3DDDICB_ALLOCATE allocate{};
  allocate.hResource = resource.runtime.handle;
  allocate.NumAllocations = 1;
  allocate.pAllocationInfo2 = &info;
  if (const HRESULT result = device.kernel->pfnAllocateCb(device.runtime.handle, &allocate); FAILED(result)) return result;
  resource.allocation = info.hAllocation;
  if (resource.object() == nullptr) return E_FAIL;
  if (!plan.presentable) return S_OK;
  const Result<void> made = MakePresentable(resource);
  if (made.ok()) return S_OK;
  Log(LogLevel::kInfo, "No image over shared rows: {}", made.error().message);
  return DXGI_DDI_ERR_UNSUPPORTED;
}

void Release(UmdDevice& device, UmdResource& resource) {
  if (resource.allocation == 0) return;
  {
    const std::lock_guard<std::mutex> lock(device.mutex);
    std::erase(device.unflushed, &resource);
  }
  D3DDDICB_DEALLOCATE deallocate{};
  deallocate.hResource = resource.runtime.handle;
  device.kernel->pfnDeallocateCb(device.runtime.handle, &deallocate);
  resource.allocation = 0;
  resource.data.object = 0;
}

}  // namespace

Result<void> MakePresentable(UmdResource& resource) {
  AllocationData data;
  AddImageInfo(*resource.device, data);
  std::array<VkFormat, kMaxViewFormats> formats{};
  for (std::uint32_t i = 0; i < data.view_format_count; ++i) formats[i] = static_cast<VkFormat>(data.view_formats[i]);
  VkImageFormatListCreateInfo list{};
  list.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO;
  list.viewFormatCount = data.view_format_count;
  list.pViewFormats = formats.data();
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  if (data.view_format_count != 0) info.pNext = &list;
  info.usage = data.image_usage;
  info.flags = data.image_flags;
  return resource.object()->MakePresentable(info);
}

SIZE_T APIENTRY UmdCalcPrivateResourceSize(D3D10DDI_HDEVICE, CONST D3D11DDIARG_CREATERESOURCE*) { return sizeof(UmdResource); }
SIZE_T APIENTRY UmdCalcPrivateOpenedResourceSize(D3D10DDI_HDEVICE, CONST D3D10DDIARG_OPENRESOURCE*) {
  return sizeof(UmdResource);
}

VOID APIENTRY UmdCreateResource(D3D10DDI_HDEVICE device, CONST D3D11DDIARG_CREATERESOURCE* args, D3D10DDI_HRESOURCE resource,
                                D3D10DDI_HRTRESOURCE runtime) {
  UmdDevice& umd = DeviceOf(device);
  auto* created = new (resource.pDrvPrivate) UmdResource();
  created->device = &umd;
  created->runtime = runtime;
  const HRESULT result = Create(umd, *args, *created);
  if (SUCCEEDED(result)) return;
  Release(umd, *created);
  umd.SetError(result);
}

VOID APIENTRY UmdOpenResource(D3D10DDI_HDEVICE device, CONST D3D10DDIARG_OPENRESOURCE* args, D3D10DDI_HRESOURCE resource,
                              D3D10DDI_HRTRESOURCE runtime) {
  UmdDevice& umd = DeviceOf(device);
  auto* opened = new (resource.pDrvPrivate) UmdResource();
  opened->device = &umd;
  opened->runtime = runtime;
  if (args->NumAllocations != 1 || args->pOpenAllocationInfo2 == nullptr ||
      args->pOpenAllocationInfo2[0].PrivateDriverDataSize != sizeof(AllocationData)) {
    umd.SetError(E_INVALIDARG);
    return;
  }
  AllocationData data;
  std::memcpy(&data, args->pOpenAllocationInfo2[0].pPrivateDriverData, sizeof(data));
  if (data.magic != AllocationData::kMagic || data.version != AllocationData::kVersion || data.object == 0) {
    umd.SetError(E_INVALIDARG);
    return;
  }
  opened->data = data;
  opened->allocation = args->pOpenAllocationInfo2[0].hAllocation;
}

VOID APIENTRY UmdDestroyResource(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource) {
  UmdResource& gone = ResourceOf(resource);
  Release(DeviceOf(device), gone);
  gone.~UmdResource();
}

}  // namespace tandem::vulkan

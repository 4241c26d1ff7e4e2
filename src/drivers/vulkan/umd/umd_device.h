// The user-mode half's objects behind the D3D10DDI_H* handles. Threads: the runtime calls a device on one thread at a time.
// `mutex` guards the members that application_images.h uses.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/gpu/private_data.h"

#include <d3d10umddi.h>

namespace tandem::vulkan {

struct UmdAdapter {
  D3D10DDI_HRTADAPTER runtime{};
  const D3DDDI_ADAPTERCALLBACKS* callbacks = nullptr;
  AdapterData data;  // the kernel-mode half's answer
};

struct UmdDevice;

// Lies in the runtime's memory (hResource.pDrvPrivate).
struct UmdResource {
  UmdDevice* device = nullptr;
  D3D10DDI_HRTRESOURCE runtime{};
  D3DKMT_HANDLE allocation = 0;
  AllocationData data;
  // The kernel-mode half's object in this process; null when the creation failed.
  [[nodiscard]] Allocation* object() const { return reinterpret_cast<Allocation*>(static_cast<std::uintptr_t>(data.object)); }
};

// Lies in the runtime's memory (hDrvDevice.pDrvPrivate).
struct UmdDevice {
  UmdAdapter* adapter = nullptr;
  D3D10DDI_HRTDEVICE runtime{};
  D3D10DDI_HRTCORELAYER core_layer{};
  const D3DDDI_DEVICECALLBACKS* kernel = nullptr;
  const D3D11DDI_CORELAYER_DEVICECALLBACKS* core = nullptr;
  const DXGI_DDI_BASE_CALLBACKS* dxgi = nullptr;
  D3DDDICB_CREATECONTEXT context{};  // with its current command buffer and lists

  std::mutex mutex;
  bool has_image_info = false;
  VkImageUsageFlags image_usage = 0;
  VkImageCreateFlags image_flags = 0;
  std::uint32_t view_format_count = 0;
  std::array<std::int32_t, kMaxViewFormats> view_formats{};  // VkFormat
  std::vector<UmdResource*> unflushed;                       // linear images that were released since the last flush

  void SetError(HRESULT result) const {
    if (core != nullptr && core->pfnSetErrorCb != nullptr) core->pfnSetErrorCb(core_layer, result);
  }
};

// Defined in present.cpp and resource.cpp.

VOID APIENTRY UmdFlush(D3D10DDI_HDEVICE device);
SIZE_T APIENTRY UmdCalcPrivateResourceSize(D3D10DDI_HDEVICE device, CONST D3D11DDIARG_CREATERESOURCE* args);
SIZE_T APIENTRY UmdCalcPrivateOpenedResourceSize(D3D10DDI_HDEVICE device, CONST D3D10DDIARG_OPENRESOURCE* args);
VOID APIENTRY UmdCreateResource(D3D10DDI_HDEVICE device, CONST D3D11DDIARG_CREATERESOURCE* args, D3D10DDI_HRESOURCE resource,
                                D3D10DDI_HRTRESOURCE runtime);
VOID APIENTRY UmdOpenResource(D3D10DDI_HDEVICE device, CONST D3D10DDIARG_OPENRESOURCE* args, D3D10DDI_HRESOURCE resource,
                              D3D10DDI_HRTRESOURCE runtime);
VOID APIENTRY UmdDestroyResource(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource);

void FillDxgiFunctions(DXGI_DDI_BASE_FUNCTIONS& table);

// Makes the linear image of a cross-adapter resource with the device's image properties; made once. kUnsupported with the
// reason.
Result<void> MakePresentable(UmdResource& resource);

}  // namespace tandem::vulkan

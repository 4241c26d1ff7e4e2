#include "swapchain/resource.h"

#include <string>
#include <utility>

#include "swapchain/opened_share.h"
#include "swapchain/status.h"

namespace tandem::swapchain {
namespace {

std::unique_ptr<std::max_align_t[]> MakePrivate(SIZE_T size) {
  return std::make_unique<std::max_align_t[]>(size / sizeof(std::max_align_t) + 1);
}

}  // namespace

Result<std::unique_ptr<Resource>> Resource::Create(Runtime& runtime, const ResourceDesc& desc, ScanOut& scan_out) {
  scan_out = ScanOut::kYes;
  D3D10DDI_MIPINFO mip{desc.width, desc.height, 1, desc.width, desc.height, 1};
  DXGI_DDI_PRIMARY_DESC primary{};
  primary.VidPnSourceId = desc.vidpn_source;
  primary.ModeDesc.Width = desc.width;
  primary.ModeDesc.Height = desc.height;
  primary.ModeDesc.Format = desc.format;
  primary.ModeDesc.Rotation = DXGI_DDI_MODE_ROTATION_IDENTITY;
  D3D11DDIARG_CREATERESOURCE args{};
  args.pMipInfoList = &mip;
  args.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D;
  args.Usage = D3D10_DDI_USAGE_DEFAULT;
  args.BindFlags = desc.bind_flags;
  if (desc.sharing == Sharing::kCrossAdapter) {
    args.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED | D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER;
    args.TextureLayout = D3DWDDM2_0DDI_TL_ROW_MAJOR;
  }
  args.Format = desc.format;
  args.SampleDesc.Count = 1;
  args.MipLevels = 1;
  args.ArraySize = 1;
  args.pPrimaryDesc = desc.primary ? &primary : nullptr;

  auto resource = CreateAs(runtime, args);
  if (desc.primary && (primary.DriverFlags & DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT) != 0) scan_out = ScanOut::kNo;
  return resource;
}

Result<std::unique_ptr<Resource>> Resource::CreateAs(Runtime& runtime, const D3D11DDIARG_CREATERESOURCE& args) {
  std::unique_ptr<Resource> resource(new Resource(runtime));
  resource->state_.misc_flags = args.MiscFlags;
  resource->memory_ = MakePrivate(runtime.PrivateSize(args));
  const HRESULT created = runtime.CreateResource(args, resource->handle(), resource->state_);
  if (FAILED(created)) {
    return NT_SUCCESS(resource->state_.refusal) ? FromHresult("Creating a surface", created)
                                                : FromStatus("Creating a surface", resource->state_.refusal);
  }
  resource->umd_open_ = true;
  resource->meter_ = runtime.MeterOf(resource->state_.allocation);
  return resource;
}

Result<void> Resource::OpenHandles(D3DKMT_HANDLE global_share) {
  OpenedShare share;
  const NTSTATUS status = share.Open(runtime_.kernel_device(), global_share);
  if (!NT_SUCCESS(status)) return FromStatus("Opening a shared surface", status);
  state_.resource = share.resource();
  state_.allocation = share.allocation();
  const D3D10DDIARG_OPENRESOURCE args = share.Arguments();
  memory_ = MakePrivate(runtime_.PrivateSize(args));
  const HRESULT opened = runtime_.OpenResource(args, handle(), state_);
  if (FAILED(opened)) return FromHresult("Opening a shared surface", opened);
  umd_open_ = true;
  meter_ = runtime_.MeterOf(state_.allocation);
  return {};
}

Result<std::unique_ptr<Resource>> Resource::Open(Runtime& runtime, const Resource& shared) {
  return OpenShared(runtime, shared.state_.global_share);
}

Result<std::unique_ptr<Resource>> Resource::OpenShared(Runtime& runtime, D3DKMT_HANDLE global_share) {
  std::unique_ptr<Resource> resource(new Resource(runtime));
  if (auto opened = resource->OpenHandles(global_share); !opened.ok()) return std::move(opened).error();
  return resource;
}

Result<std::byte*> Resource::Map() const {
  D3DKMT_LOCK2 lock{};
  lock.hDevice = runtime_.kernel_device();
  lock.hAllocation = state_.allocation;
  if (auto locked = CheckStatus("Mapping a surface", D3DKMTLock2(&lock)); !locked.ok()) return std::move(locked).error();
  return static_cast<std::byte*>(lock.pData);
}

Resource::~Resource() {
  if (umd_open_) runtime_.DestroyResource(handle());
  // Allocations that the driver did not give back with pfnDeallocateCb.
  if (state_.resource != 0) {
    D3DKMT_DESTROYALLOCATION2 destroy{};
    destroy.hDevice = runtime_.kernel_device();
    destroy.hResource = state_.resource;
    static_cast<void>(D3DKMTDestroyAllocation2(&destroy));
  }
}

}  // namespace tandem::swapchain

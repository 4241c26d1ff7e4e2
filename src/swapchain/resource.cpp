#include "swapchain/resource.h"

#include <string>
#include <utility>
#include <vector>

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

  std::unique_ptr<Resource> resource(new Resource(runtime));
  resource->state_.misc_flags = args.MiscFlags;
  resource->memory_ = MakePrivate(runtime.PrivateSize(args));
  const HRESULT created = runtime.CreateResource(args, resource->handle(), resource->state_);
  if (desc.primary && (primary.DriverFlags & DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT) != 0) scan_out = ScanOut::kNo;
  if (FAILED(created)) {
    return NT_SUCCESS(resource->state_.refusal) ? FromHresult("Creating a surface", created)
                                                : FromStatus("Creating a surface", resource->state_.refusal);
  }
  resource->umd_open_ = true;
  resource->meter_ = runtime.MeterOf(resource->state_.allocation);
  return resource;
}

Result<void> Resource::OpenHandles(D3DKMT_HANDLE global_share) {
  D3DKMT_QUERYRESOURCEINFO info{};
  info.hDevice = runtime_.kernel_device();
  info.hGlobalShare = global_share;
  if (auto queried = CheckStatus("Asking for a shared surface", D3DKMTQueryResourceInfo(&info)); !queried.ok()) return queried;
  std::vector<D3DDDI_OPENALLOCATIONINFO2> allocations(info.NumAllocations);
  std::vector<std::byte> resource_data(info.ResourcePrivateDriverDataSize);
  std::vector<std::byte> total_data(info.TotalPrivateDriverDataSize);
  D3DKMT_OPENRESOURCE open{};
  open.hDevice = info.hDevice;
  open.hGlobalShare = global_share;
  open.NumAllocations = info.NumAllocations;
  open.pOpenAllocationInfo2 = allocations.data();
  open.pResourcePrivateDriverData = resource_data.data();
  open.ResourcePrivateDriverDataSize = info.ResourcePrivateDriverDataSize;
  open.pTotalPrivateDriverDataBuffer = total_data.data();
  open.TotalPrivateDriverDataBufferSize = info.TotalPrivateDriverDataSize;
  if (auto opened = CheckStatus("Opening a shared surface", D3DKMTOpenResource2(&open)); !opened.ok()) return opened;
  state_.resource = open.hResource;
  if (allocations.empty()) return Fail(ErrorKind::kInternal, "A shared surface has no allocation.");
  state_.allocation = allocations.front().hAllocation;

  D3D10DDIARG_OPENRESOURCE args{};
  args.NumAllocations = open.NumAllocations;
  args.pOpenAllocationInfo2 = allocations.data();
  args.hKMResource.handle = open.hResource;
  args.pPrivateDriverData = resource_data.data();
  args.PrivateDriverDataSize = open.ResourcePrivateDriverDataSize;
  memory_ = MakePrivate(runtime_.PrivateSize(args));
  const HRESULT opened = runtime_.OpenResource(args, handle(), state_);
  if (FAILED(opened)) return FromHresult("Opening a shared surface", opened);
  umd_open_ = true;
  meter_ = runtime_.MeterOf(state_.allocation);
  return {};
}

Result<std::unique_ptr<Resource>> Resource::Open(Runtime& runtime, const Resource& shared) {
  std::unique_ptr<Resource> resource(new Resource(runtime));
  if (auto opened = resource->OpenHandles(shared.state_.global_share); !opened.ok()) return std::move(opened).error();
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

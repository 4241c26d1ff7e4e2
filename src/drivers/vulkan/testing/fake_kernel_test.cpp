#include "drivers/vulkan/testing/fake_kernel.h"

#include <algorithm>
#include <cstring>

#include "base/dma_buf.h"
#include "color/format.h"
#include "drivers/vulkan/kmd/ddi.h"

namespace tandem::vulkan::testing {
namespace {

DRIVER_INITIALIZATION_DATA g_registered{};

std::unique_ptr<std::max_align_t[]> MakePrivate(SIZE_T size) {
  return std::make_unique<std::max_align_t[]>(size / sizeof(std::max_align_t) + 1);
}

HANDLE ToHandle(UINT value) { return reinterpret_cast<HANDLE>(static_cast<std::uintptr_t>(value)); }

thread_local FakeKernel* g_current = nullptr;  // DxgkCbGetHandleData has no adapter argument

}  // namespace

struct FakeKernel::Callbacks {
  static FakeKernel& From(void* context) { return *static_cast<FakeKernel*>(context); }

  static VOID RaiseInterrupt(PVOID context, ULONG message) {
    FakeKernel& self = From(context);
    const std::lock_guard<std::mutex> lock(self.interrupt_mutex_);
    self.ddi_.DxgkDdiInterruptRoutine(self.miniport_, message);
    if (std::exchange(self.dpc_, false)) self.ddi_.DxgkDdiDpcRoutine(self.miniport_);
  }
  static UINT64 QueryClock(PVOID) { return 0; }
  static BOOLEAN QueueDpc(HANDLE device) {
    From(device).dpc_ = true;
    return TRUE;
  }
  static VOID NotifyDpc(HANDLE) {}
  static VOID NotifyInterrupt(HANDLE device, CONST DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
    FakeKernel& self = From(device);
    {
      const std::lock_guard<std::mutex> lock(self.mutex_);
      if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) self.completed_ = data->DmaCompleted.SubmissionFenceId;
      if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
        self.preemption_ = {data->DmaPreempted.PreemptionFenceId, data->DmaPreempted.LastCompletedFenceId};
      }
      if (data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC) {
        ++self.vsyncs_[data->CrtcVsync.VidPnTargetId];
        self.addresses_[data->CrtcVsync.VidPnTargetId] = static_cast<std::uint64_t>(data->CrtcVsync.PhysicalAddress.QuadPart);
      }
    }
    self.changed_.notify_all();
  }
  static VOID* GetHandleData(CONST DXGKARGCB_GETHANDLEDATA* data) {
    const auto found = g_current->objects_.find(data->hObject);
    return found == g_current->objects_.end() ? nullptr : found->second.driver;
  }

  static NTSTATUS QueryFeatureSupport(DXGKARGCB_QUERYFEATURESUPPORT* args) {
    args->Enabled = args->FeatureId == DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD && From(args->DeviceHandle).share_backing_stores;
    return STATUS_SUCCESS;
  }

  static HRESULT QueryAdapterInfo(HANDLE adapter, CONST D3DDDICB_QUERYADAPTERINFO* args) {
    FakeKernel& self = From(adapter);
    DXGKARG_QUERYADAPTERINFO query{};
    query.Type = DXGKQAITYPE_UMDRIVERPRIVATE;
    query.pOutputData = args->pPrivateDriverData;
    query.OutputDataSize = args->PrivateDriverDataSize;
    return NT_SUCCESS(self.ddi_.DxgkDdiQueryAdapterInfo(self.miniport_, &query)) ? S_OK : E_FAIL;
  }
  static HRESULT Allocate(HANDLE device, D3DDDICB_ALLOCATE* args) {
    auto& info = args->pAllocationInfo2[0];
    info.hAllocation = From(device).AddAllocation(info.pPrivateDriverData, info.PrivateDriverDataSize);
    return info.hAllocation != 0 ? S_OK : E_OUTOFMEMORY;
  }
  static HRESULT Deallocate(HANDLE device, CONST D3DDDICB_DEALLOCATE* args) {
    From(device).RemoveAllocation(static_cast<TestResource*>(args->hResource)->allocation);
    return S_OK;
  }
  static HRESULT CreateContext(HANDLE device, D3DDDICB_CREATECONTEXT* args) {
    FakeKernel& self = From(device);
    DXGKARG_CREATECONTEXT create{};
    create.NodeOrdinal = args->NodeOrdinal;
    if (!NT_SUCCESS(self.ddi_.DxgkDdiCreateContext(self.kernel_device_, &create))) return E_FAIL;
    self.kernel_context_ = create.hContext;
    self.context_info_ = create.ContextInfo;
    self.node_ = args->NodeOrdinal;
    args->hContext = ToHandle(1);
    args->pCommandBuffer = self.command_buffer_.data();
    args->CommandBufferSize = static_cast<UINT>(self.command_buffer_.size());
    args->pAllocationList = self.command_allocations_.data();
    args->AllocationListSize = static_cast<UINT>(self.command_allocations_.size());
    return S_OK;
  }
  static HRESULT DestroyContext(HANDLE device, CONST D3DDDICB_DESTROYCONTEXT*) {
    From(device).ddi_.DxgkDdiDestroyContext(From(device).kernel_context_);
    return S_OK;
  }
  static VOID SetError(D3D10DDI_HRTCORELAYER layer, HRESULT error) { From(layer.handle).error_ = error; }
  static HRESULT Present(HANDLE device, DXGIDDICB_PRESENT* args);
  static HRESULT Render(HANDLE device, D3DDDICB_RENDER* args);
};

HRESULT FakeKernel::Callbacks::Present(HANDLE device, DXGIDDICB_PRESENT* args) {
  FakeKernel& self = From(device);
  const AllocationData& source = self.objects_[args->hSrcAllocation].data;
  const AllocationData& destination = self.objects_[args->hDstAllocation].data;
  DXGKARG_PRESENT present{};
  present.SrcRect = present.DstRect = {0, 0, static_cast<LONG>(std::min(source.width, destination.width)),
                                       static_cast<LONG>(std::min(source.height, destination.height))};
  present.SubRectCnt = static_cast<UINT>(self.rects_.size());
  present.pDstSubRects = self.rects_.data();
  present.Flags.Blt = 1;
  return self.PresentAll(args->hSrcAllocation, args->hDstAllocation, present) != 0 ? S_OK : E_FAIL;
}

HRESULT FakeKernel::Callbacks::Render(HANDLE device, D3DDDICB_RENDER* args) {
  FakeKernel& self = From(device);
  InFlight buffer = self.NewBuffer(16);
  for (UINT i = 0; i < args->NumAllocations; ++i) {
    buffer.allocations[i] = self.ReferenceTo(self.command_allocations_[i].hAllocation);
  }
  DXGKARG_RENDER render{};
  render.pCommand = self.command_buffer_.data();
  render.CommandLength = args->CommandLength;
  render.pDmaBuffer = buffer.dma.data();
  render.DmaSize = static_cast<UINT>(buffer.dma.size());
  render.pDmaBufferPrivateData = buffer.private_data.get();
  render.DmaBufferPrivateDataSize = self.context_info_.DmaBufferPrivateDataSize;
  render.pAllocationList = buffer.allocations.data();
  render.AllocationListSize = args->NumAllocations;
  render.pPatchLocationListOut = buffer.patches.data();
  render.PatchLocationListOutSize = static_cast<UINT>(buffer.patches.size());
  self.status_ = self.ddi_.DxgkDdiRender(self.kernel_context_, &render);
  if (!NT_SUCCESS(self.status_)) return E_FAIL;
  const auto used = static_cast<UINT>(static_cast<std::byte*>(render.pDmaBuffer) - buffer.dma.data());
  const auto patches = static_cast<UINT>(render.pPatchLocationListOut - buffer.patches.data());
  self.Submit(std::move(buffer), used, patches);
  return S_OK;
}

std::unique_ptr<TestResource> FakeKernel::CreateRaw(const AllocationData& data) {
  auto resource = std::make_unique<TestResource>();
  resource->data = data;
  resource->allocation = AddAllocation(&resource->data, sizeof(resource->data));
  if (resource->allocation == 0) return nullptr;
  resource->pages = objects_[resource->allocation].map.data();
  return resource;
}

std::unique_ptr<FakeKernel> FakeKernel::Start(const DeviceDescription& description, Pages pages) {
  std::unique_ptr<FakeKernel> self(new FakeKernel());
  g_current = self.get();
  self->description_ = &description;
  self->pages_ = pages;
  DRIVER_OBJECT driver{};
  if (!NT_SUCCESS(VulkanDriverEntry(&driver, nullptr))) return nullptr;
  self->ddi_ = g_registered;
  self->device_object_.DeviceExtension = const_cast<DeviceDescription*>(&description);
  self->device_object_.Bus = {self.get(), &Callbacks::RaiseInterrupt, &Callbacks::QueryClock, nullptr};
  self->ddi_.DxgkDdiAddDevice(&self->device_object_, &self->miniport_);
  self->callbacks_.DeviceHandle = self.get();
  self->callbacks_.DxgkCbQueueDpc = &Callbacks::QueueDpc;
  self->callbacks_.DxgkCbNotifyDpc = &Callbacks::NotifyDpc;
  self->callbacks_.DxgkCbNotifyInterrupt = &Callbacks::NotifyInterrupt;
  self->callbacks_.DxgkCbGetHandleData = &Callbacks::GetHandleData;
  self->callbacks_.DxgkCbQueryFeatureSupport = &Callbacks::QueryFeatureSupport;
  DXGK_START_INFO start{};
  ULONG children = 0;
  if (!NT_SUCCESS(self->ddi_.DxgkDdiStartDevice(self->miniport_, &start, &self->callbacks_, &self->sources_, &children))) {
    self->ddi_.DxgkDdiRemoveDevice(self->miniport_);
    self->miniport_ = nullptr;
    return nullptr;
  }
  DXGKARG_CREATEDEVICE create{};
  self->ddi_.DxgkDdiCreateDevice(self->miniport_, &create);
  self->kernel_device_ = create.hDevice;

  static constexpr D3DDDI_ADAPTERCALLBACKS kAdapter{&Callbacks::QueryAdapterInfo, nullptr, nullptr};
  static const D3DDDI_DEVICECALLBACKS kDevice = [] {
    D3DDDI_DEVICECALLBACKS table{};
    table.pfnAllocateCb = &Callbacks::Allocate;
    table.pfnDeallocateCb = &Callbacks::Deallocate;
    table.pfnRenderCb = &Callbacks::Render;
    table.pfnCreateContextCb = &Callbacks::CreateContext;
    table.pfnDestroyContextCb = &Callbacks::DestroyContext;
    return table;
  }();
  static constexpr D3D11DDI_CORELAYER_DEVICECALLBACKS kCore{&Callbacks::SetError};
  static DXGI_DDI_BASE_CALLBACKS dxgi{&Callbacks::Present, nullptr, nullptr, nullptr, nullptr};
  D3D10DDIARG_OPENADAPTER open{};
  open.hRTAdapter.handle = self.get();
  open.pAdapterCallbacks = &kAdapter;
  open.pAdapterFuncs_2 = &self->adapter_functions_;
  if (FAILED(VulkanOpenAdapter10_2(&open))) return nullptr;
  self->umd_adapter_ = open.hAdapter;
  const D3D10DDIARG_CALCPRIVATEDEVICESIZE size{};
  self->device_memory_ = MakePrivate(self->adapter_functions_.pfnCalcPrivateDeviceSize(self->umd_adapter_, &size));
  D3D10DDIARG_CREATEDEVICE device{};
  device.hRTDevice.handle = self.get();
  device.Interface = D3D11_DDI_INTERFACE_VERSION;
  device.pKTCallbacks = &kDevice;
  device.p11DeviceFuncs = &self->device_functions_;
  device.hDrvDevice.pDrvPrivate = self->device_memory_.get();
  device.DXGIBaseDDI.pDXGIBaseCallbacks = &dxgi;
  device.DXGIBaseDDI.pDXGIDDIBaseFunctions4 = &self->dxgi_functions_;
  device.hRTCoreLayer.handle = self.get();
  device.p11UMCallbacks = &kCore;
  if (FAILED(self->adapter_functions_.pfnCreateDevice(self->umd_adapter_, &device))) return nullptr;
  self->umd_device_ = device.hDrvDevice;
  return self;
}

FakeKernel::~FakeKernel() {
  if (umd_device_.pDrvPrivate != nullptr) device_functions_.pfnDestroyDevice(umd_device_);
  if (umd_adapter_.pDrvPrivate != nullptr) adapter_functions_.pfnCloseAdapter(umd_adapter_);
  if (kernel_device_ != nullptr) ddi_.DxgkDdiDestroyDevice(kernel_device_);
  if (miniport_ != nullptr) {
    ddi_.DxgkDdiStopDevice(miniport_);
    ddi_.DxgkDdiRemoveDevice(miniport_);
  }
}

AdapterData FakeKernel::Query() {
  AdapterData data;
  const D3DDDICB_QUERYADAPTERINFO query{&data, sizeof(data)};
  static_cast<void>(Callbacks::QueryAdapterInfo(this, &query));
  return data;
}

D3DKMT_HANDLE FakeKernel::AddAllocation(void* private_data, UINT size) {
  DXGK_ALLOCATIONINFO info{};
  info.pPrivateDriverData = private_data;
  info.PrivateDriverDataSize = size;
  DXGKARG_CREATEALLOCATION create{};
  create.NumAllocations = 1;
  create.pAllocationInfo = &info;
  status_ = ddi_.DxgkDdiCreateAllocation(miniport_, &create);
  if (!NT_SUCCESS(status_)) return 0;
  const D3DKMT_HANDLE handle = next_handle_++;
  Object& object = objects_[handle];
  object.driver = info.hAllocation;
  AllocationData data;
  std::memcpy(&data, private_data, sizeof(data));
  object.data = data;
  if (info.SupportedWriteSegmentSet != 1) MakeBackingStore(object);
  if (info.Flags2.ShareBackingStoreWithKmd) {
    DXGKARG_SETALLOCATIONBACKINGSTORE share{object.driver, object.map.data()};
    status_ = ddi_.DxgkDdiSetAllocationBackingStore(miniport_, &share);
  }
  if (info.SupportedWriteSegmentSet == 2) {
    TestResource whole;
    whole.allocation = handle;
    MapAperture(whole, data.size / PAGE_SIZE);
  }
  DXGK_OPENALLOCATIONINFO open{handle, private_data, size, nullptr};
  DXGKARG_OPENALLOCATION args{};
  args.NumAllocations = 1;
  args.pOpenAllocation = &open;
  args.Flags.Create = 1;
  g_current = this;
  ddi_.DxgkDdiOpenAllocation(kernel_device_, &args);
  object.opened = open.hDeviceSpecificAllocation;
  return handle;
}

void FakeKernel::MakeBackingStore(Object& object) {
  if (pages_ == Pages::kAnonymous) {
    object.map = *MemoryMap::CreateAnonymous(object.data.size);
  } else {
    object.fd = *CreateSharedPages("tandem-test", object.data.size);
    if (pages_ == Pages::kDmaBuf) object.fd = *CreateDmaBuf(object.fd.get(), 0, object.data.size);
    object.map = *MemoryMap::MapShared(object.fd, 0, object.data.size, MapAccess::kReadWrite);
  }
}

void FakeKernel::RemoveAllocation(D3DKMT_HANDLE handle) {
  WaitFence(last_fence_);
  Object& object = objects_.at(handle);
  DXGKARG_CLOSEALLOCATION close{1, &object.opened};
  ddi_.DxgkDdiCloseAllocation(kernel_device_, &close);
  if (object.segment == kApertureSegment) {
    TestResource whole;
    whole.allocation = handle;
    UnmapAperture(whole);
  }
  DXGKARG_DESTROYALLOCATION destroy{};
  destroy.NumAllocations = 1;
  destroy.pAllocationList = &object.driver;
  ddi_.DxgkDdiDestroyAllocation(miniport_, &destroy);
  objects_.erase(handle);
}

std::unique_ptr<TestResource> FakeKernel::Create(const D3D11DDIARG_CREATERESOURCE& wanted, std::uint32_t width,
                                                 std::uint32_t height) {
  D3D10DDI_MIPINFO mip{width, height, 1, width, height, 1};
  D3D11DDIARG_CREATERESOURCE args = wanted;
  args.pMipInfoList = &mip;
  args.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D;
  args.SampleDesc.Count = 1;
  args.MipLevels = 1;
  args.ArraySize = 1;
  auto resource = std::make_unique<TestResource>();
  resource->memory = MakePrivate(device_functions_.pfnCalcPrivateResourceSize(umd_device_, &args));
  resource->handle.pDrvPrivate = resource->memory.get();
  error_ = S_OK;
  resource->allocation = next_handle_;  // the handle that Allocate will assign; Deallocate needs it
  device_functions_.pfnCreateResource(umd_device_, &args, resource->handle, {resource.get()});
  if (FAILED(error_)) return nullptr;
  resource->pages = objects_[resource->allocation].map.data();
  return resource;
}

std::unique_ptr<TestResource> FakeKernel::CreateImage(std::uint32_t width, std::uint32_t height, color::Format format) {
  D3D11DDIARG_CREATERESOURCE args{};
  args.BindFlags = D3D10_DDI_BIND_PRESENT | D3D10_DDI_BIND_RENDER_TARGET;
  args.Format = static_cast<DXGI_FORMAT>(format);
  return Create(args, width, height);
}

std::unique_ptr<TestResource> FakeKernel::CreatePrimary(std::uint32_t width, std::uint32_t height, color::Format format,
                                                        std::uint32_t source) {
  DXGI_DDI_PRIMARY_DESC primary{};
  primary.VidPnSourceId = source;
  D3D11DDIARG_CREATERESOURCE args{};
  args.BindFlags = D3D10_DDI_BIND_PRESENT;
  args.Format = static_cast<DXGI_FORMAT>(format);
  args.pPrimaryDesc = &primary;
  return Create(args, width, height);
}

std::unique_ptr<TestResource> FakeKernel::OpenShared(std::uint32_t width, std::uint32_t height, color::Format format) {
  auto resource = std::make_unique<TestResource>();
  auto described = DescribeSurface(AllocationKind::kLinear, width, height, format, 0);
  if (!described.ok()) return nullptr;
  resource->data = *described;
  resource->allocation = AddAllocation(&resource->data, sizeof(resource->data));
  if (resource->allocation == 0) return nullptr;
  resource->pages = objects_[resource->allocation].map.data();
  D3DDDI_OPENALLOCATIONINFO2 info{};
  info.hAllocation = resource->allocation;
  info.pPrivateDriverData = &resource->data;
  info.PrivateDriverDataSize = sizeof(resource->data);
  D3D10DDIARG_OPENRESOURCE args{};
  args.NumAllocations = 1;
  args.pOpenAllocationInfo2 = &info;
  resource->memory = MakePrivate(device_functions_.pfnCalcPrivateOpenedResourceSize(umd_device_, &args));
  resource->handle.pDrvPrivate = resource->memory.get();
  error_ = S_OK;
  device_functions_.pfnOpenResource(umd_device_, &args, resource->handle, {resource.get()});
  return SUCCEEDED(error_) ? std::move(resource) : nullptr;
}

void FakeKernel::Destroy(std::unique_ptr<TestResource> resource) {
  if (resource != nullptr && resource->memory == nullptr) {
    RemoveAllocation(resource->allocation);
  } else if (resource != nullptr) {
    device_functions_.pfnDestroyResource(umd_device_, resource->handle);
  }
}

}  // namespace tandem::vulkan::testing

NTSTATUS DxgkInitialize(PDRIVER_OBJECT, PUNICODE_STRING, DRIVER_INITIALIZATION_DATA* data) {
  tandem::vulkan::testing::g_registered = *data;
  return STATUS_SUCCESS;
}
NTSTATUS DxgkUnInitialize(PDRIVER_OBJECT) { return STATUS_SUCCESS; }

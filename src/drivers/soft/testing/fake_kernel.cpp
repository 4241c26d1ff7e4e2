#include "drivers/soft/testing/fake_kernel.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace {
DRIVER_INITIALIZATION_DATA registered_table;
void* open_handle_data = nullptr;  // what DxgkCbGetHandleData answers while an allocation is opened
}  // namespace

NTSTATUS DxgkInitialize(PDRIVER_OBJECT /*driver*/, PUNICODE_STRING /*registry_path*/, DRIVER_INITIALIZATION_DATA* table) {
  registered_table = *table;
  return STATUS_SUCCESS;
}

namespace tandem::soft::testing {

FakeKernel::FakeKernel(const DeviceDescription& description) {
  DRIVER_OBJECT driver{};
  UNICODE_STRING path{};
  TANDEM_CHECK(NT_SUCCESS(SoftDriverEntry(&driver, &path)));
  table_ = registered_table;
  device_object_.DeviceExtension = const_cast<DeviceDescription*>(&description);
  device_object_.Bus = {this, RaiseInterrupt, nullptr, StampInterrupt};
  device_object_.Name = "soft";
  callbacks_.Size = sizeof(callbacks_);
  callbacks_.DeviceHandle = this;
  callbacks_.DxgkCbGetHandleData = GetHandleData;
  callbacks_.DxgkCbQueueDpc = QueueDpc;
  callbacks_.DxgkCbIndicateChildStatus = IndicateChildStatus;
  callbacks_.DxgkCbNotifyInterrupt = NotifyInterrupt;
  callbacks_.DxgkCbNotifyDpc = NotifyDpc;
  TANDEM_CHECK(NT_SUCCESS(table_.DxgkDdiAddDevice(&device_object_, &adapter_)));
  DXGK_START_INFO start{};
  ULONG children = 0;
  TANDEM_CHECK(NT_SUCCESS(table_.DxgkDdiStartDevice(adapter_, &start, &callbacks_, &sources_, &children)));

  segments_.resize(2);
  DXGK_QUERYSEGMENTOUT4 out{};
  out.pSegmentDescriptor = reinterpret_cast<BYTE*>(segments_.data());
  out.SegmentDescriptorStride = sizeof(segments_[0]);
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = DXGKQAITYPE_QUERYSEGMENT4;
  query.pOutputData = &out;
  query.OutputDataSize = sizeof(out);
  TANDEM_CHECK(NT_SUCCESS(table_.DxgkDdiQueryAdapterInfo(adapter_, &query)));

  DXGKARG_CREATEDEVICE create_device{};
  TANDEM_CHECK(NT_SUCCESS(table_.DxgkDdiCreateDevice(adapter_, &create_device)));
  device_ = create_device.hDevice;
  DXGKARG_CREATECONTEXT create_context{};
  TANDEM_CHECK(NT_SUCCESS(table_.DxgkDdiCreateContext(device_, &create_context)));
  context_ = create_context.hContext;
}

FakeKernel::~FakeKernel() {
  for (const Live& live : live_) Destroy(live);
  table_.DxgkDdiDestroyContext(context_);
  table_.DxgkDdiDestroyDevice(device_);
  table_.DxgkDdiStopDevice(adapter_);
  table_.DxgkDdiRemoveDevice(adapter_);
}

FakeAllocation FakeKernel::Allocate(const processor::AllocationData& data, Pages pages) {
  FakeAllocation made;
  made.data = data;
  processor::AllocationData private_data = data;
  made.info.pPrivateDriverData = &private_data;
  made.info.PrivateDriverDataSize = sizeof(private_data);
  DXGKARG_CREATEALLOCATION create{};
  create.NumAllocations = 1;
  create.pAllocationInfo = &made.info;
  TANDEM_CHECK(NT_SUCCESS(table_.DxgkDdiCreateAllocation(adapter_, &create)));
  open_handle_data = made.info.hAllocation;
  DXGK_OPENALLOCATIONINFO open_info{};
  open_info.hAllocation = 1;
  DXGKARG_OPENALLOCATION open{};
  open.NumAllocations = 1;
  open.pOpenAllocation = &open_info;
  TANDEM_CHECK(NT_SUCCESS(table_.DxgkDdiOpenAllocation(device_, &open)));
  made.opened = open_info.hDeviceSpecificAllocation;
  live_.push_back({made.info.hAllocation, made.opened});

  made.segment = made.info.PreferredSegment.SegmentId0;
  const bool aperture = segments_[made.segment - 1].Flags.Aperture != 0;
  std::uint64_t& next = aperture ? next_aperture_ : next_local_;
  const std::uint64_t offset = next;
  next += made.info.Size;
  made.address = static_cast<std::uint64_t>(segments_[made.segment - 1].BaseAddress.QuadPart) + offset;
  if (!aperture) {
    made.cpu = reinterpret_cast<std::byte*>(segments_[made.segment - 1].CpuTranslatedAddress.QuadPart) + offset;
    return made;
  }
  if (pages == Pages::kMemfd) {
    made.fd = *CreateSharedPages("tandem-test", made.info.Size);
    made.pages = std::make_shared<MemoryMap>(*MemoryMap::MapShared(made.fd, 0, made.info.Size, MapAccess::kReadWrite));
  } else {
    made.pages = std::make_shared<MemoryMap>(*MemoryMap::CreateAnonymous(made.info.Size));
  }
  made.cpu = made.pages->data();
  MDL mdl{};
  mdl.StartVa = made.cpu;
  mdl.ByteCount = static_cast<ULONG>(made.info.Size);
  mdl.BackingFd = made.fd.get();
  DXGKARG_BUILDPAGINGBUFFER map{};
  map.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
  map.MapApertureSegment.SegmentId = made.segment;
  map.MapApertureSegment.OffsetInPages = offset / PAGE_SIZE;
  map.MapApertureSegment.NumberOfPages = made.info.Size / PAGE_SIZE;
  map.MapApertureSegment.pMdl = &mdl;
  TANDEM_CHECK(NT_SUCCESS(Page(map)));
  return made;
}

void FakeKernel::Unmap(const FakeAllocation& allocation) {
  DXGKARG_BUILDPAGINGBUFFER unmap{};
  unmap.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
  unmap.UnmapApertureSegment.SegmentId = allocation.segment;
  const auto base = static_cast<std::uint64_t>(segments_[allocation.segment - 1].BaseAddress.QuadPart);
  unmap.UnmapApertureSegment.OffsetInPages = (allocation.address - base) / PAGE_SIZE;
  unmap.UnmapApertureSegment.NumberOfPages = allocation.info.Size / PAGE_SIZE;
  TANDEM_CHECK(NT_SUCCESS(Page(unmap)));
}

void FakeKernel::Free(FakeAllocation& allocation) {
  if (allocation.pages) Unmap(allocation);
  const auto is_this = [&](const Live& live) { return live.allocation == allocation.info.hAllocation; };
  live_.erase(std::remove_if(live_.begin(), live_.end(), is_this), live_.end());
  Destroy({allocation.info.hAllocation, allocation.opened});
  allocation.pages.reset();
}

void FakeKernel::Destroy(const Live& live) {
  const DXGKARG_CLOSEALLOCATION close{1, &live.opened};
  table_.DxgkDdiCloseAllocation(device_, &close);
  DXGKARG_DESTROYALLOCATION destroy{};
  destroy.NumAllocations = 1;
  destroy.pAllocationList = &live.allocation;
  table_.DxgkDdiDestroyAllocation(adapter_, &destroy);
}

NTSTATUS FakeKernel::Page(DXGKARG_BUILDPAGINGBUFFER operation) {
  alignas(8) std::byte buffer[4096] = {};
  operation.pDmaBuffer = buffer;
  operation.DmaSize = sizeof(buffer);
  const NTSTATUS built = table_.DxgkDdiBuildPagingBuffer(adapter_, &operation);
  if (!NT_SUCCESS(built)) return built;
  const auto bytes = static_cast<std::uint32_t>(static_cast<std::byte*>(operation.pDmaBuffer) - buffer);
  return Submit(1, buffer, bytes, true) == DXGK_INTERRUPT_DMA_COMPLETED ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

DXGK_ALLOCATIONLIST FakeKernel::Entry(const FakeAllocation* allocation, bool placed, bool written) {
  DXGK_ALLOCATIONLIST entry{};
  if (allocation == nullptr) return entry;
  entry.hDeviceSpecificAllocation = allocation->opened;
  entry.WriteOperation = written ? 1 : 0;
  entry.SegmentId = placed ? allocation->segment & 0x1F : 0;
  entry.PhysicalAddress.QuadPart = placed ? static_cast<LONGLONG>(allocation->address) : 0;
  return entry;
}

NTSTATUS FakeKernel::Present(const FakeAllocation* source, const FakeAllocation* destination, DXGKARG_PRESENT present,
                             std::uint32_t dma_bytes, std::uint32_t* passes) {
  DXGK_ALLOCATIONLIST unplaced[] = {{}, Entry(source, false, false), Entry(destination, false, true)};
  const DXGK_ALLOCATIONLIST placed[] = {{}, Entry(source, true, false), Entry(destination, true, true)};
  std::vector<std::byte> buffer(dma_bytes);
  std::vector<D3DDDI_PATCHLOCATIONLIST> patches(4096);
  present.pAllocationList = unplaced;
  for (*passes = 0;;) {
    present.pDmaBuffer = buffer.data();
    present.DmaSize = dma_bytes;
    present.pPatchLocationListOut = patches.data();
    present.PatchLocationListOutSize = static_cast<UINT>(patches.size());
    const NTSTATUS status = table_.DxgkDdiPresent(context_, &present);
    if (status != STATUS_SUCCESS && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) return status;
    ++*passes;
    const auto bytes = static_cast<std::uint32_t>(static_cast<std::byte*>(present.pDmaBuffer) - buffer.data());
    DXGKARG_PATCH patch{};
    patch.pDmaBuffer = buffer.data();
    patch.DmaBufferSize = dma_bytes;
    patch.DmaBufferSubmissionEndOffset = bytes;
    patch.pAllocationList = placed;
    patch.AllocationListSize = 3;
    patch.pPatchLocationList = patches.data();
    patch.PatchLocationListSize = static_cast<UINT>(patches.size());
    patch.PatchLocationListSubmissionLength = static_cast<UINT>(present.pPatchLocationListOut - patches.data());
    TANDEM_CHECK(NT_SUCCESS(table_.DxgkDdiPatch(adapter_, &patch)));
    if (Submit(0, buffer.data(), bytes, false) != DXGK_INTERRUPT_DMA_COMPLETED) return STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;
    if (status == STATUS_SUCCESS) return status;
  }
}

NTSTATUS FakeKernel::Render(const std::vector<std::byte>& commands, const std::vector<DXGK_ALLOCATIONLIST>& list) {
  std::vector<std::byte> buffer(64 * 1024);
  std::vector<D3DDDI_PATCHLOCATIONLIST> patches(256);
  std::vector<DXGK_ALLOCATIONLIST> entries = list;
  DXGKARG_RENDER render{};
  render.pCommand = commands.data();
  render.CommandLength = static_cast<UINT>(commands.size());
  render.pDmaBuffer = buffer.data();
  render.DmaSize = static_cast<UINT>(buffer.size());
  render.pAllocationList = entries.data();
  render.AllocationListSize = static_cast<UINT>(entries.size());
  render.pPatchLocationListOut = patches.data();
  render.PatchLocationListOutSize = static_cast<UINT>(patches.size());
  const NTSTATUS status = table_.DxgkDdiRender(context_, &render);
  if (!NT_SUCCESS(status)) return status;
  const auto bytes = static_cast<std::uint32_t>(static_cast<std::byte*>(render.pDmaBuffer) - buffer.data());
  return Submit(0, buffer.data(), bytes, false) == DXGK_INTERRUPT_DMA_COMPLETED ? STATUS_SUCCESS
                                                                                : STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;
}

std::uint32_t FakeKernel::SubmitCommand(DXGKARG_SUBMITCOMMAND submit, const void* commands, std::uint32_t bytes) {
  submit.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(reinterpret_cast<std::uintptr_t>(commands));
  submit.DmaBufferSize = bytes;
  submit.DmaBufferSubmissionEndOffset = bytes;
  submit.SubmissionFenceId = next_fence_++;
  TANDEM_CHECK(NT_SUCCESS(table_.DxgkDdiSubmitCommand(adapter_, &submit)));
  return submit.SubmissionFenceId;
}

std::uint32_t FakeKernel::SubmitWithoutWaiting(std::uint32_t node, const void* commands, std::uint32_t bytes, bool paging) {
  return SubmitWithoutWaiting(node, commands, bytes, paging, nullptr, 0);
}

std::uint32_t FakeKernel::SubmitWithoutWaiting(std::uint32_t node, const void* commands, std::uint32_t bytes, bool paging,
                                               void* private_data, std::uint32_t private_bytes) {
  DXGKARG_SUBMITCOMMAND submit{};
  submit.NodeOrdinal = node;
  submit.pDmaBufferPrivateData = private_data;
  submit.DmaBufferPrivateDataSize = private_bytes;
  submit.Flags.Paging = paging ? 1 : 0;
  return SubmitCommand(submit, commands, bytes);
}

std::uint32_t FakeKernel::SubmitAgain(std::uint32_t node, const void* commands, std::uint32_t bytes, void* private_data,
                                      std::uint32_t private_bytes) {
  DXGKARG_SUBMITCOMMAND submit{};
  submit.NodeOrdinal = node;
  submit.pDmaBufferPrivateData = private_data;
  submit.DmaBufferPrivateDataSize = private_bytes;
  submit.Flags.Resubmission = 1;
  return SubmitCommand(submit, commands, bytes);
}

DXGK_INTERRUPT_TYPE FakeKernel::Submit(std::uint32_t node, const void* commands, std::uint32_t bytes, bool paging) {
  return AwaitFence(node, SubmitWithoutWaiting(node, commands, bytes, paging));
}

DXGK_INTERRUPT_TYPE FakeKernel::AwaitFence(std::uint32_t node, std::uint32_t fence) {
  auto type = static_cast<DXGK_INTERRUPT_TYPE>(0);
  AwaitInterrupt([&](const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
    const bool completed = data.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED && data.DmaCompleted.NodeOrdinal == node &&
                           data.DmaCompleted.SubmissionFenceId >= fence;
    const bool faulted = data.InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED && data.DmaPageFaulted.NodeOrdinal == node &&
                         data.DmaPageFaulted.FaultedFenceId == fence;
    if (completed || faulted) type = data.InterruptType;
    return completed || faulted;
  });
  return type;
}

NTSTATUS FakeKernel::Flip(std::uint32_t source, const FakeAllocation& allocation, bool immediate) {
  DXGKARG_SETVIDPNSOURCEADDRESS set{};
  set.VidPnSourceId = source;
  set.PrimarySegment = allocation.segment;
  set.PrimaryAddress.QuadPart = static_cast<LONGLONG>(allocation.address);
  set.hAllocation = allocation.info.hAllocation;
  set.ContextCount = 1;
  set.Flags.FlipImmediate = immediate ? 1 : 0;
  set.Flags.FlipOnNextVSync = immediate ? 0 : 1;
  const std::lock_guard no_interrupt(isr_mutex_);
  return table_.DxgkDdiSetVidPnSourceAddress(adapter_, &set);
}

void FakeKernel::BeforeInterrupt(std::function<void()> call) {
  const std::lock_guard lock(mutex_);
  before_interrupt_ = std::move(call);
}

bool FakeKernel::AwaitInterrupt(const std::function<bool(const DXGKARGCB_NOTIFY_INTERRUPT_DATA&)>& matches) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(20),
                           [&] { return std::any_of(interrupts_.begin(), interrupts_.end(), matches); });
}

bool FakeKernel::AwaitVsync(std::uint32_t target, std::uint64_t address) {
  return AwaitInterrupt([&](const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
    return data.InterruptType == DXGK_INTERRUPT_CRTC_VSYNC && data.CrtcVsync.VidPnTargetId == target &&
           data.CrtcVsync.PhysicalAddress.QuadPart == static_cast<LONGLONG>(address);
  });
}

std::vector<DXGKARGCB_NOTIFY_INTERRUPT_DATA> FakeKernel::interrupts() {
  const std::lock_guard lock(mutex_);
  return interrupts_;
}

void FakeKernel::ClearInterrupts() {
  const std::lock_guard lock(mutex_);
  interrupts_.clear();
}

std::vector<std::int64_t> FakeKernel::stamps() {
  const std::lock_guard lock(mutex_);
  return stamps_;
}

VOID FakeKernel::RaiseInterrupt(PVOID context, ULONG message) {
  auto& kernel = *static_cast<FakeKernel*>(context);
  std::function<void()> before;
  {
    const std::lock_guard lock(kernel.mutex_);
    before = std::exchange(kernel.before_interrupt_, nullptr);
  }
  if (before) before();
  const std::lock_guard lock(kernel.isr_mutex_);
  if (kernel.table_.DxgkDdiInterruptRoutine(kernel.adapter_, message)) kernel.table_.DxgkDdiDpcRoutine(kernel.adapter_);
}

VOID FakeKernel::StampInterrupt(PVOID context, UINT64 time) {
  auto& kernel = *static_cast<FakeKernel*>(context);
  const std::lock_guard lock(kernel.mutex_);
  kernel.stamps_.push_back(static_cast<std::int64_t>(time));
}

VOID* FakeKernel::GetHandleData(CONST DXGKARGCB_GETHANDLEDATA* /*data*/) { return open_handle_data; }
NTSTATUS FakeKernel::IndicateChildStatus(HANDLE device, PDXGK_CHILD_STATUS status) {
  static_cast<FakeKernel*>(device)->indicated_.push_back(*status);
  return STATUS_SUCCESS;
}

BOOLEAN FakeKernel::QueueDpc(HANDLE /*device*/) { return TRUE; }
VOID FakeKernel::NotifyDpc(HANDLE /*device*/) {}

VOID FakeKernel::NotifyInterrupt(HANDLE device, CONST DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  auto& kernel = *static_cast<FakeKernel*>(device);
  {
    const std::lock_guard lock(kernel.mutex_);
    kernel.interrupts_.push_back(*data);
  }
  kernel.changed_.notify_all();
}

}  // namespace tandem::soft::testing

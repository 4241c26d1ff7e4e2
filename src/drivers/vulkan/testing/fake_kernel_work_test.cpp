// The fake kernel's work: buffers for the engine, moving memory, flips and waits.
#include <algorithm>
#include <chrono>

#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/testing/fake_kernel.h"

namespace tandem::vulkan::testing {
namespace {

// A software device compiles a shader at its first use, which takes seconds on a busy machine.
constexpr std::chrono::seconds kPatience(60);

}  // namespace

FakeKernel::InFlight FakeKernel::NewBuffer(std::size_t allocations) const {
  InFlight buffer;
  buffer.dma.resize(building.dma_bytes != 0 ? building.dma_bytes : context_info_.DmaBufferSize);
  buffer.private_data = std::make_unique<std::byte[]>(context_info_.DmaBufferPrivateDataSize);
  buffer.patches.resize(building.patches != 0 ? building.patches : context_info_.PatchLocationListSize);
  buffer.allocations.resize(allocations);
  return buffer;
}

DXGK_ALLOCATIONLIST FakeKernel::ReferenceTo(D3DKMT_HANDLE allocation) {
  const Object& object = objects_.at(allocation);
  DXGK_ALLOCATIONLIST entry{};
  entry.hDeviceSpecificAllocation = object.opened;
  entry.SegmentId = object.segment & 0x1FU;
  entry.PhysicalAddress.QuadPart = static_cast<LONGLONG>(object.address);
  return entry;
}

// Fills and submits each DMA buffer of one present.
UINT FakeKernel::PresentAll(D3DKMT_HANDLE source, D3DKMT_HANDLE destination, const DXGKARG_PRESENT& wanted) {
  UINT offset = 0;
  for (;;) {
    InFlight buffer = NewBuffer(DXGK_PRESENT_MAX_INDEX + 1);
    if (source != 0) buffer.allocations[DXGK_PRESENT_SOURCE_INDEX] = ReferenceTo(source);
    buffer.allocations[DXGK_PRESENT_DESTINATION_INDEX] = ReferenceTo(destination);
    std::vector<DXGK_ALLOCATIONLIST> given = buffer.allocations;
    if (!building.prepatched) {
      for (DXGK_ALLOCATIONLIST& entry : given) {
        entry.SegmentId = 0;
        entry.PhysicalAddress.QuadPart = -1;
      }
    }
    DXGKARG_PRESENT present = wanted;
    present.pDmaBuffer = buffer.dma.data();
    present.DmaSize = static_cast<UINT>(buffer.dma.size());
    present.pDmaBufferPrivateData = buffer.private_data.get();
    present.DmaBufferPrivateDataSize =
        building.private_bytes != 0 ? building.private_bytes : context_info_.DmaBufferPrivateDataSize;
    present.pAllocationList = given.data();
    present.pPatchLocationListOut = buffer.patches.data();
    present.PatchLocationListOutSize = static_cast<UINT>(buffer.patches.size());
    present.MultipassOffset = offset;
    status_ = ddi_.DxgkDdiPresent(kernel_context_, &present);
    const bool again = status_ == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    if ((!NT_SUCCESS(status_) && !again) || (again && present.MultipassOffset == offset)) return 0;
    offset = present.MultipassOffset;
    const auto used = static_cast<UINT>(static_cast<std::byte*>(present.pDmaBuffer) - buffer.dma.data());
    const auto patches = static_cast<UINT>(present.pPatchLocationListOut - buffer.patches.data());
    Submit(std::move(buffer), used, patches);
    if (!again) return last_fence_;
  }
}

UINT FakeKernel::Present(TestResource* source, TestResource& destination, const DXGKARG_PRESENT& args) {
  return PresentAll(source == nullptr ? 0 : source->allocation, destination.allocation, args);
}

NTSTATUS FakeKernel::Submit(InFlight buffer, UINT used, UINT patch_count) {
  const UINT fence = ++last_fence_;
  DXGKARG_PATCH patch{};
  patch.hContext = kernel_context_;
  patch.pDmaBuffer = buffer.dma.data();
  patch.DmaBufferSize = static_cast<UINT>(buffer.dma.size());
  patch.DmaBufferSubmissionEndOffset = used;
  patch.pDmaBufferPrivateData = buffer.private_data.get();
  patch.pAllocationList = buffer.allocations.data();
  patch.AllocationListSize = static_cast<UINT>(buffer.allocations.size());
  patch.pPatchLocationList = buffer.patches.data();
  patch.PatchLocationListSize = patch_count;
  patch.PatchLocationListSubmissionLength = patch_count;
  patch.SubmissionFenceId = fence;
  for (std::uint32_t i = 0; i < building.patch_calls; ++i) ddi_.DxgkDdiPatch(miniport_, &patch);
  DXGKARG_SUBMITCOMMAND submit{};
  submit.hContext = kernel_context_;
  submit.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(reinterpret_cast<std::uintptr_t>(buffer.dma.data()));
  submit.DmaBufferSize = static_cast<UINT>(buffer.dma.size());
  submit.DmaBufferSubmissionEndOffset = used;
  submit.pDmaBufferPrivateData = buffer.private_data.get();
  submit.SubmissionFenceId = fence;
  submit.NodeOrdinal = node_;
  in_flight_[fence] = std::move(buffer);
  return ddi_.DxgkDdiSubmitCommand(miniport_, &submit);
}

NTSTATUS FakeKernel::Page(DXGKARG_BUILDPAGINGBUFFER& paging) {
  paging.MultipassOffset = 0;
  for (;;) {
    InFlight buffer;
    buffer.dma.resize(paging_bytes_);
    paging.pDmaBuffer = buffer.dma.data();
    paging.DmaSize = static_cast<UINT>(buffer.dma.size());
    const NTSTATUS status = ddi_.DxgkDdiBuildPagingBuffer(miniport_, &paging);
    if (!NT_SUCCESS(status) && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) return status;
    const auto used = static_cast<UINT>(static_cast<std::byte*>(paging.pDmaBuffer) - buffer.dma.data());
    if (used == 0) return status;
    const UINT fence = ++last_fence_;
    DXGKARG_SUBMITCOMMAND submit{};
    submit.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(reinterpret_cast<std::uintptr_t>(buffer.dma.data()));
    submit.DmaBufferSize = static_cast<UINT>(buffer.dma.size());
    submit.DmaBufferSubmissionEndOffset = used;
    submit.SubmissionFenceId = fence;
    submit.NodeOrdinal = node_;
    submit.Flags.Paging = 1;
    in_flight_[fence] = std::move(buffer);
    ddi_.DxgkDdiSubmitCommand(miniport_, &submit);
    if (!WaitFence(fence)) return STATUS_TIMEOUT;
    if (status == STATUS_SUCCESS) return status;
  }
}

void FakeKernel::Move(TestResource& resource, std::uint64_t address) {
  Object& object = objects_.at(resource.allocation);
  MDL mdl{};
  mdl.StartVa = object.map.data();
  mdl.ByteCount = static_cast<ULONG>(object.data.size);
  mdl.BackingFd = object.fd.get();
  mdl.BackingIsDmaBuf = pages_ == Pages::kDmaBuf ? 1 : 0;
  DXGKARG_BUILDPAGINGBUFFER paging{};
  paging.Operation = DXGK_OPERATION_TRANSFER;
  paging.Transfer.hAllocation = object.driver;
  // Transfers two pages or more in two pieces, as a kernel with small buffers would.
  const std::uint64_t pages = object.data.size / PAGE_SIZE;
  const std::uint64_t half = pages > 1 ? pages / 2 : pages;
  for (std::uint64_t first = 0; first < pages; first += half) {
    const std::uint64_t count = std::min(half, pages - first);
    paging.Transfer.TransferOffset = static_cast<UINT>(first * PAGE_SIZE);
    paging.Transfer.TransferSize = count * PAGE_SIZE;
    paging.Transfer.MdlOffset = static_cast<UINT>(first);
    paging.Transfer.Source.SegmentId = object.address == 0 ? 0 : object.segment;
    paging.Transfer.Destination.SegmentId = address == 0 ? 0 : kMemorySegment;
    if (object.address == 0) {
      paging.Transfer.Source.pMdl = &mdl;
    } else {
      paging.Transfer.Source.SegmentAddress.QuadPart = static_cast<LONGLONG>(object.address);
    }
    if (address == 0) {
      paging.Transfer.Destination.pMdl = &mdl;
    } else {
      paging.Transfer.Destination.SegmentAddress.QuadPart = static_cast<LONGLONG>(address);
    }
    status_ = Page(paging);
  }
  object.segment = address == 0 ? 0 : kMemorySegment;
  object.address = address;
}

void FakeKernel::MapAperture(TestResource& resource, std::uint64_t pages_each) {
  Object& object = objects_.at(resource.allocation);
  MDL mdl{};
  mdl.StartVa = object.map.data();
  mdl.ByteCount = static_cast<ULONG>(object.data.size);
  mdl.BackingFd = object.fd.get();
  mdl.BackingIsDmaBuf = pages_ == Pages::kDmaBuf ? 1 : 0;
  const std::uint64_t pages = object.data.size / PAGE_SIZE;
  const std::uint64_t base = 0x1000ULL * resource.allocation;
  for (std::uint64_t first = 0; first < pages; first += pages_each) {
    DXGKARG_BUILDPAGINGBUFFER paging{};
    paging.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
    paging.MapApertureSegment.hAllocation = object.driver;
    paging.MapApertureSegment.SegmentId = kApertureSegment;
    paging.MapApertureSegment.OffsetInPages = base + first;
    paging.MapApertureSegment.NumberOfPages = std::min(pages_each, pages - first);
    paging.MapApertureSegment.MdlOffset = static_cast<UINT>(first);
    paging.MapApertureSegment.pMdl = &mdl;
    status_ = Page(paging);
  }
  object.segment = kApertureSegment;
  object.address = kApertureBase + base * PAGE_SIZE;
}

void FakeKernel::UnmapAperture(TestResource& resource) {
  Object& object = objects_.at(resource.allocation);
  DXGKARG_BUILDPAGINGBUFFER paging{};
  paging.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
  paging.UnmapApertureSegment.hAllocation = object.driver;
  paging.UnmapApertureSegment.SegmentId = kApertureSegment;
  paging.UnmapApertureSegment.NumberOfPages = object.data.size / PAGE_SIZE;
  status_ = Page(paging);
  object.segment = 0;
  object.address = 0;
}

UINT FakeKernel::Blt(TestResource& source, TestResource& destination, const std::vector<RECT>& rects) {
  rects_ = rects;
  DXGI_DDI_ARG_PRESENT args{};
  args.hDevice = reinterpret_cast<DXGI_DDI_HDEVICE>(umd_device_.pDrvPrivate);
  args.hSurfaceToPresent = reinterpret_cast<DXGI_DDI_HRESOURCE>(source.handle.pDrvPrivate);
  args.hDstResource = reinterpret_cast<DXGI_DDI_HRESOURCE>(destination.handle.pDrvPrivate);
  args.Flags.Blt = 1;
  return SUCCEEDED(dxgi_functions_.pfnPresent(&args)) ? last_fence_ : 0;
}

UINT FakeKernel::Flush() {
  const UINT before = last_fence_;
  error_ = S_OK;
  device_functions_.pfnFlush(umd_device_);
  return FAILED(error_) || before == last_fence_ ? 0 : last_fence_;
}

void FakeKernel::Flip(TestResource& primary, bool immediate) {
  DXGKARG_SETVIDPNSOURCEADDRESS args{};
  args.VidPnSourceId = primary.data.vidpn_source;
  args.hAllocation = objects_.at(primary.allocation).driver;
  args.PrimaryAddress.QuadPart = static_cast<LONGLONG>(AddressOf(primary));
  args.Flags.FlipImmediate = immediate ? 1 : 0;
  args.Flags.FlipOnNextVSync = immediate ? 0 : 1;
  status_ = ddi_.DxgkDdiSetVidPnSourceAddress(miniport_, &args);
}

void FakeKernel::SetVisible(std::uint32_t source, bool visible) {
  const DXGKARG_SETVIDPNSOURCEVISIBILITY args{source, static_cast<BOOLEAN>(visible ? TRUE : FALSE)};
  status_ = ddi_.DxgkDdiSetVidPnSourceVisibility(miniport_, &args);
  ddi_.DxgkDdiControlInterrupt(miniport_, DXGK_INTERRUPT_CRTC_VSYNC, static_cast<BOOLEAN>(visible ? TRUE : FALSE));
}

void FakeKernel::Reset() {
  ddi_.DxgkDdiResetFromTimeout(miniport_);
  ddi_.DxgkDdiRestartFromTimeout(miniport_);
}

FakeKernel::Preemption FakeKernel::Preempt(UINT preemption_fence) {
  DXGKARG_PREEMPTCOMMAND args{};
  args.PreemptionFenceId = preemption_fence;
  args.NodeOrdinal = node_;
  status_ = ddi_.DxgkDdiPreemptCommand(miniport_, &args);
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, kPatience, [&] { return preemption_.fence == preemption_fence; });
  return preemption_;
}

bool FakeKernel::WaitFence(UINT fence) {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return completed_ >= fence; });
}

bool FakeKernel::WaitVsyncOf(std::uint32_t source, std::uint64_t address) {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return addresses_[source] == address; });
}

std::uint64_t FakeKernel::vsyncs(std::uint32_t source) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return vsyncs_[source];
}

}  // namespace tandem::vulkan::testing

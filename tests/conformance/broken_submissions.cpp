// Drivers with faults between driver and engine, in interrupts, or in releases.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "tests/conformance/broken_drivers.h"

namespace tandem::conform {
namespace {

using Table = DRIVER_INITIALIZATION_DATA;

std::atomic<int> calls{0};

NTSTATUS PrePatchNothing(HANDLE context, DXGKARG_PRESENT* present) {
  std::array<DXGK_ALLOCATIONLIST, DXGK_PRESENT_MAX_INDEX + 1> list{};
  std::copy_n(present->pAllocationList, list.size(), list.begin());
  for (DXGK_ALLOCATIONLIST& element : list) element.SegmentId = 0;
  DXGK_ALLOCATIONLIST* const kernels = std::exchange(present->pAllocationList, list.data());
  const NTSTATUS status = SoundTable().DxgkDdiPresent(context, present);
  present->pAllocationList = kernels;
  return status;
}

NTSTATUS NeverPatch(HANDLE, const DXGKARG_PATCH*) { return STATUS_SUCCESS; }

template <UINT kLocations>
NTSTATUS PatchSome(HANDLE adapter, const DXGKARG_PATCH* patch) {
  DXGKARG_PATCH some = *patch;
  some.PatchLocationListSubmissionLength = std::min(some.PatchLocationListSubmissionLength, kLocations);
  return SoundTable().DxgkDdiPatch(adapter, &some);
}

template <UINT kPaging>
NTSTATUS IgnoreTheStart(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) {
  DXGKARG_SUBMITCOMMAND whole = *submit;
  if (whole.Flags.Paging == kPaging) whole.DmaBufferSubmissionStartOffset = 0;
  return SoundTable().DxgkDdiSubmitCommand(adapter, &whole);
}

constexpr std::size_t kBehind = 16;  // bytes

NTSTATUS PresentBehindTheBuffer(HANDLE context, DXGKARG_PRESENT* present) {
  void* const end = present->pDmaBuffer != nullptr ? static_cast<std::byte*>(present->pDmaBuffer) + present->DmaSize : nullptr;
  const NTSTATUS status = SoundTable().DxgkDdiPresent(context, present);
  if (end != nullptr) std::memset(end, 0, kBehind);
  return status;
}
NTSTATUS PresentBehindThePatchList(HANDLE context, DXGKARG_PRESENT* present) {
  void* const end = present->pPatchLocationListOut + present->PatchLocationListOutSize;
  const NTSTATUS status = SoundTable().DxgkDdiPresent(context, present);
  if (present->Flags.Flip == 0) std::memset(end, 0, kBehind);
  return status;
}
NTSTATUS PresentBehindThePrivateData(HANDLE context, DXGKARG_PRESENT* present) {
  if (present->pDmaBufferPrivateData != nullptr)
    std::memset(static_cast<std::byte*>(present->pDmaBufferPrivateData) + present->DmaBufferPrivateDataSize, 0, kBehind);
  return SoundTable().DxgkDdiPresent(context, present);
}
NTSTATUS PageBehindTheBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* paging) {
  void* const end = static_cast<std::byte*>(paging->pDmaBuffer) + paging->DmaSize;
  const NTSTATUS status = SoundTable().DxgkDdiBuildPagingBuffer(adapter, paging);
  std::memset(end, 0, kBehind);
  return status;
}
NTSTATUS RenderBehindTheBuffer(HANDLE context, DXGKARG_RENDER* render) {
  void* const end = static_cast<std::byte*>(render->pDmaBuffer) + render->DmaSize;
  const NTSTATUS status = SoundTable().DxgkDdiRender(context, render);
  std::memset(end, 0, kBehind);
  return status;
}

NTSTATUS NeverAnswerPreemption(HANDLE, const DXGKARG_PREEMPTCOMMAND*) { return STATUS_SUCCESS; }

NTSTATUS GiveUpWhatWasPreempted(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) {
  DXGKARG_SUBMITCOMMAND nothing = *submit;
  if (nothing.Flags.Resubmission != 0 && nothing.Flags.Paging == 0) nothing.Flags.NullRendering = 1;
  return SoundTable().DxgkDdiSubmitCommand(adapter, &nothing);
}

NTSTATUS WorkOnNodeZero(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) {
  DXGKARG_SUBMITCOMMAND nothing = *submit;
  if (nothing.NodeOrdinal != 0 && nothing.Flags.Paging == 0) nothing.Flags.NullRendering = 1;
  return SoundTable().DxgkDdiSubmitCommand(adapter, &nothing);
}

NTSTATUS StayAtFenceZero(HANDLE, DXGKARG_QUERYCURRENTFENCE* query) {
  query->CurrentFence = 0;
  return STATUS_SUCCESS;
}

NTSTATUS NameAnotherMessage(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) {
  const NTSTATUS status = SoundTable().DxgkDdiQueryAdapterInfo(adapter, query);
  if (query->Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status)) {
    static_cast<DXGK_DRIVERCAPS*>(query->pOutputData)->InterruptMessageNumber = 5;
  }
  return status;
}

// The kernel's function, and a wrapper of ours around it.
decltype(DXGKRNL_INTERFACE::DxgkCbNotifyInterrupt) notify_interrupt;

template <void (*kNotify)(HANDLE, const DXGKARGCB_NOTIFY_INTERRUPT_DATA*)>
NTSTATUS StartWith(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE kernel, PULONG sources, PULONG children) {
  DXGKRNL_INTERFACE callbacks = *kernel;
  notify_interrupt = callbacks.DxgkCbNotifyInterrupt;
  callbacks.DxgkCbNotifyInterrupt = kNotify;
  return SoundTable().DxgkDdiStartDevice(context, info, &callbacks, sources, children);
}

void LoseTheTenthCompletion(HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED && ++calls == 10) return;
  notify_interrupt(device, data);
}

void ReportBlanksTwice(HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  notify_interrupt(device, data);
  if (data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC) notify_interrupt(device, data);
}

NTSTATUS KeepAllocations(HANDLE, const DXGKARG_DESTROYALLOCATION*) { return STATUS_SUCCESS; }
NTSTATUS KeepOpened(HANDLE, const DXGKARG_CLOSEALLOCATION*) { return STATUS_SUCCESS; }
NTSTATUS KeepContexts(HANDLE) { return STATUS_SUCCESS; }
NTSTATUS KeepAdapters(const PVOID) { return STATUS_SUCCESS; }

// The driver host of a driver that frees less than it allocates.
VOID FindPoolAtUnload(CONST TANDEM_DRIVER_KERNEL* kernel) {
  static CONST TANDEM_DRIVER_KERNEL* attached = nullptr;
  if (kernel == nullptr) attached->Report("Nt.PoolLeak", "Tag 'Leak': 1 allocation, 100 bytes.");
  attached = kernel;
}

}  // namespace

std::vector<BrokenDriver> DriversThatSubmitWrongly() {
  return {
      {"PrePatchesNothing", "Patch.PrePatched", [](Table& table) { table.DxgkDdiPresent = &PrePatchNothing; }},
      {"NeverPatches", "Patch.Moved", [](Table& table) { table.DxgkDdiPatch = &NeverPatch; }},
      {"PatchesTheFirstLocation", "Patch.Moved", [](Table& table) { table.DxgkDdiPatch = &PatchSome<1>; }},
      {"PatchesAHundredLocations", "Patch.EveryLocation", [](Table& table) { table.DxgkDdiPatch = &PatchSome<100>; }},
      {"NeverPatches", "Patch.Fill", [](Table& table) { table.DxgkDdiPatch = &NeverPatch; }},
      {"PatchesTheFirstLocation", "Patch.ScreenToScreen", [](Table& table) { table.DxgkDdiPatch = &PatchSome<1>; }},
      {"IgnoresTheStart", "Submit.StartOffset", [](Table& table) { table.DxgkDdiSubmitCommand = &IgnoreTheStart<0>; }},
      {"IgnoresThePagingStart", "Submit.PagingStartOffset",
       [](Table& table) { table.DxgkDdiSubmitCommand = &IgnoreTheStart<1>; }},
      {"WritesBehindTheDmaBuffer", "Guard.Present", [](Table& table) { table.DxgkDdiPresent = &PresentBehindTheBuffer; },
       "Byte 0 behind a DMA buffer"},
      {"WritesBehindThePatchList", "Guard.Present", [](Table& table) { table.DxgkDdiPresent = &PresentBehindThePatchList; },
       "patch-location list"},
      {"WritesBehindThePrivateData", "Guard.Present", [](Table& table) { table.DxgkDdiPresent = &PresentBehindThePrivateData; },
       "private data"},
      {"WritesBehindThePagingBuffer", "Guard.Paging", [](Table& table) { table.DxgkDdiBuildPagingBuffer = &PageBehindTheBuffer; },
       "DMA buffer"},
      {"WritesBehindTheDmaBuffer", "Guard.Render", [](Table& table) { table.DxgkDdiRender = &RenderBehindTheBuffer; },
       "DMA buffer"},
      {"NeverAnswersPreemption", "Preemption.Answered",
       [](Table& table) { table.DxgkDdiPreemptCommand = &NeverAnswerPreemption; }},
      {"GivesUpWhatWasPreempted", "Preemption.DoneOnce",
       [](Table& table) { table.DxgkDdiSubmitCommand = &GiveUpWhatWasPreempted; }},
      {"StaysAtFenceZero", "Fence.Current", [](Table& table) { table.DxgkDdiQueryCurrentFence = &StayAtFenceZero; }},
      {"LosesACompletion", "Interrupt.Completed",
       [](Table& table) { table.DxgkDdiStartDevice = &StartWith<&LoseTheTenthCompletion>; }},
      {"LosesACompletion", "Interrupt.Level",
       [](Table& table) { table.DxgkDdiStartDevice = &StartWith<&LoseTheTenthCompletion>; }},
      {"NamesAnotherMessage", "Interrupt.Message", [](Table& table) { table.DxgkDdiQueryAdapterInfo = &NameAnotherMessage; },
       "InterruptMessageNumber is 5"},
      {"WorksOnNodeZero", "Context.Nodes", [](Table& table) { table.DxgkDdiSubmitCommand = &WorkOnNodeZero; }},
      {"ReportsBlanksTwice", "Screen.BlankRate", [](Table& table) { table.DxgkDdiStartDevice = &StartWith<&ReportBlanksTwice>; }},
      {"LeaksAllocations", "Leak.Allocations", [](Table& table) { table.DxgkDdiDestroyAllocation = &KeepAllocations; }},
      {"LeaksOpenedAllocations", "Leak.Opened", [](Table& table) { table.DxgkDdiCloseAllocation = &KeepOpened; }},
      {"LeaksContexts", "Leak.Contexts", [](Table& table) { table.DxgkDdiDestroyContext = &KeepContexts; }},
      {"LeaksAdapters", "Leak.Adapter", [](Table& table) { table.DxgkDdiRemoveDevice = &KeepAdapters; }},
      {"LeavesPoolBehind", "Leak.Unloaded", nullptr, "Nt.PoolLeak", SeenBy::kBody, nullptr, &FindPoolAtUnload},
  };
}

}  // namespace tandem::conform

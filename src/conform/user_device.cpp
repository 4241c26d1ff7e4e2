#include "conform/user_device.h"

#include <algorithm>
#include <cstring>

#include <poll.h>
#include <sys/eventfd.h>

#include "base/status_name.h"
#include "base/unique_fd.h"
#include "conform/rule.h"

namespace tandem::conform {
namespace {

constexpr int kLongestWaitMs = 15'000;

}  // namespace

void RequireSuccess(NTSTATUS status, const char* what) { RequireStatus(status, {STATUS_SUCCESS}, what); }

void RequireStatus(NTSTATUS status, std::initializer_list<NTSTATUS> allowed, const char* what) {
  Require(std::find(allowed.begin(), allowed.end(), status) != allowed.end(), "{} answered {}; {} was due.", what,
          StatusText(status), StatusText(*allowed.begin()));
}

UserDevice::UserDevice(const DriverUnderTest& driver, const StartedAdapter& adapter, UINT node)
    : driver_(driver), started_(adapter) {
  D3DKMT_OPENADAPTERFROMLUID open{adapter.luid, 0};
  RequireSuccess(D3DKMTOpenAdapterFromLuid(&open), "D3DKMTOpenAdapterFromLuid");
  adapter_ = open.hAdapter;
  D3DKMT_CREATEDEVICE create{};
  create.hAdapter = adapter_;
  RequireSuccess(D3DKMTCreateDevice(&create), "D3DKMTCreateDevice");
  device_ = create.hDevice;
  D3DKMT_CREATECONTEXT create_context{};
  create_context.hDevice = device_;
  create_context.NodeOrdinal = node;
  RequireSuccess(D3DKMTCreateContext(&create_context), "D3DKMTCreateContext");
  context_ = create_context.hContext;
  command_buffer_ = {static_cast<std::byte*>(create_context.pCommandBuffer), create_context.CommandBufferSize};
  allocation_list_ = {create_context.pAllocationList, create_context.AllocationListSize};
  patch_list_ = {create_context.pPatchLocationList, create_context.PatchLocationListSize};
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create_fence{};
  create_fence.hDevice = device_;
  create_fence.Info.Type = D3DDDI_MONITORED_FENCE;
  RequireSuccess(D3DKMTCreateSynchronizationObject2(&create_fence), "D3DKMTCreateSynchronizationObject2");
  fence_ = create_fence.hSyncObject;
  fence_value_ = static_cast<const volatile UINT64*>(create_fence.Info.MonitoredFence.FenceValueCPUVirtualAddress);
}

UserDevice::~UserDevice() {
  const D3DKMT_DESTROYDEVICE destroy{device_};
  static_cast<void>(D3DKMTDestroyDevice(&destroy));
  const D3DKMT_CLOSEADAPTER close{adapter_};
  static_cast<void>(D3DKMTCloseAdapter(&close));
}

SurfaceRequest UserDevice::Resolve(SurfaceRequest request) const {
  if (request.use != SurfaceUse::kMapped) return request;
  SurfaceRequest shared = request;
  shared.use = SurfaceUse::kCrossAdapter;
  try {
    static_cast<void>(Describe(shared));
  } catch (const NotApplicable&) {
    return request;
  }
  return shared;
}

Surface UserDevice::Create(const SurfaceRequest& wanted) {
  const SurfaceRequest request = Resolve(wanted);
  const bool shared = request.use == SurfaceUse::kCrossAdapter || request.use == SurfaceUse::kSharedWithKmd;
  Surface made;
  RequireSuccess(CreateFrom(Describe(request), request, shared ? CreateSharing::kGlobal : CreateSharing::kNo, made),
                 "D3DKMTCreateAllocation2");
  return made;
}

NTSTATUS UserDevice::TryCreate(const SurfaceRequest& request, CreateSharing sharing) {
  Surface made;
  return CreateFrom(Describe(request), request, sharing, made);
}

NTSTATUS UserDevice::CreateFrom(SurfaceData data, const SurfaceRequest& request, CreateSharing sharing, Surface& made) {
  D3DDDI_ALLOCATIONINFO2 info{};
  info.pPrivateDriverData = data.allocation.data();
  info.PrivateDriverDataSize = static_cast<UINT>(data.allocation.size());
  info.Flags.Primary = request.use == SurfaceUse::kPrimary ? 1u : 0u;
  D3DKMT_CREATEALLOCATION create{};
  create.hDevice = device_;
  create.pPrivateDriverData = data.resource.data();
  create.PrivateDriverDataSize = static_cast<UINT>(data.resource.size());
  create.NumAllocations = 1;
  create.pAllocationInfo2 = &info;
  create.Flags.CreateResource = 1;
  create.Flags.CreateShared = sharing == CreateSharing::kGlobal ? 1u : 0u;
  create.Flags.CrossAdapter = request.use == SurfaceUse::kCrossAdapter ? 1u : 0u;
  const NTSTATUS status = D3DKMTCreateAllocation2(&create);
  if (NT_SUCCESS(status)) made = {create.hResource, info.hAllocation, create.hGlobalShare, request, data.pitch};
  return status;
}

// Queries the sizes first, as the Direct3D runtime does.
Surface UserDevice::Open(const Surface& shared) {
  D3DKMT_QUERYRESOURCEINFO query{};
  query.hDevice = device_;
  query.hGlobalShare = shared.global_share;
  const NTSTATUS found = D3DKMTQueryResourceInfo(&query);
  if (found == STATUS_NOT_SUPPORTED) static_cast<void>(Describe(shared.request));
  RequireSuccess(found, "D3DKMTQueryResourceInfo");
  Require(query.NumAllocations == 1, "The shared resource has {} allocations.", query.NumAllocations);
  std::vector<std::byte> total(query.TotalPrivateDriverDataSize);
  std::vector<std::byte> resource(query.ResourcePrivateDriverDataSize);
  D3DDDI_OPENALLOCATIONINFO2 info{};
  D3DKMT_OPENRESOURCE open{};
  open.hDevice = device_;
  open.hGlobalShare = shared.global_share;
  open.NumAllocations = 1;
  open.pOpenAllocationInfo2 = &info;
  open.pTotalPrivateDriverDataBuffer = total.data();
  open.TotalPrivateDriverDataBufferSize = static_cast<UINT>(total.size());
  open.pResourcePrivateDriverData = resource.data();
  open.ResourcePrivateDriverDataSize = static_cast<UINT>(resource.size());
  RequireSuccess(D3DKMTOpenResource2(&open), "D3DKMTOpenResource2");
  return {open.hResource, info.hAllocation, shared.global_share, shared.request, shared.pitch};
}

NTSTATUS UserDevice::Destroy(const Surface& surface) {
  D3DKMT_DESTROYALLOCATION2 destroy{};
  destroy.hDevice = device_;
  destroy.hResource = surface.resource;
  return D3DKMTDestroyAllocation2(&destroy);
}

std::byte* UserDevice::Lock(const Surface& surface) {
  D3DKMT_LOCK2 lock{};
  lock.hDevice = device_;
  lock.hAllocation = surface.allocation;
  RequireSuccess(D3DKMTLock2(&lock), "D3DKMTLock2");
  return static_cast<std::byte*>(lock.pData);
}

NTSTATUS UserDevice::Escape(std::span<std::byte> data) {
  D3DKMT_ESCAPE escape{};
  escape.hAdapter = adapter_;
  escape.hDevice = device_;
  escape.Type = D3DKMT_ESCAPE_DRIVERPRIVATE;
  escape.pPrivateDriverData = data.data();
  escape.PrivateDriverDataSize = static_cast<UINT>(data.size());
  return D3DKMTEscape(&escape);
}

NTSTATUS UserDevice::SetMode(const Surface& primary, D3DDDI_ROTATION rotation) {
  D3DKMT_SETDISPLAYMODE mode{};
  mode.hDevice = device_;
  mode.hPrimaryAllocation = primary.allocation;
  mode.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
  mode.DisplayOrientation = rotation;
  return D3DKMTSetDisplayMode(&mode);
}

NTSTATUS UserDevice::Render(std::span<const std::byte> commands, std::span<const D3DDDI_ALLOCATIONLIST> allocations,
                            std::span<const D3DDDI_PATCHLOCATIONLIST> patches) {
  D3DKMT_RENDER render{};
  render.hContext = context_;
  render.CommandLength = static_cast<UINT>(std::min(commands.size(), command_buffer_.size()));
  render.AllocationCount = static_cast<UINT>(std::min(allocations.size(), allocation_list_.size()));
  render.PatchLocationCount = static_cast<UINT>(std::min(patches.size(), patch_list_.size()));
  std::copy_n(commands.begin(), render.CommandLength, command_buffer_.begin());
  std::copy_n(allocations.begin(), render.AllocationCount, allocation_list_.begin());
  std::copy_n(patches.begin(), render.PatchLocationCount, patch_list_.begin());
  const NTSTATUS status = D3DKMTRender(&render);
  if (render.pNewCommandBuffer != nullptr)
    command_buffer_ = {static_cast<std::byte*>(render.pNewCommandBuffer), render.NewCommandBufferSize};
  if (render.pNewAllocationList != nullptr) allocation_list_ = {render.pNewAllocationList, render.NewAllocationListSize};
  if (render.pNewPatchLocationList != nullptr) patch_list_ = {render.pNewPatchLocationList, render.NewPatchLocationListSize};
  return status;
}

std::uint32_t UserDevice::AskKmd(const KmdAccess& access) {
  if (!driver_.kmd_access) throw NotApplicable("The driver shares no backing stores.");
  KmdEscape request = driver_.kmd_access(access);
  RequireSuccess(Escape(request.data), "D3DKMTEscape");
  std::uint32_t value = 0;
  std::memcpy(&value, request.data.data() + request.value_offset, sizeof(value));
  return value;
}

void UserDevice::Unlock(const Surface& surface) {
  const D3DKMT_UNLOCK2 unlock{device_, surface.allocation};
  RequireSuccess(D3DKMTUnlock2(&unlock), "D3DKMTUnlock2");
}

void UserDevice::Paint(const Surface& surface, std::uint32_t seed) {
  std::vector<std::uint32_t> pixels;
  pixels.reserve(std::size_t{surface.request.width} * surface.request.height);
  for (std::uint32_t y = 0; y < surface.request.height; ++y) {
    for (std::uint32_t x = 0; x < surface.request.width; ++x) pixels.push_back(Painted(seed, x, y));
  }
  Write(surface, pixels);
}

void UserDevice::Write(const Surface& surface, std::span<const std::uint32_t> pixels) {
  std::byte* const rows = Lock(surface);
  const std::size_t row_bytes = std::size_t{surface.request.width} * sizeof(std::uint32_t);
  for (std::size_t y = 0; y < surface.request.height; ++y) {
    std::memcpy(rows + y * surface.pitch, pixels.data() + y * surface.request.width, row_bytes);
  }
  Unlock(surface);
}

std::vector<std::uint32_t> UserDevice::Read(const Surface& surface) {
  const std::byte* const rows = Lock(surface);
  std::vector<std::uint32_t> pixels(std::size_t{surface.request.width} * surface.request.height);
  const std::size_t row_bytes = std::size_t{surface.request.width} * sizeof(std::uint32_t);
  for (std::size_t y = 0; y < surface.request.height; ++y) {
    std::memcpy(pixels.data() + y * surface.request.width, rows + y * surface.pitch, row_bytes);
  }
  Unlock(surface);
  return pixels;
}

NTSTATUS UserDevice::KmtPresent(D3DKMT_PRESENT present) {
  present.hContext = context_;
  return D3DKMTPresent(&present);
}

NTSTATUS UserDevice::Copy(const Surface& source, const Surface& destination, std::span<const RECT> sub_rects) {
  D3DKMT_PRESENT present{};
  present.hSource = source.allocation;
  present.hDestination = destination.allocation;
  present.Flags.Blt = 1;
  present.SubRectCnt = static_cast<UINT>(sub_rects.size());
  present.pSrcSubRects = sub_rects.data();
  return KmtPresent(present);
}

NTSTATUS UserDevice::Fill(const Surface& destination, UINT color, std::span<const RECT> rects) {
  D3DKMT_PRESENT present{};
  present.hDestination = destination.allocation;
  present.Color = color;
  present.Flags.ColorFill = 1;
  present.SubRectCnt = static_cast<UINT>(rects.size());
  present.pSrcSubRects = rects.data();
  return KmtPresent(present);
}

NTSTATUS UserDevice::Flip(const Surface& surface, D3DDDI_FLIPINTERVAL_TYPE interval) {
  D3DKMT_PRESENT present{};
  present.hSource = surface.allocation;
  present.FlipInterval = interval;
  present.Flags.Flip = 1;
  return KmtPresent(present);
}

NTSTATUS UserDevice::FlipOrWait(const Surface& surface, D3DDDI_FLIPINTERVAL_TYPE interval) {
  const NTSTATUS status = Flip(surface, interval);
  return status == STATUS_NOT_SUPPORTED ? Flip(surface, D3DDDI_FLIPINTERVAL_ONE) : status;
}

void UserDevice::AwaitBlank() {
  const D3DKMT_WAITFORVERTICALBLANKEVENT wait{adapter_, device_, 0};
  RequireSuccess(D3DKMTWaitForVerticalBlankEvent(&wait), "D3DKMTWaitForVerticalBlankEvent");
}

D3DKMT_DEVICEEXECUTION_STATE UserDevice::State() const {
  D3DKMT_GETDEVICESTATE state{};
  state.hDevice = device_;
  state.StateType = D3DKMT_DEVICESTATE_EXECUTION;
  RequireSuccess(D3DKMTGetDeviceState(&state), "D3DKMTGetDeviceState");
  return state.ExecutionState;
}

UINT64 UserDevice::FillableBudget(UINT64 most) const {
  D3DKMT_QUERYVIDEOMEMORYINFO query{};
  query.hAdapter = adapter_;
  query.MemorySegmentGroup = D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL;
  RequireSuccess(D3DKMTQueryVideoMemoryInfo(&query), "D3DKMTQueryVideoMemoryInfo");
  if (query.Budget == 0) throw NotApplicable("The adapter has no memory segment of its own.");
  if (query.Budget > most) {
    throw NotApplicable(
        fmt::format("The local budget is {} MiB; this rule fills it up to {} MiB.", query.Budget >> 20, most >> 20));
  }
  return query.Budget;
}

NTSTATUS UserDevice::ForceTimeout(D3DKMT_TDRDBGCTRLTYPE type, UINT node) const {
  D3DKMT_TDRDBGCTRL_ESCAPE control{};
  control.TdrControl = type;
  control.NodeOrdinal = node;
  D3DKMT_ESCAPE escape{};
  escape.hAdapter = adapter_;
  escape.Type = D3DKMT_ESCAPE_TDRDBGCTRL;
  escape.pPrivateDriverData = &control;
  escape.PrivateDriverDataSize = sizeof(control);
  return D3DKMTEscape(&escape);
}

UINT64 UserDevice::QueueSignal() {
  const UINT64 value = ++last_signal_;
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU signal{};
  signal.hContext = context_;
  signal.ObjectCount = 1;
  signal.ObjectHandleArray = &fence_;
  signal.MonitoredFenceValueArray = &value;
  RequireSuccess(D3DKMTSignalSynchronizationObjectFromGpu(&signal), "D3DKMTSignalSynchronizationObjectFromGpu");
  return value;
}

NTSTATUS UserDevice::Wait(UINT64 value) {
  const UniqueFd reached(eventfd(0, EFD_CLOEXEC));
  Require(reached.valid(), "No event for a wait.");
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait{};
  wait.hDevice = device_;
  wait.ObjectCount = 1;
  wait.ObjectHandleArray = &fence_;
  wait.FenceValueArray = &value;
  wait.hAsyncEvent = reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(reached.get()));
  if (const NTSTATUS status = D3DKMTWaitForSynchronizationObjectFromCpu(&wait); !NT_SUCCESS(status)) return status;
  pollfd ready{reached.get(), POLLIN, 0};
  Require(poll(&ready, 1, kLongestWaitMs) == 1, "What was submitted is not done after {} ms: the fence is at {}, not at {}.",
          kLongestWaitMs, fence_value(), value);
  wait.hAsyncEvent = nullptr;  // the event is also set if the wait fails
  return D3DKMTWaitForSynchronizationObjectFromCpu(&wait);
}

void UserDevice::Finish() { RequireSuccess(Wait(QueueSignal()), "D3DKMTWaitForSynchronizationObjectFromCpu"); }

}  // namespace tandem::conform

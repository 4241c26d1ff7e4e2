#include "kernel/submit/device.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/log.h"
#include "kernel/memory/ddi_call.h"

namespace tandem::kernel {
namespace {

HANDLE KernelHandle(D3DKMT_HANDLE handle) { return reinterpret_cast<HANDLE>(static_cast<std::uintptr_t>(handle)); }

// A driver without DxgkDdiCreateContext gets its device's handle wherever another one gets a context's.
bool HasContexts(Adapter& adapter) { return adapter.ddi().DxgkDdiCreateContext != nullptr; }

}  // namespace

Device::Device(Scheduler& scheduler, HANDLE driver_handle)
    : adapter_(scheduler.adapter()), scheduler_(scheduler), driver_handle_(driver_handle) {
  scheduler_.AddDevice(condition_);
}

NTSTATUS Device::Create(Scheduler& scheduler, D3DKMT_HANDLE handle, std::unique_ptr<Device>& created) {
  Adapter& adapter = scheduler.adapter();
  DXGKARG_CREATEDEVICE args{};
  args.hDevice = KernelHandle(handle);
  const NTSTATUS status =
      CallDdi(adapter, Ddi::kCreateDevice, adapter.ddi().DxgkDdiCreateDevice, adapter.miniport_context(), &args);
  if (!NT_SUCCESS(status)) return status;
  if (args.hDevice == nullptr || args.hDevice == KernelHandle(handle)) {
    adapter.ReportViolation("CreateDevice.hDevice", "The driver succeeded and did not set hDevice.");
    return STATUS_DEVICE_REMOVED;
  }
  std::unique_ptr<Device> device(new Device(scheduler, args.hDevice));
  if (const NTSTATUS told = device->KeepInfo(args); !NT_SUCCESS(told)) return told;
  created = std::move(device);
  return STATUS_SUCCESS;
}

// Without contexts the sizes of the DMA buffers come with the device. pInfo points to the driver's own structure; it shares its
// place with Flags, which were 0.
NTSTATUS Device::KeepInfo(const DXGKARG_CREATEDEVICE& args) {
  if (HasContexts(adapter_)) return STATUS_SUCCESS;
  if (args.pInfo == nullptr) {
    adapter_.ReportViolation("CreateDevice.pInfo", "The driver has no DxgkDdiCreateContext and did not set pInfo.");
    return STATUS_DEVICE_REMOVED;
  }
  context_info_.DmaBufferSize = args.pInfo->DmaBufferSize;
  context_info_.DmaBufferSegmentSet = args.pInfo->DmaBufferSegmentSet;
  context_info_.DmaBufferPrivateDataSize = args.pInfo->DmaBufferPrivateDataSize;
  context_info_.AllocationListSize = args.pInfo->AllocationListSize;
  context_info_.PatchLocationListSize = args.pInfo->PatchLocationListSize;
  return STATUS_SUCCESS;
}

Device::~Device() {
  scheduler_.RemoveDevice(condition_);
  // A driver cannot keep a device; only a stopped adapter does not hear of it.
  static_cast<void>(CallDdi(adapter_, Ddi::kDestroyDevice, adapter_.ddi().DxgkDdiDestroyDevice, driver_handle_));
}

NTSTATUS Device::Open(std::vector<OpenRequest>& allocations, std::vector<std::byte>& resource_data, bool creating) {
  std::vector<DXGK_OPENALLOCATIONINFO> infos(allocations.size());
  for (std::size_t i = 0; i < infos.size(); ++i) {
    infos[i].hAllocation = allocations[i].handle;
    infos[i].pPrivateDriverData = allocations[i].private_data->empty() ? nullptr : allocations[i].private_data->data();
    infos[i].PrivateDriverDataSize = static_cast<UINT>(allocations[i].private_data->size());
  }
  DXGKARG_OPENALLOCATION args{};
  args.NumAllocations = static_cast<UINT>(infos.size());
  args.pOpenAllocation = infos.data();
  args.pPrivateDriverData = resource_data.empty() ? nullptr : resource_data.data();
  args.PrivateDriverSize = static_cast<UINT>(resource_data.size());
  args.Flags.Create = creating ? 1u : 0u;
  std::vector<std::vector<std::byte>> before;
  if (!creating) {
    for (const OpenRequest& request : allocations) before.push_back(*request.private_data);
  }
  const NTSTATUS status = CallDdi(adapter_, Ddi::kOpenAllocation, adapter_.ddi().DxgkDdiOpenAllocation, driver_handle_,
                                  static_cast<const DXGKARG_OPENALLOCATION*>(&args));
  if (!NT_SUCCESS(status)) return status;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].hDeviceSpecificAllocation == nullptr) {
      adapter_.ReportViolation(
          "OpenAllocation.hDeviceSpecificAllocation",
          fmt::format("The driver succeeded and left allocation {} of {} without a handle.", i, infos.size()));
      return STATUS_DEVICE_REMOVED;
    }
    allocations[i].device_specific = infos[i].hDeviceSpecificAllocation;
    if (creating || before[i] == *allocations[i].private_data) continue;
    adapter_.ReportViolation(
        "OpenAllocation.PrivateDriverData",
        fmt::format("The driver wrote into the private data of allocation {} of {}, which it did not create now.", i,
                    infos.size()));
    return STATUS_DEVICE_REMOVED;
  }
  return STATUS_SUCCESS;
}

void Device::Close(const std::vector<HANDLE>& device_specific) {
  DXGKARG_CLOSEALLOCATION args{};
  args.NumAllocations = static_cast<UINT>(device_specific.size());
  args.pOpenHandleList = device_specific.data();
  static_cast<void>(CallDdi(adapter_, Ddi::kCloseAllocation, adapter_.ddi().DxgkDdiCloseAllocation, driver_handle_,
                            static_cast<const DXGKARG_CLOSEALLOCATION*>(&args)));
}

NTSTATUS Context::AskDriver(D3DKMT_HANDLE handle, const ContextRequest& request, DXGK_CONTEXTINFO& info) {
  Adapter& adapter = device_.adapter();
  if (!HasContexts(adapter)) {
    queue_.driver_context = device_.driver_handle();
    info = device_.context_info();
    return STATUS_SUCCESS;
  }
  std::vector<std::byte> private_data = request.private_data;
  DXGKARG_CREATECONTEXT args{};
  args.hContext = KernelHandle(handle);
  args.NodeOrdinal = request.node;
  args.EngineAffinity = request.engine_affinity;
  args.pPrivateDriverData = private_data.empty() ? nullptr : private_data.data();
  args.PrivateDriverDataSize = static_cast<UINT>(private_data.size());
  const NTSTATUS status =
      CallDdi(adapter, Ddi::kCreateContext, adapter.ddi().DxgkDdiCreateContext, device_.driver_handle(), &args);
  if (!NT_SUCCESS(status)) return status;
  if (args.hContext == nullptr || args.hContext == KernelHandle(handle)) {
    adapter.ReportViolation("CreateContext.hContext", "The driver succeeded and did not set hContext.");
    return STATUS_DEVICE_REMOVED;
  }
  queue_.driver_context = args.hContext;
  info = args.ContextInfo;
  if (info.Caps.NoPatchingRequired != 0) {
    Log(LogLevel::kWarn, "{}: A context with NoPatchingRequired is refused; this kernel patches every DMA buffer.",
        adapter.name());
    return STATUS_NOT_SUPPORTED;
  }
  return STATUS_SUCCESS;
}

NTSTATUS Context::Create(Device& device, Scheduler& scheduler, D3DKMT_HANDLE handle, const ContextRequest& request,
                         std::unique_ptr<Context>& created) {
  Adapter& adapter = device.adapter();
  // A driver without contexts knows one engine.
  if (request.node >= (HasContexts(adapter) ? adapter.node_count() : 1)) return STATUS_INVALID_PARAMETER;
  std::unique_ptr<Context> context(new Context(device, scheduler));
  DXGK_CONTEXTINFO info{};
  if (const NTSTATUS asked = context->AskDriver(handle, request, info); !NT_SUCCESS(asked)) return asked;
  context->queue_.node = request.node;
  context->queue_.device = &device.condition();
  if (const NTSTATUS made = context->MakeBuffers(info); !NT_SUCCESS(made)) return made;
  scheduler.AddContext(context->queue_);
  created = std::move(context);
  return STATUS_SUCCESS;
}

NTSTATUS Context::MakeBuffers(const DXGK_CONTEXTINFO& info) {
  Adapter& adapter = device_.adapter();
  if (info.DmaBufferSize == 0 || info.DmaBufferSize > kMaxDmaBufferBytes ||
      info.DmaBufferPrivateDataSize > kMaxDmaPrivateDataBytes || info.AllocationListSize > kMaxAllocationListSize ||
      info.PatchLocationListSize > kMaxPatchLocationListSize) {
    adapter.ReportViolation(
        "CreateContext.ContextInfo",
        fmt::format("DMA buffers of {} and {} bytes with lists of {} and {} pass the limits of {}, {}, {} and {}.",
                    info.DmaBufferSize, info.DmaBufferPrivateDataSize, info.AllocationListSize, info.PatchLocationListSize,
                    kMaxDmaBufferBytes, kMaxDmaPrivateDataBytes, kMaxAllocationListSize, kMaxPatchLocationListSize));
    return STATUS_DEVICE_REMOVED;
  }
  for (const SegmentDescription& segment : adapter.segments()) {
    if (((info.DmaBufferSegmentSet >> (segment.id - 1)) & 1) == 0 || segment.aperture) continue;
    adapter.ReportViolation("CreateContext.DmaBufferSegmentSet",
                            fmt::format("Set 0x{:X} names memory segment {}.", info.DmaBufferSegmentSet, segment.id));
    return STATUS_DEVICE_REMOVED;
  }
  PacketSizes sizes;
  sizes.dma_bytes = info.DmaBufferSize;
  sizes.private_data_bytes = info.DmaBufferPrivateDataSize;
  sizes.allocations = std::max<UINT>(info.AllocationListSize, DXGK_PRESENT_MAX_INDEX + 1);
  sizes.patches = info.PatchLocationListSize;
  auto pool = PacketPool::Create(adapter, sizes, kPacketsPerContext);
  if (!pool.ok()) {
    Log(LogLevel::kWarn, "{}", pool.error().message);
    return STATUS_NO_MEMORY;
  }
  pool_ = *std::move(pool);
  queue_.free_packets.reserve(kPacketsPerContext);
  for (Packet& packet : pool_->packets()) {
    packet.context = &queue_;
    queue_.free_packets.push_back(&packet);
  }
  command_buffers_.commands.resize(info.DmaBufferSize);
  command_buffers_.allocations.resize(info.AllocationListSize);
  command_buffers_.patches.resize(info.PatchLocationListSize);
  scratch_allocations_.reserve(info.AllocationListSize);
  scratch_rects_.reserve(64);
  return STATUS_SUCCESS;
}

bool Context::End() { return scheduler_.RemoveContext(queue_); }

Context::~Context() {
  Adapter& adapter = device_.adapter();
  if (queue_.driver_context == nullptr || !HasContexts(adapter)) return;
  static_cast<void>(CallDdi(adapter, Ddi::kDestroyContext, adapter.ddi().DxgkDdiDestroyContext, queue_.driver_context));
}

}  // namespace tandem::kernel

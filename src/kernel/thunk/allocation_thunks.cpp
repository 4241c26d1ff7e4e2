// D3DKMT*: creating and destroying allocations.
#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "base/aligned.h"
#include "kernel/memory/limits.h"
#include "kernel/memory/no_memory.h"
#include "kernel/memory/standard_surface.h"
#include "kernel/thunk/private_data.h"
#include "kernel/thunk/resource_open.h"
#include "kernel/thunk/standard_allocation.h"
#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

NTSTATUS CheckFlags(const D3DKMT_CREATEALLOCATION& data) {
  const D3DKMT_CREATEALLOCATIONFLAGS& flags = data.Flags;
  if (flags.OpenCrossAdapter) return STATUS_INVALID_PARAMETER;  // the kernel's own
  if (flags.CreateShared && !flags.CreateResource) return STATUS_INVALID_PARAMETER;
  if (flags.NtSecuritySharing && !flags.CreateShared) return STATUS_INVALID_PARAMETER;
  if (flags.CrossAdapter && !flags.CreateShared) return STATUS_INVALID_PARAMETER_MIX;
  if (flags.CrossAdapter && data.NumAllocations != 1) return STATUS_INVALID_PARAMETER;
  if (flags.CreateProtected || flags.PartialSharedCreation || flags.Reserved) return STATUS_NOT_SUPPORTED;
  // Adding to a resource that exists.
  if (!flags.CreateResource && data.hResource != 0) return STATUS_NOT_SUPPORTED;
  return STATUS_SUCCESS;
}

constexpr std::uint64_t kRowAlignment = D3DKMT_CROSS_ADAPTER_RESOURCE_HEIGHT_ALIGNMENT;

bool IsStandard(const D3DKMT_CREATEALLOCATIONFLAGS& flags) {
  return flags.StandardAllocation || flags.ExistingSysMem || flags.ExistingSection;
}

std::vector<std::byte> Bytes(const void* data, UINT size) {
  const auto* const bytes = static_cast<const std::byte*>(data);
  return size == 0 ? std::vector<std::byte>() : std::vector<std::byte>(bytes, bytes + size);
}

template <class Info>
NTSTATUS ReadRequest(const D3DKMT_CREATEALLOCATION& data, const Info* infos, ResourceRequest& request) {
  if (const NTSTATUS status = CheckFlags(data); !NT_SUCCESS(status)) return status;
  if (data.NumAllocations == 0 || data.NumAllocations > kMaxAllocationsPerCall || infos == nullptr ||
      !IsPrivateData(data.pPrivateDriverData, data.PrivateDriverDataSize) ||
      !IsPrivateData(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize)) {
    return STATUS_INVALID_PARAMETER;
  }
  request.is_resource = data.Flags.CreateResource != 0;
  request.shared = data.Flags.CreateShared != 0;
  request.cross_adapter = data.Flags.CrossAdapter != 0;
  request.private_data = Bytes(data.pPrivateDriverData, data.PrivateDriverDataSize);
  request.runtime_data = Bytes(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize);
  for (UINT i = 0; i < data.NumAllocations; ++i) {
    if (!IsPrivateData(infos[i].pPrivateDriverData, infos[i].PrivateDriverDataSize)) return STATUS_INVALID_PARAMETER;
    AllocationRequest allocation;
    allocation.private_data = Bytes(infos[i].pPrivateDriverData, infos[i].PrivateDriverDataSize);
    allocation.primary = infos[i].Flags.Primary != 0;
    allocation.vidpn_source = infos[i].VidPnSourceId;
    request.allocations.push_back(std::move(allocation));
  }
  return STATUS_SUCCESS;
}

// The description for other processes and, of a cross-adapter resource, for other adapters.
NTSTATUS DescribeShare(AdapterInstance& unit, const Resource& resource, SharedResource& share) {
  const Allocation& allocation = *resource.allocations.front();
  share.driver_name = unit.description().driver_name;
  if (resource.allocations.size() == 1 && !allocation.in_memory_segment) {
    share.backing = allocation.backing;
    share.size = allocation.range_bytes;
    share.resource_data = resource.private_data;
    share.allocation_data = allocation.private_data;
  }
  if (!resource.cross_adapter) return STATUS_SUCCESS;
  share.cross_adapter = true;
  share.description = allocation.description;
  if (allocation.description.format == D3DDDIFMT_UNKNOWN) return STATUS_SUCCESS;  // a row of bytes has no pitch
  StandardSurfaceData standard;
  const NTSTATUS status = DescribeCrossAdapterSurface(unit.adapter(), allocation.description, 0, standard);
  if (!NT_SUCCESS(status)) return status == STATUS_DEVICE_REMOVED ? status : STATUS_SUCCESS;
  share.pitch = standard.pitch;
  const std::uint64_t rows = AlignUp(std::uint64_t{allocation.description.height}, kRowAlignment);
  if (rows * standard.pitch <= allocation.size) return STATUS_SUCCESS;
  unit.adapter().ReportViolation("CrossAdapterAllocation.Height",
                                 fmt::format("{} bytes do not hold {} rows of {} bytes; the height counts in whole {} rows.",
                                             allocation.size, rows, standard.pitch, kRowAlignment));
  return STATUS_DEVICE_REMOVED;
}

// 0 in `handle` when the resource is not shared, or by descriptor only.
NTSTATUS Share(System& system, AdapterInstance& unit, const std::shared_ptr<Resource>& resource,
               const D3DKMT_CREATEALLOCATIONFLAGS& flags, D3DKMT_HANDLE& handle) {
  handle = 0;
  if (!flags.CreateShared) return STATUS_SUCCESS;
  auto share = std::make_shared<SharedResource>();
  share->nt_sharing = flags.NtSecuritySharing != 0;
  share->runtime_data = resource->runtime_data;
  if (const NTSTATUS status = DescribeShare(unit, *resource, *share); !NT_SUCCESS(status)) return status;
  {
    const MutexLock lock(share->mutex);
    share->on_adapter[unit.number()] = resource;
  }
  if (share->nt_sharing) {
    resource->share = std::move(share);
    return STATUS_SUCCESS;
  }
  auto object = std::make_shared<ShareObject>();
  object->share = share;
  handle = system.handles().Reserve(HandleType::kShare, HandleSpace::kGlobal);
  if (handle == 0) return STATUS_INSUFFICIENT_RESOURCES;
  share->handle = handle;
  system.handles().Publish(handle, std::move(object));
  resource->share = std::move(share);
  return STATUS_SUCCESS;
}

// Whose buffer the private data of an allocation came from.
enum class PrivateData : std::uint8_t { kUsers, kKernels };

template <class Info>
void WriteBack(const Resource& resource, const ResourceObject& object, std::size_t first, Info* infos, PrivateData origin) {
  for (std::size_t i = 0; i < object.allocations.size(); ++i) {
    Info& info = infos[first + i];
    info.hAllocation = object.allocations[i].handle;
    const auto& private_data = resource.allocations[i]->private_data;
    if (origin == PrivateData::kUsers && !private_data.empty())
      std::memcpy(info.pPrivateDriverData, private_data.data(), private_data.size());
  }
}

template <class Info>
NTSTATUS Create(System& system, D3DKMT_CREATEALLOCATION& data, Info* infos) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  if (data.hResource != 0 && !HandleRef<ResourceObject>(system.handles(), data.hResource)) return STATUS_INVALID_HANDLE;
  ResourceRequest request;
  request.backing_kind = system.backing_kind();
  if (request.backing_kind == BackingStoreKind::kDmaBuf) request.dma_bufs = system.dma_buf_source();
  AdapterInstance& unit = *device->unit;
  const AdapterGuard guard(unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  const bool standard = IsStandard(data.Flags);
  if (const NTSTATUS read = standard && infos != nullptr ? ReadStandardAllocation(unit, data, infos->pSystemMem, request)
                                                         : ReadRequest(data, infos, request);
      !NT_SUCCESS(read)) {
    return read;
  }
  if (request.cross_adapter && unit.description().cross_adapter_tier == 0) return STATUS_NOT_SUPPORTED;

  std::vector<std::shared_ptr<Resource>> resources;
  NTSTATUS status = unit.memory().Create(std::move(request), resources);
  if (!NT_SUCCESS(status)) return status;
  D3DKMT_HANDLE global_share = 0;
  std::vector<OpenedResource> opened;
  std::size_t next = 0;  // the first resource that no device holds
  status = OrNoMemory([&] {
    opened.resize(resources.size());
    for (; next < resources.size(); ++next) {
      resources[next]->openers = 1;
      const NTSTATUS made = OpenOnDevice(system, device.Share(), resources[next], true, opened[next]);
      if (!NT_SUCCESS(made)) return made;
    }
    return Share(system, unit, resources.front(), data.Flags, global_share);
  });
  if (!NT_SUCCESS(status)) {
    for (std::size_t i = 0; i < next; ++i) static_cast<void>(DestroyOpened(system, opened[i].handle));
    for (std::size_t i = next; i < resources.size(); ++i) unit.memory().Destroy(*resources[i]);
    return status;
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < opened.size(); ++i) {
    WriteBack(*resources[i], *opened[i].object, first, infos, standard ? PrivateData::kKernels : PrivateData::kUsers);
    first += opened[i].object->allocations.size();
  }
  data.hResource = data.Flags.CreateResource ? opened.front().handle : 0;
  data.hGlobalShare = global_share;
  return STATUS_SUCCESS;
}

NTSTATUS Destroy(System& system, const D3DKMT_DESTROYALLOCATION2& data) {
  {
    const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
    if (!device) return STATUS_INVALID_PARAMETER;
  }
  system.nt_objects().DropClosed();
  if (data.hResource != 0) {
    if (data.AllocationCount != 0) return STATUS_INVALID_PARAMETER;
    return DestroyOpened(system, data.hResource);
  }
  if (data.AllocationCount == 0) return STATUS_SUCCESS;
  if (data.AllocationCount > kMaxAllocationsPerCall || data.phAllocationList == nullptr) {
    return STATUS_INVALID_PARAMETER;
  }
  std::vector<D3DKMT_HANDLE> alone;  // the resources that stand for them
  std::vector<D3DKMT_HANDLE> parts;  // of real resources
  for (UINT i = 0; i < data.AllocationCount; ++i) {
    const HandleRef<AllocationObject> allocation(system.handles(), data.phAllocationList[i]);
    if (!allocation) return STATUS_INVALID_PARAMETER;
    const HandleRef<ResourceObject> resource(system.handles(), allocation->resource);
    if (!resource) return STATUS_INVALID_PARAMETER;
    const bool is_part = resource->resource != nullptr && resource->resource->is_resource;
    is_part ? parts.push_back(data.phAllocationList[i]) : alone.push_back(allocation->resource);
  }
  // A part loses its handle, and its memory goes with the resource.
  for (const D3DKMT_HANDLE handle : parts) static_cast<void>(system.handles().Close(handle, HandleType::kAllocation));
  for (const D3DKMT_HANDLE handle : alone) {
    if (const NTSTATUS status = DestroyOpened(system, handle); !NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTCreateAllocation(D3DKMT_CREATEALLOCATION* data) {
  return InThunk(data, [&](System& system) { return Create(system, *data, data->pAllocationInfo); });
}

NTSTATUS APIENTRY D3DKMTCreateAllocation2(D3DKMT_CREATEALLOCATION* data) {
  return InThunk(data, [&](System& system) { return Create(system, *data, data->pAllocationInfo2); });
}

NTSTATUS APIENTRY D3DKMTDestroyAllocation2(CONST D3DKMT_DESTROYALLOCATION2* data) {
  return InThunk(data, [&](System& system) { return Destroy(system, *data); });
}

NTSTATUS APIENTRY D3DKMTDestroyAllocation(CONST D3DKMT_DESTROYALLOCATION* data) {
  return InThunk(data, [&](System& system) {
    return Destroy(system, {data->hDevice, data->hResource, data->phAllocationList, data->AllocationCount, {}});
  });
}

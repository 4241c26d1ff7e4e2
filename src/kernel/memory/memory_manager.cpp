#include "kernel/memory/memory_manager.h"

#include <utility>

#include <fmt/core.h>

#include "base/aligned.h"
#include "base/log.h"
#include "kernel/memory/allocation_check.h"
#include "kernel/memory/ddi_call.h"

namespace tandem::kernel {

MemoryManager::MemoryManager(Adapter& adapter, PagingHost& paging) : adapter_(adapter), paging_(paging) {
  const MutexLock lock(mutex_);
  for (const SegmentDescription& description : adapter.segments()) {
    segments_.push_back(Segment{description, RangeAllocator(description.size & ~std::uint64_t{PAGE_SIZE - 1})});
  }
}

MemoryManager::~MemoryManager() = default;

NTSTATUS MemoryManager::Create(ResourceRequest request, std::vector<std::shared_ptr<Resource>>& created) {
  std::vector<DXGK_ALLOCATIONINFO> infos;
  HANDLE resource_handle = nullptr;
  if (const NTSTATUS status = CallCreate(request, infos, resource_handle); !NT_SUCCESS(status)) return status;
  if (const NTSTATUS status = CheckAnswers(request, infos); !NT_SUCCESS(status)) return status;

  std::vector<std::shared_ptr<Resource>> resources;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (resources.empty() || !request.is_resource) {
      auto resource = std::make_shared<Resource>();
      resource->driver_handle = resource_handle;
      resource->is_resource = request.is_resource;
      resource->cross_adapter = request.cross_adapter;
      resource->private_data = request.private_data;
      resource->runtime_data = request.runtime_data;
      resources.push_back(std::move(resource));
    }
    auto allocation = std::make_unique<Allocation>();
    allocation->driver_handle = infos[i].hAllocation;
    allocation->size = infos[i].Size;
    allocation->cpu_visible = infos[i].Flags.CpuVisible;
    allocation->primary = request.allocations[i].primary;
    allocation->private_data = std::move(request.allocations[i].private_data);
    resources.back()->allocations.push_back(std::move(allocation));
  }

  NTSTATUS status = STATUS_SUCCESS;
  std::size_t index = 0;
  for (const auto& resource : resources) {
    for (const auto& allocation : resource->allocations) {
      if (NT_SUCCESS(status)) status = Place(*allocation, infos[index], request);
      if (NT_SUCCESS(status)) Describe(*allocation);
      ++index;
    }
  }
  if (!NT_SUCCESS(status)) {
    for (const auto& resource : resources) Destroy(*resource);
    return status;
  }
  created = std::move(resources);
  return STATUS_SUCCESS;
}

NTSTATUS MemoryManager::CallCreate(ResourceRequest& request, std::vector<DXGK_ALLOCATIONINFO>& infos, HANDLE& resource_handle) {
  infos.resize(request.allocations.size());
  for (std::size_t i = 0; i < infos.size(); ++i) {
    infos[i].pPrivateDriverData =
        request.allocations[i].private_data.empty() ? nullptr : request.allocations[i].private_data.data();
    infos[i].PrivateDriverDataSize = static_cast<UINT>(request.allocations[i].private_data.size());
  }
  DXGKARG_CREATEALLOCATION args{};
  args.pPrivateDriverData = request.private_data.empty() ? nullptr : request.private_data.data();
  args.PrivateDriverDataSize = static_cast<UINT>(request.private_data.size());
  args.NumAllocations = static_cast<UINT>(infos.size());
  args.pAllocationInfo = infos.data();
  args.Flags.Resource = request.is_resource ? 1u : 0u;
  const NTSTATUS status =
      CallDdi(adapter_, Ddi::kCreateAllocation, adapter_.ddi().DxgkDdiCreateAllocation, adapter_.miniport_context(), &args);
  resource_handle = request.is_resource ? args.hResource : nullptr;
  return status;
}

NTSTATUS MemoryManager::CheckAnswers(const ResourceRequest& request, const std::vector<DXGK_ALLOCATIONINFO>& infos) {
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const AllocationExpectation expected{.primary = request.allocations[i].primary, .cross_adapter = request.cross_adapter};
    const auto violation = CheckAllocationInfo(infos[i], expected, adapter_.segments());
    if (!violation) continue;
    adapter_.ReportViolation(violation->rule, violation->seen);
    return STATUS_DEVICE_REMOVED;
  }
  return STATUS_SUCCESS;
}

NTSTATUS MemoryManager::Place(Allocation& allocation, const DXGK_ALLOCATIONINFO& info, const ResourceRequest& request) {
  const std::uint64_t alignment = info.Alignment > PAGE_SIZE ? info.Alignment : PAGE_SIZE;
  const std::uint64_t size = AlignUp(allocation.size, std::uint64_t{PAGE_SIZE});
  // The pages are there before the place, so that nothing has to be undone but the destruction of the allocation.
  std::vector<std::uint32_t> order;
  SegmentOrder(info, request.cross_adapter || request.existing != nullptr, adapter_.segments(), order);
  {
    const MutexLock lock(mutex_);
    for (const std::uint32_t id : order) {
      Segment& segment = segments_[id - 1];
      const auto offset = segment.ranges.Allocate(size, alignment);
      if (!offset) continue;
      allocation.placement = {id, *offset, size, segment.description.base_address + *offset};
      break;
    }
  }
  if (allocation.placement.segment == 0) {
    Log(LogLevel::kWarn, "No segment of the supported set 0x{:X} has {} bytes left.", info.SupportedWriteSegmentSet, size);
    return STATUS_GRAPHICS_NO_VIDEO_MEMORY;
  }
  const SegmentDescription& segment = adapter_.segments()[allocation.placement.segment - 1];
  if (!segment.aperture) {
    if (info.Flags2.ShareBackingStoreWithKmd) return STATUS_INVALID_PARAMETER;
    if (allocation.cpu_visible && segment.cpu_visible && segment.cpu_address != 0) {
      allocation.cpu_address = reinterpret_cast<std::byte*>(segment.cpu_address + allocation.placement.offset);
    }
    return STATUS_SUCCESS;
  }
  if (const NTSTATUS status = Back(allocation, request); !NT_SUCCESS(status)) return status;
  if (const NTSTATUS status = ShareWithKmd(allocation, info, request); !NT_SUCCESS(status)) return status;
  return MapAperture(allocation);
}

NTSTATUS MemoryManager::Back(Allocation& allocation, const ResourceRequest& request) {
  if (request.existing != nullptr) {
    if (allocation.placement.size > request.existing->size()) {
      adapter_.ReportViolation("CrossAdapterAllocation.Size",
                               fmt::format("The driver wants {} bytes of an existing surface of {}.", allocation.placement.size,
                                           request.existing->size()));
      return STATUS_DEVICE_REMOVED;
    }
    allocation.backing = request.existing;
  } else {
    auto backing = BackingStore::Create(request.backing_kind, allocation.placement.size);
    if (!backing.ok()) {
      Log(LogLevel::kWarn, "{}", backing.error().message);
      return STATUS_NO_MEMORY;
    }
    allocation.backing = *std::move(backing);
  }
  if (allocation.cpu_visible) allocation.cpu_address = allocation.backing->address();
  return STATUS_SUCCESS;
}

NTSTATUS MemoryManager::ShareWithKmd(Allocation& allocation, const DXGK_ALLOCATIONINFO& info, const ResourceRequest& request) {
  if (!info.Flags2.ShareBackingStoreWithKmd) return STATUS_SUCCESS;
  if (!adapter_.FeatureEnabled(DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD)) {
    adapter_.ReportViolation("ShareBackingStoreWithKmd.Feature",
                             "ShareBackingStoreWithKmd is set and the feature is not enabled.");
    return STATUS_DEVICE_REMOVED;
  }
  if (!request.shared || !allocation.cpu_visible) return STATUS_INVALID_PARAMETER;
  DXGKARG_SETALLOCATIONBACKINGSTORE args{};
  args.hDriverAllocation = allocation.driver_handle;
  args.pBackingStore = allocation.backing->address();
  return CallDdi(adapter_, Ddi::kSetAllocationBackingStore, adapter_.ddi().DxgkDdiSetAllocationBackingStore,
                 adapter_.miniport_context(), &args);
}

NTSTATUS MemoryManager::MapAperture(Allocation& allocation) {
  MDL mdl = allocation.backing->Mdl(allocation.placement.size);
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
  auto& map = operation.MapApertureSegment;
  map.hAllocation = allocation.driver_handle;
  map.SegmentId = allocation.placement.segment;
  map.OffsetInPages = allocation.placement.offset >> PAGE_SHIFT;
  map.NumberOfPages = allocation.placement.size >> PAGE_SHIFT;
  map.pMdl = &mdl;
  map.Flags.CacheCoherent = 1;
  const NTSTATUS status = paging_.RunPaging(operation);
  allocation.mapped = NT_SUCCESS(status);
  return status;
}

void MemoryManager::UnmapAperture(Allocation& allocation) {
  if (!std::exchange(allocation.mapped, false)) return;
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
  auto& unmap = operation.UnmapApertureSegment;
  unmap.hAllocation = allocation.driver_handle;
  unmap.SegmentId = allocation.placement.segment;
  unmap.OffsetInPages = allocation.placement.offset >> PAGE_SHIFT;
  unmap.NumberOfPages = allocation.placement.size >> PAGE_SHIFT;
  // The driver cannot keep pages: it may fail only because the adapter is gone.
  static_cast<void>(paging_.RunPaging(operation));
}

void MemoryManager::Describe(Allocation& allocation) {
  DXGKARG_DESCRIBEALLOCATION args{};
  args.hAllocation = allocation.driver_handle;
  const NTSTATUS status =
      CallDdi(adapter_, Ddi::kDescribeAllocation, adapter_.ddi().DxgkDdiDescribeAllocation, adapter_.miniport_context(), &args);
  if (NT_SUCCESS(status)) allocation.description = {args.Width, args.Height, args.Format};
}

void MemoryManager::Destroy(Resource& resource) {
  std::vector<HANDLE> handles;
  for (const auto& allocation : resource.allocations) {
    UnmapAperture(*allocation);
    handles.push_back(allocation->driver_handle);
  }
  if (!handles.empty()) DestroyDriverSide(handles, resource.driver_handle, resource.is_resource);
  const MutexLock lock(mutex_);
  for (const auto& allocation : resource.allocations) {
    const Placement& placement = allocation->placement;
    if (placement.segment != 0) segments_[placement.segment - 1].ranges.Free(placement.offset, placement.size);
  }
  resource.allocations.clear();
  resource.driver_handle = nullptr;
}

void MemoryManager::DestroyDriverSide(const std::vector<HANDLE>& handles, HANDLE resource_handle, bool is_resource) {
  DXGKARG_DESTROYALLOCATION args{};
  args.NumAllocations = static_cast<UINT>(handles.size());
  args.pAllocationList = handles.data();
  args.hResource = resource_handle;
  args.Flags.DestroyResource = is_resource ? 1u : 0u;
  const NTSTATUS status = CallDdi(adapter_, Ddi::kDestroyAllocation, adapter_.ddi().DxgkDdiDestroyAllocation,
                                  adapter_.miniport_context(), static_cast<const DXGKARG_DESTROYALLOCATION*>(&args));
  if (!NT_SUCCESS(status) && adapter_.alive()) {
    adapter_.ReportViolation("DestroyAllocation.MayNotFail",
                             fmt::format("DxgkDdiDestroyAllocation answered 0x{:08X}.", static_cast<std::uint32_t>(status)));
  }
}

}  // namespace tandem::kernel

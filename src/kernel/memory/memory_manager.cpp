#include "kernel/memory/memory_manager.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/aligned.h"
#include "base/log.h"
#include "base/status_name.h"
#include "kernel/adapter/rules.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/memory/no_memory.h"
#include "kernel/memory/share_with_kmd.h"

namespace tandem::kernel {

namespace {

// A device may have no memory left to export, which is no reason to refuse a resource.
Result<std::shared_ptr<BackingStore>> NewPages(BackingStoreKind kind, std::uint64_t bytes, const ResourceRequest& request) {
  if (kind != BackingStoreKind::kDmaBuf) return BackingStore::Create(kind, bytes);
  if (request.cross_adapter && request.dma_bufs != nullptr) {
    auto dma_buf = request.dma_bufs->Make(bytes);
    auto backing = dma_buf.ok() ? BackingStore::FromDmaBuf(*std::move(dma_buf), bytes)
                                : Result<std::shared_ptr<BackingStore>>(dma_buf.error());
    if (backing.ok()) return backing;
    Log(LogLevel::kWarn, "A shared resource has a memfd's pages, not a device's: {}", backing.error().message);
  }
  return BackingStore::Create(BackingStoreKind::kMemfd, bytes);
}

}  // namespace

NTSTATUS MemoryManager::Create(ResourceRequest request, std::vector<std::shared_ptr<Resource>>& created) {
  // All that the kernel keeps is there before the driver makes its part.
  std::vector<std::shared_ptr<Resource>> resources = MakeShells(request);
  std::vector<DXGK_ALLOCATIONINFO> infos;
  HANDLE resource_handle = nullptr;
  if (const NTSTATUS status = CallCreate(request, infos, resource_handle); !NT_SUCCESS(status)) return status;
  // Refused allocations go back to the driver by the handles that it gave.
  NTSTATUS status = CheckAnswers(request, infos);
  if (!adapter_.alive()) return status;
  std::size_t index = 0;
  for (const auto& resource : resources) {
    resource->driver_handle = resource_handle;
    for (const auto& allocation : resource->allocations) {
      const DXGK_ALLOCATIONINFO& info = infos[index];
      allocation->driver_handle = info.hAllocation;
      allocation->size = info.Size;
      allocation->cpu_visible = info.Flags.CpuVisible;
      allocation->private_data = std::move(request.allocations[index].private_data);
      ++index;
    }
  }
  for (const auto& resource : resources) {
    std::transform(resource->allocations.begin(), resource->allocations.end(), resource->handles.begin(),
                   [](const auto& allocation) { return allocation->driver_handle; });
  }
  index = 0;
  for (const auto& resource : resources) {
    for (const auto& allocation : resource->allocations) {
      if (NT_SUCCESS(status)) status = OrNoMemory([&] { return Settle(*allocation, infos[index], request); });
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

std::vector<std::shared_ptr<Resource>> MemoryManager::MakeShells(const ResourceRequest& request) {
  std::vector<std::shared_ptr<Resource>> resources;
  for (const AllocationRequest& wanted : request.allocations) {
    if (resources.empty() || !request.is_resource) {
      auto resource = std::make_shared<Resource>();
      resource->is_resource = request.is_resource;
      resource->cross_adapter = request.cross_adapter;
      resource->private_data = request.private_data;
      resource->runtime_data = request.runtime_data;
      resources.push_back(std::move(resource));
    }
    auto allocation = std::make_unique<Allocation>();
    allocation->primary = wanted.primary;
    allocation->vidpn_source = wanted.vidpn_source;
    resources.back()->handles.push_back(nullptr);
    resources.back()->allocations.push_back(std::move(allocation));
  }
  return resources;
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
  if (status == STATUS_UNSUCCESSFUL && adapter_.alive()) {
    adapter_.ReportViolation(rules::kCreateAllocationStatus, "DxgkDdiCreateAllocation answered STATUS_UNSUCCESSFUL.");
    return STATUS_DEVICE_REMOVED;
  }
  return status;
}

NTSTATUS MemoryManager::CheckAnswers(const ResourceRequest& request, const std::vector<DXGK_ALLOCATIONINFO>& infos) {
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const AllocationExpectation expected{.primary = request.allocations[i].primary,
                                         .cross_adapter = request.cross_adapter,
                                         .on_existing_pages = request.existing != nullptr};
    const auto violation = CheckAllocationInfo(infos[i], expected, adapter_.segments());
    if (violation) return Refuse(*violation);
  }
  for (std::size_t i = 1; i < infos.size(); ++i) {
    const auto same = [&](const DXGK_ALLOCATIONINFO& other) { return other.hAllocation == infos[i].hAllocation; };
    if (std::none_of(infos.begin(), infos.begin() + static_cast<std::ptrdiff_t>(i), same)) continue;
    adapter_.ReportViolation("CreateAllocation.hAllocation",
                             fmt::format("Allocation {} of {} has the handle of an earlier one.", i, infos.size()));
    return STATUS_DEVICE_REMOVED;
  }
  return STATUS_SUCCESS;
}

NTSTATUS MemoryManager::Settle(Allocation& allocation, const DXGK_ALLOCATIONINFO& info, const ResourceRequest& request) {
  allocation.alignment = info.Alignment > PAGE_SIZE ? info.Alignment : PAGE_SIZE;
  allocation.range_bytes = AlignUp(allocation.size, std::uint64_t{PAGE_SIZE});
  SegmentOrder(info, request.cross_adapter || request.existing != nullptr, adapter_.segments(), allocation.segments);
  const auto aperture = [this](std::uint32_t id) { return adapter_.segments()[id - 1].aperture; };
  const bool in_aperture = std::any_of(allocation.segments.begin(), allocation.segments.end(), aperture);
  allocation.in_memory_segment = !std::all_of(allocation.segments.begin(), allocation.segments.end(), aperture);
  // The pages are there before the place, so that nothing has to be undone but the destruction of the allocation.
  if (in_aperture) {
    if (const NTSTATUS status = Back(allocation, info, request); !NT_SUCCESS(status)) return status;
  }
  if (const NTSTATUS status = ShareWithKmd(adapter_, allocation, info, request); !NT_SUCCESS(status)) return status;
  if (const NTSTATUS status = Describe(allocation); !NT_SUCCESS(status)) return status;
  return residency_.Enter(allocation);
}

NTSTATUS MemoryManager::Back(Allocation& allocation, const DXGK_ALLOCATIONINFO& info, const ResourceRequest& request) {
  if (request.existing != nullptr) {
    if (allocation.range_bytes > request.existing->size()) {
      // The size of user mode's own pages is asked for as it is. A surface is described by whoever made it, maybe wrongly.
      return Refuse(
          {"CrossAdapterAllocation.Size",
           fmt::format("The driver wants {} bytes of existing pages of {}.", allocation.range_bytes, request.existing->size()),
           !request.existing_is_users});
    }
    allocation.backing = request.existing;
  } else {
    // Pages that a driver shares with user mode have an address for each, whatever other adapters import.
    const auto kind = info.Flags2.ShareBackingStoreWithKmd ? BackingStoreKind::kMemfd : request.backing_kind;
    auto backing = NewPages(kind, allocation.range_bytes, request);
    if (!backing.ok()) {
      Log(LogLevel::kWarn, "{}", backing.error().message);
      return STATUS_NO_MEMORY;
    }
    allocation.backing = *std::move(backing);
  }
  return STATUS_SUCCESS;
}

NTSTATUS MemoryManager::Describe(Allocation& allocation) {
  DXGKARG_DESCRIBEALLOCATION args{};
  args.hAllocation = allocation.driver_handle;
  const NTSTATUS status =
      CallDdi(adapter_, Ddi::kDescribeAllocation, adapter_.ddi().DxgkDdiDescribeAllocation, adapter_.miniport_context(), &args);
  // A driver may have nothing to say of what is no surface.
  if (!NT_SUCCESS(status)) return adapter_.alive() ? STATUS_SUCCESS : status;
  allocation.description = {args.Width, args.Height, args.Format};
  const auto violation = CheckDescription(allocation.description, allocation.primary, allocation.range_bytes);
  return violation ? Refuse(*violation) : STATUS_SUCCESS;
}

NTSTATUS MemoryManager::Refuse(const Violation& violation) {
  if (!violation.may_be_the_callers) {
    adapter_.ReportViolation(violation.rule, violation.seen);
    return STATUS_DEVICE_REMOVED;
  }
  Log(LogLevel::kWarn, "An allocation is refused: {}: {}", violation.rule, violation.seen);
  return STATUS_INVALID_PARAMETER;
}

void MemoryManager::Destroy(Resource& resource) {
  std::vector<HANDLE> handles;
  for (const auto& allocation : resource.allocations) {
    residency_.Leave(*allocation);
    handles.push_back(allocation->driver_handle);
    if (!adapter_.alive()) adapter_.KeepUntilStopped(allocation->backing);
  }
  if (!handles.empty()) DestroyDriverSide(handles, resource.driver_handle, resource.is_resource);
  resource.allocations.clear();
  resource.handles.clear();
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
                             fmt::format("DxgkDdiDestroyAllocation answered {}.", StatusText(status)));
  }
}

}  // namespace tandem::kernel

// The memory of one adapter: creates and destroys driver allocations. Residency owns their places.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/adapter/adapter.h"
#include "kernel/memory/allocation.h"
#include "kernel/memory/allocation_check.h"
#include "kernel/memory/paging_host.h"
#include "kernel/memory/residency.h"
#include "kernel/memory/shared_resource.h"

namespace tandem::kernel {

struct AllocationRequest {
  std::vector<std::byte> private_data;
  bool primary = false;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source = 0;
};

struct ResourceRequest {
  bool is_resource = false;  // else every allocation stands alone
  bool shared = false;
  bool cross_adapter = false;
  std::vector<std::byte> private_data;
  std::vector<std::byte> runtime_data;
  std::vector<AllocationRequest> allocations;  // 1..kMaxAllocationsPerCall
  // The pages of a resource that another adapter or process created, or of user mode; null: new ones of `backing_kind`.
  std::shared_ptr<BackingStore> existing;
  bool existing_is_users = false;  // ExistingSysMem or ExistingSection
  BackingStoreKind backing_kind = BackingStoreKind::kMemfd;
  std::shared_ptr<DmaBufSource> dma_bufs;  // of kDmaBuf; null: none
};

// Threads: any; PASSIVE_LEVEL. Blocks while a paging operation runs. Statuses are the driver's, or as said.
class MemoryManager {
 public:
  // Both outlive the manager.
  MemoryManager(Adapter& adapter, PagingHost& paging) : adapter_(adapter), residency_(adapter, paging) {}
  MemoryManager(const MemoryManager&) = delete;
  MemoryManager& operator=(const MemoryManager&) = delete;

  // One element for a resource, one for each allocation otherwise. A driver that breaks a rule is reported and stopped:
  // STATUS_DEVICE_REMOVED. STATUS_GRAPHICS_NO_VIDEO_MEMORY when no segment is large enough, STATUS_NO_MEMORY without pages. On
  // failure nothing is left.
  [[nodiscard]] NTSTATUS Create(ResourceRequest request, std::vector<std::shared_ptr<Resource>>& created);
  // Unmaps and destroys; nothing of it may be in use any more. The resource is an empty shell afterwards.
  void Destroy(Resource& resource);

  [[nodiscard]] Residency& residency() { return residency_; }

 private:
  [[nodiscard]] static std::vector<std::shared_ptr<Resource>> MakeShells(const ResourceRequest& request);
  [[nodiscard]] NTSTATUS CallCreate(ResourceRequest& request, std::vector<DXGK_ALLOCATIONINFO>& infos, HANDLE& resource_handle);
  [[nodiscard]] NTSTATUS CheckAnswers(const ResourceRequest& request, const std::vector<DXGK_ALLOCATIONINFO>& infos);
  // Everything between the driver's answer and the allocation's first place.
  [[nodiscard]] NTSTATUS Settle(Allocation& allocation, const DXGK_ALLOCATIONINFO& info, const ResourceRequest& request);
  [[nodiscard]] NTSTATUS Back(Allocation& allocation, const DXGK_ALLOCATIONINFO& info, const ResourceRequest& request);
  // Stops the adapter, unless the caller may be the cause.
  [[nodiscard]] NTSTATUS Refuse(const Violation& violation);
  [[nodiscard]] NTSTATUS Describe(Allocation& allocation);
  void DestroyDriverSide(const std::vector<HANDLE>& handles, HANDLE resource_handle, bool is_resource);

  Adapter& adapter_;
  Residency residency_;
};

}  // namespace tandem::kernel

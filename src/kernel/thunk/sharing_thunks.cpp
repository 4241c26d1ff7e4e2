// D3DKMT*: opening shared resources, on the adapter that made them and on others.
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "kernel/memory/standard_surface.h"
#include "kernel/thunk/resource_open.h"
#include "kernel/thunk/share_open.h"

namespace tandem::kernel {
namespace {

std::shared_ptr<SharedResource> FindShare(System& system, D3DKMT_HANDLE handle) {
  const HandleRef<ShareObject> object(system.handles(), handle);
  return object ? object->share.lock() : nullptr;
}

std::shared_ptr<Resource> OnAdapter(SharedResource& share, AdapterInstance& unit) {
  const MutexLock lock(share.mutex);
  const auto found = share.on_adapter.find(unit.number());
  return found != share.on_adapter.end() ? found->second.lock() : nullptr;
}

// The private data that this adapter's driver wants for a surface which another adapter made.
NTSTATUS DescribeFor(AdapterInstance& unit, const SharedResource& share, StandardSurfaceData& standard) {
  if (!share.cross_adapter) {
    // Only the driver that made it knows what it is.
    if (share.backing == nullptr || share.driver_name != unit.description().driver_name) return STATUS_NOT_SUPPORTED;
    standard.resource_data = share.resource_data;
    standard.allocation_data = share.allocation_data;
    return STATUS_SUCCESS;
  }
  if (unit.description().cross_adapter_tier == 0) return STATUS_NOT_SUPPORTED;
  if (!share.description.known()) {
    Log(LogLevel::kWarn, "The adapter that made this cross-adapter resource does not describe it as a surface.");
    return STATUS_NOT_SUPPORTED;
  }
  if (const NTSTATUS status = DescribeCrossAdapterSurface(unit.adapter(), share.description, share.pitch, standard);
      !NT_SUCCESS(status)) {
    return status;
  }
  if (share.pitch == 0 || standard.pitch == share.pitch) return STATUS_SUCCESS;
  Log(LogLevel::kWarn, "Adapter {} lays out a cross-adapter surface of {} x {} with pitch {}, its maker with {}.",
      unit.description().name, share.description.width, share.description.height, standard.pitch, share.pitch);
  return STATUS_NOT_SUPPORTED;
}

// A second resource on the same pages, on another adapter or in another process. Counted for the caller.
NTSTATUS CreateOnAdapter(AdapterInstance& unit, const std::shared_ptr<SharedResource>& share,
                         std::shared_ptr<Resource>& resource) {
  StandardSurfaceData standard;
  if (const NTSTATUS status = DescribeFor(unit, *share, standard); !NT_SUCCESS(status)) return status;
  ResourceRequest request;
  request.is_resource = request.shared = true;
  request.cross_adapter = share->cross_adapter;
  request.private_data = std::move(standard.resource_data);
  request.runtime_data = share->runtime_data;
  request.allocations.push_back({std::move(standard.allocation_data), false, 0});
  request.existing = share->backing;
  std::vector<std::shared_ptr<Resource>> created;
  if (const NTSTATUS status = unit.memory().Create(std::move(request), created); !NT_SUCCESS(status)) return status;
  resource = created.front();
  resource->openers = 1;
  resource->share = share;
  const MutexLock lock(share->mutex);
  share->on_adapter[unit.number()] = resource;
  return STATUS_SUCCESS;
}

struct ShareSizes {
  UINT runtime = 0;
  UINT resource = 0;
  UINT total = 0;
  UINT allocations = 0;
};

NTSTATUS SizesOn(AdapterInstance& unit, SharedResource& share, ShareSizes& sizes) {
  sizes.runtime = static_cast<UINT>(share.runtime_data.size());
  if (const auto resource = OnAdapter(share, unit); resource != nullptr) {
    sizes.resource = static_cast<UINT>(resource->private_data.size());
    sizes.allocations = static_cast<UINT>(resource->allocations.size());
    for (const auto& allocation : resource->allocations) sizes.total += static_cast<UINT>(allocation->private_data.size());
    return STATUS_SUCCESS;
  }
  StandardSurfaceData standard;
  if (const NTSTATUS status = DescribeFor(unit, share, standard); !NT_SUCCESS(status)) return status;
  sizes.resource = static_cast<UINT>(standard.resource_data.size());
  sizes.total = static_cast<UINT>(standard.allocation_data.size());
  sizes.allocations = 1;
  return STATUS_SUCCESS;
}

// Copies what the user-mode driver needs; the buffers were checked.
template <class Info>
void Write(D3DKMT_OPENRESOURCE& data, const OpenedResource& opened, Info* infos) {
  const Resource& resource = *opened.object->resource;
  auto* out = static_cast<std::byte*>(data.pTotalPrivateDriverDataBuffer);
  for (std::size_t i = 0; i < resource.allocations.size(); ++i) {
    const auto& bytes = resource.allocations[i]->private_data;
    infos[i].hAllocation = opened.object->allocations[i].handle;
    infos[i].pPrivateDriverData = bytes.empty() ? nullptr : out;
    infos[i].PrivateDriverDataSize = static_cast<UINT>(bytes.size());
    if (bytes.empty()) continue;
    std::memcpy(out, bytes.data(), bytes.size());
    out += bytes.size();
  }
  data.TotalPrivateDriverDataBufferSize = static_cast<UINT>(out - static_cast<std::byte*>(data.pTotalPrivateDriverDataBuffer));
  data.ResourcePrivateDriverDataSize = static_cast<UINT>(resource.private_data.size());
  if (!resource.private_data.empty())
    std::memcpy(data.pResourcePrivateDriverData, resource.private_data.data(), resource.private_data.size());
  data.PrivateRuntimeDataSize = static_cast<UINT>(resource.runtime_data.size());
  if (data.pPrivateRuntimeData != nullptr && !resource.runtime_data.empty()) {
    std::memcpy(data.pPrivateRuntimeData, resource.runtime_data.data(), resource.runtime_data.size());
  }
  data.hResource = opened.handle;
}

NTSTATUS CheckBuffers(const D3DKMT_OPENRESOURCE& data, const Resource& resource, const void* infos) {
  std::size_t total = 0;
  for (const auto& allocation : resource.allocations) total += allocation->private_data.size();
  if (infos == nullptr || data.NumAllocations != resource.allocations.size()) return STATUS_INVALID_PARAMETER;
  // Windows compares sizes: two are the resource's, and the buffer for all allocations may be larger.
  const auto is = [](const void* buffer, UINT size, std::size_t due) { return size == due && (due == 0 || buffer != nullptr); };
  const bool no_runtime_data = data.pPrivateRuntimeData == nullptr && data.PrivateRuntimeDataSize == 0;
  if (!is(data.pResourcePrivateDriverData, data.ResourcePrivateDriverDataSize, resource.private_data.size()) ||
      !(no_runtime_data || is(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize, resource.runtime_data.size())) ||
      (total != 0 && data.pTotalPrivateDriverDataBuffer == nullptr)) {
    return STATUS_INVALID_PARAMETER;
  }
  return data.TotalPrivateDriverDataBufferSize >= total ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

// Gives up what CreateOnAdapter or OpenResource counted. The share stays: its maker, or an earlier opener, holds it.
void LetGo(AdapterInstance& unit, SharedResource& share, Resource& resource) {
  if (!unit.CloseResource(resource)) return;
  static_cast<void>(share.Forget(unit.number(), resource));
  unit.memory().Destroy(resource);
  resource.share.reset();
}

// The turn of who opens a share on an adapter. Who waits for it is let go with the adapter: its driver may not come back.
class OpeningTurn {
 public:
  OpeningTurn(SharedResource& share, AdapterInstance& unit) : share_(share), adapter_(unit.number()) {
    MutexLock lock(share_.mutex);
    Clock& clock = MonotonicClock();
    while (share_.opening.count(adapter_) != 0 && !unit.lost()) {
      clock.WaitUntil(lock.native(), share_.opened, clock.NowNs() + kLookAgainNs);
    }
    entered_ = !unit.lost() && share_.opening.insert(adapter_).second;
  }
  ~OpeningTurn() {
    if (!entered_) return;
    const MutexLock lock(share_.mutex);
    share_.opening.erase(adapter_);
    share_.opened.NotifyAll();
  }
  OpeningTurn(const OpeningTurn&) = delete;
  OpeningTurn& operator=(const OpeningTurn&) = delete;
  [[nodiscard]] bool entered() const { return entered_; }

 private:
  static constexpr std::int64_t kLookAgainNs = 100'000'000;
  SharedResource& share_;
  const std::uint64_t adapter_;
  bool entered_ = false;
};

template <class Info>
NTSTATUS Open(System& system, const std::shared_ptr<SharedResource>& share, D3DKMT_OPENRESOURCE& data, Info* infos) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  if (share == nullptr) return STATUS_INVALID_PARAMETER;
  AdapterInstance& unit = *device->unit;
  const AdapterGuard guard(unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;

  const OpeningTurn turn(*share, unit);
  if (!turn.entered()) return STATUS_DEVICE_REMOVED;
  std::shared_ptr<Resource> resource = OnAdapter(*share, unit);
  if (resource == nullptr || !unit.OpenResource(*resource)) {
    if (const NTSTATUS status = CreateOnAdapter(unit, share, resource); !NT_SUCCESS(status)) return status;
  }
  NTSTATUS status = CheckBuffers(data, *resource, infos);
  OpenedResource opened;
  if (NT_SUCCESS(status)) status = OpenOnDevice(system, device.Share(), resource, false, opened);
  if (!NT_SUCCESS(status)) {
    LetGo(unit, *share, *resource);
    return status;
  }
  Write(data, opened, infos);
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS QueryShare(System& system, const std::shared_ptr<SharedResource>& share, D3DKMT_QUERYRESOURCEINFO& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  if (share == nullptr) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*device->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  ShareSizes sizes;
  if (const NTSTATUS status = SizesOn(*device->unit, *share, sizes); !NT_SUCCESS(status)) return status;
  data.PrivateRuntimeDataSize = sizes.runtime;  // the data themselves come with the opening
  data.ResourcePrivateDriverDataSize = sizes.resource;
  data.TotalPrivateDriverDataSize = sizes.total;
  data.NumAllocations = sizes.allocations;
  return STATUS_SUCCESS;
}

NTSTATUS OpenShare(System& system, const std::shared_ptr<SharedResource>& share, D3DKMT_OPENRESOURCE& data, OpenForm form) {
  return form == OpenForm::kFirst ? Open(system, share, data, data.pOpenAllocationInfo)
                                  : Open(system, share, data, data.pOpenAllocationInfo2);
}

namespace {

NTSTATUS GetSharedPrimary(System& system, D3DKMT_GETSHAREDPRIMARYHANDLE& data) {
  const HandleRef<AdapterObject> adapter(system.handles(), data.hAdapter);
  if (!adapter) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*adapter->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  if (data.VidPnSourceId >= adapter->unit->adapter().vidpn_source_count() || data.VidPnSourceId >= kMaxFlipSources)
    return STATUS_INVALID_PARAMETER;
  const Allocation* const primary = adapter->unit->presenter().modes().PrimaryOf(data.VidPnSourceId);
  data.hSharedPrimary = primary == nullptr ? 0 : adapter->unit->GlobalShareOf(primary);
  return STATUS_SUCCESS;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTQueryResourceInfo(D3DKMT_QUERYRESOURCEINFO* data) {
  return InThunk(data, [&](System& system) { return QueryShare(system, FindShare(system, data->hGlobalShare), *data); });
}

NTSTATUS APIENTRY D3DKMTOpenResource(D3DKMT_OPENRESOURCE* data) {
  return InThunk(
      data, [&](System& system) { return OpenShare(system, FindShare(system, data->hGlobalShare), *data, OpenForm::kFirst); });
}

NTSTATUS APIENTRY D3DKMTOpenResource2(D3DKMT_OPENRESOURCE* data) {
  return InThunk(
      data, [&](System& system) { return OpenShare(system, FindShare(system, data->hGlobalShare), *data, OpenForm::kSecond); });
}

NTSTATUS APIENTRY D3DKMTGetSharedPrimaryHandle(D3DKMT_GETSHAREDPRIMARYHANDLE* data) {
  return InThunk(data, [&](System& system) { return GetSharedPrimary(system, *data); });
}

#include "kernel/thunk/adapter_instance.h"

#include <utility>

#include "kernel/thunk/objects.h"
#include "kernel/thunk/teardown.h"

namespace tandem::kernel {
namespace {

std::atomic<std::uint64_t> next_number{1};

AdapterCounters Read(Adapter::CounterSet& counters) {
  const auto read = [](const std::atomic<std::uint64_t>& counter) { return counter.load(std::memory_order_relaxed); };
  return {
      read(counters.ddi_presents),   read(counters.submissions), read(counters.patches),     read(counters.flips),
      read(counters.vsyncs),         read(counters.resets),      read(counters.preemptions), read(counters.preemptions_answered),
      read(counters.lost_interrupts)};
}

}  // namespace

AdapterInstance::AdapterInstance(std::unique_ptr<Adapter> adapter, HandleTable& handles, AdapterDescription description)
    : adapter_(std::move(adapter)), handles_(handles), description_(std::move(description)), number_(next_number.fetch_add(1)) {}

Result<std::shared_ptr<AdapterInstance>> AdapterInstance::Create(std::unique_ptr<Adapter> adapter, HandleTable& handles,
                                                                 const AdapterDescription& description, const TdrSettings& tdr) {
  std::shared_ptr<AdapterInstance> unit(new AdapterInstance(std::move(adapter), handles, description));
  auto scheduler = Scheduler::Create(*unit->adapter_, tdr);
  if (!scheduler.ok()) return std::move(scheduler).error();
  unit->scheduler_ = *std::move(scheduler);
  auto paging = PagingQueue::Create(*unit->adapter_, *unit->scheduler_);
  if (!paging.ok()) return std::move(paging).error();
  unit->paging_ = *std::move(paging);
  unit->memory_ = std::make_unique<MemoryManager>(*unit->adapter_, *unit->paging_);
  auto pager = Pager::Create(*unit->adapter_, *unit->scheduler_, unit->memory_->residency());
  if (!pager.ok()) return std::move(pager).error();
  unit->pager_ = *std::move(pager);
  unit->presenter_ = std::make_unique<Presenter>(*unit->adapter_, *unit->scheduler_, *unit->pager_);
  unit->adapter_->SetHandleResolver(unit.get());
  unit->adapter_->AddSink(*unit);
  unit->adapter_->SetHangListener(unit.get());
  unit->adapter_->child_statuses().SetListener(unit.get());
  if (tdr.level == TdrLevel::kOff) return unit;
  if (auto watched = unit->adapter_->WatchCalls(tdr.ddi_delay_ns); !watched.ok()) return std::move(watched).error();
  return unit;
}

AdapterInstance::~AdapterInstance() { static_cast<void>(Remove()); }

void AdapterInstance::AddDevice(const std::shared_ptr<DeviceObject>& device) {
  const MutexLock lock(mutex_);
  devices_.push_back(device);
}

void AdapterInstance::RemoveDevice(const DeviceObject& device) {
  trims_.ForgetDevice(device.handle);
  const MutexLock lock(mutex_);
  std::erase_if(devices_, [&](const auto& other) { return other.get() == &device; });
}

void AdapterInstance::AddFence(const std::shared_ptr<Fence>& fence) {
  const MutexLock lock(mutex_);
  std::erase_if(fences_, [](const auto& other) { return other.expired(); });
  fences_.push_back(fence);
  if (lost()) fence->MarkLost();
}

bool AdapterInstance::OpenResource(Resource& resource) {
  const MutexLock lock(mutex_);
  if (resource.openers == 0) return false;
  ++resource.openers;
  return true;
}

bool AdapterInstance::IsLastOpener(const Resource& resource) {
  const MutexLock lock(mutex_);
  return resource.openers == 1;
}

bool AdapterInstance::CloseResource(Resource& resource) {
  const MutexLock lock(mutex_);
  return --resource.openers == 0;
}

D3DKMT_HANDLE AdapterInstance::GlobalShareOf(const Allocation* allocation) {
  const MutexLock lock(mutex_);
  for (const auto& device : devices_) {
    const MutexLock device_lock(device->mutex);
    for (const Child<ResourceObject>& child : device->resources) {
      const HandleRef<ResourceObject> object(handles_, child.handle);  // it is not stopped meanwhile
      if (!object || object->resource == nullptr || object->resource->share == nullptr) continue;
      for (const auto& own : object->resource->allocations) {
        if (own.get() == allocation) return object->resource->share->handle;
      }
    }
  }
  return 0;
}

Result<void> AdapterInstance::ServeGuest(UniqueFd socket) {
  const AdapterGuard guard(*this);
  if (!guard.alive()) return Fail(ErrorKind::kDeviceLost, "Adapter {} is stopped.", description_.name);
  const MutexLock lock(mutex_);
  std::erase_if(guests_, [](const auto& guest) { return guest->gone(); });
  if (guests_.size() >= kMaxFeatureGuests) {
    return Fail(ErrorKind::kLimit, "Guest {} of adapter {} would pass the limit of {}.", guests_.size() + 1, description_.name,
                kMaxFeatureGuests);
  }
  auto guest = FeatureGuest::Create(std::move(socket), adapter_->features());
  if (!guest.ok()) return std::move(guest).error();
  guests_.push_back(*std::move(guest));
  return {};
}

void AdapterInstance::MarkLost() {
  lost_.store(true, std::memory_order_release);
  {
    const MutexLock lock(mutex_);
    for (const auto& weak : fences_) {
      if (const auto fence = weak.lock()) fence->MarkLost();
    }
  }
  if (adapter_->hung()) rundown_.GiveUp();
  if (scheduler_ != nullptr) scheduler_->MarkLost();
}

void AdapterInstance::OnChildStatus(ULONG child, DXGK_CHILD_STATUS_TYPE type) {
  const AdapterGuard guard(*this);
  if (!guard.alive()) return;
  UpdateMonitor(*adapter_, child, type);
  if (type == StatusConnection && adapter_->alive()) presenter_->modes().OnMonitorChanged(child);
}

bool AdapterInstance::hung() {
  if (abandoned_.load(std::memory_order_acquire)) return true;
  const RundownGuard guard(rundown_);
  return guard.entered() && adapter_->hung();
}

bool AdapterInstance::Remove() {
  const MutexLock removal(removal_mutex_);
  if (adapter_ == nullptr) return true;
  if (abandoned_.load(std::memory_order_acquire)) return false;
  rundown_.Close();
  if (adapter_->hung()) {
    abandoned_.store(true, std::memory_order_release);
    return false;
  }
  MarkLost();
  while (!rundown_.Drain()) {
    if (!adapter_->hung()) continue;
    abandoned_.store(true, std::memory_order_release);
    return false;
  }
  trims_.Stop();
  std::vector<std::shared_ptr<DeviceObject>> devices;
  std::vector<std::unique_ptr<FeatureGuest>> guests;
  {
    const MutexLock lock(mutex_);
    guests = std::exchange(guests_, {});
    devices = std::exchange(devices_, {});
  }
  guests.clear();
  adapter_->child_statuses().SetListener(nullptr);
  for (const auto& device : devices) StopDevice(handles_, *device);
  adapter_->SetHangListener(nullptr);
  adapter_->RemoveSink(*this);
  presenter_.reset();
  pager_.reset();
  memory_.reset();
  paging_.reset();
  scheduler_.reset();
  adapter_->SetHandleResolver(nullptr);
  last_counters_ = Read(adapter_->counters());
  last_violation_ = adapter_->violation();
  adapter_.reset();
  return true;
}

AdapterCounters AdapterInstance::Counters() {
  {
    const RundownGuard guard(rundown_);
    if (guard.entered()) return Read(adapter_->counters());
  }
  AwaitRemoval();
  return last_counters_;
}

std::string AdapterInstance::Violation() {
  {
    const RundownGuard guard(rundown_);
    if (guard.entered()) return adapter_->violation();
  }
  AwaitRemoval();
  return abandoned_.load(std::memory_order_acquire) ? adapter_->violation() : last_violation_;
}

std::vector<TimeoutReport> AdapterInstance::Timeouts() {
  const RundownGuard guard(rundown_);
  return guard.entered() ? scheduler_->recovery().Reports() : std::vector<TimeoutReport>();
}

PVOID AdapterInstance::HandleData(const DXGKARGCB_GETHANDLEDATA& args) {
  if (args.Type == DXGK_HANDLE_RESOURCE) {
    const HandleRef<ResourceObject> resource(handles_, args.hObject);
    if (!resource || resource->device->unit.get() != this || resource->resource == nullptr) return nullptr;
    return args.Flags.DeviceSpecific ? nullptr : resource->resource->driver_handle;
  }
  if (args.Type != DXGK_HANDLE_ALLOCATION) return nullptr;
  const HandleRef<AllocationObject> allocation(handles_, args.hObject);
  if (!allocation || allocation->device->unit.get() != this || allocation->allocation == nullptr) return nullptr;
  return args.Flags.DeviceSpecific ? allocation->device_specific : allocation->allocation->driver_handle;
}

D3DKMT_HANDLE AdapterInstance::HandleParent(D3DKMT_HANDLE handle) {
  const HandleRef<AllocationObject> allocation(handles_, handle);
  if (!allocation || allocation->device->unit.get() != this) return 0;
  // An allocation that stands alone has a resource that nobody knows.
  const HandleRef<ResourceObject> resource(handles_, allocation->resource);
  return resource && resource->resource != nullptr && resource->resource->is_resource ? allocation->resource : 0;
}

D3DKMT_HANDLE AdapterInstance::HandleChild(D3DKMT_HANDLE handle, UINT index) {
  const HandleRef<ResourceObject> resource(handles_, handle);
  if (!resource || resource->device->unit.get() != this || index >= resource->allocations.size()) return 0;
  return resource->allocations[index].handle;
}

}  // namespace tandem::kernel

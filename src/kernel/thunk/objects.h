// Objects that D3DKMT handles name.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread.h"
#include "kernel/memory/shared_resource.h"
#include "kernel/submit/device.h"
#include "kernel/submit/fence.h"
#include "kernel/thunk/adapter_instance.h"
#include "kernel/thunk/handle_table.h"
#include "kernel/thunk/keyed_mutex.h"

namespace tandem::kernel {

struct AdapterObject {
  static constexpr HandleType kHandleType = HandleType::kAdapter;
  std::shared_ptr<AdapterInstance> unit;
};

struct ContextObject;
struct ResourceObject;
struct SyncObject;
struct PagingQueueObject;

// An object that a device made: its handle, and the object until the device stops.
template <class T>
struct Child {
  D3DKMT_HANDLE handle = 0;
  std::shared_ptr<T> object;
};

// `device` is null when the adapter was removed: the object then answers STATUS_DEVICE_REMOVED until it is closed.
struct DeviceObject {
  static constexpr HandleType kHandleType = HandleType::kDevice;
  std::shared_ptr<AdapterInstance> unit;
  std::unique_ptr<Device> device;
  D3DKMT_HANDLE handle = 0;

  // Go with the device.
  Mutex mutex;
  std::vector<Child<ContextObject>> contexts TANDEM_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<Context>> kept_contexts TANDEM_GUARDED_BY(mutex);  // a call that does not come back has them
  std::vector<Child<ResourceObject>> resources TANDEM_GUARDED_BY(mutex);         // allocations that stand alone have one each
  std::vector<Child<SyncObject>> sync_objects TANDEM_GUARDED_BY(mutex);
  std::vector<Child<PagingQueueObject>> paging_queues TANDEM_GUARDED_BY(mutex);
};

struct ContextObject {
  static constexpr HandleType kHandleType = HandleType::kContext;
  std::shared_ptr<DeviceObject> device;
  std::unique_ptr<Context> context;
};

struct AllocationObject {
  static constexpr HandleType kHandleType = HandleType::kAllocation;
  DeviceObject* device = nullptr;  // the resource keeps it
  Allocation* allocation = nullptr;
  HANDLE device_specific = nullptr;
  D3DKMT_HANDLE resource = 0;              // the object that owns this one
  std::atomic<std::int64_t> residency{0};  // references of MakeResident, by this device
  std::atomic<std::int64_t> locks{0};      // in a memory segment each pins it
  // Pages behind the address of a lock once the allocation is gone with its adapter: somebody may be writing there.
  std::shared_ptr<BackingStore> locked_pages;
};

// A resource as one device opened it. The handle is given to user mode for real resources only.
struct ResourceObject {
  static constexpr HandleType kHandleType = HandleType::kResource;
  std::shared_ptr<DeviceObject> device;
  std::shared_ptr<Resource> resource;
  std::vector<Child<AllocationObject>> allocations;  // constant after creation
};

// One handle of a fence, mutex, semaphore or notification.
struct SyncObject {
  static constexpr HandleType kHandleType = HandleType::kSyncObject;
  std::shared_ptr<DeviceObject> device;  // null: the handle belongs to no device
  std::shared_ptr<Fence> fence;
  D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type = D3DDDI_MONITORED_FENCE;
  bool nt_sharing = false;           // by descriptor
  D3DKMT_HANDLE share = 0;           // the global handle, which goes with the last name
  std::atomic<bool> stopped{false};  // the handle no longer counts as the fence's name
};

// SharedHandle of a synchronization object.
struct SyncShareObject {
  static constexpr HandleType kHandleType = HandleType::kSyncShare;
  std::shared_ptr<Fence> fence;
  D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type{};
};

struct PagingQueueObject {
  static constexpr HandleType kHandleType = HandleType::kPagingQueue;
  std::shared_ptr<DeviceObject> device;
  D3DKMT_HANDLE sync_object = 0;
  std::shared_ptr<Fence> fence;
  Mutex mutex;  // requests reach the pager in the order of their values
  std::uint64_t last_value TANDEM_GUARDED_BY(mutex) = 0;
};

struct KeyedMutexObject {
  static constexpr HandleType kHandleType = HandleType::kKeyedMutex;
  std::shared_ptr<KeyedMutex> mutex;
  KeyedMutexHandle own;
  bool nt_sharing = false;  // by descriptor, with a resource
  D3DKMT_HANDLE share = 0;  // the global handle, which goes with the last handle
};

struct KeyedMutexShareObject {
  static constexpr HandleType kHandleType = HandleType::kKeyedMutexShare;
  std::weak_ptr<KeyedMutex> mutex;
};

// hGlobalShare.
struct ShareObject {
  static constexpr HandleType kHandleType = HandleType::kShare;
  std::weak_ptr<SharedResource> share;
};

}  // namespace tandem::kernel

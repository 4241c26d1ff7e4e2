// A resource that other devices and adapters may open: what is the same for all of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/condition.h"
#include "base/thread.h"
#include "kernel/memory/allocation.h"

namespace tandem::kernel {

// Lives as long as one adapter or one descriptor holds the resource. Constant, but for `on_adapter`.
struct SharedResource {
  bool cross_adapter = false;
  bool nt_sharing = false;                // by descriptor, not by global handle
  std::shared_ptr<BackingStore> backing;  // the only allocation's, when it lies in system memory alone; else null
  SurfaceDescription description;         // DxgkDdiDescribeAllocation's answer when it was created
  UINT pitch = 0;                         // bytes; of the creator's standard cross-adapter surface, 0 when it does not tell
  std::uint64_t size = 0;                 // bytes of that allocation
  std::vector<std::byte> runtime_data;
  // By which the same driver makes the same allocation in another process.
  std::string driver_name;
  std::vector<std::byte> resource_data;
  std::vector<std::byte> allocation_data;

  // hGlobalShare, and who closes it: the adapter that is the last to let go.
  std::uint32_t handle = 0;
  Mutex mutex;
  // Adapters, by number, on which somebody opens it right now: an adapter gets one resource and not two. Adapters do not wait for
  // each other.
  std::set<std::uint64_t> opening TANDEM_GUARDED_BY(mutex);
  Condition opened;
  // Adapters on which it is open, by AdapterInstance::number().
  std::map<std::uint64_t, std::weak_ptr<Resource>> on_adapter TANDEM_GUARDED_BY(mutex);

  // The adapter lets go of its resource. True when no adapter holds one any more.
  [[nodiscard]] bool Forget(std::uint64_t adapter, const Resource& resource) {
    const MutexLock lock(mutex);
    const auto found = on_adapter.find(adapter);
    // Another one may have been opened since.
    if (found != on_adapter.end() && found->second.lock().get() == &resource) on_adapter.erase(found);
    return on_adapter.empty();
  }
};

}  // namespace tandem::kernel

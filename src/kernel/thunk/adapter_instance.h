// Everything that one adapter is made of, from plugging to removal.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/adapter/adapter.h"
#include "kernel/feature/feature_guest.h"
#include "kernel/memory/memory_manager.h"
#include "kernel/present/presenter.h"
#include "kernel/submit/pager.h"
#include "kernel/submit/paging_queue.h"
#include "kernel/submit/scheduler.h"
#include "kernel/thunk/handle_table.h"
#include "kernel/thunk/rundown.h"
#include "kernel/thunk/trim_notifier.h"

namespace tandem::kernel {

struct DeviceObject;

// Handles keep the unit beyond the adapter's life; calls get in by AdapterGuard only.
class AdapterInstance final : public HandleResolver,
                              public InterruptSink,
                              public ChildStatuses::Listener,
                              public std::enable_shared_from_this<AdapterInstance> {
 public:
  // Takes a started adapter. `handles` outlives the unit's adapter.
  [[nodiscard]] static Result<std::shared_ptr<AdapterInstance>> Create(std::unique_ptr<Adapter> adapter, HandleTable& handles,
                                                                       const AdapterDescription& description,
                                                                       const TdrSettings& tdr);
  ~AdapterInstance() override;

  [[nodiscard]] const AdapterDescription& description() const { return description_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }  // no other unit of the process has it

  // For callers that hold an AdapterGuard.
  [[nodiscard]] Adapter& adapter() { return *adapter_; }
  [[nodiscard]] Scheduler& scheduler() { return *scheduler_; }
  [[nodiscard]] MemoryManager& memory() { return *memory_; }
  [[nodiscard]] Pager& pager() { return *pager_; }
  [[nodiscard]] Presenter& presenter() { return *presenter_; }
  [[nodiscard]] TrimNotifier& trims() { return trims_; }  // also without a guard
  [[nodiscard]] Rundown& rundown() { return rundown_; }
  // Being removed, or its driver broke a rule: blocking calls give up.
  [[nodiscard]] bool lost() const { return lost_.load(std::memory_order_acquire); }

  void AddDevice(const std::shared_ptr<DeviceObject>& device);
  void RemoveDevice(const DeviceObject& device);
  // A fence that ends its waits when the adapter goes.
  void AddFence(const std::shared_ptr<Fence>& fence);
  // One more device holds the resource; false when the last one has just let go.
  [[nodiscard]] bool OpenResource(Resource& resource);
  [[nodiscard]] bool IsLastOpener(const Resource& resource);
  // True for the last device: the caller destroys the resource.
  [[nodiscard]] bool CloseResource(Resource& resource);

  // The global handle of the resource that has the allocation; 0 when it is not shared so, or gone.
  [[nodiscard]] D3DKMT_HANDLE GlobalShareOf(const Allocation* allocation);

  // See Kernel::ServeGuest.
  Result<void> ServeGuest(UniqueFd socket);

  // Wakes and keeps out all callers, destroys what they have at the driver, stops and removes the device. Once. False when a call
  // does not come back from the driver: then everything stays, the unit too.
  [[nodiscard]] bool Remove();
  // A call is stuck in the driver: what a program gives back cannot be destroyed, and stays with its handle.
  [[nodiscard]] bool hung();
  // For objects whose adapter is gone: returns when Remove() is done.
  void AwaitRemoval() { const MutexLock lock(removal_mutex_); }

  [[nodiscard]] AdapterCounters Counters();
  [[nodiscard]] std::string Violation();  // Adapter::violation()
  // Empty once the adapter is removed.
  [[nodiscard]] std::vector<TimeoutReport> Timeouts();

  PVOID HandleData(const DXGKARGCB_GETHANDLEDATA& args) override;
  D3DKMT_HANDLE HandleParent(D3DKMT_HANDLE allocation) override;
  D3DKMT_HANDLE HandleChild(D3DKMT_HANDLE resource, UINT index) override;
  void OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& /*data*/) override {}
  void OnAdapterLost() override { MarkLost(); }
  void OnChildStatus(ULONG child, DXGK_CHILD_STATUS_TYPE type) override;

 private:
  AdapterInstance(std::unique_ptr<Adapter> adapter, HandleTable& handles, AdapterDescription description);
  void MarkLost();

  std::unique_ptr<Adapter> adapter_;
  HandleTable& handles_;
  AdapterDescription description_;
  std::uint64_t number_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<PagingQueue> paging_;
  std::unique_ptr<MemoryManager> memory_;
  std::unique_ptr<Pager> pager_;
  std::unique_ptr<Presenter> presenter_;
  TrimNotifier trims_;
  Rundown rundown_;
  std::atomic<bool> lost_{false};
  std::atomic<bool> abandoned_{false};
  Mutex removal_mutex_;
  Mutex mutex_;
  std::vector<std::shared_ptr<DeviceObject>> devices_ TANDEM_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<Fence>> fences_ TANDEM_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<FeatureGuest>> guests_ TANDEM_GUARDED_BY(mutex_);
  AdapterCounters last_counters_;  // counters of the removed adapter
  std::string last_violation_;
};

// A call that is inside an adapter. Not entered: the adapter is removed or stopped, the answer is STATUS_DEVICE_REMOVED.
class AdapterGuard {
 public:
  explicit AdapterGuard(AdapterInstance& unit) : guard_(unit.rundown()), alive_(guard_.entered() && unit.adapter().alive()) {}
  [[nodiscard]] bool alive() const { return alive_; }

 private:
  RundownGuard guard_;
  bool alive_;
};

}  // namespace tandem::kernel

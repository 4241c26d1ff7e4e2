// The reset of an engine, or of the whole adapter, and what becomes of the work that it had.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "kernel/kernel.h"
#include "kernel/submit/device_condition.h"
#include "kernel/submit/node_queue.h"
#include "kernel/submit/work_monitor.h"

namespace tandem::kernel {

// DDIs of PASSIVE_LEVEL are called without the lock, while the nodes that they concern are marked as resetting. Threads: the
// watch's, unless said.
class EngineReset {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // The adapter's nodes, by ordinal. They outlive the object.
    [[nodiscard]] virtual NodeQueue& Node(std::uint32_t ordinal) TANDEM_REQUIRES(work_lock) = 0;
    // The adapter was reset: all devices are lost. Work of `guilty` hung it, null for none.
    virtual void LoseAllDevices(const DeviceCondition* guilty) TANDEM_REQUIRES(work_lock) = 0;
  };

  // Both outlive the object.
  EngineReset(WorkMonitor& monitor, Owner& owner) : monitor_(monitor), adapter_(monitor.adapter()), owner_(owner) {}
  EngineReset(const EngineReset&) = delete;
  EngineReset& operator=(const EngineReset&) = delete;

  // Resets the engine of `report.node` with those that depend on it, and completes the report. False: it takes a reset of the
  // adapter.
  [[nodiscard]] bool ResetEngines(TimeoutReport& report);
  void ResetAdapter(TimeoutReport& report);

  // A DPC of the adapter has run. DPC thread.
  void OnDpc();

 private:
  [[nodiscard]] bool ResetEngine(std::uint32_t node_ordinal, UINT& last_aborted);
  // DxgkDdiCollectDbgInfo.
  void Collect(std::uint32_t code, const char* name, TimeoutReport& report);
  // Waits until no thread is in a call that submits to one of the nodes (bit N: node N), which take nothing more.
  void AwaitSubmitters(ULONGLONG nodes) TANDEM_REQUIRES(work_lock);
  // Waits until everything that the driver noted so far was delivered.
  void FlushDpcs();

  WorkMonitor& monitor_;
  Adapter& adapter_;
  Owner& owner_;
  std::uint64_t dpcs_ TANDEM_GUARDED_BY(work_lock) = 0;
  std::atomic<bool> dpc_awaited_{false};
};

}  // namespace tandem::kernel

// The state behind the D3DKMT thunks: adapters and handles of the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/dma_buf.h"
#include "base/thread.h"
#include "kernel/thunk/adapter_instance.h"
#include "kernel/thunk/handle_table.h"
#include "kernel/thunk/nt_objects.h"
#include "kernel/thunk/objects.h"

#include <d3dkmthk.h>

namespace tandem::kernel {

// Threads: any.
class System {
 public:
  // Both outlive it.
  System(Clock& clock, KernelFeatures& features) : clock_(clock), features_(features) {}
  // Every adapter is removed.
  ~System() = default;

  [[nodiscard]] HandleTable& handles() { return handles_; }
  [[nodiscard]] Clock& clock() { return clock_; }
  [[nodiscard]] KernelFeatures& features() { return features_; }
  [[nodiscard]] BackingStoreKind backing_kind() const { return backing_kind_.load(std::memory_order_relaxed); }
  void SetBackingKind(BackingStoreKind kind) { backing_kind_.store(kind, std::memory_order_relaxed); }
  [[nodiscard]] std::shared_ptr<DmaBufSource> dma_buf_source() {
    const MutexLock lock(mutex_);
    return dma_buf_source_;
  }
  void SetDmaBufSource(std::shared_ptr<DmaBufSource> source) {
    const MutexLock lock(mutex_);
    dma_buf_source_ = std::move(source);
  }

  [[nodiscard]] NtObjects& nt_objects() { return nt_objects_; }

  void AddUnit(const std::shared_ptr<AdapterInstance>& unit);
  // Null when there is none of that LUID.
  [[nodiscard]] std::shared_ptr<AdapterInstance> TakeUnit(LUID luid);
  [[nodiscard]] std::shared_ptr<AdapterInstance> FindUnit(LUID luid);
  [[nodiscard]] std::vector<std::shared_ptr<AdapterInstance>> Units();

  // Which system the thunks answer from. Uninstall keeps calls out; DrainCalls waits for those that are inside.
  [[nodiscard]] static bool Install(System& system);
  static void Uninstall(System& system);
  void DrainCalls();

  // Kernel::SetPrologue and Kernel::AbandonInChild.
  static void SetPrologue(void (*prologue)() noexcept);
  static void AbandonInChild();

 private:
  friend class SystemGuard;

  Clock& clock_;
  KernelFeatures& features_;
  HandleTable handles_;
  NtObjects nt_objects_;
  std::atomic<BackingStoreKind> backing_kind_{BackingStoreKind::kMemfd};
  std::atomic<std::uint32_t> calls_{0};  // thunks inside
  Mutex mutex_;
  std::vector<std::shared_ptr<AdapterInstance>> units_ TANDEM_GUARDED_BY(mutex_);
  std::shared_ptr<DmaBufSource> dma_buf_source_ TANDEM_GUARDED_BY(mutex_);
};

// A thunk that is inside the system.
class SystemGuard {
 public:
  SystemGuard();
  ~SystemGuard();
  SystemGuard(const SystemGuard&) = delete;
  SystemGuard& operator=(const SystemGuard&) = delete;
  [[nodiscard]] System* system() const { return system_; }

 private:
  System* system_;
};

// The frame of every thunk: no system answers STATUS_DEVICE_REMOVED, no argument STATUS_INVALID_PARAMETER, no memory
// STATUS_NO_MEMORY.
template <class Data, class Body>
NTSTATUS InThunk(Data* data, Body body) noexcept {
  if (data == nullptr) return STATUS_INVALID_PARAMETER;
  const SystemGuard guard;
  if (guard.system() == nullptr) return STATUS_DEVICE_REMOVED;
  try {
    return body(*guard.system());
  } catch (const std::bad_alloc&) {
    return STATUS_NO_MEMORY;
  }
}

}  // namespace tandem::kernel

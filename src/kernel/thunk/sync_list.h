// Objects that a signal or a wait names, with their values.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernel/thunk/system.h"

namespace tandem::kernel {

enum class SyncOperation : std::uint8_t { kSignal, kWait };

// Values of a call's fences. Mutexes, semaphores and notifications have none.
struct SyncValues {
  // kProcessor: of each monitored fence; the processor signals nothing else, and waits for nothing else.
  enum class Form : std::uint8_t { kNone, kOne, kEach, kProcessor };
  Form form = Form::kNone;
  UINT64 one = 0;                // kOne: of every fence
  const UINT64* each = nullptr;  // kEach, kProcessor
};

// The form of calls that have an array or, for fences of before, one value in its place: the first object tells.
[[nodiscard]] SyncValues ArrayOrOne(System& system, UINT count, const D3DKMT_HANDLE* objects, const UINT64* each, UINT64 one);

// The fences outlive their handles: a wait must not hinder the handle's destruction. Allocates for more than
// D3DDDI_MAX_OBJECT_WAITED_ON alone.
class SyncList {
 public:
  // STATUS_INVALID_PARAMETER also for an object that the operation does not take, or not with values of that form.
  [[nodiscard]] NTSTATUS Resolve(System& system, SyncOperation operation, UINT count, const D3DKMT_HANDLE* objects,
                                 const SyncValues& values);
  [[nodiscard]] std::span<std::shared_ptr<Fence>> fences() const { return fences_; }
  [[nodiscard]] std::span<const UINT64> values() const { return values_; }

 private:
  void MakeRoom(UINT count);

  std::array<std::shared_ptr<Fence>, D3DDDI_MAX_OBJECT_WAITED_ON> few_;
  std::array<UINT64, D3DDDI_MAX_OBJECT_WAITED_ON> few_values_{};
  std::vector<std::shared_ptr<Fence>> many_;
  std::vector<UINT64> many_values_;
  std::span<std::shared_ptr<Fence>> fences_;
  std::span<UINT64> values_;
};

}  // namespace tandem::kernel

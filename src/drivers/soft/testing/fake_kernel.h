// The least of a graphics kernel that the soft adapter runs under: one adapter, no scheduler, everything waits for everything.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/memory_map.h"
#include "base/unique_fd.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/soft/soft_device.h"

#include <dispmprt.h>

namespace tandem::soft::testing {

// An allocation as kernel and driver see it together.
struct FakeAllocation {
  processor::AllocationData data;
  DXGK_ALLOCATIONINFO info{};
  HANDLE opened = nullptr;    // hDeviceSpecificAllocation
  std::uint64_t address = 0;  // GPU address where it was placed
  std::uint32_t segment = 0;
  std::shared_ptr<MemoryMap> pages;  // system memory of an aperture allocation
  UniqueFd fd;                       // its memfd, when it has one
  std::byte* cpu = nullptr;
};

enum class Pages { kAnonymous, kMemfd };

// Checks inside abort the test program: they are the test's own bugs. Not thread-safe, but for what interrupts bring.
class FakeKernel {
 public:
  explicit FakeKernel(const DeviceDescription& description);
  ~FakeKernel();

  [[nodiscard]] const DRIVER_INITIALIZATION_DATA& ddi() const { return table_; }
  [[nodiscard]] HANDLE adapter() const { return adapter_; }
  [[nodiscard]] HANDLE context() const { return context_; }
  [[nodiscard]] std::uint32_t sources() const { return sources_; }

  // Creates, opens, places and (in the aperture) maps an allocation.
  FakeAllocation Allocate(const processor::AllocationData& data, Pages pages);
  void Unmap(const FakeAllocation& allocation);
  // The kernel frees all remaining allocations at its end.
  void Free(FakeAllocation& allocation);

  // Runs one paging operation and waits for it.
  NTSTATUS Page(DXGKARG_BUILDPAGINGBUFFER operation);
  // The entry of an allocation list; `placed` false leaves the address out, as before a first residency.
  [[nodiscard]] static DXGK_ALLOCATIONLIST Entry(const FakeAllocation* allocation, bool placed, bool written);
  // Runs a present from first pass to last; each pass is patched, submitted to node 0 and awaited. `passes` gets their number.
  NTSTATUS Present(const FakeAllocation* source, const FakeAllocation* destination, DXGKARG_PRESENT present,
                   std::uint32_t dma_bytes, std::uint32_t* passes);
  // Runs a DxgkDdiRender in the same way.
  NTSTATUS Render(const std::vector<std::byte>& commands, const std::vector<DXGK_ALLOCATIONLIST>& list);
  // Submits raw bytes; the interrupt that ended them.
  DXGK_INTERRUPT_TYPE Submit(std::uint32_t node, const void* commands, std::uint32_t bytes, bool paging);
  std::uint32_t SubmitWithoutWaiting(std::uint32_t node, const void* commands, std::uint32_t bytes, bool paging);
  std::uint32_t SubmitWithoutWaiting(std::uint32_t node, const void* commands, std::uint32_t bytes, bool paging,
                                     void* private_data, std::uint32_t private_bytes);
  // After a preemption.
  std::uint32_t SubmitAgain(std::uint32_t node, const void* commands, std::uint32_t bytes, void* private_data,
                            std::uint32_t private_bytes);
  // Completed, preempted or faulted, whichever names this fence first.
  DXGK_INTERRUPT_TYPE AwaitFence(std::uint32_t node, std::uint32_t fence);

  // Never beside the interrupt routine.
  NTSTATUS Flip(std::uint32_t source, const FakeAllocation& allocation, bool immediate);
  // Called once, by whoever raises the next interrupt, before its routine runs.
  void BeforeInterrupt(std::function<void()> call);
  // Waits up to 20 s until an interrupt matches; false when none did. Looks at those since the last ClearInterrupts().
  bool AwaitInterrupt(const std::function<bool(const DXGKARGCB_NOTIFY_INTERRUPT_DATA&)>& matches);
  bool AwaitVsync(std::uint32_t target, std::uint64_t address);
  std::vector<DXGKARGCB_NOTIFY_INTERRUPT_DATA> interrupts();
  void ClearInterrupts();
  // Times that the driver gave its interrupts.
  std::vector<std::int64_t> stamps();
  // What the driver indicated, on the test's thread.
  [[nodiscard]] const std::vector<DXGK_CHILD_STATUS>& indicated() const { return indicated_; }

 private:
  static VOID RaiseInterrupt(PVOID context, ULONG message);
  static VOID StampInterrupt(PVOID context, UINT64 time);
  static VOID* GetHandleData(CONST DXGKARGCB_GETHANDLEDATA* data);
  static NTSTATUS IndicateChildStatus(HANDLE device, PDXGK_CHILD_STATUS status);
  static BOOLEAN QueueDpc(HANDLE device);
  static VOID NotifyInterrupt(HANDLE device, CONST DXGKARGCB_NOTIFY_INTERRUPT_DATA* data);
  static VOID NotifyDpc(HANDLE device);

  DRIVER_INITIALIZATION_DATA table_{};
  DEVICE_OBJECT device_object_{};
  DXGKRNL_INTERFACE callbacks_{};
  PVOID adapter_ = nullptr;
  HANDLE device_ = nullptr;
  HANDLE context_ = nullptr;
  ULONG sources_ = 0;
  std::uint32_t next_fence_ = 1;
  std::uint64_t next_local_ = 0;
  std::uint64_t next_aperture_ = 0;
  std::vector<DXGK_SEGMENTDESCRIPTOR4> segments_;
  struct Live {
    HANDLE allocation = nullptr;
    HANDLE opened = nullptr;
  };
  void Destroy(const Live& live);
  std::uint32_t SubmitCommand(DXGKARG_SUBMITCOMMAND submit, const void* commands, std::uint32_t bytes);
  std::vector<Live> live_;
  std::vector<DXGK_CHILD_STATUS> indicated_;

  std::mutex isr_mutex_;
  std::function<void()> before_interrupt_;  // guarded by mutex_
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<DXGKARGCB_NOTIFY_INTERRUPT_DATA> interrupts_;
  std::vector<std::int64_t> stamps_;
};

}  // namespace tandem::soft::testing

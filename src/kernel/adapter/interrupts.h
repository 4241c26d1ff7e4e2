// From the device's interrupt to the sinks: interrupt routine, noted interrupts, DPC thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/request_bits.h"
#include "base/thread.h"
#include "kernel/adapter/adapter.h"
#include "kernel/adapter/ddi_gate.h"
#include "kernel/adapter/interrupt_check.h"

#include <dispmprt.h>

namespace tandem::kernel {

// One per adapter. Allocates nothing after Start(). Raise, Notify, QueueDpc, Synchronize and RequestDpc: any thread. The gate,
// clock and owner outlive it.
//
// An interrupt runs the driver's interrupt routine on the thread that raised it, under the gate's interrupt lock. What the driver
// notes is stamped with the time and put into a ring of kMaxNotedInterrupts; a full ring is a broken rule. Vertical blanks, which
// come again, fill half of it: what is more is dropped. The DPC thread runs the DPC routine and then gives the sinks what had
// been noted when the routine called DxgkCbNotifyDpc.
class Interrupts {
 public:
  Interrupts(DdiGate& gate, Clock& clock, DdiGate::Owner& owner, InterruptSource source)
      : gate_(gate), clock_(clock), owner_(owner), source_(source) {}
  ~Interrupts() { Stop(); }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Starts the DPC thread and lets interrupts in. Before StartDevice.
  [[nodiscard]] Result<void> Start(const DRIVER_INITIALIZATION_DATA& ddi, PVOID miniport_context, const std::string& thread_name);
  // Sets the nodes and targets that interrupts may name. Once.
  void SetLimits(InterruptLimits limits);
  // After it returned, neither the interrupt routine nor the DPC routine runs: what the device raises is ignored. After
  // StopDevice.
  void Disable();
  // Ends the DPC thread. Sinks hear nothing any more.
  void Stop();
  // Interrupts are ignored from here on, and the DPC thread tells every sink. Any IRQL, also under the interrupt lock; once.
  void MarkLost();
  // Tells the sinks on the calling thread, for a DPC thread that does not come back.
  void TellLost() { TellSinks(&InterruptSink::OnAdapterLost); }

  // TANDEM_BUS_INTERFACE::RaiseInterrupt.
  void Raise(ULONG message_number);
  // TANDEM_BUS_INTERFACE::StampInterrupt.
  void Stamp(std::int64_t time_ns);
  // DxgkCbNotifyInterrupt.
  void Notify(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  // DxgkCbQueueDpc: false when one is queued already.
  bool QueueDpc();
  // DxgkCbNotifyDpc.
  void NotifyDpc();
  // DxgkCbSynchronizeExecution; the value that the routine returned.
  BOOLEAN Synchronize(PKSYNCHRONIZE_ROUTINE routine, PVOID context);

  void AddSink(InterruptSink& sink);
  void RemoveSink(InterruptSink& sink);
  void RequestDpc() { request_.Post(kSinkDpc); }
  [[nodiscard]] std::int64_t delivering_noted_at_ns() const { return delivering_noted_at_ns_; }
  [[nodiscard]] std::span<const PlaneReport> delivering_planes() const { return delivering_planes_; }

 private:
  struct Noted {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    std::int64_t time_ns;
    NotedPlanes planes;
  };

  // Bits of request_.
  static constexpr std::uint32_t kDriverDpc = 1, kSinkDpc = 2, kLost = 4, kStop = 8;

  // The interrupt routine, and whether it kept its rules. Under the interrupt lock.
  void RunInterruptRoutine(ULONG message_number);
  void RunDpcThread();
  void RunDriverDpc();
  void Deliver();
  void TellSinks(void (InterruptSink::*member)());

  DdiGate& gate_;
  Clock& clock_;
  DdiGate::Owner& owner_;
  const InterruptSource source_;
  const DRIVER_INITIALIZATION_DATA* ddi_ = nullptr;
  PVOID miniport_context_ = nullptr;

  std::atomic<bool> enabled_{false};
  InterruptLimits limits_;  // written before has_limits_
  std::atomic<bool> has_limits_{false};
  std::atomic<bool> dpc_owed_{false};  // noted in the interrupt routine, and no DPC queued since
  // State of the running interrupt routine, under the interrupt lock. A DPC that others queue meanwhile does no harm.
  std::atomic<bool> acknowledged_{false};  // it noted something or queued a DPC
  bool in_routine_ = false;
  bool crtc_noted_ = false;
  bool other_message_ = false;  // the driver reported from another message than its own
  std::int64_t stamp_ns_ = 0;   // of what is noted next; 0: none
  ULONG message_number_ = 0;
  std::array<Noted, kMaxNotedInterrupts> ring_;
  std::atomic<std::uint32_t> head_{0};  // written under the interrupt lock
  std::atomic<std::uint32_t> tail_{0};  // written by the DPC thread
  std::uint32_t notified_ = 0;          // DPC thread: head_ when DxgkCbNotifyDpc was called
  std::int64_t delivering_noted_at_ns_ = 0;
  std::span<const PlaneReport> delivering_planes_;

  RequestBits request_;
  std::mutex driver_dpc_mutex_;  // held while the DPC routine runs
  Mutex sinks_mutex_;
  std::vector<InterruptSink*> sinks_ TANDEM_GUARDED_BY(sinks_mutex_);
  Thread dpc_thread_;
};

}  // namespace tandem::kernel

#include "kernel/submit/scheduler.h"

#include <utility>

namespace tandem::kernel {

Condition* ContextWaiter::OnReached(bool /*lost*/) {
  scheduler->Wake();
  return nullptr;
}

Scheduler::Scheduler(Adapter& adapter, const TdrSettings& tdr)
    : adapter_(adapter),
      monitor_(adapter),
      memory_(monitor_, *this),
      flips_(monitor_, memory_),
      modes_(monitor_),
      contexts_(flips_, *this),
      dispatcher_(monitor_, contexts_, memory_, *this, tdr),
      uses_(monitor_, flips_, dispatcher_),
      worker_(*this) {}

Result<std::unique_ptr<Scheduler>> Scheduler::Create(Adapter& adapter, const TdrSettings& tdr) {
  if (adapter.node_count() > kMaxNodes || adapter.paging_node() >= adapter.node_count()) {
    return Fail(ErrorKind::kUnsupported, "{} nodes with paging on node {}: the limit is {}.", adapter.node_count(),
                adapter.paging_node(), kMaxNodes);
  }
  std::unique_ptr<Scheduler> scheduler(new Scheduler(adapter, tdr));
  if (auto started = scheduler->worker_.Start("tandem-submit"); !started.ok()) return std::move(started).error();
  if (auto started = scheduler->recovery().Start(); !started.ok()) return std::move(started).error();
  adapter.AddSink(*scheduler);
  return scheduler;
}

Scheduler::~Scheduler() {
  worker_.Stop();  // it arms the watch
  // The watch may be in a reset, which waits for a DPC of this sink.
  recovery().Stop();
  adapter_.RemoveSink(*this);
}

void Scheduler::AddContext(ContextQueue& context) {
  const WorkLock lock(monitor_);
  context.waiter.scheduler = this;
  contexts_.Add(context);
}

void Scheduler::AddDevice(DeviceCondition& device) {
  const WorkLock lock(monitor_);
  devices_.push_back(&device);
}

void Scheduler::RemoveDevice(DeviceCondition& device) {
  const WorkLock lock(monitor_);
  std::erase(devices_, &device);
}

void Scheduler::SetPriority(ContextQueue& context, PriorityKind kind, std::int32_t priority) {
  const WorkLock lock(monitor_);
  (kind == PriorityKind::kScheduling ? context.priority : context.in_process_priority) = priority;
  dispatcher_.Dispatch(context.node, Irql::kPassive);
}

std::int32_t Scheduler::PriorityOf(ContextQueue& context, PriorityKind kind) {
  const WorkLock lock(monitor_);
  return kind == PriorityKind::kScheduling ? context.priority : context.in_process_priority;
}

bool Scheduler::RemoveContext(ContextQueue& context) {
  const WorkLock lock(monitor_);
  while (context.memory == ContextQueue::Memory::kPaging) {
    if (adapter_.hung()) return false;
    monitor_.Sleep(kNoDeadline);
  }
  contexts_.Drop(context);
  TellCancelled();
  // An engine that hangs is reset in the end.
  while (context.packets_complete != context.packets_issued && adapter_.alive()) monitor_.Sleep(kNoDeadline);
  // Another thread is in the driver with one of its packets.
  while (context.cancelling != 0 || dispatcher_.IsSubmitting(context)) {
    if (adapter_.hung()) return false;
    monitor_.Sleep(kNoDeadline);
  }
  // A stopped adapter never completes its packets; they must not be found again.
  dispatcher_.GiveUp(context);
  flips_.ForgetContext(context);
  contexts_.Remove(context);
  return true;
}

NTSTATUS Scheduler::AcquirePacket(ContextQueue& context, Packet*& packet, WhenNone when_none) {
  if (const NTSTATUS status = TakeFree(context, packet, when_none); !NT_SUCCESS(status)) return status;
  if (packet->SetGuards()) return STATUS_SUCCESS;
  ReleasePacket(*packet);
  return STATUS_NO_MEMORY;
}

NTSTATUS Scheduler::TakeFree(ContextQueue& context, Packet*& packet, WhenNone when_none) {
  const WorkLock lock(monitor_);
  while (context.free_packets.empty()) {
    if (monitor_.gone()) return STATUS_DEVICE_REMOVED;
    if (const NTSTATUS status = context.device->status(); !NT_SUCCESS(status)) return status;
    if (when_none == WhenNone::kAnswer) return STATUS_DEVICE_NOT_READY;
    monitor_.Sleep(kNoDeadline);
  }
  if (const NTSTATUS status = context.device->status(); !NT_SUCCESS(status)) return status;
  packet = context.free_packets.back();
  context.free_packets.pop_back();
  return STATUS_SUCCESS;
}

void Scheduler::ReleasePacket(Packet& packet) {
  const WorkLock lock(monitor_);
  Recycle(packet);
}

NTSTATUS Scheduler::QueuePacket(Packet& packet, MutexLock& fill) {
  const bool splits = adapter_.trial().splits_buffers && packet.patch_count != 0;
  if (memory_.CanFit(packet) && !splits) return QueueWhole(packet);
  fill.native().unlock();
  const NTSTATUS status = QueueInPieces(packet);
  fill.native().lock();
  return status;
}

NTSTATUS Scheduler::QueueWhole(Packet& packet) {
  Operation operation;
  operation.type = OperationType::kPacket;
  operation.packet = &packet;
  const NTSTATUS status = Push(*packet.context, std::move(operation));
  if (!NT_SUCCESS(status)) ReleasePacket(packet);
  return status;
}

// The pieces wait for memory one after the other, so that each may drive out what those before it needed.
NTSTATUS Scheduler::QueueInPieces(Packet& packet) {
  std::vector<Piece> pieces;
  NTSTATUS status = memory_.Split(packet, pieces);
  for (const Piece& piece : pieces) {
    Packet* part = nullptr;
    status = AcquirePacket(*packet.context, part);
    if (!NT_SUCCESS(status)) break;
    modes_.BuildFor(*part, packet.built_for);
    FillPiece(*part, packet, piece);
    status = QueueWhole(*part);
    if (!NT_SUCCESS(status)) break;
  }
  ReleasePacket(packet);
  return status;
}

NTSTATUS Scheduler::QueueSignal(ContextQueue& context, std::shared_ptr<Fence> fence, std::uint64_t value) {
  Operation operation;
  operation.type = OperationType::kSignal;
  operation.fence = std::move(fence);
  operation.value = value;
  return Push(context, std::move(operation));
}

NTSTATUS Scheduler::QueueWait(ContextQueue& context, std::shared_ptr<Fence> fence, std::uint64_t value) {
  Operation operation;
  operation.type = OperationType::kWait;
  operation.fence = std::move(fence);
  operation.value = value;
  return Push(context, std::move(operation));
}

NTSTATUS Scheduler::QueueFlip(ContextQueue& context, const PendingFlip& flip) {
  if (!flips_.Begin(flip)) return STATUS_GRAPHICS_ALLOCATION_BUSY;
  Operation operation;
  operation.type = OperationType::kFlip;
  operation.flip = flip;
  const NTSTATUS status = Push(context, std::move(operation));
  if (!NT_SUCCESS(status)) {
    const WorkLock lock(monitor_);
    flips_.Forget(flip);
  }
  return status;
}

NTSTATUS Scheduler::Push(ContextQueue& context, Operation operation) {
  const WorkLock lock(monitor_);
  if (!adapter_.alive()) return STATUS_DEVICE_REMOVED;
  if (operation.type == OperationType::kPacket && context.out_of_memory) return STATUS_GRAPHICS_NO_VIDEO_MEMORY;
  if (const NTSTATUS status = context.device->status(); !NT_SUCCESS(status)) return status;
  if (context.operations.full()) return STATUS_INSUFFICIENT_RESOURCES;
  context.operations.push(std::move(operation));
  contexts_.Advance(context);
  dispatcher_.Dispatch(context.node, Irql::kPassive);
  return adapter_.alive() ? STATUS_SUCCESS : STATUS_DEVICE_REMOVED;
}

NTSTATUS Scheduler::WaitForPackets(ContextQueue& context, std::int64_t timeout_ns) {
  const WorkLock lock(monitor_);
  std::uint64_t wanted = context.packets_issued;
  for (std::size_t i = 0; i < context.operations.size(); ++i) {
    if (context.operations.at(i).type == OperationType::kPacket) ++wanted;
  }
  const std::int64_t deadline = adapter_.clock().NowNs() + timeout_ns;
  while (context.packets_complete < wanted) {
    if (monitor_.gone()) return STATUS_DEVICE_REMOVED;
    if (const NTSTATUS status = context.device->status(); !NT_SUCCESS(status)) return status;
    if (!monitor_.Sleep(deadline)) return STATUS_TIMEOUT;
  }
  return STATUS_SUCCESS;
}

bool Scheduler::IsIdle(ContextQueue& context) {
  const WorkLock lock(monitor_);
  return context.operations.empty() && context.flips.empty() && context.packets_complete == context.packets_issued;
}

void Scheduler::DropFlips(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  if (vidpn_source >= kMaxFlipSources) return;
  const WorkLock lock(monitor_);
  flips_.Drop(vidpn_source);
  for (ContextQueue* context : contexts_.all()) contexts_.CompleteSignals(*context);
}

void Scheduler::MarkLost() {
  monitor_.MarkLost();
  Wake();  // the worker tells who sleeps here
}

void Scheduler::Work() {
  const WorkLock lock(monitor_);
  if (monitor_.lost()) monitor_.Notify();
  DropLostWork();
  TellCancelled();
  flips_.Collect();
  AdvanceAll(Irql::kPassive);
}

void Scheduler::AdvanceAll(Irql irql) {
  for (ContextQueue* context : contexts_.all()) contexts_.Advance(*context);
  dispatcher_.DispatchAll(irql);
}

void Scheduler::OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  const WorkLock lock(monitor_);
  if (!dispatcher_.OnInterrupt(data)) return;
  flips_.Collect();
  AdvanceAll(Irql::kDispatch);
}

void Scheduler::OnFlipRetired(std::uint32_t vidpn_source, std::uint64_t cookie) {
  if (vidpn_source >= kMaxFlipSources) return;
  flips_.Retire(vidpn_source, cookie);
  const WorkLock lock(monitor_);
  flips_.Collect();
  AdvanceAll(Irql::kDispatch);
}

void Scheduler::OnAnswered(ContextQueue& context) {
  dispatcher_.Dispatch(context.node, Irql::kPassive);
  if (work_lost_) Wake();
}

void Scheduler::OnReturned() {
  if (work_lost_) Wake();
}

void Scheduler::OnLostWork() {
  work_lost_ = true;
  Wake();
}

void Scheduler::OnCancelled(Packet& packet) {
  if (!adapter_.caps().SchedulingCaps.CancelCommandAware) {
    Recycle(packet);
    return;
  }
  ++packet.context->cancelling;
  (first_cancelled_ == nullptr ? first_cancelled_ : last_cancelled_->next) = &packet;
  last_cancelled_ = &packet;
}

void Scheduler::TellCancelled() {
  while (first_cancelled_ != nullptr) {
    Packet& packet = *first_cancelled_;
    first_cancelled_ = std::exchange(packet.next, nullptr);
    monitor_.Unlock();
    CancelPacket(adapter_, packet);
    monitor_.Lock();
    --packet.context->cancelling;
    Recycle(packet);
  }
}

void Scheduler::Recycle(Packet& packet) {
  packet.CheckGuards(adapter_);
  packet.Reset();
  modes_.EndPacket(std::exchange(packet.built_for, 0));
  memory_.CountRelease();
  packet.context->free_packets.push_back(&packet);
  monitor_.Notify();
}

void Scheduler::LoseDevice(DeviceCondition& device, DeviceLoss why) {
  const WorkLock lock(monitor_);
  MarkLost(device, why);
}

void Scheduler::MarkLost(DeviceCondition& device, DeviceLoss why) {
  if (!device.MarkLost(why)) return;
  work_lost_ = true;
  Wake();
  monitor_.Notify();
}

void Scheduler::MarkAllLost(const DeviceCondition* guilty) {
  for (DeviceCondition* device : devices_) MarkLost(*device, device == guilty ? DeviceLoss::kHung : DeviceLoss::kReset);
}

void Scheduler::DropLostWork() {
  if (!std::exchange(work_lost_, false)) return;
  while (Packet* const packet = dispatcher_.TakeLost()) {
    ++packet->context->packets_complete;
    OnCancelled(*packet);
  }
  for (ContextQueue* context : contexts_.all()) {
    if (context->device->loss() == DeviceLoss::kNone) continue;
    // The memory host gives it back, and wakes the worker again.
    if (context->memory == ContextQueue::Memory::kPaging) {
      work_lost_ = true;
      continue;
    }
    contexts_.LoseFences(*context);
    contexts_.Drop(*context);
  }
}

void Scheduler::OnAdapterLost() {
  const WorkLock lock(monitor_);
  monitor_.Notify();
}

}  // namespace tandem::kernel

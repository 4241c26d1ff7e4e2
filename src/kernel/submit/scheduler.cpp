#include "kernel/submit/scheduler.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace tandem::kernel {
namespace {

// Longest sleep before looking again whether the adapter is alive, when nobody said so.
constexpr std::int64_t kLookAgainNs = 100'000'000;

}  // namespace

void ContextWaiter::OnReached(bool /*lost*/) { scheduler->Wake(); }

Scheduler::Scheduler(Adapter& adapter, const TdrSettings& tdr)
    : adapter_(adapter),
      settings_(tdr),
      most_in_flight_(adapter.caps().SchedulingCaps.HwQueuePacketCap != 0 ? adapter.caps().SchedulingCaps.HwQueuePacketCap
                                                                          : kInFlightUnlessTold),
      tdr_(tdr) {}

Result<std::unique_ptr<Scheduler>> Scheduler::Create(Adapter& adapter, const TdrSettings& tdr) {
  if (adapter.node_count() > kMaxScheduledNodes || adapter.paging_node() >= adapter.node_count()) {
    return Fail(ErrorKind::kUnsupported, "{} nodes with paging on node {}: the limit is {}.", adapter.node_count(),
                adapter.paging_node(), kMaxScheduledNodes);
  }
  std::unique_ptr<Scheduler> scheduler(new Scheduler(adapter, tdr));
  auto worker = Thread::Start("tandem-submit", [self = scheduler.get()] { self->RunWorker(); });
  if (!worker.ok()) return std::move(worker).error();
  scheduler->worker_ = *std::move(worker);
  auto watch = TimeoutWatch::Create(adapter.clock(), *scheduler, "tandem-tdr");
  if (!watch.ok()) return std::move(watch).error();
  scheduler->watch_ = *std::move(watch);
  adapter.AddSink(*scheduler);
  return scheduler;
}

Scheduler::~Scheduler() {
  if (!worker_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(worker_mutex_);
    worker_stops_ = true;
    worker_wake_.notify_one();
  }
  worker_.Join();  // it arms the watch
  if (watch_ == nullptr) return;
  // It may be in a reset, which waits for a DPC of this sink.
  watch_.reset();
  adapter_.RemoveSink(*this);
}

void Scheduler::SetFlipHost(FlipHost* host) {
  const MutexLock lock(mutex_);
  flip_host_ = host;
}

void Scheduler::AddContext(ContextQueue& context) {
  const MutexLock lock(mutex_);
  context.waiter.scheduler = this;
  contexts_.push_back(&context);
}

void Scheduler::AddDevice(DeviceCondition& device) {
  const MutexLock lock(mutex_);
  devices_.push_back(&device);
}

void Scheduler::RemoveDevice(DeviceCondition& device) {
  const MutexLock lock(mutex_);
  std::erase(devices_, &device);
}

void Scheduler::SetPriority(ContextQueue& context, PriorityKind kind, std::int32_t priority) {
  const MutexLock lock(mutex_);
  (kind == PriorityKind::kScheduling ? context.priority : context.in_process_priority) = priority;
  Dispatch(context.node, Irql::kPassive);
}

std::int32_t Scheduler::PriorityOf(ContextQueue& context, PriorityKind kind) {
  const MutexLock lock(mutex_);
  return kind == PriorityKind::kScheduling ? context.priority : context.in_process_priority;
}

bool Scheduler::RemoveContext(ContextQueue& context) {
  MutexLock lock(mutex_);
  while (context.memory == ContextQueue::Memory::kPaging) {
    if (adapter_.hung()) return false;
    Sleep(lock, kNoDeadline);
  }
  DropQueued(context);
  TellCancelled();
  // An engine that hangs is reset in the end.
  while (context.packets_complete != context.packets_issued && adapter_.alive()) Sleep(lock, kNoDeadline);
  // Another thread is in the driver with one of its packets.
  Node& node = nodes_[context.node];
  while (context.cancelling != 0 || (node.submitting != nullptr && node.submitting->context == &context)) {
    if (adapter_.hung()) return false;
    Sleep(lock, kNoDeadline);
  }
  // What a stopped adapter will never complete is given up; its packets must not be found again.
  GiveUp(&context, nullptr);
  for (Source& source : sources_) {
    for (std::size_t i = 0; i < source.issued.size(); ++i) {
      if (source.issued.at(i).context == &context) source.issued.at(i).context = nullptr;
    }
  }
  if (flip_host_ != nullptr) flip_host_->ForgetContext(context.driver_context);
  std::erase(contexts_, &context);
  return true;
}

// The packets of a context, or one packet, leave the nodes of a stopped adapter.
void Scheduler::GiveUp(const ContextQueue* context, const Packet* packet) {
  const auto taken = [&](Packet* other) TANDEM_REQUIRES(mutex_) {
    if (other == nullptr || (other != packet && (context == nullptr || other->context != context))) return false;
    if (other->context != nullptr) Recycle(*other);
    return true;
  };
  for (Node& node : nodes_) {
    for (std::size_t i = 0; i < node.in_flight.size(); ++i) {
      if (taken(node.in_flight.at(i).packet)) node.in_flight.at(i).packet = nullptr;
    }
    for (std::size_t left = node.preempted.size(); left > 0; --left) {
      Packet* const other = node.preempted.front();
      node.preempted.pop();
      if (!taken(other)) node.preempted.push(other);
    }
  }
}

NTSTATUS Scheduler::AcquirePacket(ContextQueue& context, Packet*& packet) {
  MutexLock lock(mutex_);
  while (context.free_packets.empty()) {
    if (lost_.load(std::memory_order_relaxed) || !adapter_.alive()) return STATUS_DEVICE_REMOVED;
    if (const NTSTATUS status = context.device->status(); !NT_SUCCESS(status)) return status;
    Sleep(lock, kNoDeadline);
  }
  if (const NTSTATUS status = context.device->status(); !NT_SUCCESS(status)) return status;
  packet = context.free_packets.back();
  context.free_packets.pop_back();
  return STATUS_SUCCESS;
}

void Scheduler::ReleasePacket(Packet& packet) {
  const MutexLock lock(mutex_);
  Recycle(packet);
}

NTSTATUS Scheduler::QueuePacket(Packet& packet, MutexLock& fill) {
  const bool splits = adapter_.trial().splits_buffers && packet.patch_count != 0;
  if (FitsMemory(packet) && !splits) return QueueWhole(packet);
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

NTSTATUS Scheduler::Push(ContextQueue& context, Operation operation) {
  const MutexLock lock(mutex_);
  if (!adapter_.alive()) return STATUS_DEVICE_REMOVED;
  if (operation.type == OperationType::kPacket && context.out_of_memory) return STATUS_GRAPHICS_NO_VIDEO_MEMORY;
  if (const NTSTATUS status = context.device->status(); !NT_SUCCESS(status)) return status;
  if (context.operations.full()) return STATUS_INSUFFICIENT_RESOURCES;
  context.operations.push(std::move(operation));
  Advance(context);
  Dispatch(context.node, Irql::kPassive);
  return adapter_.alive() ? STATUS_SUCCESS : STATUS_DEVICE_REMOVED;
}

NTSTATUS Scheduler::RunPaging(Packet& packet) {
  MutexLock lock(mutex_);
  Node& node = nodes_[adapter_.paging_node()];
  packet.order = kPagingOrder;
  bool submitted = false;
  while (adapter_.alive() && !packet.done) {
    if (!submitted && HasRoom(node)) {
      Submit(packet, adapter_.paging_node(), Submission::kFirst);
      submitted = true;
    } else {
      Sleep(lock, kNoDeadline);
    }
  }
  if (packet.done) return STATUS_SUCCESS;
  GiveUp(nullptr, &packet);
  return STATUS_DEVICE_REMOVED;
}

NTSTATUS Scheduler::WaitForPackets(ContextQueue& context, std::int64_t timeout_ns) {
  MutexLock lock(mutex_);
  std::uint64_t wanted = context.packets_issued;
  for (std::size_t i = 0; i < context.operations.size(); ++i) {
    if (context.operations.at(i).type == OperationType::kPacket) ++wanted;
  }
  const std::int64_t deadline = adapter_.clock().NowNs() + timeout_ns;
  while (context.packets_complete < wanted) {
    if (!adapter_.alive() || lost_.load(std::memory_order_relaxed)) return STATUS_DEVICE_REMOVED;
    if (const NTSTATUS status = context.device->status(); !NT_SUCCESS(status)) return status;
    if (!Sleep(lock, deadline)) return STATUS_TIMEOUT;
  }
  return STATUS_SUCCESS;
}

bool Scheduler::IsIdle(ContextQueue& context) {
  const MutexLock lock(mutex_);
  return context.operations.empty() && context.flips.empty() && context.packets_complete == context.packets_issued;
}

bool Scheduler::WaitUnused(const Allocation& allocation, std::int64_t timeout_ns) {
  MutexLock lock(mutex_);
  CollectRetiredFlips();
  const std::int64_t deadline = adapter_.clock().NowNs() + timeout_ns;
  while (allocation.uses.load(std::memory_order_acquire) != 0) {
    if (!adapter_.alive() || !Sleep(lock, deadline)) return false;
    CollectRetiredFlips();
  }
  return true;
}

void Scheduler::AwaitUnused(const Allocation& allocation) {
  while (!WaitUnused(allocation, kFlipTimeoutNs)) {
    if (!adapter_.alive()) return;
    const MutexLock lock(mutex_);
    if (Working()) continue;
    adapter_.ReportViolation("Flip.Timeout",
                             fmt::format("An allocation was still in use after {} s.", kFlipTimeoutNs / 1'000'000'000));
  }
}

bool Scheduler::Working() {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return !node.in_flight.empty() || !node.preempted.empty(); });
}

void Scheduler::EndUse(Allocation& allocation) {
  const MutexLock lock(mutex_);
  Unuse(&allocation);
}

void Scheduler::WaitSubmitted() {
  MutexLock lock(mutex_);
  std::array<UINT, kMaxScheduledNodes> wanted{};
  for (std::size_t i = 0; i < nodes_.size(); ++i) wanted[i] = nodes_[i].last_submitted;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    // What was preempted comes again with a later fence.
    while ((static_cast<INT>(wanted[i] - node.last_completed) > 0 || !node.preempted.empty()) && adapter_.alive()) {
      if (node.in_flight.empty() && node.preempted.empty()) break;
      Sleep(lock, kNoDeadline);
    }
  }
}

void Scheduler::Lose() {
  lost_.store(true, std::memory_order_release);
  Wake();  // the worker tells who sleeps here
}

bool Scheduler::Sleep(MutexLock& lock, std::int64_t deadline_ns) {
  Clock& clock = adapter_.clock();
  const std::int64_t now = clock.NowNs();
  if (now >= deadline_ns) return false;
  ++sleepers_;
  clock.WaitUntil(lock.native(), changed_, std::min(deadline_ns, now + kLookAgainNs));
  --sleepers_;
  return true;
}

void Scheduler::Wake() {
  const std::lock_guard<std::mutex> lock(worker_mutex_);
  if (worker_has_work_) return;
  worker_has_work_ = true;
  worker_wake_.notify_one();
}

void Scheduler::RunWorker() {
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(worker_mutex_);
      worker_wake_.wait(lock, [this] { return worker_has_work_ || worker_stops_; });
      if (worker_stops_) return;
      worker_has_work_ = false;
    }
    const MutexLock lock(mutex_);
    if (lost_.load(std::memory_order_acquire)) changed_.notify_all();
    DropLostWork();
    TellCancelled();
    CollectRetiredFlips();
    AdvanceAll(Irql::kPassive);
  }
}

}  // namespace tandem::kernel

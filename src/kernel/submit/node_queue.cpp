#include "kernel/submit/node_queue.h"

#include <utility>

#include <fmt/core.h>

namespace tandem::kernel {

NodeQueue::NodeQueue(WorkMonitor& monitor, Owner& owner, std::uint32_t ordinal)
    : monitor_(monitor),
      adapter_(monitor.adapter()),
      owner_(owner),
      ordinal_(ordinal),
      most_in_flight_(adapter_.caps().SchedulingCaps.HwQueuePacketCap != 0 ? adapter_.caps().SchedulingCaps.HwQueuePacketCap
                                                                           : kInFlightUnlessTold) {}

bool NodeQueue::HasRoom() const {
  return in_flight_.size() < most_in_flight_ && !preempting_ && !resetting_ && submitting_ == nullptr;
}

bool NodeQueue::busy() const { return !in_flight_.empty() || submitting_ != nullptr || preempting_; }

bool NodeQueue::IsPending(UINT fence) const { return has_work() && (IsLater(fence, last_completed_) || !preempted_.empty()); }

UINT NodeQueue::front_fence() { return in_flight_.empty() ? last_submitted_ : in_flight_.front().fence; }

const Packet* NodeQueue::Front() { return in_flight_.empty() ? nullptr : in_flight_.front().packet; }

const DeviceCondition* NodeQueue::FrontDevice() {
  const Packet* const packet = Front();
  return packet == nullptr || packet->context == nullptr ? nullptr : packet->context->device;
}

Packet* NodeQueue::NextPreempted() {
  Packet* best = nullptr;
  for (std::size_t i = 0; i < preempted_.size(); ++i) {
    Packet& packet = *preempted_.at(i);
    bool first = true;
    for (std::size_t before = 0; before < i && packet.context != nullptr; ++before)
      first = first && preempted_.at(before)->context != packet.context;
    if (first && (best == nullptr || packet.order > best->order)) best = &packet;
  }
  return best;
}

void NodeQueue::TakePreempted(const Packet& packet) {
  for (std::size_t i = 0; i < preempted_.size(); ++i) {
    if (preempted_.at(i) != &packet) continue;
    preempted_.erase(i);
    if (packet.context != nullptr) --packet.context->preempted;
    return;
  }
}

Packet* NodeQueue::TakeLost() {
  for (std::size_t i = 0; i < preempted_.size(); ++i) {
    Packet* const packet = preempted_.at(i);
    if (packet->context == nullptr || packet->context->device->loss() == DeviceLoss::kNone) continue;
    preempted_.erase(i);
    --packet->context->preempted;
    return packet;
  }
  return nullptr;
}

void NodeQueue::BeginSubmit(Packet& packet) {
  if (++last_submitted_ == 0) ++last_submitted_;  // 0 is no fence
  packet.fence = last_submitted_;
  if (in_flight_.empty()) front_since_ns_ = adapter_.clock().NowNs();
  in_flight_.push({&packet, packet.fence});
  submitting_ = &packet;
}

void NodeQueue::EndSubmit() {
  submitting_ = nullptr;
  RetireCompleted();
}

void NodeQueue::OnCompleted(UINT fence) {
  if (resetting_) return;
  if (IsLater(fence, last_submitted_)) {
    adapter_.ReportViolation(
        "DmaCompleted.FenceWasSubmitted",
        fmt::format("Node {} completed fence {}; the last submitted is {}.", ordinal_, fence, last_submitted_));
    return;
  }
  // Interrupts come in the order of their fences: with this one, all that the driver was asked for have come.
  const UINT asked = std::exchange(asked_, IsLater(asked_, fence) ? asked_ : 0);
  if (IsLater(last_completed_, fence)) {
    if (asked != 0 && !IsLater(fence, asked)) return;  // it was late; the driver said so when it was asked
    adapter_.ReportViolation("DmaCompleted.FencesRise",
                             fmt::format("Node {} completed fence {} after {}.", ordinal_, fence, last_completed_));
    return;
  }
  if (fence != last_completed_ && !IsInFlight(fence)) {
    adapter_.ReportViolation("DmaCompleted.FenceIsInFlight",
                             fmt::format("Node {} completed fence {}, which it gave back.", ordinal_, fence));
    return;
  }
  Complete(fence);
}

bool NodeQueue::IsInFlight(UINT fence) {
  for (std::size_t i = 0; i < in_flight_.size(); ++i) {
    if (in_flight_.at(i).fence == fence) return true;
  }
  return false;
}

void NodeQueue::OnPreempted(UINT preemption_fence, UINT last_completed_fence) {
  if (resetting_) return;
  if (!preempting_ || preemption_fence != preemptions_) {
    // The answer to a request that was given up meanwhile is late, and no lie.
    if (preemption_fence != 0 && !IsLater(preemption_fence, preemptions_)) return;
    adapter_.ReportViolation("DmaPreempted.WasRequested", fmt::format("Node {} answered preemption {}; the last requested is {}.",
                                                                      ordinal_, preemption_fence, preemptions_));
    return;
  }
  const bool asked_meanwhile = asked_ != 0 && !IsLater(last_completed_fence, asked_);
  if (IsLater(last_completed_fence, last_submitted_) || (IsLater(last_completed_, last_completed_fence) && !asked_meanwhile)) {
    adapter_.ReportViolation("DmaPreempted.LastCompletedFenceId",
                             fmt::format("Node {} was preempted after fence {}, which is not within {} and {}.", ordinal_,
                                         last_completed_fence, last_completed_, last_submitted_));
    return;
  }
  adapter_.counters().preemptions_answered.fetch_add(1, std::memory_order_relaxed);
  if (!IsLater(last_completed_, last_completed_fence)) Complete(last_completed_fence);
  if (!IsLater(asked_, last_completed_fence)) asked_ = 0;
  TakeBack();
  preempting_ = false;
  monitor_.Notify();
}

std::optional<NodeQueue::InFlight> NodeQueue::FindFaulted(UINT fence, DXGK_PAGE_FAULT_FLAGS flags) {
  if (resetting_ || in_flight_.empty()) return std::nullopt;
  // The front packet faulted when the engine does not know the fence.
  if ((flags & DXGK_PAGE_FAULT_FENCE_INVALID) != 0) return in_flight_.front();
  for (std::size_t i = 0; i < in_flight_.size(); ++i) {
    if (in_flight_.at(i).fence == fence) return in_flight_.at(i);
  }
  adapter_.ReportViolation("DmaPageFaulted.FenceIsInFlight",
                           fmt::format("Node {} faulted at fence {}, which is not in flight.", ordinal_, fence));
  return std::nullopt;
}

bool NodeQueue::OnAsked(UINT fence) {
  if (in_flight_.empty() || IsLater(in_flight_.front().fence, fence)) return false;
  asked_ = fence;
  Complete(fence);
  return true;
}

void NodeQueue::Complete(UINT fence) {
  last_completed_ = fence;
  RetireCompleted();
}

void NodeQueue::RetireCompleted() {
  bool any = false;
  while (!in_flight_.empty() && !IsLater(in_flight_.front().fence, last_completed_)) {
    Packet* const packet = in_flight_.front().packet;
    // The driver still has its buffers and lists in the call.
    if (packet != nullptr && packet == submitting_) break;
    if (packet != nullptr) owner_.OnRetired(*packet);
    in_flight_.pop();
    any = true;
  }
  if (any) front_since_ns_ = adapter_.clock().NowNs();
  monitor_.Notify();
}

UINT NodeQueue::BeginPreemption() {
  if (++preemptions_ == 0) ++preemptions_;
  preempting_ = true;
  preempting_since_ns_ = adapter_.clock().NowNs();
  return preemptions_;
}

void NodeQueue::Halt(std::int64_t since_ns) {
  preempting_ = true;
  ++preemptions_;
  preempting_since_ns_ = since_ns;
}

void NodeQueue::TakeBack() {
  bool lost = false;
  const std::size_t older = preempted_.size();
  while (!in_flight_.empty()) {
    Packet* const packet = in_flight_.front().packet;
    in_flight_.pop();
    if (packet == nullptr) continue;
    preempted_.push(packet);
    if (packet->context == nullptr) continue;
    ++packet->context->preempted;
    lost = lost || packet->context->device->loss() != DeviceLoss::kNone;
  }
  // Those that were taken back before are younger, context for context.
  for (std::size_t i = 0; i < older; ++i) {
    Packet* const packet = preempted_.front();
    preempted_.pop();
    preempted_.push(packet);
  }
  if (lost) owner_.OnLostWorkTakenBack();
}

std::optional<std::int64_t> NodeQueue::WatchedSince() const {
  if (resetting_ || submitting_ != nullptr) return std::nullopt;
  if (preempting_) return preempting_since_ns_;
  if (in_flight_.empty()) return std::nullopt;
  return front_since_ns_;
}

bool NodeQueue::IsFrontOvertaken() {
  const Packet* const running = Front();
  for (std::size_t i = 1; i < in_flight_.size() && running != nullptr; ++i) {
    const Packet* const other = in_flight_.at(i).packet;
    if (other != nullptr && other->order > running->order) return true;
  }
  return false;
}

bool NodeQueue::MayAbort(UINT last_aborted) const {
  return !IsLater(last_completed_, last_aborted) && !IsLater(last_aborted, last_submitted_);
}

bool NodeQueue::HasPagingUpTo(UINT last_aborted) {
  for (std::size_t i = 0; i < in_flight_.size(); ++i) {
    const InFlight& entry = in_flight_.at(i);
    if (entry.packet != nullptr && entry.packet->kind == PacketKind::kPaging && !IsLater(entry.fence, last_aborted)) return true;
  }
  return false;
}

void NodeQueue::Abort(UINT last_aborted, const DeviceCondition* guilty) {
  for (std::size_t i = 0; i < in_flight_.size();) {
    const InFlight entry = in_flight_.at(i);
    const bool again =
        entry.packet != nullptr && (entry.packet->kind == PacketKind::kPaging || IsLater(entry.fence, last_aborted));
    if (again) {
      ++i;
      continue;
    }
    in_flight_.erase(i);
    if (entry.packet != nullptr) owner_.OnAborted(*entry.packet, guilty);
  }
  last_completed_ = last_aborted;
  asked_ = 0;
  preempting_ = false;
  TakeBack();
  monitor_.Notify();
}

void NodeQueue::GiveUp(const ContextQueue* context, const Packet* packet) {
  const auto taken = [&](Packet* other) TANDEM_REQUIRES(work_lock) {
    if (other == nullptr || (other != packet && (context == nullptr || other->context != context))) return false;
    if (other->context != nullptr) owner_.OnGivenUp(*other);
    return true;
  };
  for (std::size_t i = 0; i < in_flight_.size(); ++i) {
    if (taken(in_flight_.at(i).packet)) in_flight_.at(i).packet = nullptr;
  }
  for (std::size_t left = preempted_.size(); left > 0; --left) {
    Packet* const other = preempted_.front();
    preempted_.pop();
    if (!taken(other)) preempted_.push(other);
  }
}

}  // namespace tandem::kernel

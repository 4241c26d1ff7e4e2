// The operations of one context, in order, and their progress.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/ring.h"
#include "kernel/memory/allocation.h"
#include "kernel/submit/device_condition.h"
#include "kernel/submit/fence.h"
#include "kernel/submit/limits.h"
#include "kernel/submit/packet.h"
#include "kernel/submit/plane_set.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

class Scheduler;

// A flip that is on its way to the screen.
struct PendingFlip {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source = 0;
  Allocation* allocation = nullptr;
  D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_ONE;
  bool in_dma = false;         // the packet before it holds the commands that flip
  PlaneSet* planes = nullptr;  // flips of several planes; `allocation` is the lowest
  UINT present_count = 0;
};

enum class OperationType : std::uint8_t { kPacket, kSignal, kWait, kFlip };

struct Operation {
  OperationType type = OperationType::kPacket;
  Packet* packet = nullptr;
  std::shared_ptr<Fence> fence;
  std::uint64_t value = 0;
  PendingFlip flip;
};

// A signal or flip that was reached, and what it still waits for: packets and flips of the context, counted from its start.
struct AfterWork {
  std::uint64_t packets = 0;
  std::uint64_t flips = 0;
  std::shared_ptr<Fence> fence;
  std::uint64_t value = 0;
  PendingFlip flip;
};

// Wakes the scheduler when a fence that the context waits for is reached.
class ContextWaiter final : public FenceWaiter {
 public:
  Condition* OnReached(bool lost) override;
  Scheduler* scheduler = nullptr;
  std::shared_ptr<Fence> fence;  // null: does not wait
};

// Every member is the scheduler's, under its lock, unless it says constant.
struct ContextQueue {
  HANDLE driver_context = nullptr;    // constant
  std::uint32_t node = 0;             // constant
  DeviceCondition* device = nullptr;  // constant

  std::int32_t priority = 0;             // kLowestPriority to kHighestPriority
  std::int32_t in_process_priority = 0;  // kLowestPriority to kHighestPriority
  [[nodiscard]] std::int32_t order() const { return OrderOf(priority, in_process_priority); }
  std::uint64_t ready_since = 0;  // ContextFlow's count when the front packet began to wait for the node; 0: none waits
  std::uint32_t preempted = 0;    // packets that wait to be submitted again
  std::uint32_t cancelling = 0;   // cancelled packets that the driver has not been told of

  std::vector<Packet*> free_packets;  // capacity is reserved
  Ring<Operation, kMaxQueuedOperations> operations;
  Ring<AfterWork, kMaxQueuedOperations> signals;
  Ring<AfterWork, kMaxPendingFlips> flips;
  ContextWaiter waiter;
  std::uint64_t packets_issued = 0;
  std::uint64_t packets_complete = 0;
  std::uint64_t flips_issued = 0;
  std::uint64_t flips_retired = 0;

  // kWanted: the front packet waits for memory. kPaging: and the memory host has it in its hands.
  enum class Memory : std::uint8_t { kReady, kWanted, kPaging };
  Memory memory = Memory::kReady;
  std::int64_t memory_wanted_ns = 0;  // since when
  // A packet found no memory and was not executed: what follows would build on what it should have drawn.
  bool out_of_memory = false;
};

}  // namespace tandem::kernel

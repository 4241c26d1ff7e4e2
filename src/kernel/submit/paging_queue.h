// Runs paging operations: one DMA buffer, one operation at a time, as the GPU scheduler class demands.
#pragma once

#include <memory>

#include "base/thread.h"
#include "kernel/memory/paging_host.h"
#include "kernel/submit/packet.h"
#include "kernel/submit/scheduler.h"

namespace tandem::kernel {

// Threads: any, at PASSIVE_LEVEL.
class PagingQueue final : public PagingHost {
 public:
  // Both outlive the queue. kInvalidArgument for a driver without a paging buffer, kOutOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<PagingQueue>> Create(Adapter& adapter, Scheduler& scheduler);

  [[nodiscard]] NTSTATUS RunPaging(DXGKARG_BUILDPAGINGBUFFER& operation) override;
  void AwaitIdle() override { scheduler_.dispatcher().WaitSubmitted(); }

 private:
  PagingQueue(Adapter& adapter, Scheduler& scheduler, std::unique_ptr<PacketPool> pool)
      : adapter_(adapter), scheduler_(scheduler), pool_(std::move(pool)) {}

  // One pass: STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER when the driver wants another buffer.
  [[nodiscard]] NTSTATUS Build(DXGKARG_BUILDPAGINGBUFFER& operation, Packet& packet);

  Adapter& adapter_;
  Scheduler& scheduler_;
  // Held for a whole operation, its wait included: it is the turn in the queue, and nothing else is ever locked by who waits for
  // it.
  Mutex turn_;  // held while the GPU pages, as long as Residency's
  std::unique_ptr<PacketPool> pool_;
};

}  // namespace tandem::kernel

// A device and its contexts, as the driver knows them, and the allocations that a device opened.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread.h"
#include "kernel/adapter/adapter.h"
#include "kernel/memory/allocation.h"
#include "kernel/submit/context_queue.h"
#include "kernel/submit/device_condition.h"
#include "kernel/submit/scheduler.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

// DxgkDdiCreateDevice to DxgkDdiDestroyDevice. PASSIVE_LEVEL; adapter and scheduler outlive it.
class Device {
 public:
  // `handle` is what the driver is told as the kernel's handle.
  [[nodiscard]] static NTSTATUS Create(Scheduler& scheduler, D3DKMT_HANDLE handle, std::unique_ptr<Device>& created);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] HANDLE driver_handle() const { return driver_handle_; }
  [[nodiscard]] Adapter& adapter() const { return adapter_; }
  [[nodiscard]] DeviceCondition& condition() { return condition_; }
  // The requests of DXGK_DEVICEINFO for each context of a driver without DxgkDdiCreateContext; zeros for any other driver.
  [[nodiscard]] const DXGK_CONTEXTINFO& context_info() const { return context_info_; }

  struct OpenRequest {
    D3DKMT_HANDLE handle = 0;  // the allocation's, for DxgkCbGetHandleData
    std::vector<std::byte>* private_data = nullptr;
    HANDLE device_specific = nullptr;  // out
  };
  // Makes allocations usable by this device. With `creating` the driver may write the private data.
  [[nodiscard]] NTSTATUS Open(std::vector<OpenRequest>& allocations, std::vector<std::byte>& resource_data, bool creating);
  void Close(const std::vector<HANDLE>& device_specific);

 private:
  Device(Scheduler& scheduler, HANDLE driver_handle);
  [[nodiscard]] NTSTATUS KeepInfo(const DXGKARG_CREATEDEVICE& args);

  Adapter& adapter_;
  Scheduler& scheduler_;
  HANDLE driver_handle_;
  DeviceCondition condition_;
  DXGK_CONTEXTINFO context_info_{};
};

struct ContextRequest {
  UINT node = 0;
  UINT engine_affinity = 0;
  std::vector<std::byte> private_data;
};

// Buffers that user mode fills for D3DKMTRender.
struct CommandBuffers {
  std::vector<std::byte> commands;
  std::vector<D3DDDI_ALLOCATIONLIST> allocations;
  std::vector<D3DDDI_PATCHLOCATIONLIST> patches;
};

// DxgkDdiCreateContext to DxgkDdiDestroyContext, with its DMA buffers and its place in the scheduler. A driver without contexts
// hears of neither and knows the device instead. Device and scheduler outlive it.
class Context {
 public:
  [[nodiscard]] static NTSTATUS Create(Device& device, Scheduler& scheduler, D3DKMT_HANDLE handle, const ContextRequest& request,
                                       std::unique_ptr<Context>& created);
  // End() was true.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Drops what is queued, waits for what runs. False while a call of the driver has it and does not come back.
  [[nodiscard]] bool End();

  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] Scheduler& scheduler() const { return scheduler_; }
  [[nodiscard]] ContextQueue& queue() { return queue_; }
  [[nodiscard]] CommandBuffers& command_buffers() { return command_buffers_; }
  // One thread at a time fills DMA buffers of a context, and queues them in that order; the scratch lists are its. It acquires a
  // buffer before it locks: nobody waits for one with the lock.
  [[nodiscard]] Mutex& fill_mutex() { return fill_mutex_; }
  [[nodiscard]] std::vector<UsedAllocation>& scratch_allocations() { return scratch_allocations_; }
  [[nodiscard]] std::vector<RECT>& scratch_rects() { return scratch_rects_; }
  // The present that wrote `scratch_rects` last, by a number of its own.
  [[nodiscard]] std::uint64_t& scratch_rects_of() { return scratch_rects_of_; }
  // Under `fill_mutex`.
  [[nodiscard]] std::uint64_t NextPresent() { return ++last_present_; }

 private:
  Context(Device& device, Scheduler& scheduler) : device_(device), scheduler_(scheduler) {}
  // Sets the queue's driver_context.
  [[nodiscard]] NTSTATUS AskDriver(D3DKMT_HANDLE handle, const ContextRequest& request, DXGK_CONTEXTINFO& info);
  [[nodiscard]] NTSTATUS MakeBuffers(const DXGK_CONTEXTINFO& info);

  Device& device_;
  Scheduler& scheduler_;
  ContextQueue queue_;
  std::unique_ptr<PacketPool> pool_;
  CommandBuffers command_buffers_;
  Mutex fill_mutex_;
  std::vector<UsedAllocation> scratch_allocations_;  // capacity is reserved
  std::vector<RECT> scratch_rects_;
  std::uint64_t scratch_rects_of_ = 0;
  std::uint64_t last_present_ = 0;
};

}  // namespace tandem::kernel

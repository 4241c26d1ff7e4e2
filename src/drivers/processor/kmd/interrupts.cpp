#include "drivers/processor/kmd/interrupts.h"

namespace tandem::processor {

void InterruptRegisters::Start(const TANDEM_BUS_INTERFACE& bus, const DXGKRNL_INTERFACE& kernel) {
  bus_ = bus;
  kernel_ = kernel;
}

void InterruptRegisters::Completed(std::uint32_t node, std::uint32_t fence) {
  nodes_[node].completed_fence = fence;
  nodes_[node].completed.store(true, std::memory_order_release);
  Raise();
}

void InterruptRegisters::Preempted(std::uint32_t node, std::uint32_t preemption_fence, std::uint32_t last_completed_fence) {
  nodes_[node].preemption_fence = preemption_fence;
  nodes_[node].completed_fence = last_completed_fence;
  nodes_[node].preempted.store(true, std::memory_order_release);
  Raise();
}

void InterruptRegisters::Faulted(std::uint32_t node, std::uint32_t fence, std::uint64_t address, bool on_write,
                                 bool bad_command) {
  nodes_[node].faulted_fence = fence;
  nodes_[node].fault_address = address;
  nodes_[node].fault_on_write = on_write;
  nodes_[node].bad_command = bad_command;
  nodes_[node].faulted.store(true, std::memory_order_release);
  Raise();
}

void InterruptRegisters::SetVerticalBlank(std::uint32_t target, const ScanOutFrame& scanned_out, std::int64_t time_ns) {
  Target& registers = targets_[target];
  registers.address = scanned_out.address;
  registers.time_ns = time_ns;
  registers.plane_count = scanned_out.plane_count;
  for (std::uint32_t i = 0; i < scanned_out.plane_count; ++i)
    registers.planes[i] = {scanned_out.planes[i].layer, scanned_out.planes[i].present_id, {}};
  registers.vertical_blank.store(true, std::memory_order_release);
}

void InterruptRegisters::WithdrawVerticalBlank(std::uint32_t target, std::uint64_t address) {
  Target& registers = targets_[target];
  if (registers.address == address) registers.vertical_blank.store(false, std::memory_order_relaxed);
}

bool InterruptRegisters::ServiceNode(std::uint32_t ordinal) {
  Node& node = nodes_[ordinal];
  bool any = false;
  if (node.completed.exchange(false, std::memory_order_acquire)) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted = {node.completed_fence, ordinal, 0};
    Notify(data);
    any = true;
  }
  if (node.preempted.exchange(false, std::memory_order_acquire)) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    data.DmaPreempted = {node.preemption_fence, node.completed_fence, ordinal, 0};
    Notify(data);
    any = true;
  }
  if (node.faulted.exchange(false, std::memory_order_acquire)) {
    // DXGK_INTERRUPT_DMA_FAULTED is reserved for the system; drivers report DMA_PAGE_FAULTED. The engine goes on behind the
    // buffer.
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    data.DmaPageFaulted.FaultedFenceId = node.faulted_fence;
    data.DmaPageFaulted.FaultedVirtualAddress = node.fault_address;
    data.DmaPageFaulted.PageFaultFlags = static_cast<DXGK_PAGE_FAULT_FLAGS>(node.fault_on_write ? DXGK_PAGE_FAULT_WRITE : 0);
    data.DmaPageFaulted.FaultErrorCode.GeneralErrorCode =
        node.bad_command ? DXGK_GENERAL_ERROR_INVALID_INSTRUCTION : DXGK_GENERAL_ERROR_PAGE_FAULT;
    data.DmaPageFaulted.NodeOrdinal = ordinal;
    Notify(data);
    any = true;
  }
  return any;
}

bool InterruptRegisters::ServiceTarget(std::uint32_t id) {
  Target& target = targets_[id];
  if (!target.vertical_blank.exchange(false, std::memory_order_acquire)) return false;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  if (target.plane_count == 0) {
    data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
    data.CrtcVsync.VidPnTargetId = id;
    data.CrtcVsync.PhysicalAddress.QuadPart = static_cast<LONGLONG>(target.address);
  } else {
    data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2;
    data.CrtcVsyncWithMultiPlaneOverlay2.VidPnTargetId = id;
    data.CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount = target.plane_count;
    data.CrtcVsyncWithMultiPlaneOverlay2.pMultiPlaneOverlayVsyncInfo = target.planes.data();
  }
  if (target.time_ns != 0) bus_.StampInterrupt(bus_.Context, static_cast<UINT64>(target.time_ns));
  Notify(data);
  return true;
}

bool InterruptRegisters::Service() {
  bool any = false;
  for (std::uint32_t node = 0; node < kNodeCount; ++node) any |= ServiceNode(node);
  for (std::uint32_t target = 0; target < targets_.size(); ++target) any |= ServiceTarget(target);
  if (any) kernel_.DxgkCbQueueDpc(kernel_.DeviceHandle);
  return any;
}

void InterruptRegisters::NotifyDpc() { kernel_.DxgkCbNotifyDpc(kernel_.DeviceHandle); }

}  // namespace tandem::processor

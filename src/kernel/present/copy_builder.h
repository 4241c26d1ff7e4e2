// Commands of copies, fills and flips that DxgkDdiPresent writes, in as many DMA buffers as they need.
#pragma once

#include <cstdint>

#include "kernel/present/copy_rects.h"
#include "kernel/present/mode_setter.h"
#include "kernel/present/present_request.h"
#include "kernel/submit/device.h"
#include "kernel/submit/scheduler.h"

namespace tandem::kernel {

// One per adapter, without state of its own. Threads: any, at PASSIVE_LEVEL. Allocates nothing per present. A driver without
// memory is asked again a few times.
class CopyBuilder {
 public:
  // All three outlive the object.
  CopyBuilder(Adapter& adapter, Scheduler& scheduler, ModeSetter& modes)
      : adapter_(adapter), scheduler_(scheduler), modes_(modes) {}
  CopyBuilder(const CopyBuilder&) = delete;
  CopyBuilder& operator=(const CopyBuilder&) = delete;

  // A copy or fill. Waits while all DMA buffers of the context are in use, or the mode of a primary that it names changes.
  [[nodiscard]] NTSTATUS Copy(Context& context, const PresentRequest& request);
  // The DMA buffers of a flip that flips by its commands. The caller has BuildScope of `modes`, which is ModesOf(request).
  [[nodiscard]] NTSTATUS BuildFlip(Context& context, const PresentRequest& request, std::uint32_t modes, DXGKARG_PRESENT& args) {
    return RunPasses(context, request, modes, nullptr, args);
  }
  // DxgkDdiPresent of an MMIO flip, which writes no commands.
  [[nodiscard]] NTSTATUS ValidateFlip(Context& context, const PresentRequest& request, DXGKARG_PRESENT args);

  // Bit N: the commands of the request depend on the mode of source N.
  [[nodiscard]] static std::uint32_t ModesOf(const PresentRequest& request);

 private:
  // Asks the driver until it has finished, each pass in a DMA buffer of its own. `copy` is null for a flip.
  [[nodiscard]] NTSTATUS RunPasses(Context& context, const PresentRequest& request, std::uint32_t modes, const CopyRequest* copy,
                                   DXGKARG_PRESENT& args);
  // Puts the rectangles into the context's scratch list, unless they are there, and into `args`. Under the fill mutex.
  [[nodiscard]] static NTSTATUS FillRects(Context& context, std::uint64_t present, const CopyRequest& copy,
                                          DXGKARG_PRESENT& args);
  // Gives the fill mutex up only while it waits.
  [[nodiscard]] NTSTATUS AcquirePacket(Context& context, Packet*& packet, MutexLock& fill);
  // One DMA buffer, from `multipass_offset` on. Under the fill mutex.
  [[nodiscard]] NTSTATUS PresentPass(Context& context, const PresentRequest& request, std::uint32_t modes,
                                     const DXGKARG_PRESENT& args, Packet& packet, UINT& multipass_offset);
  [[nodiscard]] NTSTATUS CallPresent(Context& context, DXGKARG_PRESENT& args);

  Adapter& adapter_;
  Scheduler& scheduler_;
  ModeSetter& modes_;
};

}  // namespace tandem::kernel

// The display side of an adapter whose engines are the processor: the soft adapter's virtual controller, or a card's real one.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/common/palette.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/processor/kmd/gpu_memory.h"
#include "drivers/processor/kmd/scan_out_frame.h"

#include <dispmprt.h>

namespace tandem::processor {

class Device;

enum class FlipTiming : std::uint8_t { kVerticalBlank, kImmediate };

// Line 0..height-1 that a target's beam is at.
struct Beam {
  std::uint32_t line = 0;
  bool in_vertical_blank = false;
};

// An adapter has as many targets as VidPn sources; the device knows which source feeds which target.
// Threads: as the DDI that calls, and ForgetMemory() on the engines' threads. Between Start() and Stop(), but for source_count().
class Display {
 public:
  Display() = default;
  virtual ~Display() = default;
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  // The local segment's memory; the first call of a start.
  [[nodiscard]] virtual Result<LocalMemory> MakeLocalMemory() = 0;
  // `device` has its memory and interrupts, and no engines yet; it outlives the display.
  [[nodiscard]] virtual Result<void> Start(Device& device) = 0;
  // The engines have stopped.
  virtual void Stop() = 0;

  [[nodiscard]] virtual std::uint32_t source_count() const = 0;
  [[nodiscard]] virtual std::uint32_t tier() const = 0;            // cross-adapter tier, 0..3
  [[nodiscard]] virtual std::uint32_t overlay_planes() const = 0;  // of each source, 1..kMaxScanOutPlanes
  [[nodiscard]] virtual bool ScansOut(color::Format format) const = 0;

  [[nodiscard]] virtual NTSTATUS QueryChildStatus(DXGK_CHILD_STATUS& status) = 0;
  [[nodiscard]] virtual NTSTATUS QueryDeviceDescriptor(std::uint32_t target, DXGK_DEVICE_DESCRIPTOR& descriptor) = 0;

  // Latches the frame: shown at the next vertical blank or at once, and then CRTC_VSYNC is raised. Up to DIRQL, as
  // EnableInterrupt().
  virtual void Program(std::uint32_t target, const ScanOutFrame& frame, FlipTiming timing) = 0;
  virtual void SetVisible(std::uint32_t target, bool visible) = 0;
  virtual void EnableInterrupt(std::uint32_t target, bool enabled) = 0;
  [[nodiscard]] virtual Beam BeamPosition(std::uint32_t target) = 0;
  // Pictures are rotated on their way to the target, from the next one on.
  virtual void SetRotation(std::uint32_t target, color::Rotation rotation) = 0;
  virtual void SetPalette(std::uint32_t target, const drivers::PaletteColors& palette) = 0;
  // The display lets go of what it attached to this memory, soon.
  virtual void ForgetMemory(std::uint64_t memory_id) = 0;

  // Nothing when the display cannot read such a plane of an allocation's surface. Up to DIRQL.
  [[nodiscard]] virtual std::optional<ScanOutPlane> ToPlane(const AllocationData& surface,
                                                            const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3& attributes) const = 0;
  // The first plane that cannot be shown with the others; nothing when all can. No entry of the list is null.
  [[nodiscard]] virtual std::optional<UINT> FirstRefused(const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check) = 0;
};

}  // namespace tandem::processor

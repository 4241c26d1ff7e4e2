// The display side of an adapter whose engines are the processor: the soft adapter's virtual controller, or a card's real one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

// The mode that a monitor wants: extents in pixels.
struct MonitorMode {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::int64_t refresh_period_ns = 0;  // > 0
};

// The frame buffer after the system has stopped, and a block of pixels for it. Extents in pixels, pitch in bytes.
struct SystemFrame {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
struct SystemBlock {
  const std::byte* pixels = nullptr;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t pitch = 0;
  std::uint32_t x = 0;
  std::uint32_t y = 0;
};

using GammaRamp = std::shared_ptr<const D3DDDI_GAMMA_RAMP_RGB256x3x16>;

struct PointerAbilities {
  DXGK_POINTERFLAGS shapes{};
  std::uint32_t max_extent = 0;  // pixels in both directions
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

  // HpdAwarenessInterruptible for a display that calls DxgkCbIndicateChildStatus.
  [[nodiscard]] virtual DXGK_CHILD_DEVICE_HPD_AWARENESS hpd_awareness() const { return HpdAwarenessAlwaysConnected; }
  // Nothing for a target whose EDID says it, or that shows any mode as well.
  [[nodiscard]] virtual std::optional<MonitorMode> PreferredMode(std::uint32_t /*target*/) { return std::nullopt; }
  // Pulls the cable out of a target's connector, or puts it back. STATUS_NOT_SUPPORTED for cables of this world.
  [[nodiscard]] virtual NTSTATUS SetPlugged(std::uint32_t /*target*/, bool /*plugged*/) { return STATUS_NOT_SUPPORTED; }

  // The system has stopped: a frame buffer of A8R8G8B8 is shown on the target, and nothing on others; and a block of it changes,
  // clipped at its edges. Any IRQL. STATUS_NOT_SUPPORTED for a target without monitor, or a display that cannot.
  [[nodiscard]] virtual NTSTATUS EnableSystemDisplay(std::uint32_t /*target*/, SystemFrame& /*frame*/) {
    return STATUS_NOT_SUPPORTED;
  }
  virtual void WriteSystemDisplay(const SystemBlock& /*block*/) {}

  // Latches the frame: shown at the next vertical blank or at once, and then CRTC_VSYNC is raised. Up to DIRQL, as
  // EnableInterrupt().
  virtual void Program(std::uint32_t target, const ScanOutFrame& frame, FlipTiming timing) = 0;
  virtual void SetVisible(std::uint32_t target, bool visible) = 0;
  virtual void EnableInterrupt(std::uint32_t target, bool enabled) = 0;
  [[nodiscard]] virtual Beam BeamPosition(std::uint32_t target) = 0;
  // Pictures are rotated on their way to the target, from the next one on.
  virtual void SetRotation(std::uint32_t target, color::Rotation rotation) = 0;
  // The pointer that the display shows over a target's pictures; no shapes: it has none, and neither function below is called.
  [[nodiscard]] virtual PointerAbilities pointer() const { return {}; }
  // The kernel checked the shape against pointer().
  virtual void SetPointerShape(std::uint32_t /*target*/, const DXGKARG_SETPOINTERSHAPE& /*shape*/) {}
  virtual void SetPointerPosition(std::uint32_t /*target*/, const DXGKARG_SETPOINTERPOSITION& /*position*/) {}
  // Null: the default ramp. Called with another one where takes_gamma_ramps() is true.
  [[nodiscard]] virtual bool takes_gamma_ramps() const { return false; }
  virtual void SetGammaRamp(std::uint32_t /*target*/, GammaRamp /*ramp*/) {}
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

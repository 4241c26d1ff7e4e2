// The soft adapter for the bus: the target of a DEVICE_OBJECT's DeviceExtension, and its entry points.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "outputs/output.h"

#include <dispmprt.h>

namespace tandem::soft {

// The connectors of a soft adapter: target N feeds the output plugged into connector N. Thread-safe. The driver and the plugging
// code share it; it must outlive the adapter.
class Connectors {
 public:
  virtual ~Connectors() = default;
  // Plugs an output into a free connector; returns its number = VidPnSourceId. kLimit when all connectors are taken.
  virtual Result<std::uint32_t> Plug(std::shared_ptr<outputs::Output> output) = 0;
  // The driver does not use the output after this returns. Unknown connectors are ignored.
  virtual void Unplug(std::uint32_t connector) = 0;
  // Pulls the cable between a connector and its output, or puts it back; the driver reports it to the kernel. The output stays
  // the connector's and shows nothing meanwhile. Each cable is in at first. Unknown connectors are ignored.
  virtual void SetCable(std::uint32_t connector, bool plugged) = 0;
  // kLost for an empty connector.
  [[nodiscard]] virtual outputs::OutputStatus Status(std::uint32_t connector) const = 0;
  // Counts since the connector's output was plugged: shown frames, and bytes written to show them. The bytes include the
  // scan-out's own passes (NV12, palettes, planes, rotated pictures) and the output's.
  struct Counters {
    std::uint64_t shown = 0;
    std::uint64_t written_bytes = 0;
  };
  [[nodiscard]] virtual Counters CountersOf(std::uint32_t connector) const = 0;
};

[[nodiscard]] std::shared_ptr<Connectors> CreateConnectors(std::uint32_t connectors /* 1..kMaxVidPnSources */);

// The virtual bus's description of one device for the miniport. Must stay valid until RemoveDevice returns.
struct DeviceDescription {
  std::uint32_t tier = 3;                           // cross-adapter tier that the adapter declares, 0..3
  std::uint64_t local_memory_bytes = 256ULL << 20;  // size of the CPU-visible "video memory" segment
  std::uint64_t aperture_bytes = 4ULL << 30;        // size of the aperture segment (address space, not memory)
  std::shared_ptr<Connectors> connectors;           // null: a render-only adapter without VidPn sources
  // Limit of the display controller's reads from system memory, all sources together; 0: no limit.
  std::uint64_t scan_out_bytes_per_second = 0;
  // Planes per screen, 1..4.
  std::uint32_t overlay_planes = 4;
  // True if the display controller reads NV12 (BT.709, full range), as surfaces and as planes. Copies write NV12 on every
  // adapter.
  bool scans_out_nv12 = false;
  // Dithers colours that are reduced from more than eight bits to eight (color/dither.h), in copies, in planes and on outputs.
  bool dithers = false;
  // Emulates a link to system memory of this bandwidth, within EmulatedLink's limits; 0: none. The engines' writes complete
  // when they would have arrived.
  std::uint64_t link_bytes_per_second = 0;
};

// Kernel-mode half: registers the miniport with DxgkInitialize. The user-mode half is the processor's.
extern "C" NTSTATUS SoftDriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path);

// The table that SoftDriverEntry registers.
[[nodiscard]] DRIVER_INITIALIZATION_DATA SoftDriverTable();

}  // namespace tandem::soft

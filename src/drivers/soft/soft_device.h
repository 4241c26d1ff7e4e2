// The soft adapter as the bus sees it: what a DEVICE_OBJECT's DeviceExtension points to, and the two entry points.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "outputs/output.h"

#include <d3d10umddi.h>
#include <dispmprt.h>

namespace tandem::soft {

// The sockets at the back of a soft adapter: target N feeds the output plugged into socket N.
// Thread-safe; outlives the adapter (shared between whoever plugs and the driver).
class Connector {
 public:
  virtual ~Connector() = default;
  // Plugs an output into a free socket; returns its number = VidPnSourceId. kLimit when all sockets are taken.
  virtual Result<std::uint32_t> Plug(std::shared_ptr<outputs::Output> output) = 0;
  // After it returns the driver no longer touches the output. Unknown sockets are ignored.
  virtual void Unplug(std::uint32_t socket) = 0;
  // kLost for an empty socket.
  [[nodiscard]] virtual outputs::OutputStatus Status(std::uint32_t socket) const = 0;
  // Since the output of this socket was plugged: frames that it showed, and bytes that were written to show them, by the
  // scan-out's own passes (NV12, palettes, planes, turned pictures) and by the output's.
  struct Counters {
    std::uint64_t shown = 0;
    std::uint64_t written_bytes = 0;
  };
  [[nodiscard]] virtual Counters CountersOf(std::uint32_t socket) const = 0;
};

[[nodiscard]] std::shared_ptr<Connector> CreateConnector(std::uint32_t sockets /* 1..kMaxVidPnSources */);

// What the virtual bus tells the miniport about one device. Must stay valid until RemoveDevice returned.
struct DeviceDescription {
  std::uint32_t tier = 3;                           // cross-adapter tier that the adapter declares, 0..3
  std::uint64_t local_memory_bytes = 256ULL << 20;  // size of the CPU-visible "video memory" segment
  std::uint64_t aperture_bytes = 4ULL << 30;        // size of the aperture segment (address space, not memory)
  std::shared_ptr<Connector> connector;             // null: a render-only adapter without VidPn sources
  // What the display controller reads from system memory at most, all sources together; 0: as much as there is.
  std::uint64_t scan_out_bytes_per_second = 0;
  // Planes that it puts on one screen, 1..4.
  std::uint32_t overlay_planes = 4;
  // Whether it reads NV12 (BT.709, full range), as surfaces and as planes. Copies take NV12 on every adapter.
  bool scans_out_nv12 = false;
  // Where colours of more than eight bits become eight, in copies, in planes and on outputs, they are dithered (color/dither.h).
  bool dithers = false;
  // Emulates a link to system memory of this bandwidth, EmulatedLink's limits: what engines write there is complete when it would
  // have arrived. 0: none.
  std::uint64_t link_bytes_per_second = 0;
};

// Kernel-mode half: registers the miniport with DxgkInitialize.
extern "C" NTSTATUS SoftDriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path);

// What SoftDriverEntry registers.
[[nodiscard]] DRIVER_INITIALIZATION_DATA SoftDriverTable();

// User-mode half.
extern "C" HRESULT SoftOpenAdapter10_2(D3D10DDIARG_OPENADAPTER* args);

}  // namespace tandem::soft

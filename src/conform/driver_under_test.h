// A driver as the rules meet it: its entry point, a device for it, and how its surfaces are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "outputs/output.h"

#include <d3d10umddi.h>
#include <d3dukmdt.h>
#include <dispmprt.h>

namespace tandem::conform {

// kSharedWithKmd: its backing store is shared with the driver's kernel-mode half.
enum class SurfaceUse { kImage, kPrimary, kCrossAdapter, kSharedWithKmd };

struct SurfaceRequest {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  SurfaceUse use = SurfaceUse::kImage;
  D3DDDIFORMAT format = D3DDDIFMT_A8R8G8B8;
};

// One device on the bus; outlives its adapter.
class BusDevice {
 public:
  virtual ~BusDevice() = default;
  [[nodiscard]] virtual void* extension() = 0;
  // Gives the device another output, of the target behind those that it has. False: it has no socket for it.
  [[nodiscard]] virtual bool Plug(std::shared_ptr<outputs::Output> /*output*/) { return false; }
};

// An escape by which a driver's kernel-mode half reads or writes four bytes of a backing store that is shared with it.
struct KmdAccess {
  D3DKMT_HANDLE allocation = 0;
  std::uint64_t offset = 0;  // bytes
  bool write = false;
  std::uint32_t value = 0;  // to write
};
struct KmdEscape {
  std::vector<std::byte> data;   // the escape's private data
  std::size_t value_offset = 0;  // of the four bytes in it, once the driver has answered
};

// The private data by which the driver creates a surface, as its user-mode half would give them.
struct SurfaceData {
  std::vector<std::byte> allocation;
  std::vector<std::byte> resource;
  std::uint32_t pitch = 0;  // bytes; 0 when the processor does not reach the surface
};

// A running adapter. The kernel outlives whoever holds this.
struct StartedAdapter {
  kernel::Kernel* kernel = nullptr;
  LUID luid{};
};

struct DriverUnderTest {
  std::string name;  // letters, digits, underscores
  DRIVER_INITIALIZE* entry = nullptr;
  bool shows_outputs = false;  // it may have VidPn sources for an output
  // Null output: an adapter without VidPn sources.
  std::function<std::unique_ptr<BusDevice>(std::shared_ptr<outputs::Output>)> make_device;
  // Throws NotApplicable when the driver has no such surface.
  std::function<SurfaceData(const StartedAdapter&, const SurfaceRequest&)> describe;
  // OpenAdapter10_2 of the user-mode half; null: there is none.
  PFND3D10DDI_OPENADAPTER open_adapter = nullptr;
  // Why the driver says of itself that a timeout is the end of its adapter; empty: it is reset.
  std::string ends_with_a_timeout;
  // Null: the driver shares no backing stores (SurfaceUse::kSharedWithKmd).
  std::function<KmdEscape(const KmdAccess&)> kmd_access;
  // In force while its adapters are added.
  std::vector<kernel::FeatureOverride> overrides;
};

// Who renders and who shows; the same driver may do both, with two devices.
struct AdapterPair {
  const DriverUnderTest* render = nullptr;
  const DriverUnderTest* display = nullptr;
  [[nodiscard]] std::string name() const { return render->name + "_to_" + display->name; }
};

}  // namespace tandem::conform

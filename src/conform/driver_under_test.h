// A driver under test: its entry point, a bus device for it, and the description of its surfaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conform/recording_output.h"
#include "kernel/display_only.h"
#include "kernel/driver_host.h"
#include "kernel/kernel.h"
#include "outputs/output.h"

#include <d3d10umddi.h>
#include <d3dukmdt.h>
#include <dispmprt.h>
#include <tandem_shim.h>

namespace tandem::conform {

// kMapped: any surface that the processor reaches, cross-adapter if the driver has such. kSharedWithKmd: the backing store is
// shared with the driver's kernel-mode half.
enum class SurfaceUse { kImage, kPrimary, kCrossAdapter, kMapped, kSharedWithKmd };

struct SurfaceRequest {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  SurfaceUse use = SurfaceUse::kImage;
  D3DDDIFORMAT format = D3DDDIFMT_A8R8G8B8;
};

// One device on the bus. It must outlive its adapter.
class BusDevice {
 public:
  virtual ~BusDevice() = default;
  [[nodiscard]] virtual void* extension() = 0;
  // True if the output is handed copies of what a screen showed, in BGRA, instead of the memory that is scanned out.
  [[nodiscard]] virtual bool TakesPhotographs() { return false; }
  // Why the output of a started device gets no pictures; empty: it gets them.
  [[nodiscard]] virtual std::string WhyUnseen() { return {}; }
  // The rule that a driver behind the device broke, beside those of the adapter's own; empty: none.
  [[nodiscard]] virtual std::string Violation() { return {}; }
  // The display-only driver that shows the device's output; null: the adapter's own driver shows it.
  virtual kernel::DisplayOnlyAdapter* display_only() { return nullptr; }
  // Pixels of the screen of a display-only driver, and a call that shows all of it as the driver left it.
  [[nodiscard]] virtual kernel::DisplayOnlyMode screen() { return {}; }
  virtual void ShowScreen() {}
  // Pulls the cable of a target, or puts it back. False if the device has no such cable.
  [[nodiscard]] virtual bool SetCable(std::uint32_t /*target*/, bool /*plugged*/) { return false; }
  // Connects another output to the device, at the next free target. False if the device has no socket left.
  [[nodiscard]] virtual bool Plug(std::shared_ptr<outputs::Output> /*output*/) { return false; }
};

// A read or write of four bytes in a backing store shared with the driver's kernel-mode half.
struct KmdAccess {
  D3DKMT_HANDLE allocation = 0;
  std::uint64_t offset = 0;  // bytes
  bool write = false;
  std::uint32_t value = 0;  // to write
};
struct KmdEscape {
  std::vector<std::byte> data;   // the escape's private data
  std::size_t value_offset = 0;  // offset of the four bytes in `data` after the driver's answer
};

// Private data for the creation of a surface, as the driver's user-mode half would pass it.
struct SurfaceData {
  std::vector<std::byte> allocation;
  std::vector<std::byte> resource;
  std::uint32_t pitch = 0;  // bytes; 0 when the processor does not reach the surface
};

// A running adapter. `kernel` must outlive this structure.
struct StartedAdapter {
  kernel::Kernel* kernel = nullptr;
  LUID luid{};
};

struct DriverUnderTest {
  std::string name;  // letters, digits, underscores
  DRIVER_INITIALIZE* entry = nullptr;
  bool display_only = false;               // the driver only shows; another one renders into its adapter
  bool shows_outputs = false;              // the driver may have VidPn sources for an output
  bool has_one_device = false;             // the machine has no second device: one adapter renders and displays
  std::int64_t patience_ns = kPatienceNs;  // for a picture that is due on an output
  // Null output: an adapter without VidPn sources.
  std::function<std::unique_ptr<BusDevice>(std::shared_ptr<outputs::Output>)> make_device;
  // Throws NotApplicable when the driver has no such surface.
  std::function<SurfaceData(const StartedAdapter&, const SurfaceRequest&)> describe;
  // OpenAdapter10_2 of the user-mode half, or its translation if the half is of the Direct3D 9 class; null: there is none.
  PFND3D10DDI_OPENADAPTER open_adapter = nullptr;
  // OpenAdapter10_2 of a user-mode half that has a shim inside, and the function that sets the shim's host; null: none inside.
  PFND3D10DDI_OPENADAPTER open_with_shim = nullptr;
  PFNTANDEM_SETSHIMHOST set_shim_host = nullptr;
  // The driver's own reason why a timeout ends its adapter; empty: the adapter is reset.
  std::string ends_with_a_timeout;
  // Null: the driver shares no backing stores (SurfaceUse::kSharedWithKmd).
  std::function<KmdEscape(const KmdAccess&)> kmd_access;
  // The NT side of a driver that `tandem driver build` built; null: it has none.
  std::shared_ptr<kernel::DriverHost> host;
  // TANDEM_DRIVER_COVERAGE::Edges; empty: the driver was built without.
  std::span<std::uint8_t> edges;
  // In force while the driver's adapters are added.
  std::vector<kernel::FeatureOverride> overrides;
};

// The render and the display driver; one driver may be both, with two devices.
struct AdapterPair {
  const DriverUnderTest* render = nullptr;
  const DriverUnderTest* display = nullptr;
  [[nodiscard]] std::string name() const { return render->name + "_to_" + display->name; }
};

}  // namespace tandem::conform

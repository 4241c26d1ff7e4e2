// The one place that names concrete drivers and outputs: what adapters this machine has, and the pair that renders and shows.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/adapter_info.h"
#include "config/settings.h"
#include "outputs/output.h"
#include "swapchain/runtime_device.h"
#include "swapchain/swap_chain.h"
#include "system/render_session.h"

namespace tandem::system {

using WindowStatus = outputs::OutputStatus;
using WindowState = outputs::OutputState;

// A window (or none) on which the application wants its pictures.
struct SurfaceTarget {
  enum class Kind { kXcb, kXlib, kWayland, kHeadless };
  Kind kind = Kind::kHeadless;
  void* connection = nullptr;  // xcb_connection_t*, Display* or wl_display*; borrowed from the application
  std::uint64_t window = 0;    // X11 window id
  void* wayland_surface = nullptr;
};

// A surface on an output of the display adapter. Destroying it gives the output back.
class DisplaySurface {
 public:
  virtual ~DisplaySurface() = default;
  [[nodiscard]] virtual std::uint32_t vidpn_source() const = 0;
  [[nodiscard]] virtual WindowStatus Status() const = 0;     // any thread, never blocks
  [[nodiscard]] virtual WindowStatus AskStatus() const = 0;  // the same, as the window system answers just now
  // Whether R10G10B10A2 is shown with all of its bits.
  [[nodiscard]] virtual bool has_ten_bits() const = 0;
  // Why frames of this format are not dithered where the adapter makes eight bits of more; empty: they are, or it does not.
  [[nodiscard]] virtual std::string WhyNotDithered(DXGI_FORMAT frames) const = 0;
  [[nodiscard]] virtual std::int64_t refresh_period_ns() const = 0;  // > 0
  [[nodiscard]] virtual swapchain::RuntimeDevice& display() = 0;
  [[nodiscard]] virtual std::string description() const = 0;  // "window 0x1a00003 on :0, MIT-SHM"
  // Bytes that scan-out and output wrote so far, beyond the adapter's copies (a format that the window system does not take, a
  // picture that is turned or composed).
  [[nodiscard]] virtual std::uint64_t output_written_bytes() const = 0;
};

// A surface that the display adapter was asked about. It holds no output of the adapter: a program asks about any number of
// windows. Thread-safe.
class DisplayWindow {
 public:
  virtual ~DisplayWindow() = default;
  // The status that the window system answers just now.
  [[nodiscard]] virtual WindowStatus AskStatus() const = 0;
  [[nodiscard]] virtual std::vector<DXGI_FORMAT> formats() const = 0;  // that can be shown, preferred first
  [[nodiscard]] virtual std::vector<swapchain::PresentMode> present_modes() const = 0;
  // Takes an output; the window outlives what it returns. What making the output fails with.
  virtual Result<std::unique_ptr<DisplaySurface>> TakeOutput() = 0;
};

// Everything behind the layer and the command line, once per process. Thread-safe.
class System {
 public:
  // Lists the machine's adapters (Vulkan drivers by their ICDs, the soft adapter), starts nothing yet.
  static Result<std::unique_ptr<System>> Create(const config::Settings& settings);
  // Why Create would fail, as far as files and the list of adapters tell. Starts nothing and keeps nothing.
  [[nodiscard]] static Result<void> Check(const config::Settings& settings);
  virtual ~System() = default;

  [[nodiscard]] virtual const std::vector<config::AdapterInfo>& adapters() const = 0;
  [[nodiscard]] virtual const config::AdapterInfo& render_adapter() const = 0;  // as the settings chose
  // As the settings chose; where they left it open, another one once a surface needed an output that the first has not.
  [[nodiscard]] virtual const config::AdapterInfo& display_adapter() const = 0;

  // Whether a display adapter can show on a window of this kind at all, as far as it is known without trying.
  [[nodiscard]] virtual bool CanShowOn(SurfaceTarget::Kind kind) const = 0;
  // kSurfaceLost for a window that is not there, kUnsupported for a window system that no display adapter shows on, what starting
  // the adapter fails with.
  virtual Result<std::unique_ptr<DisplayWindow>> OpenWindow(const SurfaceTarget& target) = 0;
  virtual Result<std::unique_ptr<RenderSession>> BorrowDevice(BorrowedDevice device) = 0;

  // Calls of DxgkDdiPresent so far; nothing for an adapter that is gone.
  [[nodiscard]] virtual std::optional<std::uint64_t> DdiPresentsOf(LUID adapter) const = 0;
  [[nodiscard]] virtual Clock& clock() const = 0;
};

}  // namespace tandem::system

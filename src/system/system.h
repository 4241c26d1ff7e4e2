// The one place that names concrete drivers and outputs. It lists this machine's adapters and chooses the pair that renders and
// shows.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/adapter_info.h"
#include "config/settings.h"
#include "outputs/fit.h"
#include "outputs/output.h"
#include "swapchain/runtime_device.h"
#include "swapchain/swap_chain.h"
#include "system/render_losses.h"
#include "system/render_session.h"

namespace tandem::system {

using WindowStatus = outputs::OutputStatus;
using DisplayReport = outputs::DisplayReport;
using outputs::Fate;
using outputs::Seen;
using WindowState = outputs::OutputState;
using Fit = outputs::Fit;
using Scaling = outputs::Scaling;
using Gravity = outputs::Gravity;

// The application's window for its frames, or none.
struct SurfaceTarget {
  enum class Kind { kXcb, kXlib, kWayland, kHeadless };
  Kind kind = Kind::kHeadless;
  void* connection = nullptr;  // xcb_connection_t*, Display* or wl_display*; borrowed from the application
  std::uint64_t window = 0;    // X11 window id
  void* wayland_surface = nullptr;
};

// A surface on an output of the display adapter. Destruction releases the output.
class DisplaySurface {
 public:
  virtual ~DisplaySurface() = default;
  [[nodiscard]] virtual std::uint32_t vidpn_source() const = 0;
  [[nodiscard]] virtual WindowStatus Status() const = 0;     // any thread, never blocks
  [[nodiscard]] virtual WindowStatus AskStatus() const = 0;  // the same, from a new query of the window system
  // Precision that reaches the screen.
  [[nodiscard]] virtual swapchain::ShownDepth shown_depth() const = 0;
  // The reason why frames of this format are not dithered when the adapter reduces them to eight bits. Empty if they are
  // dithered, or not reduced.
  [[nodiscard]] virtual std::string WhyNotDithered(DXGI_FORMAT frames) const = 0;
  [[nodiscard]] virtual std::int64_t refresh_period_ns() const = 0;  // > 0
  // True if an immediate flip may last until the next vertical blank.
  [[nodiscard]] virtual bool slow_flips() const { return false; }
  [[nodiscard]] virtual swapchain::RuntimeDevice& display() = 0;
  [[nodiscard]] virtual std::string description() const = 0;  // "window 0x1a00003 on :0, MIT-SHM"
  // Bytes that scan-out and output wrote so far, beyond the adapter's copies. They arise from formats that the window system
  // lacks, and from rotated or composed pictures.
  [[nodiscard]] virtual std::uint64_t output_written_bytes() const = 0;
  // Counts of the display itself, so far.
  [[nodiscard]] virtual DisplayReport display_report() const { return {}; }
  // The display's own answer for the frame that the adapter reported as shown at `shown_ns`. Unknown where the adapter is the
  // display, and its report the display's.
  [[nodiscard]] virtual Seen SeenAt(std::int64_t /*shown_ns*/) const { return {}; }
  // Places frames of another size than the window's. False unless DisplayWindow::fits_frames().
  virtual bool SetFit(const Fit& /*fit*/) { return false; }
  // Blends frames by their premultiplied alpha. Nothing happens unless DisplayWindow::blends_frames().
  virtual void SetBlending(bool /*blends*/) {}
};

// A surface that the program has queried. It holds no output of the adapter, because a program may query any number of windows.
// Thread-safe.
class DisplayWindow {
 public:
  virtual ~DisplayWindow() = default;
  // The status from a new query of the window system.
  [[nodiscard]] virtual WindowStatus AskStatus() const = 0;
  [[nodiscard]] virtual std::vector<DXGI_FORMAT> formats() const = 0;  // formats that can be shown, preferred first
  [[nodiscard]] virtual std::vector<swapchain::PresentMode> present_modes() const = 0;
  // Takes an output; the window must outlive it. Errors: those of the output's creation.
  virtual Result<std::unique_ptr<DisplaySurface>> TakeOutput() = 0;
  // True if frames of another size are scaled and moved to fit.
  [[nodiscard]] virtual bool fits_frames() const { return false; }
  // True if SetBlending() works.
  [[nodiscard]] virtual bool blends_frames() const { return false; }
};

struct OpenedWindow {
  std::unique_ptr<DisplayWindow> window;
  std::uint64_t turn = 0;  // of the display adapters, counted from their first
};

// An output in place of one whose display adapter is lost.
struct NextOutput {
  OpenedWindow opened;  // outlives the output
  std::unique_ptr<DisplaySurface> output;
};

struct ChosenAdapters {
  config::AdapterInfo render, display;
};

enum class AdapterSource {
  kDrivers,  // their drivers, which are opened
  // The list of CachedAdapters(); the drivers, whose list is then kept, if it does not fit the machine, or lacks what the
  // settings ask for while no GPU sleeps.
  kKept,
};

// Everything below the layer and the command line, once per process. Thread-safe.
class System {
 public:
  // Lists the machine's adapters (Vulkan drivers by their ICDs, the soft adapter) and starts none.
  // Adapters that `losses` calls gone render no more; it gets those that are lost.
  static Result<std::unique_ptr<System>> Create(const config::Settings& settings, AdapterSource source = AdapterSource::kDrivers,
                                                std::shared_ptr<RenderLosses> losses = std::make_shared<RenderLosses>());
  // The machine's adapters, whatever the settings choose. kDrivers also keeps the list for CachedAdapters(), and the drivers'
  // records. Starts none.
  [[nodiscard]] static std::vector<config::AdapterInfo> List(AdapterSource source = AdapterSource::kDrivers);
  // The adapters that Create would choose, or its failure, from files and the list of adapters. Starts nothing, loads no display
  // driver, and keeps nothing.
  [[nodiscard]] static Result<ChosenAdapters> Check(const config::Settings& settings,
                                                    AdapterSource source = AdapterSource::kDrivers,
                                                    const RenderLosses& losses = RenderLosses());
  virtual ~System() = default;

  [[nodiscard]] virtual const std::vector<config::AdapterInfo>& adapters() const = 0;
  // The settings' choice, until a lost one is followed by another. An element of adapters().
  [[nodiscard]] virtual const config::AdapterInfo& render_adapter() const = 0;
  // The render adapter changes, as Settings::on_lost says, if a device on it was lost and it does not start again; the next one
  // is among those that `usable` takes. Returns the adapter for new devices. Cheap unless there was a loss.
  virtual const config::AdapterInfo& FollowRenderAdapter(const std::function<bool(const config::AdapterInfo&)>& usable) = 0;
  // The settings' choice. If they left it open, another adapter takes over once a surface needs an output that the first lacks.
  [[nodiscard]] virtual const config::AdapterInfo& display_adapter() const = 0;

  // True if a display adapter can show on a window of this kind, as far as is known without an attempt.
  [[nodiscard]] virtual bool CanShowOn(SurfaceTarget::Kind kind) const = 0;
  // Errors: kSurfaceLost for a missing window, kUnsupported for a window system that no display adapter shows on, and those of
  // the adapter's start.
  virtual Result<OpenedWindow> OpenWindow(const SurfaceTarget& target) = 0;
  // The display adapter of `lost_turn` is lost; the caller has released its output. As Settings::on_lost says, takes an output of
  // the adapter that follows, or of the same one. Errors: kSurfaceLost for a missing window; kTimeout while the same adapter does
  // not start; kNotFound when no other adapter can show the window.
  virtual Result<NextOutput> TakeNextOutput(const SurfaceTarget& target, std::uint64_t lost_turn) = 0;
  // `adapter` is the device's, an element of adapters(); `device.lost` is not null.
  virtual Result<std::unique_ptr<RenderSession>> BorrowDevice(BorrowedDevice device, const config::AdapterInfo& adapter) = 0;

  // Calls of DxgkDdiPresent so far; nothing if the adapter is gone.
  [[nodiscard]] virtual std::optional<std::uint64_t> DdiPresentsOf(LUID adapter) const = 0;
  [[nodiscard]] virtual Clock& clock() const = 0;
};

}  // namespace tandem::system

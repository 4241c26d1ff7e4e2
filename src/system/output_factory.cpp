#include "system/output_factory.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/sleep.h"
#include "color/convert.h"
#include "outputs/headless/headless_output.h"
#include "outputs/wayland/wayland_output.h"
#include "outputs/x11/window_watch.h"
#include "outputs/x11/x11_output.h"
#include "outputs/x11/x11_window.h"
#include "system/x11_names.h"

namespace tandem::system {
namespace {

using OutputKind = config::OutputSpec::Kind;

// An Xlib program's window may still be on its way to the server when the surface is made. An xcb program's window was awaited
// before.
constexpr int kXlibAttempts = 20;
constexpr std::int64_t kXlibPauseNs = 10'000'000;

std::string Numbered(const std::string& path, std::uint32_t number) {
  if (number == 0) return path;
  const std::filesystem::path whole(path);
  return (whole.parent_path() / (whole.stem().string() + "-" + std::to_string(number) + whole.extension().string())).string();
}

template <class T>
Result<std::shared_ptr<outputs::Output>> Shared(Result<std::unique_ptr<T>> made) {
  if (!made.ok()) return std::move(made).error();
  return std::shared_ptr<outputs::Output>(*std::move(made));
}

// The X11 target of a surface; nothing for other kinds. kSurfaceLost when the window is gone.
Result<std::optional<outputs::X11Target>> FindWindow(const SurfaceTarget& target) {
  const auto window = static_cast<std::uint32_t>(target.window);
  if (target.kind == SurfaceTarget::Kind::kXlib)
    return std::optional(outputs::X11Target{DisplayOfXlib(target.connection), window});
  if (target.kind != SurfaceTarget::Kind::kXcb) return std::optional<outputs::X11Target>();
  auto known = AskXcbWindow(target.connection, target.window);
  if (!known.ok()) return std::move(known).error();
  return std::optional(outputs::X11Target{DisplayOfXcb(target.connection), window});
}

template <class Make>
auto WithPatience(const Make& make) {
  auto made = make();
  for (int attempt = 1; !made.ok() && made.error().kind == ErrorKind::kSurfaceLost && attempt < kXlibAttempts; ++attempt) {
    SleepFor(MonotonicClock(), kXlibPauseNs);
    made = make();
  }
  return made;
}

Result<std::shared_ptr<outputs::Output>> MakeHeadless(outputs::HeadlessKind kind, const std::string& path, std::uint32_t number,
                                                      const SurfaceTarget& target) {
  outputs::HeadlessOptions options;
  options.kind = kind;
  options.path = Numbered(path, number);
  const auto window = FindWindow(target);
  if (!window.ok()) return window.error();
  if (*window) {
    // Programs draw with their window's extent, some with no other, wherever the frames go.
    auto watch = WithPatience([&window] { return outputs::WindowWatch::Open(**window); });
    if (!watch.ok()) return std::move(watch).error();
    options.window_status = [watch = std::shared_ptr(*std::move(watch))] { return watch->Status(); };
  }
  return Shared(outputs::CreateHeadlessOutput(options));
}

Result<std::shared_ptr<outputs::Output>> MakeForWindow(const SurfaceTarget& target) {
  const auto window = FindWindow(target);
  if (!window.ok()) return window.error();
  return Shared(WithPatience([&window] { return outputs::CreateX11Output(**window); }));
}

}  // namespace

ScreenExtent ScreenExtentOf(const outputs::Output& output) {
  const outputs::OutputStatus status = output.AskStatus();
  return status.width != 0 && status.height != 0 ? ScreenExtent{status.width, status.height} : ScreenExtent{};
}

ScreenExtent MonitorExtentOf(const outputs::Output& output) {
  constexpr ScreenExtent kSmallest{1024, 768};
  const ScreenExtent own = ScreenExtentOf(output);
  return {std::max(own.width, kSmallest.width), std::max(own.height, kSmallest.height)};
}

Result<void> CheckOutputFile(const config::OutputSpec& spec) {
  switch (spec.kind) {
    case OutputKind::kPng: return outputs::CheckHeadlessFile(outputs::HeadlessKind::kPng, spec.path);
    case OutputKind::kY4m: return outputs::CheckHeadlessFile(outputs::HeadlessKind::kY4m, spec.path);
    case OutputKind::kRaw: return outputs::CheckHeadlessFile(outputs::HeadlessKind::kRaw, spec.path);
    case OutputKind::kAuto:
    case OutputKind::kWindow:
    case OutputKind::kHeadless: break;
  }
  return {};
}

Result<std::shared_ptr<outputs::Output>> MakeOutput(const SurfaceTarget& target, const config::OutputSpec& spec,
                                                    std::uint32_t number) {
  switch (spec.kind) {
    case OutputKind::kHeadless: return MakeHeadless(outputs::HeadlessKind::kNone, {}, 0, target);
    case OutputKind::kPng: return MakeHeadless(outputs::HeadlessKind::kPng, spec.path, number, target);
    case OutputKind::kY4m: return MakeHeadless(outputs::HeadlessKind::kY4m, spec.path, number, target);
    case OutputKind::kRaw: return MakeHeadless(outputs::HeadlessKind::kRaw, spec.path, number, target);
    case OutputKind::kAuto:
    case OutputKind::kWindow: break;
  }
  switch (target.kind) {
    case SurfaceTarget::Kind::kXcb:
    case SurfaceTarget::Kind::kXlib: return MakeForWindow(target);
    case SurfaceTarget::Kind::kHeadless:  // only reached when the user named a window explicitly
      return spec.kind == OutputKind::kWindow ? Shared(outputs::CreateX11WindowOutput({}, "tandem"))
                                              : MakeHeadless(outputs::HeadlessKind::kNone, {}, 0, target);
    case SurfaceTarget::Kind::kWayland:
      return Shared(outputs::CreateWaylandOutput(
          {static_cast<wl_display*>(target.connection), static_cast<wl_surface*>(target.wayland_surface)}));
  }
  return Fail(ErrorKind::kInternal, "A surface of a kind that is not known.");
}

bool ShowsInWindow(SurfaceTarget::Kind kind, const config::OutputSpec& spec) {
  return spec.kind == OutputKind::kWindow || (spec.kind == OutputKind::kAuto && kind != SurfaceTarget::Kind::kHeadless);
}

swapchain::ShownDepth ShownDepthOf(SurfaceTarget::Kind kind, const config::OutputSpec& spec) {
  if (spec.kind == OutputKind::kRaw) return swapchain::ShownDepth::kHalfFloats;
  const bool eight_bits = ShowsInWindow(kind, spec) || spec.kind == OutputKind::kPng || spec.kind == OutputKind::kY4m;
  return eight_bits ? swapchain::ShownDepth::kEightBits : swapchain::ShownDepth::kTenBits;
}

std::vector<DXGI_FORMAT> ShowableFormats(MoreBits more_bits) {
  std::vector<DXGI_FORMAT> formats;
  for (const DXGI_FORMAT format :
       {DXGI_FORMAT_B8G8R8A8_UNORM, DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB,
        DXGI_FORMAT_R10G10B10A2_UNORM, DXGI_FORMAT_R16G16B16A16_FLOAT}) {
    const bool has_more_bits = format == DXGI_FORMAT_R10G10B10A2_UNORM || format == DXGI_FORMAT_R16G16B16A16_FLOAT;
    if (has_more_bits && more_bits == MoreBits::kNotOffered) continue;
    if (color::ConvertsToBgra8(static_cast<color::Format>(format))) formats.push_back(format);
  }
  return formats;
}

}  // namespace tandem::system

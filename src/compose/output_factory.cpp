#include "compose/output_factory.h"

#include <filesystem>
#include <string>

#include "base/sleep.h"
#include "color/convert.h"
#include "compose/x11_names.h"
#include "outputs/headless/headless_output.h"
#include "outputs/x11/x11_output.h"
#include "outputs/x11/x11_window.h"

namespace tandem::compose {
namespace {

using OutputKind = coproc::OutputSpec::Kind;

// An Xlib program's window may still be on its way to the server when the surface is made.
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

Result<std::shared_ptr<outputs::Output>> MakeHeadless(outputs::HeadlessKind kind, const std::string& path, std::uint32_t number) {
  outputs::HeadlessOptions options;
  options.kind = kind;
  options.path = Numbered(path, number);
  return Shared(outputs::CreateHeadlessOutput(options));
}

Result<std::shared_ptr<outputs::Output>> MakeXcb(const SurfaceTarget& target) {
  auto settled = SettleXcbWindow(target.connection, target.window);
  if (!settled.ok()) return std::move(settled).error();
  return Shared(outputs::CreateX11Output({DisplayOfXcb(target.connection), static_cast<std::uint32_t>(target.window)}));
}

Result<std::shared_ptr<outputs::Output>> MakeXlib(const SurfaceTarget& target) {
  const outputs::X11Target window{DisplayOfXlib(target.connection), static_cast<std::uint32_t>(target.window)};
  auto made = outputs::CreateX11Output(window);
  for (int attempt = 1; !made.ok() && made.error().kind == ErrorKind::kSurfaceLost && attempt < kXlibAttempts; ++attempt) {
    SleepFor(MonotonicClock(), kXlibPauseNs);
    made = outputs::CreateX11Output(window);
  }
  return Shared(std::move(made));
}

}  // namespace

bool HasOutputFor(SurfaceTarget::Kind kind, const coproc::OutputSpec& spec) {
  const bool to_window = spec.kind == OutputKind::kAuto || spec.kind == OutputKind::kWindow;
  return !to_window || kind != SurfaceTarget::Kind::kWayland;
}

Result<std::shared_ptr<outputs::Output>> MakeOutput(const SurfaceTarget& target, const coproc::OutputSpec& spec,
                                                    std::uint32_t number) {
  switch (spec.kind) {
    case OutputKind::kHeadless: return MakeHeadless(outputs::HeadlessKind::kNone, {}, 0);
    case OutputKind::kPng: return MakeHeadless(outputs::HeadlessKind::kPng, spec.path, number);
    case OutputKind::kY4m: return MakeHeadless(outputs::HeadlessKind::kY4m420, spec.path, number);
    case OutputKind::kRaw: return MakeHeadless(outputs::HeadlessKind::kRaw, spec.path, number);
    case OutputKind::kAuto:
    case OutputKind::kWindow: break;
  }
  switch (target.kind) {
    case SurfaceTarget::Kind::kXcb: return MakeXcb(target);
    case SurfaceTarget::Kind::kXlib: return MakeXlib(target);
    case SurfaceTarget::Kind::kHeadless:  // seen only when a window was asked for by name
      return spec.kind == OutputKind::kWindow ? Shared(outputs::CreateX11WindowOutput({}, "tandem"))
                                              : MakeHeadless(outputs::HeadlessKind::kNone, {}, 0);
    case SurfaceTarget::Kind::kWayland: break;
  }
  return Fail(ErrorKind::kUnsupported, "The software adapter has no output for a Wayland surface.");
}

bool KeepsTenBits(const outputs::OutputInfo& output, const coproc::OutputSpec& spec) {
  return output.kind == "headless" && spec.kind != OutputKind::kPng && spec.kind != OutputKind::kY4m;
}

std::vector<DXGI_FORMAT> ShowableFormats() {
  std::vector<DXGI_FORMAT> formats;
  for (const DXGI_FORMAT format :
       {DXGI_FORMAT_B8G8R8A8_UNORM, DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB,
        DXGI_FORMAT_R10G10B10A2_UNORM, DXGI_FORMAT_R16G16B16A16_FLOAT}) {
    if (color::ConvertsToBgra8(static_cast<color::Format>(format))) formats.push_back(format);
  }
  return formats;
}

}  // namespace tandem::compose

#include "kernel/present/display_only_adapter.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/status_name.h"
#include "kernel/adapter/callbacks.h"
#include "kernel/adapter/rules.h"
#include "kernel/feature/feature_rows.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/present/mode_commit.h"

namespace tandem::kernel {
namespace {

constexpr std::uint32_t kSource = 0;
constexpr UINT kPixelBytes = 4;
// Windows does not limit the start and the end of a device. Here they have this many times TdrDdiDelay.
constexpr std::int64_t kStopDelays = 4;
// Between two looks whether a driver hangs that left a present pending.
constexpr std::int64_t kLookNs = 50'000'000;

Result<EnteredDriver> Enter(DRIVER_INITIALIZE* entry, std::string name) {
  auto registry = FeatureRegistry::Create(BuiltInFeatures());
  if (!registry.ok()) return std::move(registry).error();
  EnteredDriver entered;
  entered.features = std::make_unique<KernelFeatures>(*std::move(registry), FeatureScope::kPrivate);
  auto driver = LoadDriver(entry, std::move(name), *entered.features);
  if (!driver.ok()) return std::move(driver).error();
  entered.driver = *std::move(driver);
  return entered;
}

// A driver that is being started, on the thread of its calls.
struct Starting {
  EnteredDriver driver;
  std::unique_ptr<Adapter> adapter;
  Result<void> result;
};

Result<void> Start(Starting& starting, DRIVER_INITIALIZE* entry, const std::string& name, const DisplayOnlyDevice& device,
                   Clock& clock) {
  auto entered = Enter(entry, name);
  if (!entered.ok()) return std::move(entered).error();
  starting.driver = *std::move(entered);
  auto adapter = StartDisplayOnly(*starting.driver.driver, device.extension, *device.bus, device.name, LUID{}, clock);
  if (!adapter.ok()) return std::move(adapter).error();
  starting.adapter = *std::move(adapter);
  return {};
}

bool LiesWithin(const RECT& rect, const DisplayOnlyMode& mode) {
  return rect.left >= 0 && rect.top >= 0 && rect.left < rect.right && rect.top < rect.bottom &&
         static_cast<std::uint32_t>(rect.right) <= mode.width && static_cast<std::uint32_t>(rect.bottom) <= mode.height;
}

}  // namespace

DisplayOnlyAdapterImpl::DisplayOnlyAdapterImpl(EnteredDriver driver, std::unique_ptr<Adapter> adapter,
                                               std::unique_ptr<CallThread> calls, const TdrSettings& tdr)
    : calls_(std::move(calls)),
      driver_(std::move(driver)),
      adapter_(std::move(adapter)),
      clock_(adapter_->clock()),
      limit_ns_(tdr.delay_ns),
      stop_limit_ns_(kStopDelays * tdr.ddi_delay_ns) {
  adapter_->AddSink(*this);
  adapter_->child_statuses().SetListener(this);
  adapter_->SetHangListener(this);
}

bool DisplayOnlyAdapterImpl::Stop() {
  if (adapter_ == nullptr) return !calls_->given_up();
  adapter_->SetHangListener(nullptr);
  adapter_->RemoveSink(*this);
  adapter_->child_statuses().SetListener(nullptr);
  const bool hung = calls_->given_up() || adapter_->hung();
  // The driver owns what it uses until it is gone.
  struct Leaving {
    std::unique_ptr<KernelFeatures> features;
    std::unique_ptr<Driver> driver;
    std::unique_ptr<Adapter> adapter;
  };
  const std::string name = adapter_->name();
  auto leaving = std::make_unique<Leaving>(Leaving{std::move(driver_.features), std::move(driver_.driver), std::move(adapter_)});
  const auto end = [left = leaving.release()] { delete left; };
  if (!hung && calls_->Run(end, clock_, clock_.NowNs() + stop_limit_ns_)) return true;
  calls_->GiveUp();
  Log(LogLevel::kError, "Driver {} does not return from a call: it stays, and its device is lost.", name);
  return false;
}

NTSTATUS DisplayOnlyAdapterImpl::OnThread(std::function<NTSTATUS()> call) {
  const auto status = std::make_shared<NTSTATUS>(STATUS_DEVICE_REMOVED);
  const auto work = [status, call = std::move(call)] { *status = call(); };
  return calls_->Run(work, clock_, kNoDeadline) ? *status : STATUS_DEVICE_REMOVED;
}

NTSTATUS DisplayOnlyAdapterImpl::Negotiate(std::uint32_t width, std::uint32_t height) {
  const SourceTarget target{adapter_->targets().front(), D3DDDI_ROTATION_IDENTITY};
  const auto pinned = std::make_shared<PinnedSource>();
  const NTSTATUS status = OnThread([adapter = adapter_.get(), target, width, height, pinned] {
    WantedMode wanted{kSource, {&target, 1}, width, height, D3DDDIFMT_A8R8G8B8, D3DDDI_ROTATION_IDENTITY};
    wanted.any_size = true;
    ModeCommit commit(*adapter);
    if (const NTSTATUS negotiated = commit.Negotiate({}, wanted); !NT_SUCCESS(negotiated)) return negotiated;
    const NTSTATUS committed = commit.Commit(nullptr);
    if (NT_SUCCESS(committed)) *pinned = commit.Pinned();
    return committed;
  });
  if (!NT_SUCCESS(status)) return status;
  active_ = *pinned;
  const D3DKMDT_2DREGION& size = active_.mode.Format.Graphics.PrimSurfSize;
  mode_ = {size.cx, size.cy};
  return status;
}

Result<DisplayOnlyMode> DisplayOnlyAdapterImpl::SetMode(std::uint32_t width, std::uint32_t height) {
  if (adapter_->targets().empty()) return Fail(ErrorKind::kUnsupported, "Adapter {} has no video output.", name());
  if (auto dark = SetVisible(false); !dark.ok()) return std::move(dark).error();
  if (auto committed = Check("The change of a mode", Negotiate(width, height)); !committed.ok()) {
    return std::move(committed).error();
  }
  if (auto shown = SetVisible(true); !shown.ok()) return std::move(shown).error();
  return mode_;
}

Result<void> DisplayOnlyAdapterImpl::TakeOff() {
  if (auto dark = SetVisible(false); !dark.ok()) return dark;
  active_ = {};
  const auto take_off = [adapter = adapter_.get()] { return ModeCommit(*adapter).TakeOff({}, kSource); };
  return Check("DxgkDdiCommitVidPn", OnThread(take_off));
}

MonitorDescription DisplayOnlyAdapterImpl::monitor() const {
  return adapter_->targets().empty() ? MonitorDescription{} : adapter_->monitors().Of(adapter_->targets().front());
}

void DisplayOnlyAdapterImpl::OnChildStatus(ULONG child, DXGK_CHILD_STATUS_TYPE type) {
  UpdateMonitor(*adapter_, child, type);
  if (type == StatusConnection && child == adapter_->targets().front()) monitor_changed_.store(true, std::memory_order_release);
}

Result<void> DisplayOnlyAdapterImpl::SetVisible(bool visible) {
  if (visible_ == visible) return {};
  const DXGKARG_SETVIDPNSOURCEVISIBILITY args{kSource, static_cast<BOOLEAN>(visible ? TRUE : FALSE)};
  const NTSTATUS status = OnThread([adapter = adapter_.get(), args] {
    return CallDdi(*adapter, Ddi::kSetVidPnSourceVisibility, adapter->ddi().DxgkDdiSetVidPnSourceVisibility,
                   adapter->miniport_context(), &args);
  });
  if (NT_SUCCESS(status)) visible_ = visible;
  return Check("DxgkDdiSetVidPnSourceVisibility", status);
}

Result<void> DisplayOnlyAdapterImpl::SetPointerShape(const PointerShape& shape) {
  return kernel::SetPointerShape(*adapter_, kSource, shape);
}
Result<void> DisplayOnlyAdapterImpl::SetPointerPosition(const PointerPosition& position) {
  return kernel::SetPointerPosition(*adapter_, kSource, position);
}

Result<void> DisplayOnlyAdapterImpl::Present(const std::byte* pixels, std::uint32_t pitch, std::span<const RECT> dirty) {
  for (const RECT& rect : dirty) {
    if (LiesWithin(rect, mode_)) continue;
    return Fail(ErrorKind::kInvalidArgument, "Rectangle ({}, {}) to ({}, {}) does not lie in a picture of {} x {} pixels.",
                rect.left, rect.top, rect.right, rect.bottom, mode_.width, mode_.height);
  }
  const auto present = [function = driver_.driver->present_display_only(), adapter = adapter_.get(), pixels, pitch,
                        rects = std::vector<RECT>(dirty.begin(), dirty.end())] {
    DXGKARG_PRESENT_DISPLAYONLY args{};
    args.VidPnSourceId = kSource;
    args.pSource = const_cast<std::byte*>(pixels);  // the contract's pointer; the driver reads
    args.BytesPerPixel = kPixelBytes;
    args.Pitch = static_cast<INT>(pitch);
    args.NumDirtyRects = static_cast<UINT>(rects.size());
    args.pDirtyRect = const_cast<RECT*>(rects.data());
    args.pfnPresentDisplayOnlyProgress = &ReportPresentProgress;
    return CallDdi(*adapter, Ddi::kPresentDisplayOnly, function, adapter->miniport_context(),
                   static_cast<const DXGKARG_PRESENT_DISPLAYONLY*>(&args));
  };
  adapter_->present_progress().Begin();
  const NTSTATUS status = OnThread(present);
  if (status != STATUS_PENDING) return Check("DxgkDdiPresentDisplayOnly", status);
  // A driver that hangs elsewhere reports nothing any more.
  const std::int64_t deadline_ns = clock_.NowNs() + limit_ns_;
  std::optional<DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID> progress;
  for (std::int64_t now_ns = clock_.NowNs(); !progress && now_ns < deadline_ns && !calls_->given_up(); now_ns = clock_.NowNs())
    progress = adapter_->present_progress().Await(clock_, std::min(deadline_ns, now_ns + kLookNs));
  if (!progress && calls_->given_up()) return Check("DxgkDdiPresentDisplayOnly", STATUS_DEVICE_REMOVED);
  if (!progress) {
    const std::string seen = "DxgkDdiPresentDisplayOnly answered STATUS_PENDING, and no progress was reported.";
    adapter_->ReportViolation(rules::kPresentDisplayOnlyCompletes, seen);
    return Fail(ErrorKind::kTimeout, "Adapter {}: {}", name(), seen);
  }
  if (*progress == DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_COMPLETE) return {};
  return Fail(ErrorKind::kInternal, "Adapter {}: the driver reported that its present failed.", name());
}

Result<bool> DisplayOnlyAdapterImpl::IsConnected() {
  if (adapter_->targets().empty()) return false;
  DXGK_CHILD_STATUS child{};
  child.Type = StatusConnection;
  child.ChildUid = adapter_->targets().front();
  if (auto asked = Check("DxgkDdiQueryChildStatus", QueryChildStatus(child)); !asked.ok()) return std::move(asked).error();
  return child.HotPlug.Connected != FALSE;
}

NTSTATUS DisplayOnlyAdapterImpl::QueryChildStatus(DXGK_CHILD_STATUS& status) {
  if (std::ranges::find(adapter_->targets(), status.ChildUid) == adapter_->targets().end()) return STATUS_INVALID_PARAMETER;
  const auto asked = std::make_shared<DXGK_CHILD_STATUS>(status);
  const NTSTATUS answer = OnThread([adapter = adapter_.get(), asked] {
    return CallDdi(*adapter, Ddi::kQueryChildStatus, adapter->ddi().DxgkDdiQueryChildStatus, adapter->miniport_context(),
                   asked.get(), BOOLEAN{TRUE});
  });
  if (NT_SUCCESS(answer)) status = *asked;
  return answer;
}

NTSTATUS DisplayOnlyAdapterImpl::Escape(D3DDDI_ESCAPEFLAGS flags, std::span<std::byte> data) {
  return OnThread([adapter = adapter_.get(), flags, data] {
    DXGKARG_ESCAPE args{};
    args.Flags = flags;
    args.pPrivateDriverData = data.data();
    args.PrivateDriverDataSize = static_cast<UINT>(data.size());
    const Ddi ddi = flags.HardwareAccess != 0 ? Ddi::kEscapeHardwareAccess : Ddi::kEscape;
    return CallDdi(*adapter, ddi, adapter->ddi().DxgkDdiEscape, adapter->miniport_context(),
                   static_cast<const DXGKARG_ESCAPE*>(&args));
  });
}

// On the DPC thread, or on the watch's when a call does not return.
void DisplayOnlyAdapterImpl::OnAdapterLost() {
  if (adapter_->hung()) calls_->GiveUp();
}

void DisplayOnlyAdapterImpl::OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (data.InterruptType == DXGK_INTERRUPT_DISPLAYONLY_PRESENT_PROGRESS) {
    adapter_->present_progress().Report(data.DisplayOnlyPresentProgress);
  }
}

Result<void> DisplayOnlyAdapterImpl::Check(const char* ddi, NTSTATUS status) const {
  if (const std::string broken = adapter_->violation(); !broken.empty()) return Fail(ErrorKind::kDeviceLost, "{}", broken);
  if (NT_SUCCESS(status)) return {};
  const bool unsupported = status == STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED || status == STATUS_NOT_SUPPORTED;
  return Fail(unsupported ? ErrorKind::kUnsupported : ErrorKind::kInternal, "Adapter {}: {} answered {}.", name(), ddi,
              StatusText(status));
}

Result<std::unique_ptr<DisplayOnlyAdapter>> StartDisplayOnlyAdapter(DRIVER_INITIALIZE* entry, std::string driver_name,
                                                                    const DisplayOnlyDevice& device, const TdrSettings& tdr,
                                                                    Clock& clock) {
  auto calls = CallThread::Create();
  if (!calls.ok()) return std::move(calls).error();
  const auto starting = std::make_shared<Starting>();
  const auto start = [starting, entry, driver_name, device, &clock] {
    starting->result = Start(*starting, entry, driver_name, device, clock);
  };
  if (!(*calls)->Run(start, clock, clock.NowNs() + kStopDelays * tdr.ddi_delay_ns)) {
    return Fail(ErrorKind::kTimeout, "Driver {} does not start: a call of it has not returned for {} ms.", driver_name,
                kStopDelays * tdr.ddi_delay_ns / 1'000'000);
  }
  if (!starting->result.ok()) return std::move(starting->result).error();
  if (auto watched = starting->adapter->WatchCalls(tdr.ddi_delay_ns); !watched.ok()) return std::move(watched).error();
  return std::make_unique<DisplayOnlyAdapterImpl>(std::move(starting->driver), std::move(starting->adapter), *std::move(calls),
                                                  tdr);
}

Result<bool> IsDisplayOnlyDriver(DRIVER_INITIALIZE* entry, std::string driver_name) {
  const auto entered = Enter(entry, std::move(driver_name));
  if (!entered.ok()) return entered.error();
  return entered->driver->present_display_only() != nullptr;
}

}  // namespace tandem::kernel

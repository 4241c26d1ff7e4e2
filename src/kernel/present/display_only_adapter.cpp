#include "kernel/present/display_only_adapter.h"

#include <utility>

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

}  // namespace

DisplayOnlyAdapterImpl::DisplayOnlyAdapterImpl(EnteredDriver driver, std::unique_ptr<Adapter> adapter, std::int64_t limit_ns)
    : driver_(std::move(driver)), adapter_(std::move(adapter)), limit_ns_(limit_ns) {
  adapter_->AddSink(*this);
  adapter_->child_statuses().SetListener(this);
}

DisplayOnlyAdapterImpl::~DisplayOnlyAdapterImpl() {
  adapter_->RemoveSink(*this);
  if (!adapter_->hung()) {
    adapter_->child_statuses().SetListener(nullptr);
    return;
  }
  static_cast<void>(adapter_.release());
  static_cast<void>(driver_.driver.release());
  static_cast<void>(driver_.features.release());
}

Result<DisplayOnlyMode> DisplayOnlyAdapterImpl::SetMode(std::uint32_t width, std::uint32_t height) {
  if (adapter_->targets().empty()) return Fail(ErrorKind::kUnsupported, "Adapter {} has no video output.", name());
  if (auto dark = SetVisible(false); !dark.ok()) return std::move(dark).error();
  const SourceTarget target{adapter_->targets().front(), D3DDDI_ROTATION_IDENTITY};
  WantedMode wanted{kSource, {&target, 1}, width, height, D3DDDIFMT_A8R8G8B8, D3DDDI_ROTATION_IDENTITY};
  wanted.any_size = true;
  ModeCommit commit(*adapter_);
  if (auto negotiated = Check("The negotiation of a mode", commit.Negotiate({}, wanted)); !negotiated.ok()) {
    return std::move(negotiated).error();
  }
  if (auto committed = Check("DxgkDdiCommitVidPn", commit.Commit(nullptr)); !committed.ok()) return std::move(committed).error();
  if (auto shown = SetVisible(true); !shown.ok()) return std::move(shown).error();
  const D3DKMDT_2DREGION size = commit.Pinned().mode.Format.Graphics.PrimSurfSize;
  return DisplayOnlyMode{size.cx, size.cy};
}

Result<void> DisplayOnlyAdapterImpl::TakeOff() {
  if (auto dark = SetVisible(false); !dark.ok()) return dark;
  ModeCommit commit(*adapter_);
  return Check("DxgkDdiCommitVidPn", commit.TakeOff({}, kSource));
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
  const NTSTATUS status = CallDdi(*adapter_, Ddi::kSetVidPnSourceVisibility, adapter_->ddi().DxgkDdiSetVidPnSourceVisibility,
                                  adapter_->miniport_context(), &args);
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
  dirty_.assign(dirty.begin(), dirty.end());
  DXGKARG_PRESENT_DISPLAYONLY args{};
  args.VidPnSourceId = kSource;
  args.pSource = const_cast<std::byte*>(pixels);  // the contract's pointer; the driver reads
  args.BytesPerPixel = kPixelBytes;
  args.Pitch = static_cast<INT>(pitch);
  args.NumDirtyRects = static_cast<UINT>(dirty_.size());
  args.pDirtyRect = dirty_.data();
  args.pfnPresentDisplayOnlyProgress = &ReportPresentProgress;
  adapter_->present_progress().Begin();
  const NTSTATUS status = CallDdi(*adapter_, Ddi::kPresentDisplayOnly, driver_.driver->present_display_only(),
                                  adapter_->miniport_context(), static_cast<const DXGKARG_PRESENT_DISPLAYONLY*>(&args));
  if (status != STATUS_PENDING) return Check("DxgkDdiPresentDisplayOnly", status);
  Clock& clock = adapter_->clock();
  const auto progress = adapter_->present_progress().Await(clock, clock.NowNs() + limit_ns_);
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
  const NTSTATUS status = CallDdi(*adapter_, Ddi::kQueryChildStatus, adapter_->ddi().DxgkDdiQueryChildStatus,
                                  adapter_->miniport_context(), &child, BOOLEAN{TRUE});
  if (auto asked = Check("DxgkDdiQueryChildStatus", status); !asked.ok()) return std::move(asked).error();
  return child.HotPlug.Connected != FALSE;
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
  auto entered = Enter(entry, std::move(driver_name));
  if (!entered.ok()) return std::move(entered).error();
  auto adapter = StartDisplayOnly(*entered->driver, device.extension, *device.bus, device.name, LUID{}, clock);
  if (!adapter.ok()) return std::move(adapter).error();
  if (auto watched = (*adapter)->WatchCalls(tdr.ddi_delay_ns); !watched.ok()) return std::move(watched).error();
  return std::make_unique<DisplayOnlyAdapterImpl>(*std::move(entered), *std::move(adapter), tdr.delay_ns);
}

Result<bool> IsDisplayOnlyDriver(DRIVER_INITIALIZE* entry, std::string driver_name) {
  const auto entered = Enter(entry, std::move(driver_name));
  if (!entered.ok()) return entered.error();
  return entered->driver->present_display_only() != nullptr;
}

}  // namespace tandem::kernel

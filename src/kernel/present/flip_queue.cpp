#include "kernel/present/flip_queue.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/condition.h"
#include "base/thread.h"
#include "kernel/adapter/interrupt_check.h"
#include "kernel/present/flip_state.h"

namespace tandem::kernel {
namespace {

// Vertical blanks between two flips.
std::uint64_t Interval(D3DDDI_FLIPINTERVAL_TYPE interval) {
  return interval >= D3DDDI_FLIPINTERVAL_TWO && interval <= D3DDDI_FLIPINTERVAL_FOUR ? static_cast<std::uint64_t>(interval) : 1;
}

// A vertical blank as the driver told of it.
struct Blank {
  DXGK_INTERRUPT_TYPE type;
  std::uint64_t address;                // scanned out; of CRTC_VSYNC
  std::span<const PlaneReport> planes;  // planes of the other types
  std::int64_t time_ns;
};

class FlipQueueImpl final : public FlipQueue, public InterruptSink {
 public:
  FlipQueueImpl(Adapter& adapter, Owner& owner) : adapter_(adapter), owner_(owner), sources_(adapter.vidpn_source_count()) {
    for (std::uint32_t id = 0; id < sources_.size(); ++id) sources_[id].targets.Set({&id, 1});
    adapter_.AddSink(*this);
  }
  ~FlipQueueImpl() override { adapter_.RemoveSink(*this); }

  void SetTargets(std::uint32_t vidpn_source, std::span<const std::uint32_t> targets) override;
  NTSTATUS Queue(std::uint32_t vidpn_source, const Flip& flip) override;
  void ForgetContext(HANDLE context) override;
  void HoldFlips(std::uint32_t vidpn_source) override;
  void ReleaseFlips(std::uint32_t vidpn_source) override;
  NTSTATUS SetMode(std::uint32_t vidpn_source, const Flip& flip, FirstFlip first_flip) override;
  NTSTATUS SetVisibility(std::uint32_t vidpn_source, bool visible) override;
  void SetUnseen(std::uint32_t vidpn_source, bool unseen) override;
  void BlankUnseen(std::uint32_t vidpn_source) override;
  NTSTATUS WaitForVerticalBlank(std::uint32_t vidpn_source, std::int64_t timeout_ns) override;

  void OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) override;
  void OnDpc() override;
  void OnAdapterLost() override;

 private:
  [[nodiscard]] bool IsImmediate(const Flip& flip) const;
  // Programs what may be programmed now. True when flips were retired by that and the owner must hear of them from the DPC
  // thread.
  bool Advance(std::uint32_t vidpn_source) TANDEM_REQUIRES(mutex_);
  void Program(std::uint32_t vidpn_source, const Flip& flip, bool immediate) TANDEM_REQUIRES(mutex_);
  void ProgramPlanes(std::uint32_t vidpn_source, const Flip& flip, bool immediate) TANDEM_REQUIRES(mutex_);
  // Calls the DDI of a flip. Its time is taken while no interrupt is noted: earlier interrupts belong to another flip, later ones
  // may belong to this one.
  template <class Function, class Args>
  void CallToFlip(Ddi ddi, Function function, FlipState& source, Args& args) TANDEM_REQUIRES(mutex_) {
    adapter_.counters().flips.fetch_add(1, std::memory_order_relaxed);
    adapter_.gate().Call(ddi, [&] {
      source.programmed_at_ns = adapter_.clock().NowNs();
      return function(adapter_.miniport_context(), &args);
    });
  }
  // A vertical blank of the target in place `place` of a source.
  void OnBlank(FlipState& source, std::uint32_t place, const Blank& blank) TANDEM_REQUIRES(mutex_);
  // The programmed flip is what the blank tells of.
  static bool Shows(FlipState& source, std::uint32_t place, const Blank& blank);
  void TellOwner(std::uint32_t vidpn_source);
  NTSTATUS ControlVsync(bool enable);

  Adapter& adapter_;
  Owner& owner_;
  // Held while a flip is programmed (DIRQL), never while a DDI of PASSIVE_LEVEL runs or the owner is called.
  Mutex mutex_;
  Condition vsync_;
  std::vector<FlipState> sources_ TANDEM_GUARDED_BY(mutex_);
  bool lost_ TANDEM_GUARDED_BY(mutex_) = false;
  // One visibility change at a time. Before mutex_; no sink takes it.
  Mutex visibility_mutex_;
  std::uint32_t visible_sources_ TANDEM_GUARDED_BY(visibility_mutex_) = 0;
};

bool FlipQueueImpl::IsImmediate(const Flip& flip) const {
  return adapter_.caps().FlipCaps.FlipImmediateMmIo != 0 &&
         (flip.interval == D3DDDI_FLIPINTERVAL_IMMEDIATE || flip.interval == D3DDDI_FLIPINTERVAL_IMMEDIATE_ALLOW_TEARING);
}

void FlipQueueImpl::SetTargets(std::uint32_t vidpn_source, std::span<const std::uint32_t> targets) {
  const MutexLock lock(mutex_);
  sources_[vidpn_source].targets.Set(targets);
}

NTSTATUS FlipQueueImpl::Queue(std::uint32_t vidpn_source, const Flip& flip) {
  if (!adapter_.alive()) return STATUS_DEVICE_REMOVED;
  bool tell = false;
  {
    const MutexLock lock(mutex_);
    if (vidpn_source >= sources_.size()) return STATUS_INVALID_PARAMETER;
    FlipState& source = sources_[vidpn_source];
    if (source.full()) return STATUS_DEVICE_NOT_READY;
    source.waiting.push(flip);
    tell = Advance(vidpn_source);
  }
  if (tell) adapter_.RequestDpc();
  return STATUS_SUCCESS;
}

bool FlipQueueImpl::Advance(std::uint32_t vidpn_source) {
  FlipState& source = sources_[vidpn_source];
  bool retired = false;
  while (!source.waiting.empty() && source.holds == 0 && adapter_.alive()) {
    const Flip& head = source.waiting.front();
    // Nobody sees a flip of an invisible source, and no vertical blank would report it.
    const bool ends = !source.visible && (IsImmediate(head) || !source.unseen);
    const bool at_once = ends || (IsImmediate(head) && !head.in_dma);
    if (!at_once && source.programmed.has_value() && !source.programmed_is_mode) break;
    if (!at_once && !head.in_dma && source.vsyncs + 1 < source.shown_at_vsync + Interval(head.interval)) break;
    const Flip flip = source.waiting.pop();
    source.Overtake();
    const bool shown_by_mode =
        source.visible && std::exchange(source.mode_address, std::nullopt) == flip.address && flip.planes == nullptr;
    if (shown_by_mode || flip.in_dma) {
      source.programmed_at_ns = adapter_.clock().NowNs();
    } else if (flip.planes != nullptr) {
      ProgramPlanes(vidpn_source, flip, IsImmediate(flip));
    } else {
      Program(vidpn_source, flip, IsImmediate(flip));
    }
    source.SetProgrammed(flip, false);
    if (!ends) continue;
    source.RetireProgrammed(adapter_.clock().NowNs());
    source.shown_at_vsync = source.vsyncs;
    retired = true;
  }
  return retired;
}

void FlipQueueImpl::Program(std::uint32_t vidpn_source, const Flip& flip, bool immediate) {
  FlipState& source = sources_[vidpn_source];
  DXGKARG_SETVIDPNSOURCEADDRESS& args = source.args;
  args.VidPnSourceId = vidpn_source;
  args.PrimarySegment = flip.segment;
  args.PrimaryAddress.QuadPart = static_cast<LONGLONG>(flip.address);
  args.hAllocation = flip.allocation;
  args.ContextCount = flip.context != nullptr ? 1 : 0;
  args.Context[0] = flip.context;
  args.Flags.Value = 0;
  if (immediate) {
    args.Flags.FlipImmediate = 1;
  } else {
    args.Flags.FlipOnNextVSync = 1;
  }
  source.planes.Forget();
  CallToFlip(Ddi::kSetVidPnSourceAddressFlip, adapter_.ddi().DxgkDdiSetVidPnSourceAddress, source, args);
}

void FlipQueueImpl::ProgramPlanes(std::uint32_t vidpn_source, const Flip& flip, bool immediate) {
  FlipState& source = sources_[vidpn_source];
  CallToFlip(Ddi::kSetVidPnSourceAddressWithMultiPlaneOverlay3, adapter_.ddi().DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3,
             source, source.planes.Program(vidpn_source, *flip.planes, flip.context, immediate));
}

void FlipQueueImpl::ForgetContext(HANDLE context) {
  const MutexLock lock(mutex_);
  for (FlipState& source : sources_) {
    for (std::size_t i = 0; i < source.waiting.size(); ++i) {
      if (source.waiting.at(i).context == context) source.waiting.at(i).context = nullptr;
    }
  }
}

void FlipQueueImpl::HoldFlips(std::uint32_t vidpn_source) {
  const MutexLock lock(mutex_);
  ++sources_[vidpn_source].holds;
}

void FlipQueueImpl::ReleaseFlips(std::uint32_t vidpn_source) {
  {
    const MutexLock lock(mutex_);
    --sources_[vidpn_source].holds;
    Advance(vidpn_source);
  }
  adapter_.RequestDpc();
}

NTSTATUS FlipQueueImpl::SetMode(std::uint32_t vidpn_source, const Flip& flip, FirstFlip first_flip) {
  if (!adapter_.alive()) return STATUS_DEVICE_REMOVED;
  {
    const MutexLock lock(mutex_);
    if (vidpn_source >= sources_.size()) return STATUS_INVALID_PARAMETER;
    if (sources_[vidpn_source].full()) return STATUS_DEVICE_NOT_READY;
  }
  DXGKARG_SETVIDPNSOURCEADDRESS args{};
  args.VidPnSourceId = vidpn_source;
  args.PrimarySegment = flip.segment;
  args.PrimaryAddress.QuadPart = static_cast<LONGLONG>(flip.address);
  args.hAllocation = flip.allocation;
  args.Flags.ModeChange = 1;
  const NTSTATUS status = adapter_.gate().Call(Ddi::kSetVidPnSourceAddress, adapter_.ddi().DxgkDdiSetVidPnSourceAddress,
                                               adapter_.miniport_context(), &args);
  if (NT_SUCCESS(status)) {
    const MutexLock lock(mutex_);
    FlipState& source = sources_[vidpn_source];
    source.planes.Forget();
    source.Overtake();
    while (!source.waiting.empty() && source.waiting.front().cookie < flip.cookie)
      source.overtaken.push(source.waiting.pop().cookie);
    source.SetProgrammed(flip, true);
    // Drivers take modes up in their own time. What they reported so far may be of a surface before it at the same address.
    source.programmed_at_ns = adapter_.clock().NowNs();
    source.mode_address.reset();
    if (first_flip == FirstFlip::kIsTheModeChange) source.mode_address = flip.address;
    if (!source.visible) source.RetireProgrammed(source.programmed_at_ns);
  }
  return status;
}

NTSTATUS FlipQueueImpl::ControlVsync(bool enable) {
  return adapter_.gate().Call(Ddi::kControlInterrupt, adapter_.ddi().DxgkDdiControlInterrupt, adapter_.miniport_context(),
                              DXGK_INTERRUPT_CRTC_VSYNC, static_cast<BOOLEAN>(enable ? TRUE : FALSE));
}

NTSTATUS FlipQueueImpl::SetVisibility(std::uint32_t vidpn_source, bool visible) {
  if (!adapter_.alive()) return STATUS_DEVICE_REMOVED;
  const MutexLock one_change(visibility_mutex_);
  bool unchanged = false;
  {
    const MutexLock lock(mutex_);
    if (vidpn_source >= sources_.size()) return STATUS_INVALID_PARAMETER;
    unchanged = sources_[vidpn_source].visible == visible;
    // Flips of a source that is unseen wait as well.
    if (unchanged && !visible) sources_[vidpn_source].RetireAll(adapter_.clock().NowNs());
  }
  if (unchanged) {
    adapter_.RequestDpc();
    return STATUS_SUCCESS;
  }
  if (visible && visible_sources_ == 0) {
    if (const NTSTATUS status = ControlVsync(true); !NT_SUCCESS(status)) return status;
  }
  DXGKARG_SETVIDPNSOURCEVISIBILITY args{};
  args.VidPnSourceId = vidpn_source;
  args.Visible = visible ? TRUE : FALSE;
  NTSTATUS status = adapter_.gate().Call(Ddi::kSetVidPnSourceVisibility, adapter_.ddi().DxgkDdiSetVidPnSourceVisibility,
                                         adapter_.miniport_context(), &args);
  if (NT_SUCCESS(status)) {
    visible_sources_ += visible ? 1U : ~0U;
    const MutexLock lock(mutex_);
    sources_[vidpn_source].visible = visible;
    sources_[vidpn_source].planes.Forget();
    if (!visible) sources_[vidpn_source].RetireAll(adapter_.clock().NowNs());
  }
  if (visible_sources_ == 0) {
    const NTSTATUS disabled = ControlVsync(false);
    if (NT_SUCCESS(status)) status = disabled;
  }
  adapter_.RequestDpc();
  return status;
}

void FlipQueueImpl::SetUnseen(std::uint32_t vidpn_source, bool unseen) {
  {
    const MutexLock lock(mutex_);
    sources_[vidpn_source].unseen = unseen;
    if (!unseen && !sources_[vidpn_source].visible) sources_[vidpn_source].RetireAll(adapter_.clock().NowNs());
  }
  adapter_.RequestDpc();
}

void FlipQueueImpl::BlankUnseen(std::uint32_t vidpn_source) {
  {
    const MutexLock lock(mutex_);
    FlipState& source = sources_[vidpn_source];
    if (lost_ || !adapter_.alive() || !source.unseen || source.visible) return;
    ++source.vsyncs;
    if (source.programmed.has_value()) source.shown_at_vsync = source.vsyncs;
    source.RetireProgrammed(adapter_.clock().NowNs());
    Advance(vidpn_source);
  }
  vsync_.NotifyAll();
  adapter_.RequestDpc();
}

NTSTATUS FlipQueueImpl::WaitForVerticalBlank(std::uint32_t vidpn_source, std::int64_t timeout_ns) {
  const std::int64_t now_ns = adapter_.clock().NowNs();
  const std::int64_t deadline_ns = timeout_ns > kNoDeadline - now_ns ? kNoDeadline : now_ns + timeout_ns;
  MutexLock lock(mutex_);
  if (vidpn_source >= sources_.size()) return STATUS_INVALID_PARAMETER;
  const std::uint64_t seen = sources_[vidpn_source].vsyncs;
  for (bool in_time = true;;) {
    if (lost_ || !adapter_.alive()) return STATUS_DEVICE_REMOVED;
    if (sources_[vidpn_source].vsyncs != seen) return STATUS_SUCCESS;
    if (!in_time) return STATUS_TIMEOUT;
    in_time = adapter_.clock().WaitUntil(lock.native(), vsync_, deadline_ns);
  }
}

bool FlipQueueImpl::Shows(FlipState& source, std::uint32_t place, const Blank& blank) {
  const bool flipped = source.programmed.has_value() && blank.time_ns >= source.programmed_at_ns;
  const bool of_planes = flipped && source.programmed->planes != nullptr;
  // Each report is read, because the next one is held against it.
  const bool all_planes = source.planes.Report(place, blank.type, blank.planes, of_planes);
  if (!flipped) return false;
  if (blank.type == DXGK_INTERRUPT_CRTC_VSYNC) return blank.address == source.programmed->address;
  if (of_planes) return all_planes;
  return blank.type == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY &&
         std::ranges::any_of(
             blank.planes, [&](const PlaneReport& plane) { return plane.enabled && plane.value == source.programmed->address; });
}

void FlipQueueImpl::OnBlank(FlipState& source, std::uint32_t place, const Blank& blank) {
  const bool primary = place == 0;
  if (primary) ++source.vsyncs;
  // Flips of DMA buffers may be ahead of what is known here: one on the screen retires those before it.
  while (primary && source.programmed.has_value() && source.programmed->in_dma && source.programmed->address != blank.address &&
         source.WaitsInDma(blank.address)) {
    source.Overtake();
    source.SetProgrammed(source.waiting.pop(), false);
  }
  // A vertical blank from before the flip may carry the same address, when a surface is flipped to twice.
  if (!Shows(source, place, blank)) return;
  if (primary && !source.targets.HasReported(place)) {
    source.shown_at_ns = blank.time_ns;
    source.shown_at_vsync = source.vsyncs;
  }
  if (source.targets.Report(place)) source.RetireProgrammed(source.shown_at_ns);
}

void FlipQueueImpl::OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (!IsCrtcType(data.InterruptType)) return;
  adapter_.counters().vsyncs.fetch_add(1, std::memory_order_relaxed);
  Blank blank{data.InterruptType, 0, adapter_.interrupt_planes(), adapter_.interrupt_time_ns()};
  if (data.InterruptType == DXGK_INTERRUPT_CRTC_VSYNC)
    blank.address = static_cast<std::uint64_t>(data.CrtcVsync.PhysicalAddress.QuadPart);
  std::uint32_t vidpn_source = 0;
  {
    const MutexLock lock(mutex_);
    std::optional<std::uint32_t> place;
    for (; vidpn_source < sources_.size(); ++vidpn_source) {
      place = sources_[vidpn_source].targets.Find(TargetOf(data));
      if (place) break;
    }
    if (!place || sources_[vidpn_source].unseen) return;  // BlankUnseen says when its flips end
    OnBlank(sources_[vidpn_source], *place, blank);
    Advance(vidpn_source);
  }
  vsync_.NotifyAll();
  TellOwner(vidpn_source);
}

void FlipQueueImpl::OnDpc() {
  for (std::uint32_t vidpn_source = 0; vidpn_source < adapter_.vidpn_source_count(); ++vidpn_source) TellOwner(vidpn_source);
}

void FlipQueueImpl::TellOwner(std::uint32_t vidpn_source) {
  for (;;) {
    RetiredFlip retired{};
    {
      const MutexLock lock(mutex_);
      FlipState& source = sources_[vidpn_source];
      if (source.retired.empty()) return;
      retired = source.retired.pop();
    }
    owner_.OnFlipRetired(vidpn_source, retired);
  }
}

void FlipQueueImpl::OnAdapterLost() {
  {
    const MutexLock lock(mutex_);
    lost_ = true;
  }
  vsync_.NotifyAll();
}

}  // namespace

std::unique_ptr<FlipQueue> FlipQueue::Create(Adapter& adapter, Owner& owner) {
  return std::make_unique<FlipQueueImpl>(adapter, owner);
}

}  // namespace tandem::kernel

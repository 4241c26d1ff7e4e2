#include "kernel/present/flip_queue.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/thread.h"

namespace tandem::kernel {
namespace {

// A fixed queue.
template <class T, std::uint32_t kCapacity>
class Ring {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::uint32_t size() const { return count_; }
  [[nodiscard]] const T& front() const { return items_[first_]; }
  [[nodiscard]] const T& at(std::uint32_t i) const { return items_[(first_ + i) % kCapacity]; }
  void Push(const T& item) {
    TANDEM_CHECK(count_ < kCapacity);
    items_[(first_ + count_++) % kCapacity] = item;
  }
  T Pop() {
    const T item = items_[first_];
    first_ = (first_ + 1) % kCapacity;
    --count_;
    return item;
  }

 private:
  std::array<T, kCapacity> items_{};
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
};

struct Retired {
  std::uint64_t cookie;
  std::int64_t time_ns;
};

struct Source {
  Ring<Flip, kMaxQueuedFlips> waiting;
  std::optional<Flip> programmed;  // not yet reported by CRTC_VSYNC
  std::int64_t programmed_at_ns = 0;
  // Waiting, programmed and unreported flips together never pass kMaxQueuedFlips + 1.
  Ring<Retired, kMaxQueuedFlips + 1> retired;  // the owner has not heard yet
  std::uint64_t vsyncs = 0;
  std::uint64_t shown_at_vsync = 0;  // number of the vertical blank at which the last flip took effect
  bool visible = false;
  std::optional<std::uint64_t> mode_address;  // shown by the mode change, and counts as the next flip to it
  std::uint32_t mode_changes = 0;             // SetMode calls that are in the driver: flips wait for them
  DXGKARG_SETVIDPNSOURCEADDRESS args{};
};

bool WaitsInDma(const Source& source, std::uint64_t address) {
  for (std::uint32_t i = 0; i < source.waiting.size(); ++i) {
    if (source.waiting.at(i).in_dma && source.waiting.at(i).address == address) return true;
  }
  return false;
}

// Vertical blanks between two flips.
std::uint64_t Interval(D3DDDI_FLIPINTERVAL_TYPE interval) {
  return interval >= D3DDDI_FLIPINTERVAL_TWO && interval <= D3DDDI_FLIPINTERVAL_FOUR ? static_cast<std::uint64_t>(interval) : 1;
}

class FlipQueueImpl final : public FlipQueue, public InterruptSink {
 public:
  FlipQueueImpl(Adapter& adapter, Owner& owner) : adapter_(adapter), owner_(owner), sources_(adapter.vidpn_source_count()) {
    adapter_.AddSink(*this);
  }
  ~FlipQueueImpl() override { adapter_.RemoveSink(*this); }

  NTSTATUS Queue(std::uint32_t vidpn_source, const Flip& flip) override;
  NTSTATUS SetMode(std::uint32_t vidpn_source, const Flip& flip, FirstFlip first_flip) override;
  NTSTATUS SetVisibility(std::uint32_t vidpn_source, bool visible) override;
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
  void RetireAll(Source& source, std::int64_t time_ns) TANDEM_REQUIRES(mutex_);
  void TellOwner(std::uint32_t vidpn_source);
  NTSTATUS ControlVsync(bool enable);

  Adapter& adapter_;
  Owner& owner_;
  // Held while a flip is programmed (DIRQL), never while a DDI of PASSIVE_LEVEL runs or the owner is called.
  Mutex mutex_;
  std::condition_variable vsync_;
  std::vector<Source> sources_ TANDEM_GUARDED_BY(mutex_);
  bool lost_ TANDEM_GUARDED_BY(mutex_) = false;
  // One visibility change at a time. Before mutex_; no sink takes it.
  Mutex visibility_mutex_;
  std::uint32_t visible_sources_ TANDEM_GUARDED_BY(visibility_mutex_) = 0;
};

bool FlipQueueImpl::IsImmediate(const Flip& flip) const {
  return adapter_.caps().FlipCaps.FlipImmediateMmIo != 0 &&
         (flip.interval == D3DDDI_FLIPINTERVAL_IMMEDIATE || flip.interval == D3DDDI_FLIPINTERVAL_IMMEDIATE_ALLOW_TEARING);
}

NTSTATUS FlipQueueImpl::Queue(std::uint32_t vidpn_source, const Flip& flip) {
  if (!adapter_.alive()) return STATUS_DEVICE_REMOVED;
  bool tell = false;
  {
    const MutexLock lock(mutex_);
    if (vidpn_source >= sources_.size()) return STATUS_INVALID_PARAMETER;
    Source& source = sources_[vidpn_source];
    if (source.waiting.size() + source.retired.size() >= kMaxQueuedFlips) return STATUS_DEVICE_NOT_READY;
    source.waiting.Push(flip);
    tell = Advance(vidpn_source);
  }
  if (tell) adapter_.RequestDpc();
  return STATUS_SUCCESS;
}

bool FlipQueueImpl::Advance(std::uint32_t vidpn_source) {
  Source& source = sources_[vidpn_source];
  bool retired = false;
  while (!source.waiting.empty() && source.mode_changes == 0 && adapter_.alive()) {
    const Flip& head = source.waiting.front();
    // Nobody sees a flip of an invisible source, and no vertical blank would report it.
    const bool at_once = (IsImmediate(head) && !head.in_dma) || !source.visible;
    if (!at_once && source.programmed.has_value()) break;
    if (!at_once && !head.in_dma && source.vsyncs + 1 < source.shown_at_vsync + Interval(head.interval)) break;
    const Flip flip = source.waiting.Pop();
    // What was programmed before is not scanned out any more, or never was.
    if (source.programmed.has_value()) {
      source.retired.Push({source.programmed->cookie, adapter_.clock().NowNs()});
      source.programmed.reset();
      retired = true;
    }
    const bool shown_by_mode = source.visible && std::exchange(source.mode_address, std::nullopt) == flip.address;
    if (shown_by_mode || flip.in_dma) {
      source.programmed_at_ns = adapter_.clock().NowNs();
    } else {
      Program(vidpn_source, flip, IsImmediate(flip));
    }
    if (source.visible) {
      source.programmed = flip;
      continue;
    }
    source.retired.Push({flip.cookie, adapter_.clock().NowNs()});
    source.shown_at_vsync = source.vsyncs;
    retired = true;
  }
  return retired;
}

void FlipQueueImpl::Program(std::uint32_t vidpn_source, const Flip& flip, bool immediate) {
  Source& source = sources_[vidpn_source];
  DXGKARG_SETVIDPNSOURCEADDRESS& args = source.args;
  args.VidPnSourceId = vidpn_source;
  args.PrimarySegment = flip.segment;
  args.PrimaryAddress.QuadPart = static_cast<LONGLONG>(flip.address);
  args.hAllocation = flip.allocation;
  args.ContextCount = 1;
  args.Context[0] = flip.context;
  args.Flags.Value = 0;
  if (immediate) {
    args.Flags.FlipImmediate = 1;
  } else {
    args.Flags.FlipOnNextVSync = 1;
  }
  source.programmed_at_ns = adapter_.clock().NowNs();
  adapter_.counters().flips.fetch_add(1, std::memory_order_relaxed);
  adapter_.gate().Call(Ddi::kSetVidPnSourceAddressFlip, adapter_.ddi().DxgkDdiSetVidPnSourceAddress, adapter_.miniport_context(),
                       &args);
}

void FlipQueueImpl::RetireAll(Source& source, std::int64_t time_ns) {
  if (source.programmed.has_value()) source.retired.Push({source.programmed->cookie, time_ns});
  source.programmed.reset();
  while (!source.waiting.empty()) source.retired.Push({source.waiting.Pop().cookie, time_ns});
}

NTSTATUS FlipQueueImpl::SetMode(std::uint32_t vidpn_source, const Flip& flip, FirstFlip first_flip) {
  if (!adapter_.alive()) return STATUS_DEVICE_REMOVED;
  {
    const MutexLock lock(mutex_);
    if (vidpn_source >= sources_.size()) return STATUS_INVALID_PARAMETER;
    ++sources_[vidpn_source].mode_changes;
    RetireAll(sources_[vidpn_source], adapter_.clock().NowNs());
  }
  DXGKARG_SETVIDPNSOURCEADDRESS args{};
  args.VidPnSourceId = vidpn_source;
  args.PrimarySegment = flip.segment;
  args.PrimaryAddress.QuadPart = static_cast<LONGLONG>(flip.address);
  args.hAllocation = flip.allocation;
  args.Flags.ModeChange = 1;
  const NTSTATUS status = adapter_.gate().Call(Ddi::kSetVidPnSourceAddress, adapter_.ddi().DxgkDdiSetVidPnSourceAddress,
                                               adapter_.miniport_context(), &args);
  {
    const MutexLock lock(mutex_);
    Source& source = sources_[vidpn_source];
    --source.mode_changes;
    source.mode_address.reset();
    if (NT_SUCCESS(status) && first_flip == FirstFlip::kIsTheModeChange) source.mode_address = flip.address;
    Advance(vidpn_source);
  }
  adapter_.RequestDpc();
  return status;
}

NTSTATUS FlipQueueImpl::ControlVsync(bool enable) {
  return adapter_.gate().Call(Ddi::kControlInterrupt, adapter_.ddi().DxgkDdiControlInterrupt, adapter_.miniport_context(),
                              DXGK_INTERRUPT_CRTC_VSYNC, static_cast<BOOLEAN>(enable ? TRUE : FALSE));
}

NTSTATUS FlipQueueImpl::SetVisibility(std::uint32_t vidpn_source, bool visible) {
  if (!adapter_.alive()) return STATUS_DEVICE_REMOVED;
  const MutexLock one_change(visibility_mutex_);
  {
    const MutexLock lock(mutex_);
    if (vidpn_source >= sources_.size()) return STATUS_INVALID_PARAMETER;
    if (sources_[vidpn_source].visible == visible) return STATUS_SUCCESS;
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
    if (!visible) RetireAll(sources_[vidpn_source], adapter_.clock().NowNs());
  }
  if (visible_sources_ == 0) {
    const NTSTATUS disabled = ControlVsync(false);
    if (NT_SUCCESS(status)) status = disabled;
  }
  adapter_.RequestDpc();
  return status;
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

void FlipQueueImpl::OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (data.InterruptType != DXGK_INTERRUPT_CRTC_VSYNC) return;
  adapter_.counters().vsyncs.fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t vidpn_source = data.CrtcVsync.VidPnTargetId;
  const std::int64_t time_ns = adapter_.interrupt_time_ns();
  {
    const MutexLock lock(mutex_);
    if (vidpn_source >= sources_.size()) return;
    Source& source = sources_[vidpn_source];
    ++source.vsyncs;
    // Flips of DMA buffers may be ahead of what is known here: one on the screen retires those before it.
    const auto address = static_cast<std::uint64_t>(data.CrtcVsync.PhysicalAddress.QuadPart);
    while (source.programmed.has_value() && source.programmed->in_dma && source.programmed->address != address &&
           WaitsInDma(source, address)) {
      source.retired.Push({source.programmed->cookie, time_ns});
      source.programmed = source.waiting.Pop();
    }
    // A vertical blank from before the flip may carry the same address, when a surface is flipped to twice.
    if (source.programmed.has_value() && time_ns >= source.programmed_at_ns && address == source.programmed->address) {
      source.retired.Push({source.programmed->cookie, time_ns});
      source.programmed.reset();
      source.shown_at_vsync = source.vsyncs;
    }
    Advance(vidpn_source);
  }
  vsync_.notify_all();
  TellOwner(vidpn_source);
}

void FlipQueueImpl::OnDpc() {
  for (std::uint32_t vidpn_source = 0; vidpn_source < adapter_.vidpn_source_count(); ++vidpn_source) TellOwner(vidpn_source);
}

void FlipQueueImpl::TellOwner(std::uint32_t vidpn_source) {
  for (;;) {
    Retired retired{};
    {
      const MutexLock lock(mutex_);
      Source& source = sources_[vidpn_source];
      if (source.retired.empty()) return;
      retired = source.retired.Pop();
    }
    owner_.OnFlipRetired(vidpn_source, retired.cookie, retired.time_ns);
  }
}

void FlipQueueImpl::OnAdapterLost() {
  {
    const MutexLock lock(mutex_);
    lost_ = true;
  }
  vsync_.notify_all();
}

}  // namespace

std::unique_ptr<FlipQueue> FlipQueue::Create(Adapter& adapter, Owner& owner) {
  return std::make_unique<FlipQueueImpl>(adapter, owner);
}

}  // namespace tandem::kernel

#include "swapchain/frame_flipper.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/log.h"

namespace tandem::swapchain {
namespace {

D3DDDI_FLIPINTERVAL_TYPE ToInterval(FlipWhen when) {
  return when == FlipWhen::kImmediate ? D3DDDI_FLIPINTERVAL_IMMEDIATE : D3DDDI_FLIPINTERVAL_ONE;
}

// Flips later than one that is reported as done may be on the screen already; others are of another swap chain.
constexpr std::int32_t kMostLater = 8;

// Swap chains of one source follow each other, so each counts its flips from a number of its own.
UINT NextBase() {
  constexpr UINT kApart = 1U << 20;
  static std::atomic<UINT> base{0};
  return base.fetch_add(kApart, std::memory_order_relaxed);
}

}  // namespace

FrameFlipper::FrameFlipper(Runtime& display, const SwapChainDesc& desc, const BufferSet& buffers)
    : display_(display), desc_(desc), buffers_(buffers), before_first_(NextBase()) {}

Result<std::unique_ptr<FrameFlipper>> FrameFlipper::Create(Runtime& display, const SwapChainDesc& desc, const BufferSet& buffers,
                                                           PassMeters& meters) {
  std::unique_ptr<FrameFlipper> flipper(new FrameFlipper(display, desc, buffers));
  if (buffers.primaries_in_turn() != 0) {
    auto copied_on = MonitoredFence::Create(display.kernel_device());
    if (!copied_on.ok()) return std::move(copied_on).error();
    flipper->copied_on_fence_ = *std::move(copied_on);
  }
  auto flip = MonitoredFence::Create(display.kernel_device());
  if (!flip.ok()) return std::move(flip).error();
  flipper->flip_fence_ = *std::move(flip);
  flipper->compositor_ =
      Compositor::Create(display, desc, buffers.primary_format(desc), buffers.buffer_count(),
                         buffers.second_copy() ? Compositor::Primaries::kWhenNeeded : Compositor::Primaries::kNow, meters);
  if (buffers.compressed()) flipper->decoding_.emplace(display, buffers, *flipper->compositor_, desc.vidpn_source);
  return flipper;
}

Result<void> FrameFlipper::DecodeSlice(const SliceWork& slice, const RECT& part, bool refers) {
  return decoding_->DecodeSlice(slice, part, refers);
}

Result<D3D10DDI_HRESOURCE> FrameFlipper::SurfaceToFlip(const FlipWork& work, bool refers, Flipped& flipped) {
  auto prepared = buffers_.second_copy() ? CopyOn(work, refers) : compositor_->Prepare(buffers_.shared(work.buffer));
  if (!prepared.ok()) return std::move(prepared).error();
  flipped.by = prepared->by;
  flipped.reason = std::move(prepared->reason);
  return prepared->surface;
}

// Frames that may reference earlier ones stay upright in their surface. Other frames are rotated during the one copy or
// decoding.
Result<Compositor::Prepared> FrameFlipper::CopyOn(const FlipWork& work, bool refers) {
  const D3D10DDI_HRESOURCE primary = buffers_.flip_surface(work.primary);
  D3D10DDI_HRESOURCE source = buffers_.shared(work.buffer).handle();
  if (decoding_) {
    const auto decoded = decoding_->Finish(work.buffer, refers);
    if (!decoded.ok()) return decoded.error();
    if (decoded->turned) return compositor_->PrepareDecoded(*decoded->turned);
    if (!buffers_.decodes_to_pictures()) return compositor_->PrepareTurned(primary, primary);
    source = buffers_.decoded(work.buffer);
  }
  auto prepared = compositor_->PrepareTurned(source, primary);
  if (!prepared.ok()) return prepared;
  if (prepared->by == ShownBy::kScanOut) {
    const auto context = CopyOnDisplay(source, primary);
    if (!context.ok()) return context.error();
    prepared->context = *context;
  }
  if (copied_on_fence_) {
    if (auto signalled = copied_on_fence_->SignalAfter(prepared->context, work.serial); !signalled.ok())
      return std::move(signalled).error();
  }
  return prepared;
}

Result<D3DKMT_HANDLE> FrameFlipper::CopyOnDisplay(D3D10DDI_HRESOURCE source, D3D10DDI_HRESOURCE destination) {
  PresentCall copy;
  copy.source = source;
  copy.destination = destination;
  if (auto copied = display_.DxgiPresent(copy); !copied.ok()) return std::move(copied).error();
  return copy.context;
}

Result<FrameFlipper::Flipped> FrameFlipper::QueueFlip(const FlipWork& work, std::int64_t now_ns, bool refers,
                                                      std::span<const PresentFill> fills) {
  queued_ns_[work.serial % kFlipsKept] = now_ns;
  Flipped flipped;
  const auto surface = SurfaceToFlip(work, refers, flipped);
  if (!surface.ok()) return surface.error();
  PresentCall flip;
  flip.source = *surface;
  flip.vidpn_source = desc_.vidpn_source;
  flip.interval = ToInterval(work.when);
  flip.present_count = before_first_ + static_cast<UINT>(work.serial);
  if (!fills.empty() && !refuses_fills_ && display_.RotationOf(desc_.vidpn_source) == D3DDDI_ROTATION_IDENTITY)
    flip.fills = fills;
  if (auto presented = display_.DxgiPresent(flip); !presented.ok()) return std::move(presented).error();
  if (!NT_SUCCESS(flip.fill_status)) {
    refuses_fills_ = true;
    Log(LogLevel::kWarn, "Display adapter {} does not draw figures into its picture: status 0x{:08X} for a fill.",
        display_.binding().name, static_cast<std::uint32_t>(flip.fill_status));
  }
  if (auto signalled = flip_fence_->SignalAfter(flip.context, work.serial); !signalled.ok()) return std::move(signalled).error();
  return flipped;
}

std::int64_t FrameFlipper::ShownNs(std::uint64_t serial, std::int64_t now_ns) {
  last_shown_ns_ = std::max(ReportedNs(serial, now_ns), last_shown_ns_ + 1);
  return last_shown_ns_;
}

std::int64_t FrameFlipper::ReportedNs(std::uint64_t serial, std::int64_t now_ns) const {
  D3DKMT_GETDEVICESTATE state{};
  state.hDevice = display_.kernel_device();
  state.StateType = D3DKMT_DEVICESTATE_PRESENT;
  state.PresentState.VidPnSourceId = desc_.vidpn_source;
  if (!NT_SUCCESS(D3DKMTGetDeviceState(&state))) return now_ns;
  const D3DKMT_PRESENT_STATS& shown = state.PresentState.PresentStats;
  const auto later = static_cast<std::int32_t>(shown.PresentCount - before_first_ - static_cast<UINT>(serial));
  if (later < 0 || later > kMostLater) return now_ns;
  const std::int64_t shown_ns = shown.SyncQPCTime.QuadPart - later * desc_.refresh_period_ns;
  return std::min(now_ns, std::max(shown_ns, queued_ns_[serial % kFlipsKept]));
}

}  // namespace tandem::swapchain

// The display adapter's calls for a frame: its decoding, its copy to a primary and its flip. Internal to the module.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "swapchain/buffer_set.h"
#include "swapchain/compositor.h"
#include "swapchain/fence.h"
#include "swapchain/frame_schedule.h"
#include "swapchain/link_decoding.h"
#include "swapchain/pass_meters.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// Thread: the display thread, without the swap chain's lock. Any thread reads the fences.
class FrameFlipper {
 public:
  // The result of queueing a flip.
  struct Flipped {
    ShownBy by = ShownBy::kScanOut;
    std::optional<std::string> reason;  // reason if the way changed
  };

  // All arguments must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<FrameFlipper>> Create(Runtime& display, const SwapChainDesc& desc,
                                                                    const BufferSet& buffers, PassMeters& meters);
  FrameFlipper(const FrameFlipper&) = delete;
  FrameFlipper& operator=(const FrameFlipper&) = delete;

  // Compressed path only. Queues decoding of a slice that has arrived. `refers`: the frame may reference the previous one.
  [[nodiscard]] Result<void> DecodeSlice(const SliceWork& slice, const RECT& part, bool refers);
  // `fills`: drawn into the frame, unless it is turned or the driver has refused some before.
  [[nodiscard]] Result<Flipped> QueueFlip(const FlipWork& work, std::int64_t now_ns, bool refers,
                                          std::span<const PresentFill> fills);

  // The time at which the flip came to the screen, by the vertical blank that the kernel was told of. The kernel keeps the last
  // flip's; earlier ones count as shown one refresh period apart, but not before they were queued. Without a report: `now_ns`.
  // Asked for each flip once, in their order; each time is later than the one before.
  [[nodiscard]] std::int64_t ShownNs(std::uint64_t serial, std::int64_t now_ns);
  // Value: serial of the last flip on the screen.
  [[nodiscard]] const MonitoredFence& flip_fence() const { return *flip_fence_; }
  // Value: serial of the last flip whose copy to its primary is complete. Null if primaries are not used in turn.
  [[nodiscard]] const MonitoredFence* copied_on_fence() const { return copied_on_fence_.get(); }

 private:
  FrameFlipper(Runtime& display, const SwapChainDesc& desc, const BufferSet& buffers);
  [[nodiscard]] Result<D3D10DDI_HRESOURCE> SurfaceToFlip(const FlipWork& work, bool refers, Flipped& flipped);
  [[nodiscard]] std::int64_t ReportedNs(std::uint64_t serial, std::int64_t now_ns) const;
  // For paths with a second copy.
  [[nodiscard]] Result<Compositor::Prepared> CopyOn(const FlipWork& work, bool refers);
  // Queues a copy on the display adapter and returns its context.
  [[nodiscard]] Result<D3DKMT_HANDLE> CopyOnDisplay(D3D10DDI_HRESOURCE source, D3D10DDI_HRESOURCE destination);

  Runtime& display_;
  const SwapChainDesc& desc_;
  const BufferSet& buffers_;
  const UINT before_first_;  // D3DKMT_PRESENT::PresentCount of flip `serial` is the sum of both
  static constexpr std::uint64_t kFlipsKept = 16;
  std::array<std::int64_t, kFlipsKept> queued_ns_{};  // by serial % kFlipsKept
  std::int64_t last_shown_ns_ = 0;
  bool refuses_fills_ = false;
  std::unique_ptr<MonitoredFence> copied_on_fence_;
  std::unique_ptr<MonitoredFence> flip_fence_;
  std::unique_ptr<Compositor> compositor_;
  std::optional<LinkDecoding> decoding_;  // compressed path only
};

}  // namespace tandem::swapchain

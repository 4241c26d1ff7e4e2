// DXGI's role: the application's images, the buffers that cross, the choice of path, pacing and statistics.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "link/governor/encoding_policy.h"
#include "swapchain/crossing_format.h"
#include "swapchain/runtime_device.h"

#include <dxgiformat.h>

namespace tandem::swapchain {

enum class PresentMode : std::uint8_t { kFifo, kFifoRelaxed, kMailbox, kImmediate, kFifoLatestReady };

// True if a newer frame replaces those that wait: at once, or with kFifoLatestReady at a vertical blank. `slow_flips`: an
// immediate flip may last until the display's next vertical blank. Its program then does not wait for the display all the same.
[[nodiscard]] constexpr bool Replaces(PresentMode mode, bool slow_flips) {
  return mode == PresentMode::kMailbox || mode == PresentMode::kFifoLatestReady ||
         (mode == PresentMode::kImmediate && slow_flips);
}

// Full-frame copies before the display adapter reads: direct 0, one-copy 1, two-copy 2, cpu as counted. Compressed frames are
// encoded and decoded (and copied where primaries take turns); fewer bytes cross than in a plain frame.
enum class Path : std::uint8_t { kDirect, kOneCopy, kTwoCopy, kCpuCopy, kCompressed };
enum class PathRequest : std::uint8_t { kAuto, kDirect, kOneCopy, kTwoCopy, kCpuCopy, kCompressed };
[[nodiscard]] std::string_view ToString(Path path);            // "direct", "one-copy", "two-copy", "cpu", "compressed"
[[nodiscard]] std::string_view ToString(PathRequest request);  // "auto" or the path's name
[[nodiscard]] std::string_view ToString(PresentMode mode);     // "fifo", "fifo-relaxed", …
[[nodiscard]] Result<PathRequest> ParsePathRequest(std::string_view text);
[[nodiscard]] Result<PresentMode> ParsePresentMode(std::string_view text);

// The time when an image goes back to the application.
enum class AcquireWhen : std::uint8_t {
  kCopySubmitted,  // drawing waits for the copy on the GPU (vulkan::AcquireImage)
  kCopyComplete,   // drawing starts at once, by CPU for instance
};

// The time before which a frame shall not be seen.
struct ShowAt {
  std::int64_t time_ns = 0;  // 0: none; otherwise of the swap chain's clock, or after the frame before it was shown
  bool relative = false;
  bool nearest = false;  // the vertical blank next to the time, also an earlier one
};

inline constexpr std::int64_t kDefaultRefreshPeriodNs = 16'666'667;
// Frames under way: one on the screen, one that waits for the vertical blank, one being written.
inline constexpr std::uint32_t kDefaultRingBuffers = 3;
inline constexpr std::uint32_t kDefaultLinkSlices = 4;

enum class DisplayStatus : std::uint8_t {
  kOk,
  kResized,  // frames are still shown; a new swap chain would fit better
  kLost,     // the window or display is gone
};

// Reports the output's status. The swap chain asks after each progress of a frame, and ten times a second while a call waits.
// Any thread; never blocks.
class DisplayStatusSource {
 public:
  virtual ~DisplayStatusSource() = default;
  [[nodiscard]] virtual DisplayStatus Status() const = 0;
  // When the display itself saw the frame that its adapter reported as shown at `shown_ns`; that time where it never says so.
  // Empty: it has not said yet.
  [[nodiscard]] virtual std::optional<std::int64_t> SeenNs(std::int64_t shown_ns) const { return shown_ns; }
};

// Asks the API layer whether the application can render into `image`. SwapChain::Create calls it for each image of a path that
// it tries. A failure refuses the path with its sentence.
class ImageCheck {
 public:
  virtual ~ImageCheck() = default;
  [[nodiscard]] virtual Result<void> Check(D3D10DDI_HRESOURCE image) const = 0;
};

// A display that a swap chain goes on with.
struct NextDisplay {
  RuntimeDevice* display = nullptr;  // must outlive the swap chain, or its next call of TakeNext()
  std::uint32_t vidpn_source = 0;
  ShownDepth shown_depth = ShownDepth::kHalfFloats;
  bool slow_flips = false;
  std::int64_t refresh_period_ns = kDefaultRefreshPeriodNs;
};

// Finds a display in place of one whose adapter is lost. The display thread calls it without locks, when no surface of the swap
// chain is left on the lost adapter.
class DisplaySuccession {
 public:
  virtual ~DisplaySuccession() = default;
  // Gives up the display of before and takes another. kTimeout: there is none yet, and the swap chain asks again. Other errors
  // end the swap chain with kSurfaceLost.
  [[nodiscard]] virtual Result<NextDisplay> TakeNext() = 0;
};

// A display adapter took over from a lost one.
struct DisplayChange {
  std::uint64_t frame = 0;        // number of the first frame that it may show; 1: the first one presented
  std::string from;               // names of the adapters
  std::string to;                 // may be the same adapter, started again
  Path path = Path::kTwoCopy;     // from then on
  std::uint64_t frames_lost = 0;  // on their way to the lost adapter
  std::int64_t pause_ns = 0;      // from the loss, as the display thread saw it, until frames are taken again
  std::string reason;             // a sentence
};

class LiveSink;   // swapchain/live_figures.h
class FrameSink;  // swapchain/frame_line.h

struct SwapChainDesc {
  std::uint32_t width = 0;   // 1..kMaxSurfaceExtent
  std::uint32_t height = 0;  // 1..kMaxSurfaceExtent
  DXGI_FORMAT format = DXGI_FORMAT_UNKNOWN;
  std::uint32_t image_count = 3;                     // 2..kMaxAppImages
  ShownDepth shown_depth = ShownDepth::kHalfFloats;  // the display adapter's, on that source
  PresentMode present_mode = PresentMode::kFifo;
  bool slow_flips = false;  // Replaces()
  PathRequest path = PathRequest::kAuto;
  std::uint32_t vidpn_source = 0;  // source of the display adapter
  // The extent is exact, because applications may sample or read images by normalised coordinates of the whole image.
  UINT bind_flags = 0;  // D3D10_DDI_BIND_*, beside BIND_PRESENT which is always set
  AcquireWhen wait_for_copy_on_acquire = AcquireWhen::kCopySubmitted;
  std::uint32_t ring_buffers = kDefaultRingBuffers;  // 2..kMaxRingBuffers
  // Primaries of the display adapter, on paths that copy frames into its own memory. 0: each ring buffer has one of its own.
  // 2..kMaxRingBuffers: primaries take turns, so that a ring buffer is free once it is copied on.
  // Encoded frames are decoded into the primary of their buffer if the count is 0 or equals ring_buffers. Otherwise they are
  // decoded into a picture for each buffer and copied from there.
  std::uint32_t display_buffers = 0;
  std::int64_t refresh_period_ns = kDefaultRefreshPeriodNs;  // period of the output, > 0; a fifo-relaxed frame is late after it
  const DisplayStatusSource* display_status = nullptr;       // must outlive the swap chain; null: never resized or lost
  const ImageCheck* image_check = nullptr;                   // used by Create only; null: accepts every image
  // Must outlive the swap chain. Null: a lost display adapter ends the swap chain.
  DisplaySuccession* succession = nullptr;
  // For the compressed path; must outlive the swap chain. Null: there is no compressed path.
  link::EncodingPolicy* encodings = nullptr;
  // Pieces of a frame, 1..link::kMaxLinkSlices. They are encoded, sent and decoded in turn, so that these steps overlap.
  std::uint32_t link_slices = kDefaultLinkSlices;
  // Conversion of colours on the compressed path. Scanned-out NV12 always has the default yuv.
  link::LinkColors link_colors{};
  // Most bytes of a kLossless frame on the compressed path; frames drop low bits to meet it. Least value:
  // link::LeastLinkFrameBytes(). 0: no limit.
  std::uint64_t frame_bytes = 0;
  LiveSink* live = nullptr;  // must outlive the swap chain; null: no reports
  // The display adapter draws figures into what it shows, by fills; the direct path and NV12 are refused then. They are left
  // out of frames that are turned.
  bool hud = false;
  FrameSink* frames = nullptr;  // must outlive the swap chain; null: no log
  bool timed = false;           // frames may have a time to be shown at
};

struct PathDecision {
  Path path = Path::kTwoCopy;
  // Form of the surface that the display adapter scans out: kYuv420 on the one-copy path with NV12 buffers, else kPlain.
  link::LinkEncoding encoding = link::LinkEncoding::kPlain;
  DXGI_FORMAT crossing_format = DXGI_FORMAT_UNKNOWN;  // format of the frames between both adapters, before any encoding
  std::string reason;                                 // one sentence on why this path was chosen
  std::vector<std::string> refused;                   // one sentence for each better path that was refused
};

// The way that a frame came to the screen, on a path that scans out shared memory.
enum class ShownBy : std::uint8_t {
  kScanOut,      // scanned out, as the path says
  kComposition,  // the overlay check refused it, so the display adapter copied it into a primary of its own
};
[[nodiscard]] std::string_view ToString(ShownBy by);  // "scan-out", "composition"

// A change of the way, from `frame` on.
struct PathEvent {
  std::uint64_t frame = 0;  // 1: the first frame flipped to
  ShownBy now = ShownBy::kScanOut;
  std::string reason;  // one sentence
};

// Most events kept, and most changes of the display; the oldest are dropped.
inline constexpr std::size_t kMaxPathEvents = 32;

struct Statistics {
  std::uint64_t frames_presented = 0;  // accepted by Present
  std::uint64_t frames_shown = 0;      // reported by the display adapter's vertical blank
  std::uint64_t frames_dropped = 0;    // replaced by a newer frame (Replaces), or lost with an adapter or at teardown
  std::uint64_t frames_composed = 0;   // flipped to by composition in place of scan-out
  // Passes counted by the drivers of both adapters (base/pass_meter.h); running ones count when they are done.
  double full_frame_copies = 0;        // passes over a whole picture; a pass over a part counts in proportion
  std::uint64_t bytes_moved = 0;       // bytes written by those passes
  bool counts_passes = true;           // false: a driver counts no passes, so both figures are too small
  std::uint64_t link_bytes = 0;        // encoded bytes that crossed the link
  std::uint64_t link_timed_bytes = 0;  // bytes of these whose time on the link is known
  std::int64_t link_ns = 0;            // time of link_timed_bytes
  std::int64_t encode_ns = 0;          // render adapter's engine, all encoded frames
  std::int64_t decode_ns = 0;          // display adapter's engine, all frames that it reported
  std::uint64_t decoded_frames = 0;    // frames in decode_ns
  // Frames by link::LinkEncoding, and the share of tiles that did not cross in kLossless frames, per mille.
  std::array<std::uint64_t, link::kLinkEncodings> frames_by_encoding{};
  std::uint32_t unchanged_tiles = 0;
  std::uint64_t lossy_frames = 0;   // kLossless frames that lost low bits to SwapChainDesc::frame_bytes
  std::string encoding_reason;      // reason of the last choice; empty if frames are not encoded
  std::string priority_refusal;     // reason why the display thread keeps the program's priority; empty: it has a higher one
  std::int64_t shown_ns = 0;        // first to last frame on the screen
  std::int64_t latency_p50_ns = 0;  // Present() to vertical blank
  std::int64_t latency_p99_ns = 0;
};

// Longest time for the accepted frames of a retired swap chain to be shown.
inline constexpr std::int64_t kDrainTimeoutNs = 5'000'000'000;

// Threads: any application thread may call Acquire, Present and WaitForPresent. Calls of Acquire and Present are each
// externally synchronized, as for VkSwapchainKHR. The swap chain's display thread, at raised priority, waits for copies and
// flips. No call waits for a copy.
class SwapChain {
 public:
  // Chooses the path (see PathDecision) and creates all buffers; afterwards a frame allocates nothing. Errors: kInvalidArgument
  // with value and limit; kUnsupported when a requested path is impossible; kDeviceLost; kSurfaceLost. A display adapter that is
  // lost later is followed by another if SwapChainDesc::succession has one: the images stay, frames on their way are dropped. If
  // no path leads from the images to that one, calls return kOutOfDate.
  static Result<std::unique_ptr<SwapChain>> Create(RuntimeDevice& render, RuntimeDevice& display, const SwapChainDesc& desc,
                                                   Clock& clock);
  // Calls Retire(), waits for copies in flight and destroys the buffers.
  virtual ~SwapChain() = default;

  // May exceed the requested count on the direct path.
  [[nodiscard]] virtual std::uint32_t image_count() const = 0;
  [[nodiscard]] virtual D3D10DDI_HRESOURCE image(
      std::uint32_t index) const = 0;  // resource of the render adapter's user-mode driver

  // Returns an image that the application may draw into. timeout_ns 0: kTimeout at once if there is none; INT64_MAX: no limit.
  // Also blocks, within the timeout, while a presented frame still waits for a buffer; at most one waits. Where
  // frames are replaced it does not block for that. Errors: kTimeout, kSurfaceLost, kDeviceLost.
  virtual Result<std::uint32_t> Acquire(std::int64_t timeout_ns) = 0;
  // Gives an acquired image to the display. present_id 0: none. Never waits: queues the copy at once if a buffer is free.
  // Errors: kSurfaceLost, kDeviceLost, kInvalidArgument (image not acquired).
  // A frame that waits for its time holds up those behind it.
  virtual Result<void> Present(std::uint32_t index, std::uint64_t present_id, const ShowAt& at) = 0;
  Result<void> Present(std::uint32_t index, std::uint64_t present_id) { return Present(index, present_id, ShowAt()); }
  // Waits until the copies out of an acquired image are complete. Errors: kTimeout, kSurfaceLost, kDeviceLost.
  virtual Result<void> AwaitCopies(std::uint32_t index, std::int64_t timeout_ns) = 0;
  // Takes an acquired image back unpresented (VK_EXT_swapchain_maintenance1).
  virtual Result<void> Release(std::uint32_t index) = 0;
  // Waits until a frame with at least this id was shown, replaced by a later frame that was, or lost with a display adapter that
  // another one follows. Errors: kTimeout, kSurfaceLost, kDeviceLost; kOutOfDate when a retired swap chain will not show it any
  // more.
  virtual Result<void> WaitForPresent(std::uint64_t present_id, std::int64_t timeout_ns) = 0;
  // Accepts no more frames (oldSwapchain): Acquire and Present return kOutOfDate. Returns when the accepted frames were shown,
  // after kDrainTimeoutNs at the latest, and drops frames that still wait. Acquired images stay valid until destruction.
  virtual void Retire() = 0;

  // The display's last reported status. Never blocks.
  [[nodiscard]] virtual DisplayStatus display_status() const = 0;

  // Changes with the display adapter.
  [[nodiscard]] virtual PathDecision decision() const = 0;
  // Changes of the way by the present-time checks, oldest first.
  [[nodiscard]] virtual std::vector<PathEvent> events() const = 0;
  // Oldest first.
  [[nodiscard]] virtual std::vector<DisplayChange> display_changes() const = 0;
  [[nodiscard]] virtual Statistics statistics() const = 0;
};

}  // namespace tandem::swapchain

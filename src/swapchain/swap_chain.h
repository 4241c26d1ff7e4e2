// DXGI's role: the application's images, the buffers that cross, the choice of path, pacing and statistics.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "link/governor/encoding_policy.h"
#include "swapchain/runtime_device.h"

#include <dxgiformat.h>

namespace tandem::swapchain {

enum class PresentMode : std::uint8_t { kFifo, kFifoRelaxed, kMailbox, kImmediate };

// Full-frame copies before the display adapter reads: direct 0, one-copy 1, two-copy 2, CPU fallback: as counted; compressed: an
// encoding and a decoding (and a copy where primaries take turns), and less than a frame crosses.
enum class Path : std::uint8_t { kDirect, kOneCopy, kTwoCopy, kCpuCopy, kCompressed };
enum class PathRequest : std::uint8_t { kAuto, kDirect, kOneCopy, kTwoCopy, kCpuCopy, kCompressed };
[[nodiscard]] std::string_view ToString(Path path);            // "direct", "one-copy", "two-copy", "cpu", "compressed"
[[nodiscard]] std::string_view ToString(PathRequest request);  // "auto" or the path's name
[[nodiscard]] std::string_view ToString(PresentMode mode);     // "fifo", "fifo-relaxed", "mailbox", "immediate"
[[nodiscard]] Result<PathRequest> ParsePathRequest(std::string_view text);
[[nodiscard]] Result<PresentMode> ParsePresentMode(std::string_view text);

// When an image goes back to the application.
enum class AcquireWhen : std::uint8_t {
  kCopySubmitted,  // it waits for the copy on the GPU before it draws (vulkan::AcquireImage)
  kCopyComplete,   // it draws at once, by CPU for instance
};

inline constexpr std::int64_t kDefaultRefreshPeriodNs = 16'666'667;
// Frames that cross at once: one on the screen, one that waits for the vertical blank, one that is written.
inline constexpr std::uint32_t kDefaultRingBuffers = 3;
inline constexpr std::uint32_t kDefaultLinkSlices = 4;

enum class DisplayStatus : std::uint8_t {
  kOk,
  kResized,  // frames are still shown; making the swap chain anew would fit better
  kLost,     // the window or display is gone
};

// Asked about the output by the display thread, a few times a second and after each frame. Any thread, never blocks.
class DisplayStatusSource {
 public:
  virtual ~DisplayStatusSource() = default;
  [[nodiscard]] virtual DisplayStatus Status() const = 0;
};

// Whether the application can draw into an image, which only those know who know its API: asked for each image of a path that is
// tried, inside SwapChain::Create. A failure refuses the path with its sentence.
class ImageCheck {
 public:
  virtual ~ImageCheck() = default;
  [[nodiscard]] virtual Result<void> Check(D3D10DDI_HRESOURCE image) const = 0;
};

class LiveSink;   // swapchain/live_figures.h
class FrameSink;  // swapchain/frame_line.h

struct SwapChainDesc {
  std::uint32_t width = 0;   // 1..kMaxSurfaceExtent
  std::uint32_t height = 0;  // 1..kMaxSurfaceExtent
  DXGI_FORMAT format = DXGI_FORMAT_UNKNOWN;
  std::uint32_t image_count = 3;  // 2..kMaxAppImages
  PresentMode present_mode = PresentMode::kFifo;
  PathRequest path = PathRequest::kAuto;
  std::uint32_t vidpn_source = 0;  // of the display adapter
  // The application samples or reads its images by normalised coordinates of the whole image, so their extent must be exact.
  UINT bind_flags = 0;  // D3D10_DDI_BIND_*, beside BIND_PRESENT which is always set
  AcquireWhen wait_for_copy_on_acquire = AcquireWhen::kCopySubmitted;
  std::uint32_t ring_buffers = kDefaultRingBuffers;  // 2..kMaxRingBuffers
  // Primaries of the display adapter, where frames are copied into its own memory: 2..kMaxRingBuffers that take turns, so that a
  // buffer of the ring is free again as soon as it was copied on; 0: one behind each buffer of the ring. Encoded frames are
  // decoded into the latter, also where both counts are the same; with other counts into a picture for each buffer, and copied
  // from there.
  std::uint32_t display_buffers = 0;
  std::int64_t refresh_period_ns = kDefaultRefreshPeriodNs;  // of the output, > 0; what fifo-relaxed calls late
  const DisplayStatusSource* display_status = nullptr;       // outlives the swap chain; null: never resized or lost
  const ImageCheck* image_check = nullptr;                   // used by Create only; null: every image will do
  // Of the compressed path. Outlives the swap chain; null: there is no such path.
  link::EncodingPolicy* encodings = nullptr;
  // Pieces of a frame that are encoded, sent and decoded one after the other, so that these overlap; 1..link::kMaxLinkSlices.
  std::uint32_t link_slices = kDefaultLinkSlices;
  // What becomes of colours on the compressed path. NV12 is scanned out as the default yuv only.
  link::LinkColors link_colors{};
  // The most that a frame in kLossless may have on the compressed path, where it loses low bits rather than to have more;
  // link::LeastLinkFrameBytes() or more; 0: whatever it takes.
  std::uint64_t frame_bytes = 0;
  LiveSink* live = nullptr;     // outlives the swap chain; null: nobody looks
  FrameSink* frames = nullptr;  // outlives the swap chain; null: nobody keeps a log
};

struct PathDecision {
  Path path = Path::kTwoCopy;
  // Of what the display adapter scans out: kYuv420 on the one-copy path whose buffers are NV12, else kPlain.
  link::LinkEncoding encoding = link::LinkEncoding::kPlain;
  std::string reason;                // one sentence, why this one
  std::vector<std::string> refused;  // one sentence for each better path that could not be had
};

// How a frame of a path that scans shared memory out came to the screen.
enum class ShownBy : std::uint8_t {
  kScanOut,      // as the path says
  kComposition,  // the overlay check refused it: the display adapter copied it into a primary of its own
};
[[nodiscard]] std::string_view ToString(ShownBy by);  // "scan-out", "composition"

// From this frame on the frames take the other way.
struct PathEvent {
  std::uint64_t frame = 0;  // 1 is the first that was flipped to
  ShownBy now = ShownBy::kScanOut;
  std::string reason;  // a sentence
};

// Events beyond: the oldest are forgotten.
inline constexpr std::size_t kMaxPathEvents = 32;

struct Statistics {
  std::uint64_t frames_presented = 0;  // accepted by Present
  std::uint64_t frames_shown = 0;      // reported by the display adapter's vertical blank
  std::uint64_t frames_dropped = 0;    // replaced before they were copied (mailbox), or lost at teardown
  std::uint64_t frames_composed = 0;   // flipped to by composition in place of scan-out
  // By the drivers' own count (base/pass_meter.h), of both adapters together; what still runs counts when it has run.
  double full_frame_copies = 0;        // passes over a whole picture; one over a part counts as that part
  std::uint64_t bytes_moved = 0;       // written by those passes
  bool counts_passes = true;           // false: a driver counts none of its passes, so that both say too little
  std::uint64_t link_bytes = 0;        // of encoded frames: that crossed
  std::uint64_t link_timed_bytes = 0;  // those of them whose time on the link is known,
  std::int64_t link_ns = 0;            // and that time
  std::int64_t encode_ns = 0;          // of the render adapter's engine, for all encoded frames
  std::int64_t decode_ns = 0;          // of the display adapter's, as far as it was told
  std::uint64_t decoded_frames = 0;    // by that
  // Its frames by encoding (link::LinkEncoding), and of the lossless ones the share of tiles that did not cross, per mille.
  std::array<std::uint64_t, link::kLinkEncodings> frames_by_encoding{};
  std::uint32_t unchanged_tiles = 0;
  std::uint64_t lossy_frames = 0;   // of those in kLossless: that lost low bits to SwapChainDesc::frame_bytes
  std::string encoding_reason;      // of the last choice; empty where frames are not encoded
  std::string priority_refusal;     // why the display thread has the program's priority; empty: it has a higher one
  std::int64_t shown_ns = 0;        // from the first frame on the screen to the last one, as the display thread saw them
  std::int64_t latency_p50_ns = 0;  // Present() to vertical blank
  std::int64_t latency_p99_ns = 0;
};

// How long accepted frames of a retired swap chain may take to be shown.
inline constexpr std::int64_t kDrainTimeoutNs = 5'000'000'000;

// Threads: Acquire, Present, WaitForPresent by any application thread (Acquire and Present each externally synchronized, as
// VkSwapchainKHR); a display thread of its own, at raised priority, waits for copies and flips. No call waits for a copy.
class SwapChain {
 public:
  // Chooses the path (see PathDecision) and creates all buffers; afterwards a frame allocates nothing.
  // kInvalidArgument with value and limit; kUnsupported when a forced path cannot be had; kDeviceLost; kSurfaceLost.
  static Result<std::unique_ptr<SwapChain>> Create(RuntimeDevice& render, RuntimeDevice& display, const SwapChainDesc& desc,
                                                   Clock& clock);
  // Retire(), then waits for copies in flight and destroys the buffers.
  virtual ~SwapChain() = default;

  // The direct path may need more images than were asked for.
  [[nodiscard]] virtual std::uint32_t image_count() const = 0;
  [[nodiscard]] virtual D3D10DDI_HRESOURCE image(
      std::uint32_t index) const = 0;  // resource of the render adapter's user-mode driver

  // An image that the application may draw into. timeout_ns 0: kTimeout at once when there is none; INT64_MAX: no limit.
  // Errors: kTimeout, kSurfaceLost, kDeviceLost. Also blocks, within the timeout, while a presented frame is still waiting (at
  // most one waits), but for mailbox mode, where the next frame takes its place.
  virtual Result<std::uint32_t> Acquire(std::int64_t timeout_ns) = 0;
  // Gives an acquired image to the display. present_id 0: none. Never waits: queues the copy at once when a buffer is free.
  // Errors: kSurfaceLost, kDeviceLost, kInvalidArgument (image not acquired).
  virtual Result<void> Present(std::uint32_t index, std::uint64_t present_id) = 0;
  // Until the copies out of an acquired image are complete. kTimeout, kSurfaceLost, kDeviceLost.
  virtual Result<void> AwaitCopies(std::uint32_t index, std::int64_t timeout_ns) = 0;
  // Takes an acquired image back unpresented (VK_EXT_swapchain_maintenance1).
  virtual Result<void> Release(std::uint32_t index) = 0;
  // Until a frame of at least this id was shown (or replaced by a later one that was). kTimeout, kSurfaceLost, kDeviceLost;
  // kOutOfDate when a retired swap chain will not show it any more.
  virtual Result<void> WaitForPresent(std::uint64_t present_id, std::int64_t timeout_ns) = 0;
  // No more frames are accepted (oldSwapchain): Acquire and Present answer kOutOfDate. Returns when the accepted ones were shown,
  // after kDrainTimeoutNs at the latest: what still waits then goes. Acquired images stay valid until destruction.
  virtual void Retire() = 0;

  // What the display said last. Never blocks.
  [[nodiscard]] virtual DisplayStatus display_status() const = 0;

  [[nodiscard]] virtual const PathDecision& decision() const = 0;
  // Where the present-time checks changed the way, oldest first.
  [[nodiscard]] virtual std::vector<PathEvent> events() const = 0;
  [[nodiscard]] virtual Statistics statistics() const = 0;
};

}  // namespace tandem::swapchain

// A Wayland compositor without a screen, which keeps what it was shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tandem::outputs::testing {

// Feedback on dma-bufs that contradicts the protocol.
enum class FeedbackFault : std::uint8_t {
  kNone,
  kCutTable,      // the table's file is shorter than said
  kEmptyTable,    // the table has no entry, and the tranche names some
  kFarPositions,  // the tranche names entries far behind the table's end
  kNoFile,        // the table is a pipe
  kShortDevice,   // device numbers have three bytes
  kEndless,       // a thousand tranches
  kNeverDone,     // the last event does not come
};

// A connector that the compositor lends by wp_drm_lease_device_v1, where the build has that protocol.
struct LeaseManners {
  std::string node;             // whose device number clients are told; empty: the protocol is missing
  std::uint32_t connector = 0;  // the kernel's number
  bool done = true;             // ends the list of connectors
  // A lease's descriptor, which is the compositor's to close; -1: refused. Called by its thread.
  std::function<int()> lend = [] { return -1; };
};

// Treatment of clients. The defaults are those of a compositor that reads pixels where they are until the next commit.
struct CompositorManners {
  bool asks_for_frames = true;        // answers frame callbacks, a refresh after the commit
  bool gives_back = true;             // releases a buffer when the next one is committed
  bool scans_out = false;             // releases a buffer that was on the screen at the refresh that shows the next one
  bool tells_presentation = true;     // has wp_presentation
  clockid_t clock = CLOCK_MONOTONIC;  // of its time stamps
  std::int64_t late_ns = 0;           // between the time of a time stamp and its event, if the frame came before
  bool of_another_age = false;        // its time stamps are three seconds old
  bool tears = true;                  // has wp_tearing_control_manager_v1
  bool scales = true;                 // has wp_viewporter and wp_fractional_scale_manager_v1, whose scale is 1.5
  bool takes_dma_bufs = true;         // has zwp_linux_dmabuf_v1, for XRGB8888, and maps what it is given
  bool refuses_dma_bufs = false;      // answers each of them with "failed"
  int dma_buf_version = 4;            // 3: modifiers as events; 4: feedback
  FeedbackFault feedback_fault = FeedbackFault::kNone;
  bool reads_linear = true;  // takes the linear modifier; otherwise kTiledModifier alone, whose pixels it maps just so
  int refresh_ms = 5;
  std::uint64_t refreshes_per_frame = 1;  // answers in every so many refreshes
  std::string dies_at;                    // throws the client out when it makes this request, "wl_surface.commit"; empty: never
  LeaseManners lease;
  std::string socket;  // in $XDG_RUNTIME_DIR, for other processes; empty: Connect() alone
};

inline constexpr std::uint64_t kTiledModifier = 0x0100'0000'0000'0002;
inline constexpr std::uint64_t kMainDevice = 226 << 8 | 128;  // said in the feedback

struct CommittedFrame {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t format = 0;  // wl_shm_format, or the DRM format of a dma-buf
  bool dma_buf = false;
  std::uint64_t modifier = 0;
  bool tears = false;           // committed with the hint "async"
  std::int32_t seen_width = 0;  // of the surface, after its viewport
  std::int32_t seen_height = 0;
  std::vector<std::byte> pixels;   // without padding, as they were at the commit
  std::int64_t seen_at_ns = 0;     // CLOCK_MONOTONIC; 0: not yet, or never
  std::vector<std::byte> at_next;  // as they were when the next frame was committed; empty before
};

// Thread-safe. Runs a thread of its own.
class WaylandCompositor {
 public:
  static std::unique_ptr<WaylandCompositor> Start(const CompositorManners& manners);
  virtual ~WaylandCompositor() = default;

  // A new client's end of a connection, or -1; the caller's.
  virtual int Connect() = 0;
  // Changes how clients are treated from now on. The socket and the globals stay.
  virtual void Behave(const CompositorManners& manners) = 0;
  // Releases every buffer that no surface shows.
  virtual void GiveBack() = 0;
  // Throws every client out with a protocol error.
  virtual void Refuse() = 0;
  virtual void Disconnect() = 0;
  // Up to 20 s, until so many frames were committed since the start.
  virtual bool AwaitFrames(std::size_t count) = 0;
  virtual std::vector<CommittedFrame> frames() = 0;
  // Counts that wp_presentation reported.
  virtual std::uint64_t seen() = 0;
  virtual std::uint64_t replaced() = 0;
  virtual std::size_t buffers() = 0;  // wl_buffers that exist
  // Protocol errors that clients made, and those of Refuse().
  virtual std::size_t errors() = 0;
  // Requests that clients made so far, "wl_surface.commit".
  virtual std::set<std::string> requests() = 0;
};

}  // namespace tandem::outputs::testing

// A running program's report: a file of fixed layout that its swap chains write and `tandem status` reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "link/governor/encoding_policy.h"
#include "link/surface/link_surface.h"
#include "status/live_process.h"
#include "swapchain/swap_chain.h"

namespace tandem::status {

// Maximum number of swap chains that a process reports at once.
inline constexpr std::uint32_t kLiveSwapChains = 4;
// Maximum UTF-8 bytes of a name and of a sentence; longer texts are cut.
inline constexpr std::size_t kLiveNameBytes = 64;
inline constexpr std::size_t kLiveReasonBytes = link::kMaxReasonBytes;

// Frames over a whole lifetime.
struct LiveCounts {
  std::uint64_t presented = 0;
  std::uint64_t shown = 0;
  std::uint64_t dropped = 0;
  LiveCounts& operator+=(const LiveCounts& other) {
    presented += other.presented;
    shown += other.shown;
    dropped += other.dropped;
    return *this;
  }
  friend bool operator==(const LiveCounts&, const LiveCounts&) = default;
};

// One swap chain.
struct LiveSwapChain {
  std::int64_t reported_ns = 0;  // CLOCK_MONOTONIC
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  swapchain::PresentMode present_mode = swapchain::PresentMode::kFifo;
  swapchain::Path path = swapchain::Path::kTwoCopy;
  swapchain::ShownBy shown_by = swapchain::ShownBy::kScanOut;
  DXGI_FORMAT crossing_format = DXGI_FORMAT_UNKNOWN;  // swapchain::PathDecision::crossing_format
  std::optional<link::LinkEncoding> encoding;         // the last frame's encoding on the compressed path
  link::LinkYuv yuv;                                  // the chroma settings, even if no frame is 4:2:0
  LiveCounts frames;
  // Averages over about the last quarter of a second before reported_ns:
  std::uint64_t millihertz = 0;             // frames shown in 1000 seconds
  std::uint64_t link_bytes_per_second = 0;  // bytes that crossed to the display adapter
  std::int64_t latency_ns = 0;              // present to vertical blank, mean; 0: no frame was shown
  std::uint64_t measured_link = 0;          // bytes a second, when the pair was made; 0: not known
  std::uint64_t emulated_link = 0;          // bytes a second; 0: the link is a real one
  std::uint64_t frame_bytes = 0;            // limit of an encoded frame; 0: no limit
  std::uint64_t lossy_frames = 0;           // frames in kLossless that lost low bits to meet the limit
  std::string render;                       // adapter
  std::string display;                      // adapter
  std::string path_reason;                  // a sentence
  std::string encoding_reason;              // a sentence; empty on other paths
};

// Time since the report, with `now_ns` as reported_ns counts.
[[nodiscard]] std::int64_t AgeNs(const LiveSwapChain& chain, std::int64_t now_ns);
// True if the program presents nothing now. Reports come four times a second while frames come.
[[nodiscard]] bool IsIdle(const LiveSwapChain& chain, std::int64_t now_ns);
[[nodiscard]] double ShownPerSecond(const LiveSwapChain& chain, std::int64_t now_ns);

// One version of a swap chain's figures. Two copies are written in turn, so that one is always valid.
struct LiveCopy {
  std::uint64_t checksum;  // covers all following members
  std::uint64_t turn;      // the higher one is current; 0: never written
  std::int64_t reported_ns;
  LiveCounts frames;
  LiveCounts earlier;  // frames of earlier swap chains in this place
  std::uint64_t millihertz, link_bytes_per_second;
  std::int64_t latency_ns;
  std::uint64_t measured_link, emulated_link;
  std::uint64_t frame_bytes, lossy_frames;
  std::uint32_t open;  // 0: the swap chain is gone
  std::uint32_t width, height;
  std::uint8_t present_mode, path, shown_by, encoding;  // encoding: 1 + link::LinkEncoding; 0: none
  std::uint32_t yuv;                                    // link::LinkYuvWord()
  std::uint32_t crossing_format;                        // DXGI_FORMAT
  std::array<char, kLiveNameBytes> render, display;     // zero-terminated unless all bytes are used, as are the other texts
  std::array<char, kLiveReasonBytes> path_reason, encoding_reason;
};
static_assert(sizeof(LiveCopy) == 152 + 2 * kLiveNameBytes + 2 * kLiveReasonBytes);

// FNV-1a of all bytes after the checksum.
[[nodiscard]] std::uint64_t ChecksumOf(const LiveCopy& copy);

struct LiveFileLayout {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t pid;
  std::uint64_t start;
  std::uint64_t pid_namespace;
  std::uint64_t run_start;  // start of the `tandem run` that reads the report after the process's end
  std::uint32_t run_pid;    // 0: none
  std::uint32_t reserved;
  std::array<char, kLiveNameBytes> program;
  std::array<std::array<LiveCopy, 2>, kLiveSwapChains> swap_chains;
};
static_assert(sizeof(LiveFileLayout) == 112 + kLiveSwapChains * 2 * sizeof(LiveCopy));

// The file of a process without swap chains. `run` is the `tandem run` that will read the file in the end; pid 0: none.
[[nodiscard]] LiveFileLayout MakeLiveFile(const LiveProcess& process, const LiveProcess& run, std::string_view program);
// The next version of a swap chain's figures, for its copy `turn` % 2; `turn` starts at 1. `earlier` counts the frames of
// earlier swap chains in this place. Allocates nothing.
[[nodiscard]] LiveCopy MakeLiveCopy(const LiveSwapChain& figures, const LiveCounts& earlier, std::uint64_t turn);
// The next version after the swap chain is gone.
[[nodiscard]] LiveCopy MakeClosedCopy(const LiveCounts& earlier, std::uint64_t turn);

struct LiveProgram {
  LiveProcess process;
  std::string program;
  std::vector<LiveSwapChain> swap_chains;
  LiveCounts earlier = {};  // frames of swap chains that are gone
  LiveProcess run = {};     // the `tandem run` that reads the file after the process has ended, in its pid namespace; pid 0: none
};

// Checks every size, number and text; the resulting texts are printable UTF-8. kInvalidArgument with the fault.
[[nodiscard]] Result<LiveProgram> ParseLiveFile(std::span<const std::byte> bytes);

}  // namespace tandem::status

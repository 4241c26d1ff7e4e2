// What a running program tells about itself: a file of fixed layout that its swap chains write and `tandem status` reads.
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

// Swap chains of one process that are told about at once; others are not.
inline constexpr std::uint32_t kLiveSwapChains = 4;
// Bytes of UTF-8 that a name and a sentence may have; what is longer is cut off.
inline constexpr std::size_t kLiveNameBytes = 64;
inline constexpr std::size_t kLiveReasonBytes = link::kMaxReasonBytes;

// Frames of the whole life of something.
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
  std::optional<link::LinkEncoding> encoding;  // of the compressed path, the last frame's
  link::LinkYuv yuv;                           // how 4:2:0 is made, whether or not it is
  LiveCounts frames;
  // Of the last quarter of a second or so before reported_ns:
  std::uint64_t millihertz = 0;             // frames shown in 1000 seconds
  std::uint64_t link_bytes_per_second = 0;  // that crossed to the display adapter
  std::int64_t latency_ns = 0;              // present to vertical blank, mean; 0: no frame was shown
  std::uint64_t measured_link = 0;          // bytes a second, when the pair was made; 0: not known
  std::uint64_t emulated_link = 0;          // bytes a second; 0: the link is a real one
  std::uint64_t frame_bytes = 0;            // the most that an encoded frame may have; 0: whatever it takes
  std::uint64_t lossy_frames = 0;           // of those in kLossless: that lost low bits to it
  std::string render;                       // adapter
  std::string display;                      // adapter
  std::string path_reason;                  // a sentence
  std::string encoding_reason;              // a sentence; empty on other paths
};

// One version of a swap chain's figures. There are two of each, written by turns, so that one is always whole.
struct LiveCopy {
  std::uint64_t checksum;  // of what follows
  std::uint64_t turn;      // the greater one counts; 0: never written
  std::int64_t reported_ns;
  LiveCounts frames;
  LiveCounts earlier;  // of swap chains that are gone, in the same place
  std::uint64_t millihertz, link_bytes_per_second;
  std::int64_t latency_ns;
  std::uint64_t measured_link, emulated_link;
  std::uint64_t frame_bytes, lossy_frames;
  std::uint32_t open;  // 0: the swap chain is gone
  std::uint32_t width, height;
  std::uint8_t present_mode, path, shown_by, encoding;  // encoding: 1 + link::LinkEncoding; 0: none
  std::uint32_t yuv;                                    // link::LinkYuvWord()
  std::uint32_t reserved;
  std::array<char, kLiveNameBytes> render, display;  // ends with a zero unless all is used; so do the others
  std::array<char, kLiveReasonBytes> path_reason, encoding_reason;
};
static_assert(sizeof(LiveCopy) == 152 + 2 * kLiveNameBytes + 2 * kLiveReasonBytes);

// FNV-1a of all behind the checksum.
[[nodiscard]] std::uint64_t ChecksumOf(const LiveCopy& copy);

struct LiveFileLayout {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t pid;
  std::uint64_t start;
  std::uint64_t pid_namespace;
  std::uint64_t run_start;  // of the `tandem run` that wants what is told when the process has ended
  std::uint32_t run_pid;    // 0: there is none
  std::uint32_t reserved;
  std::array<char, kLiveNameBytes> program;
  std::array<std::array<LiveCopy, 2>, kLiveSwapChains> swap_chains;
};
static_assert(sizeof(LiveFileLayout) == 112 + kLiveSwapChains * 2 * sizeof(LiveCopy));

// The file of a process that has no swap chain yet. `run`: who started it and wants to read the file in the end; pid 0: nobody.
[[nodiscard]] LiveFileLayout MakeLiveFile(const LiveProcess& process, const LiveProcess& run, std::string_view program);
// The next version, for the place `turn` % 2 of its swap chain; turn from 1 on. `earlier`: what swap chains of the place that are
// gone have shown. Allocates nothing.
[[nodiscard]] LiveCopy MakeLiveCopy(const LiveSwapChain& figures, const LiveCounts& earlier, std::uint64_t turn);
// The same for a swap chain that is gone.
[[nodiscard]] LiveCopy MakeClosedCopy(const LiveCounts& earlier, std::uint64_t turn);

struct LiveProgram {
  LiveProcess process;
  std::string program;
  std::vector<LiveSwapChain> swap_chains;
  LiveCounts earlier = {};  // of swap chains that are gone
  LiveProcess run = {};     // who wants the file when the process has ended; in its pid namespace; pid 0: nobody
};

// Believes nothing: sizes, numbers and texts are checked, and texts hold printable UTF-8 afterwards. kInvalidArgument with what
// is wrong.
[[nodiscard]] Result<LiveProgram> ParseLiveFile(std::span<const std::byte> bytes);

}  // namespace tandem::status

// Frames from one software adapter to another over an emulated link: what comes through, by content, bandwidth and encoding.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "link/governor/encodings.h"
#include "system/link_pictures.h"

namespace tandem::system {

struct LinkTrialRequest {
  std::uint32_t width = 1280;
  std::uint32_t height = 1024;
  double frames_per_second = 60;                      // of the display, and what the program wants
  std::uint64_t link_bytes_per_second = 250'000'000;  // EmulatedLink's limits
  LinkContent content = LinkContent::kGame;
  link::EncodingRequest encodings;
  std::uint32_t slices = 16;   // of a frame
  bool scan_out_nv12 = false;  // of the display adapter
  double seconds = 1;          // measured, after a start of a quarter of it
};

struct LinkTrial {
  double frames_per_second = 0;                              // shown
  double bytes_per_frame = 0;                                // that crossed
  double bytes_written_per_frame = 0;                        // by the adapters' passes and by scan-out, of a frame shown
  std::int64_t latency_p50_ns = 0;                           // present to vertical blank
  std::array<std::uint64_t, link::kLinkEncodings> frames{};  // by link::LinkEncoding
  std::string reason;                                        // of the last choice
};

struct LinkLatency {
  std::int64_t p50_ns = 0;   // from Present until WaitForPresent knows that it is on the screen
  std::int64_t link_ns = 0;  // what the bytes of a frame take on the link alone
};

// Blocks for as long as it was asked to. Errors: those of the swap chain and the kernel.
[[nodiscard]] Result<LinkTrial> TryLink(const LinkTrialRequest& request, LinkPictures& pictures);
// The same with one frame at a time, on a display that does not make it wait (1000 Hz, at once).
[[nodiscard]] Result<LinkLatency> TryLinkLatency(LinkTrialRequest request, LinkPictures& pictures);

}  // namespace tandem::system

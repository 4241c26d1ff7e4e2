// Sends frames between two software adapters over an emulated link, and measures them by content, bandwidth and encoding.
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
  double frames_per_second = 60;                      // refresh rate of the display and target rate of the program
  std::uint64_t link_bytes_per_second = 250'000'000;  // within EmulatedLink's limits
  LinkContent content = LinkContent::kGame;
  link::EncodingRequest encodings;
  std::uint32_t slices = 16;   // per frame
  bool scan_out_nv12 = false;  // the display adapter's setting
  double seconds = 1;          // measurement time; a warm-up of a quarter of it precedes
};

struct LinkTrial {
  double frames_per_second = 0;                              // shown
  double bytes_per_frame = 0;                                // bytes that crossed the link
  double bytes_written_per_frame = 0;                        // written by the adapters' passes and scan-out, for each shown frame
  std::int64_t latency_p50_ns = 0;                           // present to vertical blank
  std::array<std::uint64_t, link::kLinkEncodings> frames{};  // indexed by link::LinkEncoding
  std::string reason;                                        // for the governor's last choice
};

struct LinkLatency {
  std::int64_t p50_ns = 0;   // from Present until WaitForPresent knows that the frame is on the screen
  std::int64_t link_ns = 0;  // a frame's bytes on the link alone
};

// Blocks for the requested time. Errors: those of the swap chain and the kernel.
[[nodiscard]] Result<LinkTrial> TryLink(const LinkTrialRequest& request, LinkPictures& pictures);
// Presents one frame at a time, on a display that does not delay it (1000 Hz, immediate flips).
[[nodiscard]] Result<LinkLatency> TryLinkLatency(LinkTrialRequest request, LinkPictures& pictures);

}  // namespace tandem::system

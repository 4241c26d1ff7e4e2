// Sends a few frames from a Vulkan device to another adapter. On the software adapter every pixel that is shown is compared with
// the processor's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "config/adapter_info.h"
#include "link/surface/link_surface.h"
#include "swapchain/swap_chain.h"
#include "system/link_pictures.h"

namespace tandem::system {

struct FrameTrialRequest {
  // A Vulkan device that shows on a headless surface, whose pixels nobody can see; nothing: the software adapter.
  std::optional<config::AdapterInfo> display;
  std::uint32_t width = 640;
  std::uint32_t height = 360;
  std::uint32_t frames = 24;
  swapchain::PathRequest path = swapchain::PathRequest::kAuto;
  // The form in which frames cross; `path` is then the compressed one.
  std::optional<link::LinkEncoding> encoding;
};

struct FrameTrial {
  swapchain::Path path = swapchain::Path::kTwoCopy;  // taken
  std::string reason;
  std::uint32_t frames_shown = 0;
  std::uint32_t wrong_frames = 0;   // shown with a pixel that differs, or out of order
  std::int64_t first_frame_ns = 0;  // from the start of the adapters to the first frame on the screen
  std::int64_t latency_p50_ns = 0;  // present to vertical blank
  double copies_per_frame = 0;      // passes over the whole frame, as the drivers count them
  double bytes_per_frame = 0;       // written by them
  double link_bytes_per_frame = 0;  // that crossed encoded; 0: none
};

// Starts both adapters, presents the frames in FIFO order on a display of 250 Hz (a headless surface has its own rate), and
// waits until they were shown. The driver's
// shaders code what they can. kUnsupported: the path cannot be had; the errors of the adapters and the swap chain.
[[nodiscard]] Result<FrameTrial> TryFrames(const config::AdapterInfo& render, const FrameTrialRequest& request,
                                           LinkPictures& pictures);

}  // namespace tandem::system

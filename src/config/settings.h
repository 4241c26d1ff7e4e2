// What the user asked for: command line, environment and configuration file, in this order of weight.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "link/governor/encodings.h"
#include "swapchain/swap_chain.h"

namespace tandem::config {

// Where the pictures go.
struct OutputSpec {
  enum class Kind { kAuto, kWindow, kHeadless, kPng, kY4m, kRaw };
  Kind kind = Kind::kAuto;
  std::string path;  // file (or directory for a PNG sequence)
};

// "auto", "window", "headless", "png:FILE", "y4m:FILE", "raw:FILE". kInvalidArgument names what is allowed.
[[nodiscard]] Result<OutputSpec> ParseOutputSpec(std::string_view text);
// What ParseOutputSpec takes.
[[nodiscard]] std::string ToString(const OutputSpec& output);

// 1, true, yes, on or 0, false, no, off.
[[nodiscard]] Result<bool> ParseFlag(std::string_view text);

// Who encodes and decodes on Vulkan adapters. Of kAuto: the one that each adapter measures to be cheaper.
enum class LinkEngine : std::uint8_t { kAuto, kProcessor, kShader };
[[nodiscard]] std::string_view ToString(LinkEngine engine);  // "auto", "processor", "shader"

// In how many passes shaders make 4:2:0. Of kAuto: as each adapter measures it to be cheaper.
enum class YuvPasses : std::uint8_t { kAuto, kFused, kThree };
[[nodiscard]] std::string_view ToString(YuvPasses passes);  // "auto", "fused", "three"

// How many buffers each stage has; 0: as it comes.
struct BufferCounts {
  std::uint32_t images = 0;   // at least, of the render adapter: 2..kMaxAppImages; 0: as many as the program asks for
  std::uint32_t ring = 0;     // in system memory: 2..kMaxRingBuffers; 0: kDefaultRingBuffers
  std::uint32_t display = 0;  // as SwapChainDesc::display_buffers
  friend bool operator==(const BufferCounts&, const BufferCounts&) = default;
};
// "auto", or three numbers as "2,3,2". kInvalidArgument with the value and the limits.
[[nodiscard]] Result<BufferCounts> ParseBufferCounts(std::string_view text);
// What ParseBufferCounts takes.
[[nodiscard]] std::string ToString(const BufferCounts& counts);

struct Settings {
  bool enabled = false;      // TANDEM_ENABLE=1
  bool leave_alone = false;  // use = "never" in the file
  std::string render;        // selector; empty: automatic
  std::string display;       // selector; empty: automatic
  OutputSpec output;
  swapchain::PathRequest path = swapchain::PathRequest::kAuto;
  BufferCounts buffers;
  std::optional<swapchain::PresentMode> present_mode;  // overrides the application's
  bool stats = false;                                  // a summary on stderr when the program ends
  std::string stats_json;                              // file; empty: none
  std::string frame_log;                               // the same
  link::EncodingRequest encodings;                     // on a narrow link
  link::ContentKind content = link::ContentKind::kAuto;
  bool scan_out_nv12 = true;      // the software display adapter scans NV12 out
  link::LinkYuv yuv;              // how 4:2:0 is made
  bool dither = false;            // where colours of more than eight bits become eight
  std::uint64_t frame_bytes = 0;  // the most that an encoded frame may have; 0: whatever it takes
  std::uint64_t link_limit = 0;   // bytes a second of the link that the render adapter emulates; 0: none
  LinkEngine link_engine = LinkEngine::kAuto;
  YuvPasses yuv_passes = YuvPasses::kAuto;
};

// Reads TANDEM_* (see man page) and the configuration file, for the running program. A bad value gives an error sentence with the
// value and what is allowed. A file that is there and cannot be read, another user's perhaps, is logged and counts as none.
// kUnsupported: the file leaves the program alone.
[[nodiscard]] Result<Settings> ReadSettings();
// The same for another program, by the last part of its path: what a launcher asks, so that the table of the program that it
// starts counts and not its own. kIo for a file that cannot be read.
[[nodiscard]] Result<Settings> ReadSettingsFor(std::string_view program);

// NAME=value pairs that make ReadSettings() in a child process give the fields of `settings` whose variables are `asked`, and
// TANDEM_ENABLE. The child reads the others from the file, for its own name. An empty stats_json or frame_log gives no pair.
[[nodiscard]] std::vector<std::string> ToEnvironment(const Settings& settings, std::span<const std::string_view> asked);

}  // namespace tandem::config

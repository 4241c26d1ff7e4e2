// Values of settings, and the texts that stand for them on the command line, in the environment and in the configuration file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "swapchain/swap_chain.h"

namespace tandem::config {

inline constexpr std::size_t kMaxSelectorBytes = 256;
inline constexpr std::size_t kMaxLayers = 8;
inline constexpr std::size_t kMaxLayerBytes = 255;  // VK_MAX_EXTENSION_NAME_SIZE without its end
inline constexpr std::size_t kMaxPathBytes = 4095;  // PATH_MAX without its end

// Destination of the frames.
struct OutputSpec {
  enum class Kind { kAuto, kWindow, kHeadless, kPng, kY4m, kRaw };
  Kind kind = Kind::kAuto;
  std::string path;  // file (or directory for a PNG sequence)
};

// "auto", "window", "headless", "png:FILE", "y4m:FILE", "raw:FILE". kInvalidArgument names what is allowed.
[[nodiscard]] Result<OutputSpec> ParseOutputSpec(std::string_view text);
[[nodiscard]] std::string ToString(const OutputSpec& output);

// Buffers of each stage; 0: the default of that stage.
struct BufferCounts {
  std::uint32_t images = 0;   // at least, of the render adapter: 2..kMaxAppImages; 0: as many as the program asks for
  std::uint32_t ring = 0;     // in system memory: 2..kMaxRingBuffers; 0: kDefaultRingBuffers
  std::uint32_t display = 0;  // as SwapChainDesc::display_buffers
  friend bool operator==(const BufferCounts&, const BufferCounts&) = default;
};
// "auto", or three numbers as "2,3,2". kInvalidArgument with the value and the limits.
[[nodiscard]] Result<BufferCounts> ParseBufferCounts(std::string_view text);
[[nodiscard]] std::string ToString(const BufferCounts& counts);

// Encoder and decoder on Vulkan adapters. kAuto: each adapter measures both and takes the cheaper one.
enum class LinkEngine : std::uint8_t { kAuto, kProcessor, kShader };
[[nodiscard]] Result<LinkEngine> ParseLinkEngine(std::string_view text);
[[nodiscard]] std::string_view ToString(LinkEngine engine);  // "auto", "processor", "shader"

// Shader passes that make 4:2:0. kAuto: each adapter measures both and takes the cheaper one.
enum class YuvPasses : std::uint8_t { kAuto, kFused, kThree };
[[nodiscard]] Result<YuvPasses> ParseYuvPasses(std::string_view text);
[[nodiscard]] std::string_view ToString(YuvPasses passes);  // "auto", "fused", "three"

// Columns of the frame log: Tandem's own, or those of another program's log.
enum class FrameLogFormat : std::uint8_t { kTandem, kPresentMon, kMangoHud };
[[nodiscard]] Result<FrameLogFormat> ParseFrameLogFormat(std::string_view text);
[[nodiscard]] std::string_view ToString(FrameLogFormat format);  // "tandem", "presentmon", "mangohud"

// When Tandem serves a program.
enum class Use : std::uint8_t {
  kWhenLaunched,  // by tandem run, by a launcher, or with an adapter named in the environment
  kAlways,        // also where the layer is on for the whole session
  kNever,
};
[[nodiscard]] Result<Use> ParseUse(std::string_view text);
[[nodiscard]] std::string_view ToString(Use use);  // "when-launched", "always", "never"

// The form in which Tandem meets a launched program: a Vulkan layer, or a Vulkan driver. kAuto: the layer.
enum class ProgramForm : std::uint8_t { kAuto, kLayer, kDriver };
[[nodiscard]] Result<ProgramForm> ParseProgramForm(std::string_view text);
[[nodiscard]] std::string_view ToString(ProgramForm form);  // "auto", "layer", "driver"

// OpenGL of a launched program by zink, Mesa's OpenGL over Vulkan. kAuto: for programs that link OpenGL and not Vulkan.
enum class OpenGl : std::uint8_t { kAuto, kOn, kOff };
[[nodiscard]] Result<OpenGl> ParseOpenGl(std::string_view text);
[[nodiscard]] std::string_view ToString(OpenGl gl);  // "auto", "on", "off"

// 1, true, yes, on or 0, false, no, off.
[[nodiscard]] Result<bool> ParseFlag(std::string_view text);
[[nodiscard]] std::string FlagText(bool flag);  // "on", "off"

// "auto" is the empty selector. kLimit, kInvalidArgument.
[[nodiscard]] Result<std::string> ParseSelectorText(std::string_view text);
[[nodiscard]] std::string SelectorText(const std::string& selector);

// "off" is no layer; otherwise names of Vulkan layers, or parts of them, with commas between. kLimit, kInvalidArgument.
[[nodiscard]] Result<std::vector<std::string>> ParseLayerNames(std::string_view text);
[[nodiscard]] std::string LayerNamesText(const std::vector<std::string>& names);

// "off" is the empty path; a file of that name is "./off". kLimit, kInvalidArgument.
[[nodiscard]] Result<std::string> ParseFilePath(std::string_view text);
[[nodiscard]] std::string FilePathText(const std::string& path);
// The same for a checked pattern of file_pattern.h.
[[nodiscard]] Result<std::string> ParseFilePattern(std::string_view text);

// "auto" is the program's own present mode.
[[nodiscard]] Result<std::optional<swapchain::PresentMode>> ParsePresentModeOrAuto(std::string_view text);
[[nodiscard]] std::string PresentModeText(std::optional<swapchain::PresentMode> mode);

// Answer to the loss of an adapter.
enum class OnLost : std::uint8_t {
  kNext,  // another one follows
  kWait,  // the same one, once it starts again
};
[[nodiscard]] Result<OnLost> ParseOnLost(std::string_view text);
[[nodiscard]] std::string_view ToString(OnLost on_lost);  // "next", "wait"

// A trial: an adapter is lost `after_ms` after its start.
struct AdapterLoss {
  enum class Role : std::uint8_t { kNone, kDisplay, kRender };
  Role role = Role::kNone;
  std::uint32_t after_ms = 0;
  friend bool operator==(const AdapterLoss&, const AdapterLoss&) = default;
};
// "off", "display:2000", "render:2000".
[[nodiscard]] Result<AdapterLoss> ParseAdapterLoss(std::string_view text);
[[nodiscard]] std::string ToString(const AdapterLoss& loss);

// The software adapter's cable is pulled `after_ms` after its output was made, and put back `for_ms` later; 0: never.
struct UnplugTimes {
  std::uint32_t after_ms = 0;
  std::uint32_t for_ms = 0;
  friend bool operator==(const UnplugTimes&, const UnplugTimes&) = default;
};
[[nodiscard]] Result<UnplugTimes> ParseUnplugTimes(std::string_view text);
[[nodiscard]] std::string ToString(const UnplugTimes& times);

}  // namespace tandem::config

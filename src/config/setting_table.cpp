#include "config/setting_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "link/governor/encodings.h"
#include "link/surface/link_surface.h"
#include "swapchain/swap_chain.h"

namespace tandem::config {
namespace {

template <auto kField, auto kParse>
Result<void> Parse(Settings& settings, std::string_view text) {
  auto value = kParse(text);
  if (!value.ok()) return std::move(value).error();
  settings.*kField = *std::move(value);
  return {};
}

template <auto kField, auto kText>
std::string Text(const Settings& settings) {
  return kText(settings.*kField);
}

template <class Value>
std::string Word(const Value& value) {
  return std::string(ToString(value));
}

Result<link::EncodingRequest> ParseBuiltEncodings(std::string_view text) {
  auto request = link::ParseEncodings(text);
  if (request.ok() && request->Built().off() && !request->off()) {
    return Fail(ErrorKind::kInvalidArgument, "Encoding '{}' is left out of this build.", text);
  }
  return request;
}

constexpr std::string_view kFrames = "Adapters and frames";
constexpr std::string_view kLinks = "Narrow links and pictures";
constexpr std::string_view kFigures = "Figures";
constexpr std::string_view kDevelopment = "Development of Tandem";

constexpr std::array<Setting, 29> kSettings = {{
    {"render", "--render", "TANDEM_RENDER", "SEL", kFrames, ValueType::kTextOrIndex, "",
     "Adapter that renders: auto, power-saving, high-performance, index, PCI address, vendor:device, UUID or part of the name "
     "(see 'tandem adapters')",
     Parse<&Settings::render, ParseSelectorText>, Text<&Settings::render, SelectorText>},
    {"display", "--display", "TANDEM_DISPLAY", "SEL", kFrames, ValueType::kTextOrIndex, "",
     "Adapter that shows: auto, index, PCI address, vendor:device, UUID, part of the name, or kms[:CARD][:CONNECTOR] for a "
     "whole display",
     Parse<&Settings::display, ParseSelectorText>, Text<&Settings::display, SelectorText>},
    {"display_layers", "--display-layers", "TANDEM_DISPLAY_LAYERS", "LAYERS", kFrames, ValueType::kText,
     "off mangohud vkbasalt vkbasalt,mangohud",
     "Vulkan layers that the frames pass on the adapter that shows: off, or names or parts of names with commas between, in the "
     "order in which the frames pass them",
     Parse<&Settings::display_layers, ParseLayerNames>, Text<&Settings::display_layers, LayerNamesText>},
    {"display_driver", "--display-driver", "TANDEM_DISPLAY_DRIVER", "FILE", kFrames, ValueType::kText, "off",
     "Driver, a shared object of 'tandem driver build', that shows the frames: a full one with a user-mode half its own, "
     "others those of the software adapter; or off",
     Parse<&Settings::display_driver, ParseFilePath>, Text<&Settings::display_driver, FilePathText>},
    {"registry", "--registry", "TANDEM_REGISTRY", "FILE", kFrames, ValueType::kText, "off",
     "Registry values and ACPI answers for the display driver: a TOML file, or off", Parse<&Settings::registry, ParseFilePath>,
     Text<&Settings::registry, FilePathText>},
    {"as", "--as", kFormVariable, "FORM", kFrames, ValueType::kText, "auto layer driver",
     "Form of Tandem in the program: layer, driver (for programs and sandboxes that refuse layers), or auto, which is the layer",
     Parse<&Settings::form, ParseProgramForm>, Text<&Settings::form, Word<ProgramForm>>},
    {"gl", "--gl", "TANDEM_GL", "WHEN", kFrames, ValueType::kSwitch, "auto on off",
     "OpenGL programs by zink, Mesa's OpenGL over Vulkan: on, off, or auto, which is on for programs that link OpenGL and not "
     "Vulkan",
     Parse<&Settings::gl, ParseOpenGl>, Text<&Settings::gl, Word<OpenGl>>},
    {"output", "--output", "TANDEM_OUTPUT", "WHERE", kFrames, ValueType::kText,
     "auto window headless png: y4m: raw:", "Destination of the frames: auto, window, headless, png:FILE, y4m:FILE or raw:FILE",
     Parse<&Settings::output, ParseOutputSpec>, Text<&Settings::output, Word<OutputSpec>>},
    {"path", "--path", "TANDEM_PATH", "PATH", kFrames, ValueType::kText, "auto direct one-copy two-copy cpu compressed",
     "Path of the frames: auto, direct, one-copy, two-copy, cpu or compressed; a named path fails if the adapters cannot take it",
     Parse<&Settings::path, swapchain::ParsePathRequest>, Text<&Settings::path, Word<swapchain::PathRequest>>},
    {"buffers", "--buffers", "TANDEM_BUFFERS", "COUNTS", kFrames, ValueType::kText, "auto 2,3,2 3,3,3",
     "Number of buffers: auto, or counts of images, shared buffers and primaries of the display adapter, such as 2,3,2",
     Parse<&Settings::buffers, ParseBufferCounts>, Text<&Settings::buffers, Word<BufferCounts>>},
    {"present_mode", "--present-mode", "TANDEM_PRESENT_MODE", "MODE", kFrames, ValueType::kText,
     "auto fifo fifo-relaxed mailbox immediate fifo-latest-ready",
     "Present mode in place of the program's own: auto, fifo, fifo-relaxed, mailbox, immediate or fifo-latest-ready",
     Parse<&Settings::present_mode, ParsePresentModeOrAuto>, Text<&Settings::present_mode, PresentModeText>},
    {"on_lost", "--on-lost", "TANDEM_ON_LOST", "ANSWER", kFrames, ValueType::kText, "next wait",
     "Answer to the loss of an adapter: next, another one takes over, or wait, until the same one is back",
     Parse<&Settings::on_lost, ParseOnLost>, Text<&Settings::on_lost, Word<OnLost>>},
    {"encode", "--encode", "TANDEM_ENCODE", "WHICH", kLinks, ValueType::kText,
     "auto off plain packed lossless 420 420-tiles bc1 lossless,420-tiles no-420,no-420-tiles no-bc1",
     "Encodings on a narrow link: auto, off, or some of plain, packed, lossless, 420, 420-tiles and bc1 with commas between; "
     "no-420 and so on leave encodings out of auto",
     Parse<&Settings::encodings, ParseBuiltEncodings>, Text<&Settings::encodings, Word<link::EncodingRequest>>},
    {"content", "--content", "TANDEM_CONTENT", "KIND", kLinks, ValueType::kText, "auto game desktop cad",
     "Kind of pictures: game (4:2:0 and BC1 are allowed), desktop or cad (pictures stay exact) or auto",
     Parse<&Settings::content, link::ParseContentKind>, Text<&Settings::content, Word<link::ContentKind>>},
    {"frame_bytes", "--frame-bytes", "TANDEM_FRAME_BYTES", "SIZE", kLinks, ValueType::kText, "off 500kB 1MB 2MB",
     "Most bytes of an encoded frame: off, or a size such as 2MB; lossless frames lose low bits to meet it",
     Parse<&Settings::frame_bytes, link::ParseFrameBytes>, Text<&Settings::frame_bytes, link::FrameBytesText>},
    {"link_limit", "--link-limit", "TANDEM_LINK_LIMIT", "RATE", kLinks, ValueType::kText, "off 250MB/s 1GB/s 2.5GB/s",
     "Emulated link between render adapter and system memory: off, or a bandwidth such as 250MB/s",
     Parse<&Settings::link_limit, link::ParseLinkLimit>, Text<&Settings::link_limit, link::LinkLimitText>},
    {"scan_out_nv12", "--scan-out-nv12", "TANDEM_SCAN_OUT_NV12", "FLAG", kLinks, ValueType::kFlag, "on off",
     "Scan-out of 4:2:0 frames by the software adapter, without decoding them: on or off",
     Parse<&Settings::scan_out_nv12, ParseFlag>, Text<&Settings::scan_out_nv12, FlagText>},
    {"yuv", "--yuv", "TANDEM_YUV", "HOW", kLinks, ValueType::kText,
     "bt709 bt601 bt2020 bt709,limited bt601,limited bt2020,limited bilinear",
     "Form of 4:2:0: bt709, bt601 or bt2020, full or limited, nearest or bilinear, with commas between",
     Parse<&Settings::yuv, link::ParseYuv>, Text<&Settings::yuv, link::LinkYuvText>},
    {"dither", "--dither", "TANDEM_DITHER", "FLAG", kLinks, ValueType::kFlag, "on off",
     "Dithering of ten bits and half floats that become eight bits: on or off", Parse<&Settings::dither, ParseFlag>,
     Text<&Settings::dither, FlagText>},
    {"stats", "--stats", "TANDEM_STATS", "FLAG", kFigures, ValueType::kSwitch, "on off",
     "Summary on standard error when the program ends: on or off", Parse<&Settings::stats, ParseFlag>,
     Text<&Settings::stats, FlagText>},
    {"stats_json", "--stats-json", "TANDEM_STATS_JSON", "FILE", kFigures, ValueType::kText, "off",
     "File that gets the figures of the run when the program ends, or off; %p in its name is the process id, %e the program",
     Parse<&Settings::stats_json, ParseFilePattern>, Text<&Settings::stats_json, FilePathText>},
    {"frame_log", "--frame-log", "TANDEM_FRAME_LOG", "FILE", kFigures, ValueType::kText, "off",
     "File that gets a line of comma-separated values for each frame, or off; %p in its name is the process id, %e the program",
     Parse<&Settings::frame_log, ParseFilePattern>, Text<&Settings::frame_log, FilePathText>},
    {"frame_log_format", "--frame-log-format", "TANDEM_FRAME_LOG_FORMAT", "FORMAT", kFigures, ValueType::kText,
     "tandem presentmon mangohud",
     "Columns of the frame log: tandem, presentmon (PresentMon 2.3.1) or mangohud (MangoHud's log), for programs that read these",
     Parse<&Settings::frame_log_format, ParseFrameLogFormat>, Text<&Settings::frame_log_format, Word<FrameLogFormat>>},
    {"trace", "--trace", "TANDEM_TRACE", "FILE", kFigures, ValueType::kText, "off",
     "File that gets the frames as a trace for Perfetto, or off; %p in its name is the process id, %e the program",
     Parse<&Settings::trace, ParseFilePattern>, Text<&Settings::trace, FilePathText>},
    {"hud", "--hud", "TANDEM_HUD", "FLAG", kFigures, ValueType::kSwitch, "on off",
     "Rate, latency, path and encoding in the picture, drawn by the adapter that shows: on or off",
     Parse<&Settings::hud, ParseFlag>, Text<&Settings::hud, FlagText>},
    {"link_engine", "--link-engine", "TANDEM_LINK_ENGINE", "ENGINE", kDevelopment, ValueType::kText, "auto processor shader",
     "Encoder and decoder on Vulkan adapters: processor, shader, or auto, which measures both",
     Parse<&Settings::link_engine, ParseLinkEngine>, Text<&Settings::link_engine, Word<LinkEngine>>},
    {"yuv_passes", "--yuv-passes", "TANDEM_YUV_PASSES", "PASSES", kDevelopment, ValueType::kText, "auto fused three",
     "Shader passes that make 4:2:0: fused (one), three, or auto, which measures both",
     Parse<&Settings::yuv_passes, ParseYuvPasses>, Text<&Settings::yuv_passes, Word<YuvPasses>>},
    {"unplug", "--unplug", "TANDEM_UNPLUG", "TIMES", kDevelopment, ValueType::kText, "off 2000:1000",
     "Time without monitor on the software adapter or a full display driver: off, or milliseconds before and without it, such as "
     "2000:1000",
     Parse<&Settings::unplug, ParseUnplugTimes>, Text<&Settings::unplug, Word<UnplugTimes>>},
    {"lose", "--lose", "TANDEM_LOSE", "WHEN", kDevelopment, ValueType::kText, "off display:2000 render:2000",
     "Loss of an adapter: off, or the adapter and the milliseconds after its start, such as display:2000 or render:2000",
     Parse<&Settings::lose, ParseAdapterLoss>, Text<&Settings::lose, Word<AdapterLoss>>},
}};

}  // namespace

std::span<const Setting> SettingTable() { return kSettings; }

const Setting* FindSetting(std::string_view key) {
  const auto* const found = std::ranges::find(kSettings, key, &Setting::key);
  return found == kSettings.end() ? nullptr : found;
}

std::string DefaultText(const Setting& setting) { return setting.text(Settings{}); }

Result<void> SetUnlocked(TracedSettings& traced, const Setting& setting, std::string_view text, Origin origin) {
  if (text.empty()) return Fail(ErrorKind::kInvalidArgument, "The value is empty.");
  if (auto parsed = setting.parse(traced.settings, text); !parsed.ok()) return parsed;
  traced.origins.insert_or_assign(std::string(setting.key), std::move(origin));
  return {};
}

Result<void> Set(TracedSettings& traced, const Setting& setting, std::string_view text, Origin origin) {
  const auto lock = traced.locks.find(setting.key);
  if (lock == traced.locks.end()) return SetUnlocked(traced, setting, text, std::move(origin));
  traced.notices.push_back(LockedSentence(setting.key, origin, lock->second));
  return {};
}

}  // namespace tandem::config

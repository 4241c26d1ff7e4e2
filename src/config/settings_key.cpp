#include "config/settings_key.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/limits.h"

namespace tandem::config {
namespace {

// The word for "as if it had not been set": how the environment takes back what the file says.
constexpr std::string_view kAuto = "auto";

Result<void> CheckText(std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    return Fail(ErrorKind::kLimit, "The value has {} bytes, at most {} are allowed.", text.size(), max_bytes);
  }
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(text, control)) {
    return Fail(ErrorKind::kInvalidArgument, "The value has a control character in it.");
  }
  return {};
}

Result<void> SetSelector(std::string& field, std::string_view text) {
  if (auto checked = CheckText(text, kMaxSelectorBytes); !checked.ok()) return checked;
  field = text == kAuto ? std::string_view() : text;
  return {};
}

Result<void> SetRender(Settings& settings, std::string_view text) { return SetSelector(settings.render, text); }
Result<void> SetDisplay(Settings& settings, std::string_view text) { return SetSelector(settings.display, text); }

Result<void> SetOutput(Settings& settings, std::string_view text) {
  auto output = ParseOutputSpec(text);
  if (!output.ok()) return std::move(output).error();
  settings.output = *std::move(output);
  return {};
}

Result<void> SetPath(Settings& settings, std::string_view text) {
  const auto path = swapchain::ParsePathRequest(text);
  if (!path.ok()) return path.error();
  settings.path = *path;
  return {};
}

Result<void> SetBuffers(Settings& settings, std::string_view text) {
  const auto counts = ParseBufferCounts(text);
  if (!counts.ok()) return counts.error();
  settings.buffers = *counts;
  return {};
}

Result<void> SetPresentMode(Settings& settings, std::string_view text) {
  if (text == kAuto) {
    settings.present_mode.reset();
    return {};
  }
  const auto mode = swapchain::ParsePresentMode(text);
  if (!mode.ok()) return mode.error();
  settings.present_mode = *mode;
  return {};
}

Result<void> SetFlag(bool& field, std::string_view text) {
  const auto flag = ParseFlag(text);
  if (!flag.ok()) return flag.error();
  field = *flag;
  return {};
}

Result<void> SetStats(Settings& settings, std::string_view text) { return SetFlag(settings.stats, text); }
Result<void> SetScanOutNv12(Settings& settings, std::string_view text) { return SetFlag(settings.scan_out_nv12, text); }
Result<void> SetDither(Settings& settings, std::string_view text) { return SetFlag(settings.dither, text); }

Result<void> SetFile(std::string& field, std::string_view text) {
  if (auto checked = CheckText(text, kMaxPathBytes); !checked.ok()) return checked;
  field = text;
  return {};
}

Result<void> SetStatsJson(Settings& settings, std::string_view text) { return SetFile(settings.stats_json, text); }
Result<void> SetFrameLog(Settings& settings, std::string_view text) { return SetFile(settings.frame_log, text); }

Result<void> SetEncode(Settings& settings, std::string_view text) {
  const auto request = link::ParseEncodings(text);
  if (!request.ok()) return request.error();
  settings.encodings = *request;
  return {};
}

Result<void> SetContent(Settings& settings, std::string_view text) {
  const auto kind = link::ParseContentKind(text);
  if (!kind.ok()) return kind.error();
  settings.content = *kind;
  return {};
}

Result<void> SetYuv(Settings& settings, std::string_view text) {
  const auto yuv = link::ParseYuv(text);
  if (!yuv.ok()) return yuv.error();
  settings.yuv = *yuv;
  return {};
}

Result<void> SetFrameBytes(Settings& settings, std::string_view text) {
  const auto bytes = link::ParseFrameBytes(text);
  if (!bytes.ok()) return bytes.error();
  settings.frame_bytes = *bytes;
  return {};
}

Result<void> SetLinkLimit(Settings& settings, std::string_view text) {
  const auto limit = link::ParseLinkLimit(text);
  if (!limit.ok()) return limit.error();
  settings.link_limit = *limit;
  return {};
}

constexpr std::array<std::pair<std::string_view, LinkEngine>, 3> kEngines = {
    {{"auto", LinkEngine::kAuto}, {"processor", LinkEngine::kProcessor}, {"shader", LinkEngine::kShader}}};
constexpr std::array<std::pair<std::string_view, YuvPasses>, 3> kPasses = {
    {{"auto", YuvPasses::kAuto}, {"fused", YuvPasses::kFused}, {"three", YuvPasses::kThree}}};

template <class Value>
Result<void> SetByWord(const std::array<std::pair<std::string_view, Value>, 3>& words, std::string_view what, Value& field,
                       std::string_view text) {
  for (const auto& [word, value] : words) {
    if (text != word) continue;
    field = value;
    return {};
  }
  return Fail(ErrorKind::kInvalidArgument, "{} '{}' is not one of {}, {}, {}.", what, text, words[0].first, words[1].first,
              words[2].first);
}

template <class Value>
std::string_view WordOf(const std::array<std::pair<std::string_view, Value>, 3>& words, Value wanted) {
  for (const auto& [word, value] : words) {
    if (value == wanted) return word;
  }
  return kAuto;
}

Result<void> SetLinkEngine(Settings& settings, std::string_view text) {
  return SetByWord(kEngines, "Link engine", settings.link_engine, text);
}
Result<void> SetYuvPasses(Settings& settings, std::string_view text) {
  return SetByWord(kPasses, "Passes to 4:2:0", settings.yuv_passes, text);
}

constexpr std::array<SettingKey, 18> kKeys = {{
    {"render", "TANDEM_RENDER", SettingType::kTextOrIndex, SetRender},
    {"display", "TANDEM_DISPLAY", SettingType::kTextOrIndex, SetDisplay},
    {"output", "TANDEM_OUTPUT", SettingType::kText, SetOutput},
    {"path", "TANDEM_PATH", SettingType::kText, SetPath},
    {"buffers", "TANDEM_BUFFERS", SettingType::kText, SetBuffers},
    {"present_mode", "TANDEM_PRESENT_MODE", SettingType::kText, SetPresentMode},
    {"encode", "TANDEM_ENCODE", SettingType::kText, SetEncode},
    {"content", "TANDEM_CONTENT", SettingType::kText, SetContent},
    {"frame_bytes", "TANDEM_FRAME_BYTES", SettingType::kText, SetFrameBytes},
    {"link_limit", "TANDEM_LINK_LIMIT", SettingType::kText, SetLinkLimit},
    {"link_engine", "TANDEM_LINK_ENGINE", SettingType::kText, SetLinkEngine},
    {"yuv_passes", "TANDEM_YUV_PASSES", SettingType::kText, SetYuvPasses},
    {"scan_out_nv12", "TANDEM_SCAN_OUT_NV12", SettingType::kFlag, SetScanOutNv12},
    {"yuv", "TANDEM_YUV", SettingType::kText, SetYuv},
    {"dither", "TANDEM_DITHER", SettingType::kFlag, SetDither},
    {"stats", "TANDEM_STATS", SettingType::kFlag, SetStats},
    {"stats_json", "TANDEM_STATS_JSON", SettingType::kText, SetStatsJson},
    {"frame_log", "TANDEM_FRAME_LOG", SettingType::kText, SetFrameLog},
}};

struct OutputWord {
  std::string_view word;
  OutputSpec::Kind kind;
};
constexpr std::array<OutputWord, 3> kPlainOutputs = {
    {{"auto", OutputSpec::Kind::kAuto}, {"window", OutputSpec::Kind::kWindow}, {"headless", OutputSpec::Kind::kHeadless}}};
constexpr std::array<OutputWord, 3> kFileOutputs = {
    {{"png:", OutputSpec::Kind::kPng}, {"y4m:", OutputSpec::Kind::kY4m}, {"raw:", OutputSpec::Kind::kRaw}}};

}  // namespace

std::span<const SettingKey> SettingKeys() { return kKeys; }

std::string_view ToString(LinkEngine engine) { return WordOf(kEngines, engine); }
std::string_view ToString(YuvPasses passes) { return WordOf(kPasses, passes); }

Result<bool> ParseFlag(std::string_view text) {
  for (const std::string_view word : {"1", "true", "yes", "on"}) {
    if (text == word) return true;
  }
  for (const std::string_view word : {"0", "false", "no", "off"}) {
    if (text == word) return false;
  }
  return Fail(ErrorKind::kInvalidArgument, "'{}' is not one of 1, true, yes, on, 0, false, no, off.", text);
}

Result<OutputSpec> ParseOutputSpec(std::string_view text) {
  if (auto checked = CheckText(text, kMaxPathBytes + 4); !checked.ok()) return std::move(checked).error();
  for (const auto& [word, kind] : kPlainOutputs) {
    if (text == word) return OutputSpec{kind, {}};
  }
  for (const auto& [word, kind] : kFileOutputs) {
    if (!text.starts_with(word)) continue;
    const std::string_view path = text.substr(word.size());
    if (path.empty()) return Fail(ErrorKind::kInvalidArgument, "Output '{}' names no file.", text);
    return OutputSpec{kind, std::string(path)};
  }
  return Fail(ErrorKind::kInvalidArgument, "Output '{}' is not one of auto, window, headless, png:FILE, y4m:FILE, raw:FILE.",
              text);
}

Result<BufferCounts> ParseBufferCounts(std::string_view text) {
  if (text == kAuto) return BufferCounts{};
  const auto refusal = [text] {
    return Fail(ErrorKind::kInvalidArgument,
                "Buffers '{}' is neither auto nor three counts as in 2,3,2: images 2..{}, ring 2..{}, display 2..{}.", text,
                kMaxAppImages, kMaxRingBuffers, kMaxRingBuffers);
  };
  BufferCounts counts;
  const std::array<std::pair<std::uint32_t*, std::uint32_t>, 3> fields = {
      {{&counts.images, kMaxAppImages}, {&counts.ring, kMaxRingBuffers}, {&counts.display, kMaxRingBuffers}}};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (const auto& [field, most] : fields) {
    if (field != fields[0].first && (at == end || *at++ != ',')) return refusal();
    const auto parsed = std::from_chars(at, end, *field);
    if (parsed.ec != std::errc() || *field < 2 || *field > most) return refusal();
    at = parsed.ptr;
  }
  if (at != end) return refusal();
  return counts;
}

std::string ToString(const BufferCounts& counts) {
  if (counts == BufferCounts{}) return std::string(kAuto);
  return fmt::format("{},{},{}", counts.images, counts.ring, counts.display);
}

std::string ToString(const OutputSpec& output) {
  for (const auto& [word, kind] : kPlainOutputs) {
    if (output.kind == kind) return std::string(word);
  }
  for (const auto& [word, kind] : kFileOutputs) {
    if (output.kind == kind) return std::string(word) + output.path;
  }
  return "auto";
}

}  // namespace tandem::config

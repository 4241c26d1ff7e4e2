#include "config/setting_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/limits.h"
#include "config/file_pattern.h"

namespace tandem::config {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr std::string_view kOff = "off";

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

// `none` is the word for the empty text.
Result<std::string> CheckedOr(std::string_view none, std::string_view text, std::size_t max_bytes) {
  if (auto checked = CheckText(text, max_bytes); !checked.ok()) return std::move(checked).error();
  return std::string(text == none ? std::string_view() : text);
}

template <class Value>
using Words = std::array<std::pair<std::string_view, Value>, 3>;

constexpr Words<LinkEngine> kEngines = {
    {{"auto", LinkEngine::kAuto}, {"processor", LinkEngine::kProcessor}, {"shader", LinkEngine::kShader}}};
constexpr Words<YuvPasses> kPasses = {{{"auto", YuvPasses::kAuto}, {"fused", YuvPasses::kFused}, {"three", YuvPasses::kThree}}};
constexpr Words<FrameLogFormat> kFormats = {
    {{"tandem", FrameLogFormat::kTandem}, {"presentmon", FrameLogFormat::kPresentMon}, {"mangohud", FrameLogFormat::kMangoHud}}};
constexpr Words<Use> kUses = {{{"when-launched", Use::kWhenLaunched}, {"always", Use::kAlways}, {"never", Use::kNever}}};
constexpr Words<ProgramForm> kForms = {
    {{"auto", ProgramForm::kAuto}, {"layer", ProgramForm::kLayer}, {"driver", ProgramForm::kDriver}}};
constexpr Words<OutputSpec::Kind> kPlainOutputs = {
    {{"auto", OutputSpec::Kind::kAuto}, {"window", OutputSpec::Kind::kWindow}, {"headless", OutputSpec::Kind::kHeadless}}};
constexpr Words<OutputSpec::Kind> kFileOutputs = {
    {{"png:", OutputSpec::Kind::kPng}, {"y4m:", OutputSpec::Kind::kY4m}, {"raw:", OutputSpec::Kind::kRaw}}};

constexpr std::array<std::pair<std::string_view, AdapterLoss::Role>, 2> kLossRoles = {
    {{"display:", AdapterLoss::Role::kDisplay}, {"render:", AdapterLoss::Role::kRender}}};

template <class Value>
Result<Value> ParseWord(const Words<Value>& words, std::string_view what, std::string_view text) {
  for (const auto& [word, value] : words) {
    if (text == word) return value;
  }
  return Fail(ErrorKind::kInvalidArgument, "{} '{}' is not one of {}, {}, {}.", what, text, words[0].first, words[1].first,
              words[2].first);
}

template <class Value>
std::string_view WordOf(const Words<Value>& words, Value wanted) {
  for (const auto& [word, value] : words) {
    if (value == wanted) return word;
  }
  return kAuto;
}

}  // namespace

Result<LinkEngine> ParseLinkEngine(std::string_view text) { return ParseWord(kEngines, "Link engine", text); }
std::string_view ToString(LinkEngine engine) { return WordOf(kEngines, engine); }

Result<YuvPasses> ParseYuvPasses(std::string_view text) { return ParseWord(kPasses, "Passes to 4:2:0", text); }
std::string_view ToString(YuvPasses passes) { return WordOf(kPasses, passes); }

Result<FrameLogFormat> ParseFrameLogFormat(std::string_view text) { return ParseWord(kFormats, "Format", text); }
std::string_view ToString(FrameLogFormat format) { return WordOf(kFormats, format); }

Result<Use> ParseUse(std::string_view text) { return ParseWord(kUses, "Use", text); }
std::string_view ToString(Use use) { return WordOf(kUses, use); }

Result<ProgramForm> ParseProgramForm(std::string_view text) { return ParseWord(kForms, "Form", text); }
std::string_view ToString(ProgramForm form) { return WordOf(kForms, form); }

Result<OpenGl> ParseOpenGl(std::string_view text) {
  if (text == kAuto) return OpenGl::kAuto;
  const auto flag = ParseFlag(text);
  if (flag.ok()) return *flag ? OpenGl::kOn : OpenGl::kOff;
  return Fail(ErrorKind::kInvalidArgument, "OpenGL '{}' is not one of auto, on, off.", text);
}

std::string_view ToString(OpenGl gl) {
  switch (gl) {
    case OpenGl::kOn: return "on";
    case OpenGl::kOff: return kOff;
    case OpenGl::kAuto: break;
  }
  return kAuto;
}

Result<bool> ParseFlag(std::string_view text) {
  for (const std::string_view word : {"1", "true", "yes", "on"}) {
    if (text == word) return true;
  }
  for (const std::string_view word : {"0", "false", "no", "off"}) {
    if (text == word) return false;
  }
  return Fail(ErrorKind::kInvalidArgument, "'{}' is not one of 1, true, yes, on, 0, false, no, off.", text);
}

std::string FlagText(bool flag) { return flag ? "on" : "off"; }

Result<std::string> ParseSelectorText(std::string_view text) { return CheckedOr(kAuto, text, kMaxSelectorBytes); }
std::string SelectorText(const std::string& selector) { return selector.empty() ? std::string(kAuto) : selector; }

Result<std::vector<std::string>> ParseLayerNames(std::string_view text) {
  std::vector<std::string> names;
  if (text == kOff) return names;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string_view name = text.substr(start, end - start);
    if (auto checked = CheckText(name, kMaxLayerBytes); !checked.ok()) return std::move(checked).error();
    if (name.empty()) return Fail(ErrorKind::kInvalidArgument, "'{}' has a layer without a name.", text);
    names.emplace_back(name);
    start = end + 1;
  }
  if (names.size() > kMaxLayers)
    return Fail(ErrorKind::kLimit, "{} layers are named, at most {} are allowed.", names.size(), kMaxLayers);
  return names;
}
std::string LayerNamesText(const std::vector<std::string>& names) {
  return names.empty() ? std::string(kOff) : fmt::format("{}", fmt::join(names, ","));
}

Result<std::string> ParseFilePath(std::string_view text) { return CheckedOr(kOff, text, kMaxPathBytes); }
Result<std::string> ParseFilePattern(std::string_view text) {
  auto pattern = ParseFilePath(text);
  if (!pattern.ok()) return pattern;
  if (auto checked = CheckFilePattern(*pattern); !checked.ok()) return std::move(checked).error();
  return pattern;
}
std::string FilePathText(const std::string& path) { return path.empty() ? std::string(kOff) : path; }

Result<std::optional<swapchain::PresentMode>> ParsePresentModeOrAuto(std::string_view text) {
  if (text == kAuto) return std::optional<swapchain::PresentMode>();
  const auto mode = swapchain::ParsePresentMode(text);
  if (mode.ok()) return std::optional(*mode);
  return Fail(ErrorKind::kInvalidArgument,
              "Present mode '{}' is not one of auto, fifo, fifo-relaxed, mailbox, immediate, fifo-latest-ready.", text);
}

std::string PresentModeText(std::optional<swapchain::PresentMode> mode) { return std::string(mode ? ToString(*mode) : kAuto); }

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

std::string ToString(const OutputSpec& output) {
  for (const auto& [word, kind] : kPlainOutputs) {
    if (output.kind == kind) return std::string(word);
  }
  return std::string(WordOf(kFileOutputs, output.kind)) + output.path;
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

Result<OnLost> ParseOnLost(std::string_view text) {
  for (const OnLost on_lost : {OnLost::kNext, OnLost::kWait}) {
    if (text == ToString(on_lost)) return on_lost;
  }
  return Fail(ErrorKind::kInvalidArgument, "Answer '{}' to a lost display adapter is not one of next, wait.", text);
}

std::string_view ToString(OnLost on_lost) { return on_lost == OnLost::kNext ? "next" : "wait"; }

Result<AdapterLoss> ParseAdapterLoss(std::string_view text) {
  if (text == kOff) return AdapterLoss{};
  for (const auto& [word, role] : kLossRoles) {
    if (!text.starts_with(word)) continue;
    AdapterLoss loss{role, 0};
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + word.size(), end, loss.after_ms);
    if (parsed.ec == std::errc() && parsed.ptr == end) return loss;
  }
  return Fail(ErrorKind::kInvalidArgument,
              "Loss '{}' is neither off nor an adapter with milliseconds as in display:2000 or render:2000.", text);
}

std::string ToString(const AdapterLoss& loss) {
  for (const auto& [word, role] : kLossRoles) {
    if (loss.role == role) return fmt::format("{}{}", word, loss.after_ms);
  }
  return std::string(kOff);
}

Result<UnplugTimes> ParseUnplugTimes(std::string_view text) {
  if (text == kOff) return UnplugTimes{};
  UnplugTimes times;
  const char* const end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, times.after_ms);
  const bool parted = parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == ':';
  if (parted) parsed = std::from_chars(parsed.ptr + 1, end, times.for_ms);
  if (!parted || parsed.ec != std::errc() || parsed.ptr != end || times.for_ms == 0) {
    return Fail(ErrorKind::kInvalidArgument, "Unplug '{}' is neither off nor two numbers of milliseconds as in 2000:1000.", text);
  }
  return times;
}

std::string ToString(const UnplugTimes& times) {
  return times == UnplugTimes{} ? std::string(kOff) : fmt::format("{}:{}", times.after_ms, times.for_ms);
}

}  // namespace tandem::config

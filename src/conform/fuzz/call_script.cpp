#include "conform/fuzz/call_script.h"

#include <charconv>
#include <iterator>
#include <optional>

#include <fmt/compile.h>
#include <fmt/format.h>

namespace tandem::conform {
namespace {

using enum FieldKind;
using enum CallSide;

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kHeader = "tandem fuzz 1";
constexpr std::array<std::string_view, 5> kDevices{"bus", "frame-buffer", "virtio-gpu", "virtio-gpu-on-line", "qxl"};

constexpr CallField kDeviceField{"device", kSlot}, kSurfaceField{"surface", kSlot};
constexpr CallField kLeft{"left", kCoordinate}, kTop{"top", kCoordinate}, kRight{"right", kCoordinate},
    kBottom{"bottom", kCoordinate};

// In the order of Call.
constexpr std::array<CallForm, static_cast<std::size_t>(Call::kCount)> kForms{{
    {"mode", kDisplayOnly, false, {{{"width", kExtent}, {"height", kExtent}}}},
    {"present", kDisplayOnly, false, {{kLeft, kTop, kRight, kBottom, {"rects", kSmall}, {"color", kAny}}}},
    {"interrupt", kBoth, false, {{{"message", kSmall}}}},
    {"register", kBoth, false, {{{"skip", kSmall}, {"value", kAny}}}},
    {"escape", kBoth, true, {{kDeviceField, {"flags", kFlags}}}},
    {"child-status", kBoth, false, {{{"uid", kSmall}, {"type", kSmall}}}},
    {"visible", kBoth, false, {{{"source", kSlot}, {"on", kSwitch}}}},
    {"pause", kBoth, false, {{{"milliseconds", kSlot}}}},
    {"gamma", kBoth, false, {{kDeviceField, {"source", kSlot}, {"type", kSmall}, {"value", kAny}}}},
    {"recommend", kBoth, true, {{kDeviceField}}},
    {"pointer-shape",
     kBoth,
     false,
     {{{"source", kSlot}, {"kind", kSmall}, {"width", kExtent}, {"height", kExtent}, {"byte", kAny}}}},
    {"pointer-move", kBoth, false, {{{"source", kSlot}, {"x", kCoordinate}, {"y", kCoordinate}, {"on", kSwitch}}}},
    {"device", kFull, false, {{kDeviceField, {"display", kSwitch}}}},
    {"close-device", kFull, false, {{kDeviceField}}},
    {"create",
     kFull,
     true,
     {{kDeviceField,
       kSurfaceField,
       {"width", kExtent},
       {"height", kExtent},
       {"use", kSlot},
       {"size", kBytes},
       {"at", kBytes},
       {"format", kFormat}}}},
    {"destroy", kFull, false, {{kDeviceField, kSurfaceField}}},
    {"open", kFull, false, {{kDeviceField, kSurfaceField, {"from", kSlot}}}},
    {"lock", kFull, false, {{kDeviceField, kSurfaceField}}},
    {"copy", kFull, false, {{kDeviceField, {"source", kSlot}, {"destination", kSlot}, kLeft, kTop, kRight, kBottom}}},
    {"fill", kFull, false, {{kDeviceField, kSurfaceField, kLeft, kTop, kRight, kBottom, {"color", kAny}}}},
    {"flip", kFull, false, {{kDeviceField, kSurfaceField, {"interval", kSmall}}}},
    {"present-flags",
     kFull,
     false,
     {{kDeviceField, {"source", kSlot}, {"destination", kSlot}, {"flags", kFlags}, {"rects", kSmall}}}},
    {"set-mode", kFull, false, {{kDeviceField, kSurfaceField, {"rotation", kSmall}}}},
    {"render", kFull, true, {{kDeviceField, kSurfaceField, {"allocations", kSmall}, {"patches", kSmall}, {"offset", kBytes}}}},
    {"finish", kFull, false, {{kDeviceField}}},
    {"targets",
     kFull,
     false,
     {{{"source", kSlot},
       {"count", kSlot},
       {"first", kSlot},
       {"first_offset", kSmall},
       {"second", kSlot},
       {"second_offset", kSmall}}}},
    {"palette", kFull, false, {{{"source", kSlot}, {"first", kSmall}, {"count", kSmall}, {"color", kAny}}}},
    {"standard",
     kFull,
     false,
     {{{"type", kSmall}, {"width", kExtent}, {"height", kExtent}, {"format", kFormat}, {"source", kSlot}}}},
    {"preempt", kFull, false, {{{"node", kSlot}}}},
    {"fence", kFull, false, {{{"node", kSlot}}}},
    {"reset", kFull, false, {{kDeviceField}}},
    {"features", kFull, false, {}},
}};

std::optional<std::vector<std::byte>> FromHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned value = 0;
    const auto parsed = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + i + 2) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

std::optional<std::uint64_t> ToNumber(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view TakeWord(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

Result<void> SetField(CallStep& step, std::string_view name, std::string_view value) {
  const CallForm& form = FormOf(step.call);
  if (name == "data" && form.has_data) {
    auto data = FromHex(value);
    if (!data || data->size() > kMostStepData) {
      return Fail(ErrorKind::kInvalidArgument, "'data' is not at most {} bytes in hexadecimal.", kMostStepData);
    }
    step.data = *std::move(data);
    return {};
  }
  for (std::size_t i = 0; i < kMostFields && form.fields[i].kind != kNone; ++i) {
    if (form.fields[i].name != name) continue;
    const auto number = ToNumber(value);
    if (!number) return Fail(ErrorKind::kInvalidArgument, "'{}' of '{}' is not a number: '{}'.", name, form.name, value);
    step.numbers[i] = *number;
    return {};
  }
  return Fail(ErrorKind::kInvalidArgument, "'{}' has no field '{}'.", form.name, name);
}

Result<CallStep> ParseStep(std::string_view line) {
  const std::string_view name = TakeWord(line);
  CallStep step;
  for (std::size_t i = 0; i < kForms.size(); ++i) {
    if (kForms[i].name != name) continue;
    step.call = static_cast<Call>(i);
    while (!line.empty()) {
      const std::string_view word = TakeWord(line);
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos) return Fail(ErrorKind::kInvalidArgument, "'{}' is not FIELD=VALUE.", word);
      if (auto set = SetField(step, word.substr(0, equals), word.substr(equals + 1)); !set.ok()) return std::move(set).error();
    }
    return step;
  }
  return Fail(ErrorKind::kInvalidArgument, "There is no call '{}'.", name);
}

Result<void> ParseLine(std::string_view line, CallScript& script) {
  if (line.starts_with("device-kind ")) {
    for (std::size_t i = 0; i < kDevices.size(); ++i) {
      if (line.substr(12) != kDevices[i]) continue;
      script.device = static_cast<ScriptDevice>(i);
      return {};
    }
    return Fail(ErrorKind::kInvalidArgument, "There is no device '{}'.", line.substr(12));
  }
  if (script.steps.size() == kMostSteps) return Fail(ErrorKind::kLimit, "There are more than {} calls.", kMostSteps);
  auto step = ParseStep(line);
  if (!step.ok()) return std::move(step).error();
  script.steps.push_back(*std::move(step));
  return {};
}

}  // namespace

const CallForm& FormOf(Call call) { return kForms[static_cast<std::size_t>(call)]; }

std::string ToText(const CallScript& script, std::span<const std::string> remarks) {
  std::string text = fmt::format("{}\n", kHeader);
  for (const std::string& remark : remarks) text += fmt::format("# {}\n", remark);
  text += fmt::format("device-kind {}\n", kDevices[static_cast<std::size_t>(script.device)]);
  for (const CallStep& step : script.steps) {
    const CallForm& form = FormOf(step.call);
    text += form.name;
    for (std::size_t i = 0; i < kMostFields && form.fields[i].kind != kNone; ++i) {
      const bool hex = step.numbers[i] > 0xFFFF || form.fields[i].kind == kFlags;
      if (step.numbers[i] == 0) continue;
      const auto end = std::back_inserter(text);
      if (hex) {
        fmt::format_to(end, FMT_COMPILE(" {}=0x{:x}"), form.fields[i].name, step.numbers[i]);
      } else {
        fmt::format_to(end, FMT_COMPILE(" {}={}"), form.fields[i].name, step.numbers[i]);
      }
    }
    if (!step.data.empty()) {
      text += " data=";
      for (const std::byte byte : step.data) {
        text += kHexDigits[static_cast<std::size_t>(byte) / 16];
        text += kHexDigits[static_cast<std::size_t>(byte) % 16];
      }
    }
    text += '\n';
  }
  return text;
}

Result<CallScript> ParseScript(std::string_view text) {
  CallScript script;
  for (std::size_t number = 1; !text.empty() || number == 1; ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number == 1) {
      if (line == kHeader) continue;
      return Fail(ErrorKind::kInvalidArgument, "Line 1: '{}' is expected.", kHeader);
    }
    if (line.empty() || line.front() == '#') continue;
    if (auto parsed = ParseLine(line, script); !parsed.ok()) {
      return std::move(parsed).error().Context(fmt::format("Line {}", number));
    }
  }
  return script;
}

}  // namespace tandem::conform

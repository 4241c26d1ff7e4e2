#include "link/governor/encodings.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "base/emulated_link.h"
#include "color/yuv.h"

namespace tandem::link {
namespace {

constexpr std::array<std::pair<std::string_view, ContentKind>, 4> kKinds = {
    {{"auto", ContentKind::kAuto}, {"game", ContentKind::kGame}, {"desktop", ContentKind::kDesktop}, {"cad", ContentKind::kCad}}};

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr std::array<Unit, 4> kRates = {{{"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"KB/s", 1e3}}};
constexpr std::array<Unit, 4> kSizes = {{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}}};

// Parses a number with one of the units into bytes, rounded. Empty: the text has another form or is out of range.
std::optional<std::uint64_t> ParseAmount(std::string_view text, std::span<const Unit> units, std::uint64_t least,
                                         std::uint64_t most) {
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    const std::string_view number = text.substr(0, text.size() - unit.name.size());
    double value = 0;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value, std::chars_format::fixed);
    if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) break;
    const double bytes = value * unit.bytes;
    if (!(bytes >= static_cast<double>(least) && bytes <= static_cast<double>(most))) break;
    return static_cast<std::uint64_t>(bytes + 0.5);
  }
  return std::nullopt;
}

struct YuvWord {
  std::string_view word;
  std::uint32_t kind;   // 0: matrix, 1: range, 2: filter
  std::uint32_t value;  // value of the kind's enumeration
};
constexpr std::array<YuvWord, 7> kYuvWords = {{{"bt709", 0, 0},
                                               {"bt601", 0, 1},
                                               {"bt2020", 0, 2},
                                               {"full", 1, 0},
                                               {"limited", 1, 1},
                                               {"nearest", 2, 0},
                                               {"bilinear", 2, 1}}};

constexpr std::string_view kNot = "no-";

// Joins the names of the allowed encodings, or of the others, each with `before` in front.
std::string NamesOf(const EncodingRequest& request, bool allowed, std::string_view before, std::string_view between) {
  std::string text;
  for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
    if (request.Allows(encoding) != allowed) continue;
    text += fmt::format("{}{}{}", text.empty() ? "" : between, before, ToString(encoding));
  }
  return text;
}

}  // namespace

std::string_view ToString(ContentKind kind) {
  for (const auto& [name, value] : kKinds) {
    if (value == kind) return name;
  }
  return "auto";
}

Result<ContentKind> ParseContentKind(std::string_view text) {
  for (const auto& [name, value] : kKinds) {
    if (name == text) return value;
  }
  return Fail(ErrorKind::kInvalidArgument, "Content '{}' is not one of auto, game, desktop, cad.", text);
}

bool EncodingRequest::off() const {
  return std::ranges::none_of(allowed, [](bool one) { return one; });
}

std::optional<LinkEncoding> EncodingRequest::Only() const {
  if (std::ranges::count(allowed, true) != 1) return std::nullopt;
  return static_cast<LinkEncoding>(std::ranges::find(allowed, true) - allowed.begin());
}

EncodingRequest EncodingRequest::Just(LinkEncoding encoding) {
  EncodingRequest request;
  request.allowed.fill(false);
  request.allowed[static_cast<std::uint32_t>(encoding)] = true;
  return request;
}

EncodingRequest EncodingRequest::Built() const {
  EncodingRequest built = *this;
  for (std::uint32_t i = 0; i < kLinkEncodings; ++i) {
    built.allowed[i] = allowed[i] && IsBuilt(static_cast<LinkEncoding>(i));
  }
  return built;
}

EncodingRequest EncodingRequest::Within(std::uint64_t frame_bytes, const Frame& frame) const {
  EncodingRequest within = *this;
  for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
    const std::uint64_t bytes = encoding == LinkEncoding::kLossless
                                    ? LeastLinkFrameBytes(frame.format, frame.width, frame.height, frame.slice_rows)
                                    : LinkFrameBytes(encoding, frame.format, frame.width, frame.height);
    if (bytes > frame_bytes) within.allowed[static_cast<std::uint32_t>(encoding)] = false;
  }
  return within;
}

Result<EncodingRequest> ParseEncodings(std::string_view text) {
  EncodingRequest request;
  if (text == "auto") return request;
  const bool leaves_out = text.starts_with(kNot);
  request.allowed.fill(leaves_out);
  if (text == "off") return request;
  request.asked_for = !leaves_out;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    const std::string_view name = leaves_out && word.starts_with(kNot) ? word.substr(kNot.size()) : word;
    const auto* const named =
        std::ranges::find(kLinkEncodingsByPicture, name, [](LinkEncoding encoding) { return ToString(encoding); });
    if (named == kLinkEncodingsByPicture.end() || leaves_out != word.starts_with(kNot)) {
      return Fail(ErrorKind::kInvalidArgument,
                  "Encodings '{}': '{}' cannot stand there. Allowed are auto, off, or one or more of {} with commas between, no- "
                  "before all of them or before none.",
                  text, word, NamesOf({}, true, "", ", "));
    }
    request.allowed[static_cast<std::uint32_t>(*named)] = !leaves_out;
    if (comma == std::string_view::npos) return request;
    rest.remove_prefix(comma + 1);
  }
}

std::string ToString(const EncodingRequest& request) {
  if (request.off()) return "off";
  if (request.asked_for) return NamesOf(request, true, "", ",");
  const std::string left_out = NamesOf(request, false, kNot, ",");
  return left_out.empty() ? "auto" : left_out;
}

Result<LinkYuv> ParseYuv(std::string_view text) {
  LinkYuv yuv;
  if (text == "auto") return yuv;
  std::array<bool, 3> named{};  // matrix, range, filter
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    const auto* const known = std::ranges::find(kYuvWords, word, &YuvWord::word);
    if (known == kYuvWords.end() || std::exchange(named[known->kind], true)) {
      return Fail(
          ErrorKind::kInvalidArgument,
          "4:2:0 '{}': '{}' cannot stand there. Allowed are auto, or one of bt709, bt601, bt2020, one of full, limited and "
          "one of nearest, bilinear, with commas between.",
          text, word);
    }
    if (known->kind == 0) yuv.coding.matrix = static_cast<color::YuvMatrix>(known->value);
    if (known->kind == 1) yuv.coding.range = static_cast<color::YuvRange>(known->value);
    if (known->kind == 2) yuv.filter = static_cast<color::ChromaFilter>(known->value);
    if (comma == std::string_view::npos) return yuv;
    rest.remove_prefix(comma + 1);
  }
}

Result<std::uint64_t> ParseFrameBytes(std::string_view text) {
  if (text == "off") return std::uint64_t{0};
  if (const auto bytes = ParseAmount(text, kSizes, kMinFrameBytes, kMaxFrameBytes)) return *bytes;
  return Fail(ErrorKind::kInvalidArgument, "Frame bytes '{}' are not off or a size such as 2MB, from {} to {}.", text,
              FrameBytesText(kMinFrameBytes), FrameBytesText(kMaxFrameBytes));
}

std::string FrameBytesText(std::uint64_t bytes) {
  if (bytes == 0) return "off";
  const auto amount = static_cast<double>(bytes);
  return bytes >= 1'000'000 ? fmt::format("{}MB", amount / 1e6) : fmt::format("{}kB", amount / 1e3);
}

Result<std::uint64_t> ParseLinkLimit(std::string_view text) {
  if (text == "off") return std::uint64_t{0};
  if (const auto bytes = ParseAmount(text, kRates, kMinLinkBytesPerSecond, kMaxLinkBytesPerSecond)) return *bytes;
  return Fail(ErrorKind::kInvalidArgument, "Link limit '{}' is not off or a bandwidth such as 250MB/s, from {} to {}.", text,
              LinkLimitText(kMinLinkBytesPerSecond), LinkLimitText(kMaxLinkBytesPerSecond));
}

std::string LinkLimitText(std::uint64_t bytes_per_second) {
  if (bytes_per_second == 0) return "off";
  const auto bytes = static_cast<double>(bytes_per_second);
  return bytes_per_second >= 1'000'000'000 ? fmt::format("{}GB/s", bytes / 1e9) : fmt::format("{}MB/s", bytes / 1e6);
}

}  // namespace tandem::link

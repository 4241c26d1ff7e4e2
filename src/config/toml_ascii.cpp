#include "config/toml_ascii.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace tandem::config {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};

// The character at the beginning of `text`, whose first byte is not ASCII; nothing when the bytes are not UTF-8.
std::optional<Character> Decode(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return std::nullopt;
  char32_t code = first & (0x7FU >> bytes);
  for (const char c : text.substr(1, bytes - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) return std::nullopt;
    code = code << 6 | (byte & 0x3FU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return std::nullopt;
  return Character{code, bytes};
}

class Rewriter {
 public:
  Rewriter(std::string_view text, std::string_view file_name) : text_(text), file_name_(file_name) {}

  Result<std::string> Run() {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    while (at_ < text_.size()) {
      if (!IsAscii(text_[at_])) {
        if (auto taken = TakeForeign(); !taken.ok()) return std::move(taken).error();
      } else if (place_ == Place::kText) {
        TakeInText();
      } else {
        TakeOutside();
      }
    }
    return std::move(out_);
  }

 private:
  enum class Place { kBare, kComment, kText };

  [[nodiscard]] Error Refuse(std::string_view sentence) const {
    const std::string_view before = text_.substr(0, at_);
    return Fail(ErrorKind::kInvalidArgument, "{}:{}: {}", file_name_, 1 + std::ranges::count(before, '\n'), sentence);
  }

  Result<void> TakeForeign() {
    const auto character = Decode(text_.substr(at_));
    if (!character) {
      return Refuse(fmt::format("Byte {:#x} is not UTF-8; save the file as UTF-8.", static_cast<unsigned char>(text_[at_])));
    }
    const std::string_view written = text_.substr(at_, character->bytes);
    if (place_ == Place::kBare) {
      return Refuse(fmt::format("'{}' stands outside quotes; write names and values with such characters in quotes.", written));
    }
    if (escaping_) return Refuse(fmt::format("'\\{}' is not an escape; write a backslash as '\\\\'.", written));
    if (place_ == Place::kComment) {
      out_ += '?';
    } else {
      const auto code = static_cast<std::uint32_t>(character->code);
      out_ += code > 0xFFFF ? fmt::format("\\U{:08X}", code) : fmt::format("\\u{:04X}", code);
    }
    at_ += character->bytes;
    return {};
  }

  void TakeOutside() {
    const char c = text_[at_];
    if (place_ == Place::kBare && (c == '"' || c == '\'')) return OpenText(c);
    if (c == '\n') place_ = Place::kBare;
    if (place_ == Place::kBare && c == '#') place_ = Place::kComment;
    out_ += c;
    ++at_;
  }

  void OpenText(char quote) {
    quote_ = quote;
    marks_ = text_.substr(at_).starts_with(std::string(3, quote)) ? 3 : 1;
    out_.append(marks_, '"');
    at_ += marks_;
    place_ = Place::kText;
    escaping_ = false;
  }

  void TakeInText() {
    const char c = text_[at_];
    if (c == quote_ && !escaping_ && text_.substr(at_).starts_with(std::string(marks_, quote_))) return CloseText();
    // A text without its end is the parser's to report.
    if (c == '\n' && marks_ == 1) place_ = Place::kBare;
    const bool literal = quote_ == '\'';
    if (literal && (c == '"' || c == '\\')) out_ += '\\';
    escaping_ = !literal && c == '\\' && !escaping_;
    out_ += c;
    ++at_;
  }

  // Up to two more quotes belong to a text of several lines.
  void CloseText() {
    at_ += marks_;
    for (int more = 0; marks_ == 3 && more < 2 && at_ < text_.size() && text_[at_] == quote_; ++more) {
      out_ += quote_ == '"' ? "\\\"" : "'";
      ++at_;
    }
    out_.append(marks_, '"');
    place_ = Place::kBare;
  }

  std::string_view text_;
  std::string_view file_name_;
  std::string out_;
  std::size_t at_ = 0;
  Place place_ = Place::kBare;
  char quote_ = '"';
  std::size_t marks_ = 1;  // 1 or 3 quotes around the text
  bool escaping_ = false;  // the byte before was a backslash that begins an escape
};

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const auto character = IsAscii(text.front()) ? Character{0, 1} : Decode(text).value_or(Character{});
    if (character.bytes == 0) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

Result<std::string> AsciiToml(std::string_view text, std::string_view file_name) {
  if (std::ranges::all_of(text, IsAscii)) return std::string(text);
  return Rewriter(text, file_name).Run();
}

}  // namespace tandem::config

#include "base/printable.h"

#include <algorithm>

#include <fmt/format.h>

namespace tandem {
namespace {

unsigned char ByteAt(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// Bytes of the first character of `text`; 0 if that character is not printable.
std::size_t PrintableLength(std::string_view text) {
  const unsigned char first = ByteAt(text, 0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : (first & 0xF0) == 0xE0        ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!IsContinuation(ByteAt(text, i))) return 0;
  }
  const unsigned char second = ByteAt(text, 1);
  const bool control = first == 0xC2 && second < 0xA0;
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool beyond = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  // Marks that change the text direction: U+200E, 200F, 202A..202E, 2066..2069.
  const unsigned char third = length == 3 ? ByteAt(text, 2) : 0;
  const bool turns = first == 0xE2 && ((second == 0x80 && (third == 0x8E || third == 0x8F || (third >= 0xA8 && third <= 0xAE))) ||
                                       (second == 0x81 && third >= 0xA6 && third <= 0xA9));
  return control || overlong || beyond || turns ? 0 : length;
}

// `text` with each unprintable byte replaced by `replacement(byte)`.
template <class Replacement>
std::string Replaced(std::string_view text, const Replacement& replacement) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = PrintableLength(text);
    if (length == 0) {
      out += replacement(ByteAt(text, 0));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace

std::string Printable(std::string_view text) {
  return Replaced(text, [](unsigned char) { return '?'; });
}

std::string Escaped(std::string_view text) {
  return Replaced(text, [](unsigned char byte) { return fmt::format("\\x{:02X}", byte); });
}

std::string_view FittingUtf8(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && IsContinuation(ByteAt(text, bytes))) --bytes;
  return text.substr(0, bytes);
}

}  // namespace tandem

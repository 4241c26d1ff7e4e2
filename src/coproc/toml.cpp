#include "coproc/toml.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "coproc/config_file.h"

namespace tandem::coproc {
namespace {

bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// The end of what begins at `at` and may hold any character: a comment, or a text in quotes; `at` for anything else.
std::size_t EndOfFreeText(std::string_view text, std::size_t at) {
  const char opening = text[at];
  if (opening == '#') return std::min(text.find('\n', at), text.size());
  if (opening != '"' && opening != '\'') return at;
  const std::string three(3, opening);
  const bool lines = text.substr(at).starts_with(three);
  const std::string_view closing = lines ? std::string_view(three) : std::string_view(three).substr(2);
  for (std::size_t i = at + closing.size(); i < text.size(); ++i) {
    if (opening == '"' && text[i] == '\\') {
      ++i;
    } else if (text.substr(i).starts_with(closing)) {
      return i + closing.size();
    } else if (text[i] == '\n' && !lines) {
      return i;  // the parser reports the missing quote
    }
  }
  return text.size();
}

// toml++ 3.3 runs into undefined behaviour at some code points outside quotes and comments.
Result<void> CheckBareText(std::string_view text, std::string_view file_name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  for (std::size_t i = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0; i < text.size(); ++i) {
    const std::size_t end = EndOfFreeText(text, i);
    if (end > i) {
      i = end - 1;
    } else if (!IsAscii(text[i])) {
      return Fail(ErrorKind::kInvalidArgument, "{}: line {}: Byte {:#x} stands outside quotes; put the name or value in quotes.",
                  file_name, 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i), '\n'),
                  static_cast<unsigned char>(text[i]));
    }
  }
  return {};
}

}  // namespace

Result<toml::table> ParseToml(std::string_view text, std::string_view file_name) {
  if (text.size() > kMaxConfigBytes) return Fail(ErrorKind::kLimit, "{} has more than {} bytes.", file_name, kMaxConfigBytes);
  if (auto bare = CheckBareText(text, file_name); !bare.ok()) return std::move(bare).error();
  try {
    toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
      return Fail(ErrorKind::kInvalidArgument, "{}: {}.", TomlPlace{file_name}.At(parsed.error().source()),
                  parsed.error().description());
    }
    return std::move(parsed).table();
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kOutOfMemory, "{} cannot be parsed: {}.", file_name, error.what());
  }
}

}  // namespace tandem::coproc

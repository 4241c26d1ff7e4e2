#include "coproc/toml.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "coproc/config_file.h"

namespace tandem::coproc {
namespace {

// toml++ 3.3 runs into undefined behaviour at some code points outside quotes; TOML can write every character in ASCII.
Result<void> CheckAscii(std::string_view text, std::string_view file_name) {
  const auto foreign = std::ranges::find_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (foreign == text.end()) return {};
  return Fail(ErrorKind::kInvalidArgument,
              "{}: line {}: Byte {:#x} is not ASCII; write such a character as \\uXXXX within quotes.", file_name,
              1 + std::count(text.begin(), foreign, '\n'), static_cast<unsigned char>(*foreign));
}

}  // namespace

Result<toml::table> ParseToml(std::string_view text, std::string_view file_name) {
  if (text.size() > kMaxConfigBytes) return Fail(ErrorKind::kLimit, "{} has more than {} bytes.", file_name, kMaxConfigBytes);
  if (auto ascii = CheckAscii(text, file_name); !ascii.ok()) return std::move(ascii).error();
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

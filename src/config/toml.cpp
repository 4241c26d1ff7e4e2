#include "config/toml.h"

#include <exception>
#include <utility>

#include "config/config_file.h"
#include "config/toml_ascii.h"

namespace tandem::config {

Result<toml::table> ParseToml(std::string_view text, std::string_view file_name) {
  if (text.size() > kMaxConfigBytes) return Fail(ErrorKind::kLimit, "{} has more than {} bytes.", file_name, kMaxConfigBytes);
  try {
    // toml++ 3.3 runs into undefined behaviour at some code points outside quotes.
    const auto ascii = AsciiToml(text, file_name);
    if (!ascii.ok()) return ascii.error();
    toml::parse_result parsed = toml::parse(std::string_view(*ascii));
    if (!parsed) {
      return Fail(ErrorKind::kInvalidArgument, "{}: {}.", TomlPlace{file_name}.At(parsed.error().source()),
                  parsed.error().description());
    }
    return std::move(parsed).table();
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kOutOfMemory, "{} cannot be parsed: {}.", file_name, error.what());
  }
}

}  // namespace tandem::config

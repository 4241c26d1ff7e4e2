#include "config/policy/policy_scan.h"

#include <algorithm>
#include <cstddef>

#include "config/policy/pattern.h"

namespace tandem::config {
namespace {

bool IsBareKey(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool Names(std::string_view word, const ProgramIdentity& program) {
  if (word == "default") return true;
  const auto pattern = ParsePattern(word);
  return pattern.ok() && Matches(*pattern, program);
}

}  // namespace

bool MayConcern(std::string_view text, const ProgramIdentity& program) {
  for (std::size_t at = 0; at < text.size();) {
    const char first = text[at];
    if (first == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (first == '"') {
      const std::size_t end = text.find_first_of("\"\\\r\n", ++at);
      const bool plain = end != std::string_view::npos && text[end] == '"';
      if (!plain || text.substr(at).starts_with("\"\"")) return true;  // escapes, or a string of several lines
      if (Names(text.substr(at, end - at), program)) return true;
      at = end + 1;
    } else if (IsBareKey(first)) {
      const std::string_view rest = text.substr(at);
      const auto length = static_cast<std::size_t>(std::ranges::find_if_not(rest, IsBareKey) - rest.begin());
      if (Names(rest.substr(0, length), program)) return true;
      at += length;
    } else if (first == '\'' || static_cast<unsigned char>(first) >= 0x80) {
      return true;
    } else {
      ++at;
    }
  }
  return false;
}

}  // namespace tandem::config

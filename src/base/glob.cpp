#include "base/glob.h"

#include <cstddef>

namespace tandem {
namespace {

// Bytes of the character at the beginning of `text`; a byte that is no UTF-8 stands for itself.
std::size_t CharacterBytes(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) ++bytes;
  return bytes;
}

}  // namespace

bool MatchesGlob(std::string_view pattern, std::string_view text) {
  if (text.empty()) return false;
  std::size_t at = 0, star = std::string_view::npos;
  std::string_view rest = text, after_star;
  while (!rest.empty()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      after_star = rest;
    } else if (at < pattern.size() && pattern[at] == '?') {
      ++at;
      rest.remove_prefix(CharacterBytes(rest));
    } else if (at < pattern.size() && pattern[at] == rest.front()) {
      ++at;
      rest.remove_prefix(1);
    } else if (star != std::string_view::npos) {
      at = star + 1;
      after_star.remove_prefix(1);
      rest = after_star;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

}  // namespace tandem

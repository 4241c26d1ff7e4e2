#include "config/policy/policy_scan.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <string>

#include "config/policy/pattern.h"

namespace tandem::config {
namespace {

bool IsBareKey(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// Position of the first byte from `at` on that ends a text in quotes, or keeps it from being plain; the size if there is none.
std::size_t EndOfText(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '"' && text[at] != '\\' && text[at] != '\r' && text[at] != '\n') ++at;
  return at;
}

// A program as the words of a file name it. A pattern ends in a wildcard or in the last byte of what it matches, so nearly every
// word is told apart by that byte, without being made a pattern.
class NamedProgram {
 public:
  explicit NamedProgram(const ProgramIdentity& program) : program_(program) {
    AddLast("*");
    AddLast("?");
    for (const std::string* const text : {&program.executable, &program.steam, &program.flatpak, &program.desktop,
                                          &program.names.application, &program.names.engine}) {
      AddLast(*text);
    }
    std::string_view desktop = program.desktop;
    if (desktop.ends_with(kDesktop)) desktop.remove_suffix(kDesktop.size());
    AddLast(desktop);
    if (!program.windows.empty()) AddWindows(program.windows.back());
  }

  [[nodiscard]] bool IsNamedBy(std::string_view word) const {
    if (word == "default") return true;
    const bool may = !word.empty() && (last_[static_cast<unsigned char>(word.back())] || word.ends_with(kDesktop));
    if (!may) return false;
    const auto pattern = ParsePattern(word);
    return pattern.ok() && Matches(*pattern, program_);
  }

 private:
  static constexpr std::string_view kDesktop = ".desktop";  // a pattern does without it

  void AddLast(std::string_view text) {
    if (!text.empty()) last_.set(static_cast<unsigned char>(text.back()));
  }
  // Windows' names match in either case, with either separator.
  void AddWindows(char last) {
    if (last == '/' || last == '\\') {
      AddLast("/");
      AddLast("\\");
    }
    last_.set(static_cast<unsigned char>(last));
    if ((last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z')) last_.set(static_cast<unsigned char>(last ^ 0x20));
  }

  const ProgramIdentity& program_;
  std::bitset<256> last_;
};

}  // namespace

bool MayConcern(std::string_view text, const ProgramIdentity& identity) {
  const NamedProgram program(identity);
  for (std::size_t at = 0; at < text.size();) {
    const char first = text[at];
    if (first == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (first == '"') {
      const std::size_t end = EndOfText(text, ++at);
      const bool plain = end != text.size() && text[end] == '"';
      if (!plain || text.substr(at).starts_with("\"\"")) return true;  // escapes, or a string of several lines
      if (program.IsNamedBy(text.substr(at, end - at))) return true;
      at = end + 1;
    } else if (IsBareKey(first)) {
      const std::string_view rest = text.substr(at);
      const auto length = static_cast<std::size_t>(std::ranges::find_if_not(rest, IsBareKey) - rest.begin());
      if (program.IsNamedBy(rest.substr(0, length))) return true;
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

#include "config/policy/pattern.h"

#include <algorithm>
#include <array>
#include <utility>

#include "config/toml_ascii.h"

namespace tandem::config {
namespace {

constexpr std::array<std::pair<std::string_view, PatternKind>, 7> kKinds = {{{"exe", PatternKind::kExecutable},
                                                                             {"windows", PatternKind::kWindows},
                                                                             {"steam", PatternKind::kSteam},
                                                                             {"flatpak", PatternKind::kFlatpak},
                                                                             {"desktop", PatternKind::kDesktop},
                                                                             {"application", PatternKind::kApplication},
                                                                             {"engine", PatternKind::kEngine}}};

// Bytes of the character at the beginning of `text`; a byte that is no UTF-8 stands for itself.
std::size_t CharacterBytes(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) ++bytes;
  return bytes;
}

// A program chooses some of its names: fnmatch() could be kept busy for hours by one of them, this takes the product of both
// lengths at most.
bool Fits(std::string_view pattern, std::string_view text) {
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

std::string_view WithoutSuffix(std::string_view text) {
  constexpr std::string_view kSuffix = ".desktop";
  return text.ends_with(kSuffix) ? text.substr(0, text.size() - kSuffix.size()) : text;
}

// Windows parts folders by backslashes and does not tell cases of letters apart.
std::string WindowsForm(std::string_view path) {
  std::string form(path);
  for (char& c : form) {
    if (c == '\\') c = '/';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return form;
}

bool FitsPath(std::string_view pattern, std::string_view path) {
  const bool whole = pattern.find('/') != std::string_view::npos;
  return Fits(pattern, whole ? path : path.substr(path.rfind('/') + 1));
}

}  // namespace

std::string_view ToString(PatternKind kind) {
  for (const auto& [word, one] : kKinds) {
    if (one == kind) return word;
  }
  return "";
}

Result<Pattern> ParsePattern(std::string_view text) {
  Pattern pattern;
  const std::string_view word = text.substr(0, text.find(':'));
  const auto* const found = word.size() == text.size()
                                ? kKinds.end()
                                : std::ranges::find(kKinds, word, &std::pair<std::string_view, PatternKind>::first);
  if (found != kKinds.end()) {
    pattern.kind = found->second;
    text.remove_prefix(word.size() + 1);
  } else if (WithoutSuffix(text).size() != text.size() && text.find('/') == std::string_view::npos) {
    pattern.kind = PatternKind::kDesktop;
  }
  if (text.empty()) return Fail(ErrorKind::kInvalidArgument, "A program's name is empty.");
  if (text.size() > kMaxPatternBytes) {
    return Fail(ErrorKind::kLimit, "A program's name has {} bytes, at most {} are allowed.", text.size(), kMaxPatternBytes);
  }
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; })) {
    return Fail(ErrorKind::kInvalidArgument, "A program's name has a control character in it.");
  }
  if (!IsUtf8(text)) return Fail(ErrorKind::kInvalidArgument, "A program's name is not UTF-8.");
  pattern.text = text;
  return pattern;
}

bool Matches(const Pattern& pattern, const ProgramIdentity& program) {
  const std::string& text = pattern.text;
  switch (pattern.kind) {
    case PatternKind::kExecutable: return FitsPath(text, program.executable);
    case PatternKind::kWindows: return !program.windows.empty() && FitsPath(WindowsForm(text), WindowsForm(program.windows));
    case PatternKind::kSteam: return Fits(text, program.steam);
    case PatternKind::kFlatpak: return Fits(text, program.flatpak);
    case PatternKind::kDesktop: return Fits(WithoutSuffix(text), WithoutSuffix(program.desktop));
    case PatternKind::kApplication: return Fits(text, program.names.application);
    case PatternKind::kEngine: return Fits(text, program.names.engine);
  }
  return false;
}

}  // namespace tandem::config

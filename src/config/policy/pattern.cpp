#include "config/policy/pattern.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/glob.h"
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
  return MatchesGlob(pattern, whole ? path : path.substr(path.rfind('/') + 1));
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
    case PatternKind::kSteam: return MatchesGlob(text, program.steam);
    case PatternKind::kFlatpak: return MatchesGlob(text, program.flatpak);
    case PatternKind::kDesktop: return MatchesGlob(WithoutSuffix(text), WithoutSuffix(program.desktop));
    case PatternKind::kApplication: return MatchesGlob(text, program.names.application);
    case PatternKind::kEngine: return MatchesGlob(text, program.names.engine);
  }
  return false;
}

}  // namespace tandem::config

#include "cli/driver_build_longs.h"

#include <cctype>
#include <vector>

namespace tandem::cli {
namespace {

struct Word {
  std::size_t begin = 0, end = 0;
};

bool IsWordLetter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

// Behind the comment or literal at `at`; `at` when there is none.
std::size_t BehindOpaque(std::string_view text, std::size_t at) {
  const auto behind = [&](std::string_view end) {
    const std::size_t found = text.find(end, at + 2);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  if (text.substr(at).starts_with("//")) return behind("\n") - 1;
  if (text.substr(at).starts_with("/*")) return behind("*/");
  if (text[at] != '"' && text[at] != '\'') return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != text[at] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
  return end < text.size() ? end + 1 : text.size();
}

std::vector<Word> WordsOf(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t behind = BehindOpaque(text, at); behind > at) {
      at = behind;
    } else if (!IsWordLetter(text[at])) {
      ++at;
    } else {
      const std::size_t begin = at;
      while (at < text.size() && IsWordLetter(text[at])) ++at;
      words.push_back({begin, at});
    }
  }
  return words;
}

bool OnlySpaces(std::string_view text) { return text.find_first_not_of(" \t\r\n\\") == std::string_view::npos; }

}  // namespace

std::optional<std::string> WithWindowsLongs(std::string_view text) {
  if (text.find("long") == std::string_view::npos) return std::nullopt;
  const std::vector<Word> words = WordsOf(text);
  const auto word = [&](std::size_t index) {
    return index < words.size() ? text.substr(words[index].begin, words[index].end - words[index].begin) : std::string_view();
  };
  // Words with nothing but spaces between them belong to one type.
  const auto adjoin = [&](std::size_t left) {
    return left + 1 < words.size() && OnlySpaces(text.substr(words[left].end, words[left + 1].begin - words[left].end));
  };
  std::string changed;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (word(i) != "long") continue;
    const std::string_view next = adjoin(i) ? word(i + 1) : std::string_view();
    const std::string_view before = i > 0 && adjoin(i - 1) ? word(i - 1) : std::string_view();
    if (next == "long" || next == "double" || before == "long" || before == "double") continue;
    const bool has_int = next == "int" || before == "int" || (next == "unsigned" && adjoin(i + 1) && word(i + 2) == "int");
    changed += text.substr(copied, words[i].begin - copied);
    if (!has_int) changed += "int";
    copied = words[i].end;
  }
  if (copied == 0) return std::nullopt;
  return changed + std::string(text.substr(copied));
}

}  // namespace tandem::cli

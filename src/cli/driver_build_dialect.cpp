#include "cli/driver_build_dialect.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>

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

// Calls `visit` for each word, and for each other character that is in no comment or literal.
template <class Visit>
void ForEachToken(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = BehindOpaque(text, at);
    if (end == at) {
      while (end < text.size() && IsWordLetter(text[end])) ++end;
      end = std::max(end, at + 1);
      visit(Word{at, end});
    }
    at = end;
  }
}

std::vector<Word> WordsOf(std::string_view text) {
  std::vector<Word> words;
  ForEachToken(text, [&](const Word& token) {
    if (IsWordLetter(text[token.begin])) words.push_back(token);
  });
  return words;
}

// Behind the parenthesis that closes the one at `open`; npos: none does.
std::size_t BehindParentheses(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size();) {
    const std::size_t behind = BehindOpaque(text, at);
    if (behind > at) {
      at = behind;
      continue;
    }
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    ++at;
    if (depth == 0) return at;
  }
  return std::string_view::npos;
}

// The last character of `text` that is no space; 0: there is none.
char LastOf(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? '\0' : text[last];
}

// True if `text` ends with the type that a declaration begins with: a pointer, a calling convention or a class's name behind it.
bool EndsWithType(std::string_view text) {
  static constexpr std::string_view kConventions[] = {"__cdecl", "__stdcall", "__CRTDECL", "NTAPI", "FASTCALL"};
  while (LastOf(text) == ':') {
    text = text.substr(0, text.find_last_of(':'));
    if (!text.ends_with(':')) return false;
    text.remove_suffix(1);
    while (!text.empty() && IsWordLetter(text.back())) text.remove_suffix(1);
  }
  if (LastOf(text) == '*') return true;
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  for (const std::string_view convention : kConventions) {
    if (text.ends_with(convention)) return true;
  }
  return false;
}

// A body in braces. A guarded one whose end something jumps to has a number.
struct Body {
  std::size_t begin = 0;  // behind its brace
  bool guarded = false;
  std::size_t number = 0;
};

// Text that takes the place of `size` characters at `at`.
struct Edit {
  std::size_t at = 0, size = 0;
  std::string text;
};

// nullopt: there are no edits.
std::optional<std::string> Edited(std::string_view text, std::vector<Edit> edits) {
  if (edits.empty()) return std::nullopt;
  std::ranges::stable_sort(edits, {}, &Edit::at);
  std::string changed;
  std::size_t copied = 0;
  for (const Edit& edit : edits) {
    changed.append(text.substr(copied, edit.at - copied)).append(edit.text);
    copied = edit.at + edit.size;
  }
  return changed.append(text.substr(copied));
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
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (word(i) != "long") continue;
    const std::string_view next = adjoin(i) ? word(i + 1) : std::string_view();
    const std::string_view before = i > 0 && adjoin(i - 1) ? word(i - 1) : std::string_view();
    if (next == "long" || next == "double" || before == "long" || before == "double") continue;
    const bool has_int = next == "int" || before == "int" || (next == "unsigned" && adjoin(i + 1) && word(i + 2) == "int");
    edits.push_back({words[i].begin, word(i).size(), has_int ? "" : "int"});
  }
  return Edited(text, std::move(edits));
}

std::optional<std::string> WithCheckedNew(std::string_view text) {
  if (text.find("operator") == std::string_view::npos) return std::nullopt;
  const std::vector<Word> words = WordsOf(text);
  std::vector<Edit> edits;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (text.substr(words[i].begin, words[i].end - words[i].begin) != "operator") continue;
    if (text.substr(words[i + 1].begin, words[i + 1].end - words[i + 1].begin) != "new") continue;
    if (!OnlySpaces(text.substr(words[i].end, words[i + 1].begin - words[i].end))) continue;
    const std::size_t open = text.find_first_not_of(" \t\r\n[]", words[i + 1].end);
    if (open == std::string_view::npos || text[open] != '(' || !EndsWithType(text.substr(0, words[i].begin))) continue;
    const std::size_t end = BehindParentheses(text, open);
    if (end == std::string_view::npos) break;
    const std::size_t next = text.find_first_not_of(" \t\r\n", end);
    if (next == std::string_view::npos || (text[next] != '{' && text[next] != ';' && text[next] != '/')) continue;
    edits.push_back({end, 0, " noexcept"});
  }
  return Edited(text, std::move(edits));
}

std::optional<std::string> WithLeave(std::string_view text) {
  constexpr std::string_view kLeave = "__leave", kTry = "__try";
  if (text.find(kLeave) == std::string_view::npos) return std::nullopt;
  std::vector<Body> bodies;
  std::vector<Edit> edits;
  std::size_t labels = 0;
  bool guards_next = false;
  ForEachToken(text, [&](const Word& token) {
    const std::string_view word = text.substr(token.begin, token.end - token.begin);
    if (word == kTry) {
      guards_next = true;
    } else if (word == "{") {
      bodies.push_back({token.end, std::exchange(guards_next, false), 0});
    } else if (word == kLeave) {
      const auto body = std::ranges::find_if(bodies.rbegin(), bodies.rend(), &Body::guarded);
      if (body == bodies.rend()) return;
      if (body->number == 0) body->number = ++labels;
      edits.push_back({token.begin, word.size(), fmt::format("goto tandem_leave_{}", body->number)});
    } else if (word == "}" && !bodies.empty()) {
      // Braces of their own: no jump crosses a declaration that its label sees.
      if (const Body& body = bodies.back(); body.number != 0) {
        edits.push_back({body.begin, 0, "{"});
        edits.push_back({token.begin, 0, fmt::format("}} tandem_leave_{}:;", body.number)});
      }
      bodies.pop_back();
    }
  });
  return Edited(text, std::move(edits));
}

std::optional<std::string> InClangsDialect(std::string_view text) {
  std::optional<std::string> changed = WithWindowsLongs(text);
  if (auto checked = WithCheckedNew(changed ? std::string_view(*changed) : text)) changed = std::move(checked);
  if (auto leaving = WithLeave(changed ? std::string_view(*changed) : text)) changed = std::move(leaving);
  return changed;
}

}  // namespace tandem::cli

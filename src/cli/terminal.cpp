#include "cli/terminal.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace tandem::cli {
namespace {

constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kWidest = 200;

std::size_t ColumnsOfEnvironment() {
  const char* const text = std::getenv("COLUMNS");
  std::size_t columns = 0;
  if (text != nullptr) std::from_chars(text, text + std::string_view(text).size(), columns);
  return columns;
}

const char* Code(Ink ink) {
  switch (ink) {
    case Ink::kGood: return "\033[32m";
    case Ink::kBad: return "\033[1;31m";
    case Ink::kFaint: return "\033[2m";
    case Ink::kStrong: return "\033[1m";
    case Ink::kPlain: break;
  }
  return "";
}

}  // namespace

TextStyle StyleOfStandardOutput() {
  TextStyle style;
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  winsize window{};
  std::size_t columns = terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
  if (columns == 0) columns = ColumnsOfEnvironment();
  if (columns != 0) style.width = std::clamp(columns, kNarrowest, kWidest);
  const char* const no_color = std::getenv("NO_COLOR");
  style.colour = terminal && (no_color == nullptr || *no_color == '\0');
  return style;
}

std::string Painted(std::string_view text, Ink ink, const TextStyle& style) {
  if (!style.colour || ink == Ink::kPlain) return std::string(text);
  return Code(ink) + std::string(text) + "\033[0m";
}

std::string Wrapped(std::string_view head, std::string_view text, const TextStyle& style) {
  std::string out(head);
  const std::size_t indent = head.size();
  std::size_t column = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (column != indent && column + 1 + word.size() > style.width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    }
    if (column != indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out + '\n';
}

std::string Cut(std::string_view text, std::size_t columns) {
  if (text.size() <= columns) return std::string(text);
  if (columns < 4) return {};
  return std::string(text.substr(0, columns - 3)) + "...";
}

}  // namespace tandem::cli

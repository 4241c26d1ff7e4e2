#include "cli/driver_build_wpp.h"

#include <cctype>

namespace tandem::cli {
namespace {

bool IsNameLetter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

void SkipSpaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

std::string_view TakeName(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && IsNameLetter(text[length])) ++length;
  const std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  SkipSpaces(text);
  return name;
}

// "FUNC Name{LEVEL=x}(MSG, ...);", where FUNC may be missing. Empty for any other line.
std::string_view FunctionOf(std::string_view line) {
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t' || line.front() == '/' || line.front() == '*')) {
    line.remove_prefix(1);
  }
  std::string_view name = TakeName(line);
  const bool marked = name == "FUNC";
  if (marked) name = TakeName(line);
  if (name.empty() || name == "USEPREFIX" || name == "USESUFFIX" || name.starts_with("CUSTOM_TYPE")) return {};
  if (line.starts_with('{') || (marked && line.starts_with('('))) return name;
  return {};
}

}  // namespace

std::set<std::string> TraceFunctionsOf(std::string_view header) {
  std::set<std::string> functions;
  bool inside = false;
  while (!header.empty()) {
    const std::size_t end = header.find('\n');
    const std::string_view line = header.substr(0, end);
    header = end == std::string_view::npos ? std::string_view() : header.substr(end + 1);
    if (line.find("begin_wpp config") != std::string_view::npos) {
      inside = true;
    } else if (line.find("end_wpp") != std::string_view::npos) {
      inside = false;
    } else if (const std::string_view name = inside ? FunctionOf(line) : std::string_view(); !name.empty()) {
      functions.emplace(name);
    }
  }
  return functions;
}

std::string TraceStub(const std::set<std::string>& functions) {
  std::string text;
  for (const std::string& name : functions)
    text.append("#undef ").append(name).append("\n#define ").append(name).append("(...) ((void)0)\n");
  for (const char* const name : {"WPP_INIT_TRACING", "WPP_CLEANUP", "WPP_RECORDER_INITIALIZE"}) {
    text += std::string("#undef ") + name + "\n#define " + name + "(...) ((void)0)\n";
  }
  return text;
}

}  // namespace tandem::cli

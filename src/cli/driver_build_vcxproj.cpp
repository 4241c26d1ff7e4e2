#include "cli/driver_build_vcxproj.h"

#include <algorithm>
#include <optional>

namespace tandem::cli {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

void Add(std::vector<std::string>& words, std::string_view word) {
  if (!word.empty() && std::ranges::find(words, word) == words.end()) words.emplace_back(word);
}

// Parts between semicolons; %(inherited values) and $(macros) are left out, but those of the project's and the solution's folder.
void AddList(std::vector<std::string>& words, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = list.find(';');
    std::string_view word = Trimmed(list.substr(0, end));
    while (word.ends_with('\\') || word.ends_with('/')) word.remove_suffix(1);
    for (const std::string_view own : {"$(ProjectDir)", "$(MSBuildThisFileDirectory)"}) {
      if (word.starts_with(own)) word.remove_prefix(own.size());
    }
    const std::size_t known = word.starts_with(kSolutionFolder) ? kSolutionFolder.size() : 0;
    if (word.find("$(", known) == std::string_view::npos && word.find("%(") == std::string_view::npos) Add(words, word);
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
}

struct Element {
  std::string_view attributes;
  std::string_view content;  // empty for <name/>
};

// The next element of the name from `at` on, which moves behind it. Elements of one name do not lie in each other.
std::optional<Element> Next(std::string_view text, std::string_view name, std::size_t& at) {
  const std::string open = "<" + std::string(name);
  for (;;) {
    const std::size_t begin = text.find(open, at);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::size_t after = begin + open.size();
    const std::size_t end = text.find('>', after);
    if (end == std::string_view::npos) return std::nullopt;
    at = end + 1;
    if (after < text.size() && text[after] != '>' && text[after] != '/' && kSpaces.find(text[after]) == std::string_view::npos) {
      continue;  // A longer name.
    }
    Element element{text.substr(after, end - after), {}};
    if (element.attributes.ends_with('/')) return element;
    const std::size_t close = text.find("</" + std::string(name) + ">", at);
    if (close == std::string_view::npos) return element;
    element.content = text.substr(at, close - at);
    at = close;
    return element;
  }
}

std::string_view Attribute(std::string_view attributes, std::string_view name) {
  const std::size_t begin = attributes.find(std::string(name) + "=\"");
  if (begin == std::string_view::npos) return {};
  const std::size_t first = begin + name.size() + 2;
  return attributes.substr(first, attributes.find('"', first) - first);
}

std::string WithoutComments(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0;;) {
    const std::size_t begin = text.find("<!--", at);
    plain += text.substr(at, begin == std::string_view::npos ? begin : begin - at);
    if (begin == std::string_view::npos) return plain;
    const std::size_t end = text.find("-->", begin);
    if (end == std::string_view::npos) return plain;
    at = end + 3;
  }
}

void AddSources(VcxProject& project, std::string_view text) {
  std::size_t at = 0;
  while (const auto element = Next(text, "ClCompile", at)) {
    const std::string_view file = Attribute(element->attributes, "Include");
    std::size_t inside = 0;
    const auto excluded = Next(element->content, "ExcludedFromBuild", inside);
    const bool always = excluded && excluded->attributes.empty() && Trimmed(excluded->content) == "true";
    if (!always) Add(project.sources, file);
  }
}

void AddEach(std::vector<std::string>& words, std::string_view text, std::string_view name) {
  std::size_t at = 0;
  while (const auto element = Next(text, name, at)) AddList(words, element->content);
}

// Older standards are built as C++17.
void AddStandard(VcxProject& project, std::string_view text) {
  std::size_t at = 0;
  const auto element = Next(text, "LanguageStandard", at);
  if (!element) return;
  const std::string_view name = Trimmed(element->content);
  if (name == "stdcpp20") project.cpp_standard = "c++20";
  if (name == "stdcpp23" || name == "stdcpplatest") project.cpp_standard = "c++2b";
}

// Groups without a condition, and those of the first condition that names `configuration`.
bool AddGroups(VcxProject& project, std::string_view text, std::string_view configuration) {
  bool found = false;
  std::size_t at = 0;
  while (const auto group = Next(text, "ItemDefinitionGroup", at)) {
    const std::string_view condition = Attribute(group->attributes, "Condition");
    const bool chosen = condition.find(configuration) != std::string_view::npos;
    if (!condition.empty() && !chosen) continue;
    found = found || chosen;
    AddEach(project.includes, group->content, "AdditionalIncludeDirectories");
    AddEach(project.definitions, group->content, "PreprocessorDefinitions");
    AddStandard(project, group->content);
  }
  return found;
}

}  // namespace

VcxProject ReadVcxProject(std::string_view text) {
  const std::string plain = WithoutComments(text);
  VcxProject project;
  AddSources(project, plain);
  AddEach(project.includes, plain, "IncludePath");
  // Names of the x64 release configurations: "Release|x64", "Win10Release|x64", "Win8.1 Release|x64".
  if (!AddGroups(project, plain, "Release|x64")) AddGroups(project, plain, "|x64");
  return project;
}

std::vector<std::string> ReadSourcesFile(std::string_view text) {
  std::vector<std::string> sources;
  bool inside = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = Trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (!inside) {
      const std::size_t equals = line.find('=');
      if (equals == std::string_view::npos || Trimmed(line.substr(0, equals)) != "SOURCES") continue;
      line = line.substr(equals + 1);
    }
    inside = line.ends_with('\\');
    if (inside) line.remove_suffix(1);
    while (!(line = Trimmed(line)).empty()) {
      const std::size_t word = line.find_first_of(kSpaces);
      Add(sources, line.substr(0, word));
      line = word == std::string_view::npos ? std::string_view() : line.substr(word);
    }
  }
  return sources;
}

}  // namespace tandem::cli

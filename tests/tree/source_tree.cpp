#include "tests/tree/source_tree.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tandem::tree {
namespace {

constexpr std::string_view kWddmFolder = "include/wddm/";

bool IsSource(const std::filesystem::path& path) {
  static constexpr std::array<std::string_view, 9> kExtensions = {".h",    ".hpp",  ".cpp",  ".cc",  ".c",
                                                                  ".comp", ".vert", ".frag", ".glsl"};
  return std::ranges::find(kExtensions, path.extension().string()) != kExtensions.end();
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string_view TrimLeft(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

}  // namespace

std::vector<SourceFile> ReadSourceTree() {
  const std::filesystem::path root = TANDEM_SOURCE_DIR;
  std::vector<SourceFile> tree;
  for (const char* folder : {"src", "include", "tests", "fuzz", "bench"}) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
      tree.push_back({std::filesystem::relative(entry.path(), root).generic_string(), ReadFile(entry.path())});
    }
  }
  std::ranges::sort(tree, {}, &SourceFile::path);
  return tree;
}

std::vector<std::string> WddmHeaders(const std::vector<SourceFile>& tree) {
  std::vector<std::string> headers;
  for (const SourceFile& file : tree) {
    if (file.path.starts_with(kWddmFolder)) headers.push_back(file.path.substr(kWddmFolder.size()));
  }
  return headers;
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

std::vector<Include> IncludesOf(std::string_view text) {
  std::vector<Include> includes;
  int number = 0;
  for (const std::string_view line : LinesOf(text)) {
    ++number;
    std::string_view rest = TrimLeft(line);
    if (!rest.starts_with('#')) continue;
    rest = TrimLeft(rest.substr(1));
    if (!rest.starts_with("include")) continue;
    rest = TrimLeft(rest.substr(std::string_view("include").size()));
    if (rest.empty() || (rest[0] != '"' && rest[0] != '<')) continue;
    const bool quoted = rest[0] == '"';
    const std::size_t end = rest.find(quoted ? '"' : '>', 1);
    if (end == std::string_view::npos) continue;
    includes.push_back({std::string(rest.substr(1, end - 1)), number, quoted});
  }
  return includes;
}

}  // namespace tandem::tree

#include "tests/tree/file_rules.h"

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>

#include <fmt/format.h>

namespace tandem::tree {
namespace {

constexpr std::size_t kMaxLines = 800;

bool IsShader(std::string_view path) {
  return path.ends_with(".comp") || path.ends_with(".vert") || path.ends_with(".frag") || path.ends_with(".glsl");
}

bool IsTest(std::string_view path) { return path.starts_with("tests/") || path.ends_with("_test.cpp"); }

// One sentence for each line that matches the expression.
std::vector<std::string> LinesMatching(const SourceFile& file, const std::regex& expression, std::string_view what) {
  std::vector<std::string> sentences;
  int number = 0;
  for (const std::string_view line : LinesOf(file.text)) {
    ++number;
    if (std::regex_search(line.begin(), line.end(), expression)) {
      sentences.push_back(fmt::format("{}:{}: {}", file.path, number, what));
    }
  }
  return sentences;
}

}  // namespace

std::vector<std::string> LongFile(const SourceFile& file) {
  const std::size_t lines = LinesOf(file.text).size();
  if (lines <= kMaxLines) return {};
  return {fmt::format("{} has {} lines; the limit is {}.", file.path, lines, kMaxLines)};
}

std::vector<std::string> ClimbingIncludes(const SourceFile& file) {
  std::vector<std::string> sentences;
  for (const Include& include : IncludesOf(file.text)) {
    if (include.path.find("../") == std::string::npos) continue;
    sentences.push_back(fmt::format("{}:{}: {} climbs; paths start at src/.", file.path, include.line, include.path));
  }
  return sentences;
}

std::vector<std::string> MissingGuard(const SourceFile& file) {
  // Highway's -inl.h headers are included once for each instruction set, the kit's packing once for each structure.
  if (!file.path.ends_with(".h") || file.path.ends_with("-inl.h")) return {};
  if (file.path.starts_with("include/nt/pshpack") || file.path == "include/nt/poppack.h") return {};
  if (file.text.find("#pragma once") != std::string::npos || file.text.find("#ifndef ") != std::string::npos) return {};
  return {fmt::format("{} has no #pragma once.", file.path)};
}

std::vector<std::string> UnreasonedNotes(const SourceFile& file) {
  static const std::regex kMark(R"((//|/\*)\s*((FIXME|XXX|HACK)\b|TODO\b(?!: \S+( \S+){4,})))");
  return LinesMatching(file, kMark, "a TODO needs a reason of five words or more after \"TODO: \"; no other mark is used.");
}

std::vector<std::string> StrayTime(const SourceFile& file) {
  if (!file.path.starts_with("src/") || IsTest(file.path) || IsShader(file.path) || file.path == "src/base/clock.cpp") return {};
  if (file.path == "src/base/read_clock.cpp") return {};
  if (file.path == "src/drivers/host/clock.h") return {};  // The NT kernel's clocks, inside a driver.
  static const std::regex kTime(R"(_clock::now\(|\bclock_gettime\(|\bgettimeofday\(|\bsleep_for\(|\busleep\(|\bnanosleep\()");
  return LinesMatching(file, kTime, "time comes from an injected Clock.");
}

std::vector<std::string> StrayCondition(const SourceFile& file) {
  if (!file.path.starts_with("src/") || IsTest(file.path) || file.path.find("/testing/") != std::string::npos) return {};
  static const std::regex kCondition(R"(#include <condition_variable>|\bpthread_cond_\w+\()");
  return LinesMatching(file, kCondition, "threads wait by base/condition.h.");
}

std::vector<std::string> HeaderNotFirst(const SourceFile& file, const std::vector<SourceFile>& tree) {
  constexpr std::string_view kSource = "src/";
  constexpr std::string_view kExtension = ".cpp";
  if (!file.path.starts_with(kSource) || !file.path.ends_with(kExtension)) return {};
  const std::string header = file.path.substr(0, file.path.size() - kExtension.size()) + ".h";
  if (!std::ranges::binary_search(tree, header, {}, &SourceFile::path)) return {};
  const auto includes = IncludesOf(file.text);
  if (!includes.empty() && includes.front().path == header.substr(kSource.size())) return {};
  return {fmt::format("{} does not include its own header first.", file.path)};
}

}  // namespace tandem::tree

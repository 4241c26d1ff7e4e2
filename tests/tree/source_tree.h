// The tree's source files as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem::tree {

struct SourceFile {
  std::string path;  // relative to the root of the tree: "src/base/result.h"
  std::string text;
};

struct Include {
  std::string path;  // the text between the quotes or brackets
  int line = 0;      // from 1
  bool quoted = false;
};

// C++, C and shader files under src, include, tests, fuzz and bench, sorted by path.
[[nodiscard]] std::vector<SourceFile> ReadSourceTree();

// Paths of the headers under include/wddm, relative to it, as <d3dkmddi.h> may name them.
[[nodiscard]] std::vector<std::string> WddmHeaders(const std::vector<SourceFile>& tree);

[[nodiscard]] std::vector<Include> IncludesOf(std::string_view text);

// Lines without their line ends.
[[nodiscard]] std::vector<std::string_view> LinesOf(std::string_view text);

}  // namespace tandem::tree

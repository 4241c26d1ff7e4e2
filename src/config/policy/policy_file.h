// Files of policy: TOML with a table [default] and a table [app."name"] for each program that needs its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/policy/pattern.h"
#include "config/settings.h"

namespace tandem::config {

inline constexpr std::size_t kMaxPatterns = 64;  // of one table

// A key of a table, its value as the environment would have it.
struct PolicyLine {
  std::string key;  // "use", or one of the table of settings
  std::string text;
  std::uint32_t line = 0;
};

struct PolicyTable {
  std::string name;  // "default", or app."name"
  std::uint32_t line = 0;
  std::vector<Pattern> match;  // none: every program
  std::vector<PolicyLine> lines;
  std::vector<PolicyLine> locks;  // `text` is empty
};

// A table, or a whole file, that does not count, and the reason.
struct PolicyFault {
  std::string file;
  std::uint32_t line = 0;  // 0: the file as a whole
  std::string sentence;

  [[nodiscard]] std::string Text() const;  // "file:line: sentence"
};

struct PolicyFile {
  Source source = Source::kFile;
  std::string path;
  std::vector<PolicyTable> tables;  // in the order of the file
  std::vector<PolicyFault> faults;
};

// Takes any bytes. A fault leaves out its own table; one that no table has, the file.
[[nodiscard]] PolicyFile ParsePolicyText(std::string_view text, std::string_view path, Source source);

}  // namespace tandem::config

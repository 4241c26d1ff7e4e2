// Changes the values of one table of a TOML file line by line: every other byte stays as its owner wrote it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tandem::config {

// `text` as a basic string of TOML. Precondition: no control characters.
[[nodiscard]] std::string QuotedToml(std::string_view text);

struct TableEdit {
  struct Value {
    std::string_view key;             // a bare key
    std::optional<std::string> text;  // as TOML has it on one line; nothing takes the key out
  };
  std::vector<std::string> path;  // keys from the root to the table
  std::string header;             // "[app.\"game\"]", for a file without the table
  std::vector<Value> values;
};

// The text with the values in their table; a table without keys goes. Errors: ParseToml's; kUnsupported when the file is written
// in a way (inline tables, dotted keys) that cannot be changed line by line.
[[nodiscard]] Result<std::string> WithTableValues(std::string_view text, std::string_view file_name, const TableEdit& edit);

}  // namespace tandem::config

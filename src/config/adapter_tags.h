// Tables [adapter."SELECTOR"] of the configuration file: adapters that are no graphics adapters to programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/adapter_info.h"

namespace tandem::config {

struct AdapterTag {
  std::string selector;
  bool hidden = false;
};

struct AdapterTags {
  std::vector<AdapterTag> tags;
  std::vector<std::string> problems;  // a sentence for each table that is left out
};

// Takes any bytes. A wrong table is left out and named in `problems`. Errors: those of ParseToml.
[[nodiscard]] Result<AdapterTags> ParseAdapterTags(std::string_view toml, std::string_view file_name);
// Empty when there is no such file. Also kIo.
[[nodiscard]] Result<AdapterTags> ReadAdapterTags(const std::string& path);

// Hides every adapter that a tag's selector fits: it renders when it is named, has no outputs and shows nothing. Tags that fit no
// adapter of this machine change nothing.
void ApplyTags(std::span<const AdapterTag> tags, std::span<AdapterInfo> adapters);

}  // namespace tandem::config

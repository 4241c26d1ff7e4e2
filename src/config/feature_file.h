// The file of feature overrides, in place of the registry keys Features\<id>: for tests and development. TOML with a table
// [all.FEATURE] for every adapter and [adapter."SELECTOR".FEATURE] for one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tandem::config {

// Overrides of one feature; a key that is not set keeps its default.
struct FeatureValues {
  std::optional<bool> enabled;
  std::optional<std::uint16_t> min_version;
  std::optional<std::uint16_t> max_version;
  std::optional<bool> allow_experimental;

  [[nodiscard]] bool empty() const { return !enabled && !min_version && !max_version && !allow_experimental; }
  [[nodiscard]] bool operator==(const FeatureValues&) const = default;
};

struct FeatureEntry {
  std::string adapter;  // selector; empty: every adapter
  std::string feature;  // its name, as `tandem features list` prints it
  FeatureValues values;

  [[nodiscard]] bool operator==(const FeatureEntry&) const = default;
};

// "enabled", "min_version", "max_version", "allow_experimental".
[[nodiscard]] const std::vector<std::string_view>& FeatureKeys();
// Sets one of them from the text of its value. kInvalidArgument with the key or the value, and what is allowed.
Result<void> SetFeatureValue(FeatureValues& values, std::string_view key, std::string_view text);
// Gives the key its default again. kInvalidArgument for an unknown key.
Result<void> ClearFeatureValue(FeatureValues& values, std::string_view key);

// Takes any bytes; names of features are not looked up. Errors: ParseToml's; kInvalidArgument with file, line and what is
// allowed.
[[nodiscard]] Result<std::vector<FeatureEntry>> ParseFeatureText(std::string_view text, std::string_view file_name);

// The text with `values` in the entry of that adapter and feature in place of all that was there; empty values take the entry
// out. Everything else stays as it is, comments too. Errors: ParseFeatureText's; kUnsupported when the file is written in a way
// (inline tables, dotted keys) that cannot be changed line by line.
[[nodiscard]] Result<std::string> WithFeatureEntry(std::string_view text, std::string_view file_name, const FeatureEntry& entry);

// features.toml beside the configuration file.
[[nodiscard]] std::optional<std::string> FeatureFilePath();
// No entries when there is no such file. Errors: ParseFeatureText's, kIo.
[[nodiscard]] Result<std::vector<FeatureEntry>> ReadFeatureFile(const std::string& path);
// Reads, changes and replaces the file, whose new text must parse. Two writers at once: the last one's file stays.
Result<void> ChangeFeatureFile(const std::string& path, const FeatureEntry& entry);

}  // namespace tandem::config

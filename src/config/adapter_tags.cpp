#include "config/adapter_tags.h"

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "config/config_io.h"
#include "config/selector.h"
#include "config/toml.h"

namespace tandem::config {
namespace {

Result<AdapterTag> ReadTag(std::string_view selector, const toml::node& node, const TomlPlace& place) {
  if (const auto parsed = ParseSelector(selector); !parsed.ok()) return parsed.error().Context(place.At(node.source()));
  const toml::table* const table = node.as_table();
  if (table == nullptr) {
    return Fail(ErrorKind::kInvalidArgument, "{}: adapter.{} is not a table; write [adapter.\"{}\"].", place.At(node.source()),
                selector, selector);
  }
  AdapterTag tag{std::string(selector), false};
  for (const auto& [name, value] : *table) {
    if (name != "hidden") {
      return Fail(ErrorKind::kInvalidArgument, "{}: [adapter.\"{}\"] has a key '{}', which is not hidden.",
                  place.At(name.source()), selector, name.str());
    }
    const auto* const flag = value.as_boolean();
    if (flag == nullptr) {
      return Fail(ErrorKind::kInvalidArgument, "{}: hidden is neither true nor false.", place.At(value.source()));
    }
    tag.hidden = flag->get();
  }
  return tag;
}

}  // namespace

Result<AdapterTags> ParseAdapterTags(std::string_view toml_text, std::string_view file_name) {
  const auto parsed = ParseToml(toml_text, file_name);
  if (!parsed.ok()) return parsed.error();
  AdapterTags read;
  try {
    const toml::table* const adapters = (*parsed)["adapter"].as_table();
    if (adapters == nullptr) return read;
    for (const auto& [selector, node] : *adapters) {
      auto tag = ReadTag(selector.str(), node, TomlPlace{file_name});
      if (tag.ok()) {
        read.tags.push_back(*std::move(tag));
      } else {
        read.problems.push_back(tag.error().message);
      }
    }
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kOutOfMemory, "{} cannot be read: {}.", file_name, error.what());
  }
  return read;
}

Result<AdapterTags> ReadAdapterTags(const std::string& path) {
  auto text = ReadConfigFile(path);
  if (!text.ok()) return std::move(text).error();
  return *text ? ParseAdapterTags(**text, path) : AdapterTags{};
}

void ApplyTags(std::span<const AdapterTag> tags, std::span<AdapterInfo> adapters) {
  for (const AdapterTag& tag : tags) {
    const auto selector = ParseSelector(tag.selector);
    if (!tag.hidden || !selector.ok()) continue;
    for (AdapterInfo& adapter : adapters) {
      if (!Matches(*selector, adapter)) continue;
      adapter.hidden = true;
      adapter.can_display = false;
      adapter.outputs.clear();
    }
  }
}

}  // namespace tandem::config

#include "system/cache_fields.h"

#include <variant>

#include "base/printable.h"
#include "config/selector.h"

namespace tandem::system {

std::string KeptText(std::string_view text) {
  const std::string printable = Printable(text);
  return std::string(FittingUtf8(printable, kMaxCachedTextBytes));
}

std::string Fields::Text(const char* name) {
  const Json* const value = Find(name);
  const auto* const text = value == nullptr ? nullptr : value->get_ptr<const std::string*>();
  if (text != nullptr && KeptText(*text) == *text) return *text;
  Refuse(name);
  return {};
}

std::uint64_t Fields::Number(const char* name, std::uint64_t limit) {
  const Json* const value = Find(name);
  const auto* const number = value == nullptr ? nullptr : value->get_ptr<const Json::number_unsigned_t*>();
  if (number != nullptr && *number <= limit) return *number;
  Refuse(name);
  return 0;
}

std::uint32_t Fields::Number32(const char* name, std::uint32_t limit) { return static_cast<std::uint32_t>(Number(name, limit)); }

bool Fields::Flag(const char* name) {
  const Json* const value = Find(name);
  if (value != nullptr && value->is_boolean()) return value->get<bool>();
  Refuse(name);
  return false;
}

std::array<std::uint8_t, 16> Fields::Uuid(const char* name) {
  const auto selector = config::ParseSelector(Text(name));
  if (selector.ok()) {
    if (const auto* const found = std::get_if<config::UuidSelector>(&*selector)) return found->uuid;
  }
  Refuse(name);
  return {};
}

std::vector<std::string> Fields::Texts(const char* name, std::size_t limit) {
  std::vector<std::string> texts;
  const Json* const list = Find(name);
  if (list == nullptr || !list->is_array() || list->size() > limit) {
    Refuse(name);
    return texts;
  }
  for (const Json& value : *list) {
    const auto* const text = value.get_ptr<const std::string*>();
    if (text == nullptr || KeptText(*text) != *text) {
      Refuse(name);
      return {};
    }
    texts.push_back(*text);
  }
  return texts;
}

void Fields::Refuse(const char* name) {
  if (wrong_.empty()) wrong_ = name;
}

const Json* Fields::Find(const char* name) const {
  const auto found = object_.is_object() ? object_.find(name) : object_.end();
  return object_.is_object() && found != object_.end() ? &*found : nullptr;
}

}  // namespace tandem::system

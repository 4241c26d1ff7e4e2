// Fields of the JSON objects in cached files, whose content may be anything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tandem::system {

using Json = nlohmann::json;

inline constexpr std::size_t kMaxCachedTextBytes = 4096;

// The part of a text that a field takes, printable.
[[nodiscard]] std::string KeptText(std::string_view text);

// The fields of one JSON object. A wrong one is remembered and read as empty.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}
  // The first field that is missing or outside its limits; empty: none.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

  std::string Text(const char* name);
  std::uint64_t Number(const char* name, std::uint64_t limit);
  std::uint32_t Number32(const char* name, std::uint32_t limit = std::numeric_limits<std::uint32_t>::max());
  bool Flag(const char* name);
  std::array<std::uint8_t, 16> Uuid(const char* name);
  std::vector<std::string> Texts(const char* name, std::size_t limit);
  void Refuse(const char* name);

 private:
  [[nodiscard]] const Json* Find(const char* name) const;

  const Json& object_;
  std::string wrong_;
};

}  // namespace tandem::system

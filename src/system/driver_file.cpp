#include "system/driver_file.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/config_io.h"
#include "config/toml.h"

namespace tandem::system {
namespace {

using config::TomlPlace;
using kernel::AcpiArgument;
using kernel::RegistryRoot;
using kernel::RegistryValue;

// winnt.h.
constexpr std::uint32_t kRegSz = 1, kRegBinary = 3, kRegDword = 4, kRegMultiSz = 7, kRegQword = 11;
// acpiioct.h.
constexpr std::uint16_t kAcpiInteger = 0, kAcpiString = 1, kAcpiBuffer = 2;
constexpr std::size_t kLongestPath = 200;       // of a key below its root, and of a name
constexpr std::size_t kMostData = 1024 * 1024;  // bytes of a registry value
constexpr std::size_t kMostAcpiData = 65535;    // bytes of an argument
constexpr std::array<std::string_view, 3> kRoots{"driver", "device", "service"};

template <class Number>
void Append(std::vector<std::byte>& data, Number number) {
  for (std::size_t i = 0; i < sizeof(number); ++i) data.push_back(static_cast<std::byte>(number >> (8 * i) & 0xFF));
}

bool IsAscii(std::string_view text) {
  for (const char letter : text) {
    if (letter <= 0 || letter > 0x7E) return false;
  }
  return true;
}

// UTF-16 with its zero. False for text that is not ASCII: the driver host folds names, and knows no other text.
bool AppendText(std::vector<std::byte>& data, std::string_view text) {
  if (!IsAscii(text)) return false;
  for (const char letter : text) Append(data, static_cast<std::uint16_t>(letter));
  Append(data, std::uint16_t{0});
  return true;
}

// Bytes in hexadecimal, with or without spaces between them.
std::optional<std::vector<std::byte>> FromHex(std::string_view text) {
  std::vector<std::byte> data;
  while (!text.empty()) {
    if (text.front() == ' ') {
      text.remove_prefix(1);
      continue;
    }
    unsigned value = 0;
    if (text.size() < 2) return std::nullopt;
    const auto parsed = std::from_chars(text.data(), text.data() + 2, value, 16);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + 2) return std::nullopt;
    data.push_back(static_cast<std::byte>(value));
    text.remove_prefix(2);
  }
  return data;
}

template <class... Args>
Error Wrong(const TomlPlace& place, const toml::node& node, fmt::format_string<Args...> text, Args&&... args) {
  return Fail(ErrorKind::kInvalidArgument, "{}: {}", place.At(node.source()), fmt::format(text, std::forward<Args>(args)...));
}

// The one member of an inline table; null for other nodes.
const toml::node* MemberOf(const toml::node& node, std::string_view name) {
  const toml::table* const table = node.as_table();
  return table != nullptr && table->is_inline() && table->size() == 1 ? table->get(name) : nullptr;
}

Result<std::vector<std::byte>> Binary(const toml::node& node, const TomlPlace& place, std::size_t most) {
  const auto* const text = node.as_string();
  auto data = text == nullptr ? std::nullopt : FromHex(text->get());
  if (!data || data->size() > most) return Wrong(place, node, "'binary' is not at most {} bytes in hexadecimal.", most);
  return *std::move(data);
}

Result<void> ReadList(const toml::array& list, const TomlPlace& place, RegistryValue& value) {
  value.type = kRegMultiSz;
  for (const toml::node& node : list) {
    const auto* const text = node.as_string();
    if (text == nullptr || text->get().empty() || !AppendText(value.data, text->get())) {
      return Wrong(place, node, "An element of the list '{}' is not a text of ASCII letters.", value.name);
    }
  }
  Append(value.data, std::uint16_t{0});
  return {};
}

Result<void> ReadValue(const toml::node& node, const TomlPlace& place, RegistryValue& value) {
  if (const auto* const number = node.as_integer()) {
    if (number->get() < 0 || number->get() > std::numeric_limits<std::uint32_t>::max()) {
      return Wrong(place, node, "'{}' is not within 0 and 4294967295; {{ qword = {} }} is a REG_QWORD.", value.name,
                   number->get());
    }
    value.type = kRegDword;
    Append(value.data, static_cast<std::uint32_t>(number->get()));
    return {};
  }
  if (const auto* const text = node.as_string()) {
    value.type = kRegSz;
    if (!AppendText(value.data, text->get())) return Wrong(place, node, "'{}' is not a text of ASCII letters.", value.name);
    return {};
  }
  if (const toml::array* const list = node.as_array()) return ReadList(*list, place, value);
  if (const toml::node* const binary = MemberOf(node, "binary")) {
    auto data = Binary(*binary, place, kMostData);
    if (!data.ok()) return std::move(data).error();
    value.type = kRegBinary;
    value.data = *std::move(data);
    return {};
  }
  if (const toml::node* const qword = MemberOf(node, "qword"); qword != nullptr && qword->is_integer()) {
    value.type = kRegQword;
    Append(value.data, static_cast<std::uint64_t>(qword->as_integer()->get()));
    return {};
  }
  return Wrong(place, node, "'{}' is none of: a number, a text, a list of texts, {{ qword = NUMBER }}, {{ binary = \"HEX\" }}.",
               value.name);
}

Result<void> ReadKey(const toml::table& table, RegistryRoot root, const std::string& path, const TomlPlace& place,
                     std::vector<RegistryValue>& values) {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (name.empty() || !IsAscii(name) || path.size() + name.size() > kLongestPath) {
      return Wrong(place, node, "'{}' is not a name of ASCII letters, {} at most with its key.", name, kLongestPath);
    }
    if (const toml::table* const subkey = node.as_table(); subkey != nullptr && !subkey->is_inline()) {
      if (auto read = ReadKey(*subkey, root, path.empty() ? name : path + '\\' + name, place, values); !read.ok()) return read;
      continue;
    }
    RegistryValue value{root, path, name, 0, {}};
    if (auto read = ReadValue(node, place, value); !read.ok()) return read;
    values.push_back(std::move(value));
  }
  return {};
}

Result<void> ReadRegistry(const toml::table& registry, const TomlPlace& place, kernel::DriverSettings& settings) {
  for (const auto& [name, node] : registry) {
    std::size_t root = 0;
    while (root < kRoots.size() && kRoots[root] != name.str()) ++root;
    const toml::table* const table = node.as_table();
    if (table == nullptr || root == kRoots.size()) {
      return Wrong(place, node, "'{}' is none of the tables [registry.driver], [registry.device], [registry.service].",
                   name.str());
    }
    if (auto read = ReadKey(*table, static_cast<RegistryRoot>(root), {}, place, settings.registry); !read.ok()) return read;
  }
  return {};
}

Result<AcpiArgument> ReadArgument(const toml::node& node, const TomlPlace& place, std::string_view method) {
  AcpiArgument argument;
  if (const auto* const number = node.as_integer();
      number != nullptr && number->get() >= 0 && number->get() <= std::numeric_limits<std::uint32_t>::max()) {
    argument.type = kAcpiInteger;
    Append(argument.data, static_cast<std::uint32_t>(number->get()));
    return argument;
  }
  if (const auto* const text = node.as_string(); text != nullptr && IsAscii(text->get()) && text->get().size() < kMostAcpiData) {
    argument.type = kAcpiString;
    for (const char letter : text->get()) argument.data.push_back(static_cast<std::byte>(letter));
    argument.data.push_back({});
    return argument;
  }
  if (const toml::node* const binary = MemberOf(node, "binary")) {
    auto data = Binary(*binary, place, kMostAcpiData);
    if (!data.ok()) return std::move(data).error();
    argument.type = kAcpiBuffer;
    argument.data = *std::move(data);
    return argument;
  }
  return Wrong(place, node,
               "'{}' answers none of: a number from 0 to 4294967295, a text, {{ binary = \"HEX\" }}, a list of these.", method);
}

Result<void> ReadMethods(const toml::table& methods, const TomlPlace& place, kernel::DriverSettings& settings) {
  constexpr std::size_t kNameLetters = 4;
  for (const auto& [name, node] : methods) {
    kernel::AcpiAnswer answer{std::string(name.str()), {}};
    if (answer.method.size() != kNameLetters || !IsAscii(answer.method)) {
      return Wrong(place, node, "'{}' is not the name of an ACPI method: it has four letters.", answer.method);
    }
    const toml::array* const package = node.as_array();
    const std::size_t count = package == nullptr ? 1 : package->size();
    for (std::size_t i = 0; i < count; ++i) {
      auto argument = ReadArgument(package == nullptr ? node : *package->get(i), place, answer.method);
      if (!argument.ok()) return std::move(argument).error();
      answer.arguments.push_back(*std::move(argument));
    }
    settings.acpi.push_back(std::move(answer));
  }
  return {};
}

}  // namespace

Result<kernel::DriverSettings> ParseDriverText(std::string_view text, std::string_view file_name) {
  const auto root = config::ParseToml(text, file_name);
  if (!root.ok()) return root.error();
  const TomlPlace place{file_name};
  kernel::DriverSettings settings;
  for (const auto& [name, node] : *root) {
    const toml::table* const table = node.as_table();
    Result<void> read;
    if (table != nullptr && name == "registry") {
      read = ReadRegistry(*table, place, settings);
    } else if (const toml::table* const methods = table == nullptr ? nullptr : (*table)["methods"].as_table();
               name == "acpi" && methods != nullptr && table->size() == 1) {
      read = ReadMethods(*methods, place, settings);
    } else {
      read = Wrong(place, node, "'{}' is none of the tables [registry.…], [acpi.methods].", name.str());
    }
    if (!read.ok()) return std::move(read).error();
  }
  return settings;
}

Result<kernel::DriverSettings> ReadDriverFile(const std::string& path) {
  auto text = config::ReadConfigFile(path);
  if (!text.ok()) return std::move(text).error();
  if (!*text) return Fail(ErrorKind::kNotFound, "There is no file {}.", path);
  return ParseDriverText(**text, path);
}

}  // namespace tandem::system

#include "coproc/config_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// The parser asserts on some malformed files that it reports as errors all the same; a file is input, not a bug.
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>

#include "base/env.h"
#include "base/unique_fd.h"
#include "coproc/settings_key.h"

namespace tandem::coproc {
namespace {

struct Place {
  std::string_view file;

  [[nodiscard]] std::string At(const toml::source_region& source) const {
    return std::string(file) + ":" + std::to_string(source.begin.line);
  }
};

std::string AllowedKeys() {
  std::string text;
  for (const SettingKey& key : SettingKeys()) text += (text.empty() ? "" : ", ") + std::string(key.name);
  return text;
}

const SettingKey* FindKey(std::string_view name) {
  for (const SettingKey& key : SettingKeys()) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

std::string_view Wanted(SettingType type) {
  switch (type) {
    case SettingType::kText: return "a text in quotes";
    case SettingType::kTextOrIndex: return "a text in quotes or a whole number";
    case SettingType::kFlag: return "true or false";
  }
  return "";
}

// The value as the environment would have it; nothing when its type does not fit.
std::optional<std::string> TextOf(const toml::node& node, SettingType type) {
  if (type == SettingType::kFlag) {
    const auto* flag = node.as_boolean();
    return flag ? std::optional<std::string>(flag->get() ? "1" : "0") : std::nullopt;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer(); number && type == SettingType::kTextOrIndex) return std::to_string(number->get());
  return std::nullopt;
}

Result<void> ApplyTable(const toml::table& table, std::string_view table_name, const Place& place, Settings& settings) {
  for (const auto& [name, node] : table) {
    const SettingKey* key = FindKey(name.str());
    if (!key) {
      return Fail(ErrorKind::kInvalidArgument, "{}: [{}] has a key '{}', which is not one of {}.", place.At(name.source()),
                  table_name, name.str(), AllowedKeys());
    }
    const auto text = TextOf(node, key->type);
    if (!text) {
      return Fail(ErrorKind::kInvalidArgument, "{}: {} is not {}.", place.At(node.source()), key->name, Wanted(key->type));
    }
    if (auto parsed = key->parse(settings, *text); !parsed.ok()) {
      return Fail(parsed.error().kind, "{}: {}: {}", place.At(node.source()), key->name, parsed.error().message);
    }
  }
  return {};
}

Result<void> ApplyApps(const toml::table& apps, std::string_view application, const Place& place, Settings& settings) {
  for (const auto& [name, node] : apps) {
    const toml::table* table = node.as_table();
    if (!table) {
      return Fail(ErrorKind::kInvalidArgument, "{}: app.{} is not a table; write [app.\"{}\"].", place.At(node.source()),
                  name.str(), name.str());
    }
    Settings other;
    Settings& target = name.str() == application ? settings : other;
    auto applied = ApplyTable(*table, "app.\"" + std::string(name.str()) + "\"", place, target);
    if (!applied.ok()) return applied;
  }
  return {};
}

Result<Settings> Apply(const toml::table& root, std::string_view application, const Place& place, const Settings& base) {
  Settings settings = base;
  for (const auto& [name, node] : root) {
    if ((name != "default" && name != "app") || !node.is_table()) {
      return Fail(ErrorKind::kInvalidArgument, "{}: '{}' is not one of the tables [default], [app.\"name\"].",
                  place.At(name.source()), name.str());
    }
  }
  if (const toml::table* table = root["default"].as_table()) {
    if (auto applied = ApplyTable(*table, "default", place, settings); !applied.ok()) return std::move(applied).error();
  }
  if (const toml::table* table = root["app"].as_table()) {
    if (auto applied = ApplyApps(*table, application, place, settings); !applied.ok()) return std::move(applied).error();
  }
  return settings;
}

// At most kMaxConfigBytes + 1 bytes, so that one too many is seen.
Result<std::string> ReadBounded(const UniqueFd& file, const std::string& path) {
  std::string text(kMaxConfigBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Fail(ErrorKind::kIo, "{} cannot be read: {}.", path, std::strerror(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

// toml++ 3.3 runs into undefined behaviour at some code points outside quotes; TOML can write every character in ASCII.
Result<void> CheckAscii(std::string_view text, std::string_view file_name) {
  const auto foreign = std::ranges::find_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (foreign == text.end()) return {};
  return Fail(ErrorKind::kInvalidArgument, "{}: line {}: Byte {:#x} is not ASCII; write such a character as \\uXXXX within quotes.", file_name,
              1 + std::count(text.begin(), foreign, '\n'), static_cast<unsigned char>(*foreign));
}

}  // namespace

Result<Settings> ApplyConfigText(std::string_view toml_text, std::string_view file_name, std::string_view application,
                                 const Settings& base) {
  if (toml_text.size() > kMaxConfigBytes) {
    return Fail(ErrorKind::kLimit, "{} has more than {} bytes.", file_name, kMaxConfigBytes);
  }
  if (auto ascii = CheckAscii(toml_text, file_name); !ascii.ok()) return std::move(ascii).error();
  const Place place{file_name};
  try {
    const toml::parse_result parsed = toml::parse(toml_text);
    if (!parsed) {
      return Fail(ErrorKind::kInvalidArgument, "{}: {}.", place.At(parsed.error().source()), parsed.error().description());
    }
    return Apply(parsed.table(), application, place, base);
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kOutOfMemory, "{} cannot be parsed: {}.", file_name, error.what());
  }
}

std::optional<std::string> ConfigFilePath() {
  if (const auto directory = EnvString("XDG_CONFIG_HOME"); directory && directory->front() == '/') {
    return *directory + "/tandem/tandem.toml";
  }
  if (const auto home = EnvString("HOME")) return *home + "/.config/tandem/tandem.toml";
  return std::nullopt;
}

Result<Settings> ApplyConfigFile(const std::string& path, std::string_view application, const Settings& base) {
  // O_NONBLOCK: a pipe in the file's place must not stop the program.
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) {
    if (errno == ENOENT || errno == ENOTDIR) return base;
    return Fail(ErrorKind::kIo, "{} cannot be opened: {}.", path, std::strerror(errno));
  }
  auto text = ReadBounded(file, path);
  if (!text.ok()) return std::move(text).error();
  return ApplyConfigText(*text, path, application, base);
}

}  // namespace tandem::coproc

#include "system/driver_record_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/log.h"
#include "base/printable.h"
#include "drivers/vulkan/icd/library.h"
#include "system/cache_file.h"
#include "system/driver_description.h"
#include "system/driver_record_bytes.h"
#include "system/machine.h"

namespace tandem::system {
namespace {

// Beginnings of the variables by which drivers are told to answer otherwise.
constexpr std::array<std::string_view, 16> kDriverVariables = {"ACO_", "AMDVLK_", "AMD_DEBUG", "ANV_", "GALLIUM_", "INTEL_",
                                                               "LP_",  "MESA_",   "NVK_",      "NV_",  "PAN_",     "RADV_",
                                                               "TU_",  "VN_",     "__GL",      "__NV"};
// A layer of Mesa reads this one, no driver.
constexpr std::string_view kLayerVariable = "MESA_VK_DEVICE_SELECT";

// The first variable of a driver in this process.
std::optional<std::string> DriverVariable() {
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (text.starts_with(kLayerVariable)) continue;
    if (std::ranges::any_of(kDriverVariables, [&](std::string_view start) { return text.starts_with(start); })) {
      return Printable(text.substr(0, text.find('=')));
    }
  }
  return std::nullopt;
}

Result<void> CheckVariables() {
  const auto variable = DriverVariable();
  if (!variable) return {};
  return Fail(ErrorKind::kUnsupported, "{} may change the driver's answers.", *variable);
}

Result<std::string> PathFor(const std::string& manifest) {
  std::string name = std::filesystem::path(manifest).stem().string();
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ? c : '_';
  return CachePath("driver-" + name + ".bin");
}

Machine MachineOf(const std::string& manifest) { return ReadMachine("", std::span(&manifest, 1)); }

Result<DriverRecord> Describe(const Machine& machine) {
  if (machine.drivers.empty()) return Fail(ErrorKind::kNotFound, "The manifest of the driver cannot be read.");
  auto library = vulkan::IcdLibrary::Open(machine.drivers.front().library);
  if (!library.ok()) return std::move(library).error();
  auto instance = vulkan::IcdInstance::Create(*library);
  if (!instance.ok()) return std::move(instance).error();
  return DescribeDriver((*instance)->get_instance_proc_addr(), (*instance)->handle(), (*instance)->PhysicalDevices());
}

Result<void> Keep(const std::string& manifest) {
  if (auto answers = CheckVariables(); !answers.ok()) return answers;
  const auto path = PathFor(manifest);
  if (!path.ok()) return path.error();
  const Machine before = MachineOf(manifest);
  auto record = Describe(before);
  if (!record.ok()) return std::move(record).error();
  if (MachineOf(manifest).key != before.key) return Fail(ErrorKind::kNotFound, "The driver changed meanwhile.");
  const auto kept = ReadDriverRecord(manifest);
  if (kept.ok() && *kept == *record) return {};
  const std::string bytes = DriverRecordBytes(*record, before.key);
  if (auto sound = ParseDriverRecord(bytes, before.key); !sound.ok()) return std::move(sound).error();
  return WriteCacheFile(*path, bytes);
}

}  // namespace

Result<DriverRecord> ReadDriverRecord(const std::string& manifest) {
  if (auto answers = CheckVariables(); !answers.ok()) return std::move(answers).error();
  const auto path = PathFor(manifest);
  if (!path.ok()) return path.error();
  const auto bytes = ReadCacheFile(*path, kMaxDriverRecordBytes);
  if (!bytes.ok()) return bytes.error();
  auto record = ParseDriverRecord(*bytes, MachineOf(manifest).key);
  if (!record.ok()) return std::move(record).error().Context(*path);
  return record;
}

void KeepDriverRecord(const std::string& manifest) {
  const auto kept = Keep(manifest);
  if (!kept.ok()) Log(LogLevel::kInfo, "No record of driver {} is kept: {}", manifest, kept.error().message);
}

}  // namespace tandem::system

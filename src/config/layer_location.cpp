#include "config/layer_location.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/env.h"

namespace tandem::config {
namespace {

constexpr const char* kManifest = "vulkan/implicit_layer.d/VkLayer_tandem.json";
// The XDG base directory specification's value for an unset XDG_DATA_DIRS.
constexpr const char* kDefaultDataDirs = "/usr/local/share:/usr/share";

}  // namespace

Result<std::string> FindLayerDataDirectory() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  if (error) return Fail(ErrorKind::kIo, "The place of this command cannot be read: {}.", error.message());
  const fs::path folder = command.parent_path();
  const fs::path build = folder / "share";
  const fs::path installed = (folder.parent_path() / "share").lexically_normal();
  const fs::path from_libexec = folder.parent_path().parent_path() / "share";  // libexec/tandem
  for (const fs::path& directory : {build, installed, from_libexec}) {
    if (fs::exists(directory / kManifest, error)) return directory.string();
  }
  return Fail(ErrorKind::kNotFound, "The Vulkan layer is neither in {} nor in {}; build or install it together with the command.",
              (build / kManifest).string(), (installed / kManifest).string());
}

bool IsSearchedAlways(std::string_view data_directory) {
  return data_directory == "/usr/local/share" || data_directory == "/usr/share";
}

std::string DriverManifestIn(const std::string& directory) { return directory + "/tandem/icd.d/tandem_icd.json"; }

std::vector<std::string> DriverEnvironment(const std::string& manifest) {
  std::vector<std::string> environment;
  const auto set = [&environment](const char* name, const std::string& value) { environment.push_back(name + ("=" + value)); };
  auto listed = EnvString("VK_DRIVER_FILES");
  if (!listed) listed = EnvString("VK_ICD_FILENAMES");
  if (listed && listed != manifest) set("TANDEM_DRIVER_FILES", *listed);
  set("VK_DRIVER_FILES", manifest);
  set("VK_ICD_FILENAMES", manifest);  // for loaders older than 1.3.207
  // Filters that choose among the machine's drivers would drop this one.
  for (const char* filter : {"VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"}) {
    if (EnvString(filter)) set(filter, "");
  }
  return environment;
}

bool IsSwitchedOff() { return EnvString("TANDEM_DISABLE").has_value(); }

std::string DataDirsWith(const std::string& directory) {
  const char* set = std::getenv("XDG_DATA_DIRS");
  return (set != nullptr && *set != '\0' ? set : kDefaultDataDirs) + (":" + directory);
}

std::optional<std::string> ListedLayersWithOurs() {
  const auto listed = EnvString("VK_INSTANCE_LAYERS");
  if (!listed || IsSwitchedOff()) return std::nullopt;
  return listed->find(kListedLayer) != std::string::npos ? *listed : *listed + ":" + kListedLayer;
}

}  // namespace tandem::config

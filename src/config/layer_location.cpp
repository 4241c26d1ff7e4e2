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

std::string DataDirsWith(const std::string& directory) {
  const char* set = std::getenv("XDG_DATA_DIRS");
  return (set != nullptr && *set != '\0' ? set : kDefaultDataDirs) + (":" + directory);
}

std::optional<std::string> ListedLayersWithOurs() {
  const auto listed = EnvString("VK_INSTANCE_LAYERS");
  const auto disabled = EnvString("TANDEM_DISABLE");
  if (!listed || listed->empty() || (disabled && !disabled->empty())) return std::nullopt;
  return listed->find(kListedLayer) != std::string::npos ? *listed : *listed + ":" + kListedLayer;
}

}  // namespace tandem::config

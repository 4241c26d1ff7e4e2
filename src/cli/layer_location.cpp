#include "cli/layer_location.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/env.h"

namespace tandem::cli {
namespace {

// Another name of the layer, under which it does not enable itself.
constexpr const char* kListedLayer = "VK_LAYER_TANDEM_present_listed";
constexpr const char* kManifest = "vulkan/implicit_layer.d/VkLayer_tandem.json";
// The XDG base directory specification's value for an unset XDG_DATA_DIRS.
constexpr const char* kDefaultDataDirs = "/usr/local/share:/usr/share";

}  // namespace

Result<std::string> FindLayerDataDirectory() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  if (error) return Fail(ErrorKind::kIo, "The place of the tandem command cannot be read: {}.", error.message());
  const fs::path build = command.parent_path() / "share";
  const fs::path installed = (command.parent_path().parent_path() / "share").lexically_normal();
  for (const fs::path& directory : {build, installed}) {
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

}  // namespace tandem::cli

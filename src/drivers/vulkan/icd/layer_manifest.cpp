#include "drivers/vulkan/icd/layer_manifest.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/env.h"
#include "drivers/vulkan/icd/manifest_files.h"

namespace tandem::vulkan {
namespace {

using Json = nlohmann::json;

void TakeName(const Json& functions, const char* member, std::string& name) {
  if (const std::string* own = StringMember(functions, member); own != nullptr) name = *own;
}

Result<LayerManifest> ReadLayer(const Json& layer, const std::string& path) {
  const std::string* const name = layer.is_object() ? StringMember(layer, "name") : nullptr;
  if (name == nullptr || name->empty()) return Fail(ErrorKind::kInvalidArgument, "Manifest {} has a layer without a name.", path);
  auto library = LibraryOf(layer, path);
  if (!library.ok()) return std::move(library).error();
  LayerManifest manifest{.name = *name, .library = *std::move(library)};
  const auto functions = layer.find("functions");
  if (functions == layer.end() || !functions->is_object()) return manifest;
  TakeName(*functions, "vkGetInstanceProcAddr", manifest.get_instance_proc_addr);
  TakeName(*functions, "vkGetDeviceProcAddr", manifest.get_device_proc_addr);
  TakeName(*functions, "vkNegotiateLoaderLayerInterfaceVersion", manifest.negotiate);
  return manifest;
}

// Each name once: the loader, too, takes the first of equal names.
std::vector<LayerManifest> InstalledLayers() {
  std::vector<std::string> sources;
  for (const char* const variable : {"VK_LAYER_PATH", "VK_ADD_LAYER_PATH"}) {
    for (std::string& listed : ListedPaths(EnvString(variable).value_or(""))) sources.push_back(std::move(listed));
  }
  for (const char* const kind : {"explicit_layer.d", "implicit_layer.d"}) {
    for (std::string& folder : ManifestFolders(kind)) sources.push_back(std::move(folder));
  }
  std::vector<LayerManifest> layers;
  for (const std::string& path : ManifestFiles(sources)) {
    const auto text = ReadManifestText(path);
    auto read = text.ok() ? ParseLayerManifest(*text, path) : Result<std::vector<LayerManifest>>(text.error());
    if (!read.ok()) continue;  // the loader passes over what it cannot read
    for (LayerManifest& layer : *read) {
      const bool known = std::ranges::find(layers, layer.name, &LayerManifest::name) != layers.end();
      if (!known && layer.name != kOwnLayer) layers.push_back(std::move(layer));
    }
  }
  return layers;
}

std::string NamesOf(const std::vector<const LayerManifest*>& layers) {
  std::vector<std::string_view> names;
  for (const LayerManifest* layer : layers) names.push_back(layer->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<LayerManifest> FindLayer(const std::vector<LayerManifest>& installed, const std::string& name) {
  std::vector<const LayerManifest*> all, fitting;
  for (const LayerManifest& layer : installed) {
    if (layer.name == name) return layer;
    all.push_back(&layer);
    if (LowerCase(layer.name).find(LowerCase(name)) != std::string::npos) fitting.push_back(&layer);
  }
  if (fitting.size() == 1) return *fitting.front();
  if (!fitting.empty()) {
    return Fail(ErrorKind::kInvalidArgument, "'{}' fits several Vulkan layers: {}.", name, NamesOf(fitting));
  }
  return Fail(ErrorKind::kNotFound, "There is no Vulkan layer '{}'. Installed are: {}.", name,
              all.empty() ? "none" : NamesOf(all));
}

}  // namespace

Result<std::vector<LayerManifest>> ParseLayerManifest(std::string_view text, const std::string& path) {
  const auto root = ParseManifestObject(text, path);
  if (!root.ok()) return root.error();
  const auto one = root->find("layer");
  const auto several = root->find("layers");
  Json layers = Json::array();
  if (one != root->end()) layers.push_back(*one);
  if (several != root->end() && several->is_array()) layers.insert(layers.end(), several->begin(), several->end());
  std::vector<LayerManifest> manifests;
  for (const Json& layer : layers) {
    if (layer.is_object() && layer.contains("component_layers")) continue;  // a name for several layers
    auto manifest = ReadLayer(layer, path);
    if (!manifest.ok()) return std::move(manifest).error();
    manifests.push_back(*std::move(manifest));
  }
  return manifests;
}

Result<std::vector<LayerManifest>> FindLayers(std::span<const std::string> names) {
  std::vector<LayerManifest> found;
  if (names.empty()) return found;
  const std::vector<LayerManifest> installed = InstalledLayers();
  for (const std::string& name : names) {
    auto layer = FindLayer(installed, name);
    if (!layer.ok()) return std::move(layer).error();
    const bool named_before = std::ranges::find(found, layer->name, &LayerManifest::name) != found.end();
    if (!named_before) found.push_back(*std::move(layer));
  }
  return found;
}

}  // namespace tandem::vulkan

// Checks of Tandem's layer and of the layers around it, in the Vulkan loader's order.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/env.h"
#include "cli/doctor_checks.h"
#include "cli/version.h"
#include "config/config_io.h"
#include "config/layer_location.h"
#include "system/machine_probes.h"

namespace tandem::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOwnLayer = "VK_LAYER_TANDEM_present";
constexpr const char* kImplicitFolder = "/vulkan/implicit_layer.d";

struct LayerManifest {
  std::string path;
  std::string name;
  std::string library;  // with a folder, unless dlopen() searches it
  std::string switch_off;
  bool on = true;     // in this environment
  bool torn = false;  // no JSON
  std::string wrong;  // a sentence; empty: it can be read
};

void AddFolders(std::string_view list, const std::string& root, std::vector<std::string>& folders) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) folders.push_back(root + std::string(list.substr(0, end)) + kImplicitFolder);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

// `tandem run` appends the folder of Tandem's own layer.
std::vector<std::string> ImplicitFolders(const std::string& root, const Result<std::string>& own) {
  std::vector<std::string> folders;
  const auto add = [&](const char* variable, const std::string& otherwise, const std::string& otherwise_root) {
    const auto set = EnvString(variable);
    AddFolders(set ? *set : otherwise, set ? "" : otherwise_root, folders);
  };
  const std::string home = EnvString("HOME").value_or("");
  add("XDG_CONFIG_HOME", home.empty() ? "" : home + "/.config", "");
  add("XDG_CONFIG_DIRS", "/etc/xdg", root);
  AddFolders("/etc", root, folders);
  add("XDG_DATA_HOME", home.empty() ? "" : home + "/.local/share", "");
  add("XDG_DATA_DIRS", "/usr/local/share:/usr/share", root);
  if (own.ok()) AddFolders(*own, "", folders);
  return folders;
}

bool IsOn(const nlohmann::json& layer, std::string& switch_off) {
  const auto disable = layer.find("disable_environment");
  if (disable != layer.end() && disable->is_object() && !disable->empty()) {
    switch_off = disable->begin().key();
    if (EnvString(switch_off.c_str())) return false;
  }
  const auto enable = layer.find("enable_environment");
  if (enable == layer.end() || !enable->is_object() || enable->empty()) return true;
  const auto value = EnvString(enable->begin().key().c_str());
  return value && enable->begin().value() == *value;
}

LayerManifest ReadLayerManifest(const fs::path& path) {
  LayerManifest manifest;
  manifest.path = path.string();
  const auto text = config::ReadConfigFile(manifest.path);
  if (!text.ok() || !*text) {
    manifest.wrong = text.ok() ? "It is not there." : text.error().message;
    return manifest;
  }
  const auto all = nlohmann::json::parse(**text, nullptr, false);
  manifest.torn = all.is_discarded();
  if (!all.is_object()) {
    manifest.wrong = "It is no JSON object.";
    return manifest;
  }
  nlohmann::json layer = all.value("layer", nlohmann::json());
  const auto several = all.find("layers");
  if (!layer.is_object() && several != all.end() && several->is_array() && !several->empty()) layer = several->front();
  if (!layer.is_object() || !layer.contains("name") || !layer["name"].is_string()) {
    manifest.wrong = "It names no layer.";
    return manifest;
  }
  manifest.name = layer["name"];
  manifest.on = IsOn(layer, manifest.switch_off);
  const auto library = layer.find("library_path");
  if (library == layer.end() || !library->is_string()) return manifest;  // a layer made of others has none
  manifest.library = *library;
  if (manifest.library.find('/') != std::string::npos)
    manifest.library = (path.parent_path() / manifest.library).lexically_normal().string();
  return manifest;
}

std::vector<LayerManifest> ImplicitLayers(const std::vector<std::string>& folders) {
  std::vector<LayerManifest> manifests;
  std::vector<fs::path> read;
  for (const std::string& folder : folders) {
    std::vector<fs::path> files;
    std::error_code error;
    for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::end(entry); entry.increment(error)) {
      if (entry->path().extension() == ".json") files.push_back(entry->path());
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
      const fs::path whole = fs::weakly_canonical(file, error);
      if (std::ranges::find(read, whole) != read.end()) continue;
      read.push_back(whole);
      manifests.push_back(ReadLayerManifest(file));
    }
  }
  return manifests;
}

Finding CheckOwnLayer(const LayerManifest& own) {
  const auto broken = [&](std::string text, const char* advice) {
    return Finding{"layer", FindingState::kBroken, std::move(text), advice};
  };
  constexpr const char* kInstallAgain = "Install or build command and layer again, together.";
  if (!own.wrong.empty())
    return broken(fmt::format("The manifest of Tandem's layer, {}, is wrong. {}", own.path, own.wrong), kInstallAgain);
  const system::ProbeAnswer answer = system::ProbeLayerLibrary(own.library);
  if (!answer.works)
    return broken(fmt::format("Tandem's layer {} does not work. {}", own.library, answer.sentence), kInstallAgain);
  const std::string version = answer.facts.empty() ? "without a version" : answer.facts[0];
  if (version != kVersion)
    return broken(fmt::format("Tandem's layer {} is {}, and this command is {}.", own.library, version, kVersion), kInstallAgain);
  if (config::IsSwitchedOff()) {
    return {"layer", FindingState::kWarning, "TANDEM_DISABLE switches Tandem's layer off.", "Unset TANDEM_DISABLE."};
  }
  return {"layer", FindingState::kOk, fmt::format("Tandem's layer {} has the command's version, {}.", own.library, version)};
}

Finding CheckOtherLayer(const LayerManifest& other, bool below) {
  const std::string id = "layer." + (other.name.empty() ? fs::path(other.path).stem().string() : other.name);
  if (!other.wrong.empty()) {
    // The loader 1.3.239 then gives each program VK_ERROR_OUT_OF_HOST_MEMORY.
    return {id, other.torn ? FindingState::kBroken : FindingState::kWarning,
            fmt::format("The layer manifest {} is wrong. {}", other.path, other.wrong),
            "Install its package again, or remove the manifest."};
  }
  if (!other.library.empty()) {
    const system::ProbeAnswer answer = system::ProbeLibrary(other.library);
    if (!answer.works) {
      return {id, FindingState::kWarning,
              fmt::format("The library of the layer {} does not work. {}", other.name, answer.sentence),
              fmt::format("Install its package again, or remove {}.", other.path)};
    }
  }
  if (!other.on) return {id, FindingState::kOk, fmt::format("The layer {} is off.", other.name)};
  if (!below) return {id, FindingState::kOk, fmt::format("The layer {} stands above Tandem.", other.name)};
  return {id, FindingState::kWarning,
          fmt::format("The layer {} stands between Tandem and the drivers: an overlay there sees no swap chain.", other.name),
          fmt::format("Put the folder of {} before Tandem's in XDG_DATA_DIRS{}.", other.path,
                      other.switch_off.empty() ? "" : fmt::format(", or set {}=1", other.switch_off))};
}

}  // namespace

Findings CheckLayers(const Patient& patient) {
  const auto own_folder = config::FindLayerDataDirectory();
  const std::vector<LayerManifest> manifests = ImplicitLayers(ImplicitFolders(patient.root, own_folder));
  Findings findings;
  std::optional<std::size_t> own;
  if (own_folder.ok()) {
    std::error_code error;
    const fs::path expected = fs::weakly_canonical(*own_folder + kImplicitFolder + "/VkLayer_tandem.json", error);
    for (std::size_t i = 0; i < manifests.size(); ++i) {
      if (fs::weakly_canonical(manifests[i].path, error) == expected) own = i;
    }
  }
  if (!own) {
    findings.push_back({"layer", FindingState::kBroken,
                        own_folder.ok() ? "The manifest of Tandem's layer cannot be read." : own_folder.error().message,
                        "Install or build command and layer again, together."});
  } else {
    findings.push_back(CheckOwnLayer(manifests[*own]));
  }
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    if (own == i) continue;
    if (manifests[i].name == kOwnLayer) {
      findings.push_back(
          {"layer.twice", FindingState::kWarning,
           fmt::format("{} is another manifest of Tandem's layer; the loader takes one of them.", manifests[i].path),
           "Remove the one that does not belong to this command."});
    } else {
      findings.push_back(CheckOtherLayer(manifests[i], own && i > *own));
    }
  }
  if (const auto listed = EnvString("VK_INSTANCE_LAYERS")) {
    findings.push_back({"layer.listed", FindingState::kOk,
                        fmt::format("VK_INSTANCE_LAYERS lists {}; 'tandem run' puts Tandem below these.", *listed)});
  }
  return findings;
}

}  // namespace tandem::cli

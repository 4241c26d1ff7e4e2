#include "tests/integration/patient.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

const nlohmann::json* LineOf(const nlohmann::json& findings, const std::string& id) {
  for (const auto& line : findings) {
    if (line["id"] == id) return &line;
  }
  return nullptr;
}

}  // namespace

std::string Diagnosis::StateOf(const std::string& id) const {
  const auto* const line = LineOf(findings, id);
  return line == nullptr ? "none" : (*line)["state"].get<std::string>();
}

std::string Diagnosis::TextOf(const std::string& id) const {
  const auto* const line = LineOf(findings, id);
  if (line == nullptr) return process.out + process.err;
  const auto& advice = (*line)["advice"];
  return (*line)["text"].get<std::string>() + (advice.is_string() ? " " + advice.get<std::string>() : "");
}

std::vector<std::string> Diagnosis::Broken() const {
  std::vector<std::string> ids;
  for (const auto& line : findings) {
    if (line["state"] == "broken") ids.push_back(line["id"]);
  }
  return ids;
}

Patient::Patient() : environment_(WithDrivers(VulkanDrivers())) {
  for (const char* const variable : {"DISPLAY", "WAYLAND_DISPLAY", "VK_INSTANCE_LAYERS", "XDG_CONFIG_DIRS"}) Set(variable, "");
  Set("HOME", File("home"));
  Set("XDG_CONFIG_HOME", File("home/.config"));
  Set("XDG_DATA_HOME", File("home/.local/share"));
  Set("XDG_DATA_DIRS", File("data"));
  Set("TANDEM_POLICY_ROOT", File("root"));
  Write("bin/tandem", "");
  fs::copy_file(TANDEM_COMMAND, File("bin/tandem"), fs::copy_options::overwrite_existing);
  WriteLayer("bin/share", "VK_LAYER_TANDEM_present", TANDEM_LAYER);
  const std::string gpu = "root/sys/bus/pci/devices/0000:01:00.0/";
  for (const auto& [file, text] :
       std::initializer_list<std::pair<const char*, const char*>>{{"class", "0x030000"},
                                                                  {"vendor", "0x1002"},
                                                                  {"device", "0x73bf"},
                                                                  {"power/runtime_status", "active"},
                                                                  {"current_link_speed", "16.0 GT/s PCIe"},
                                                                  {"max_link_speed", "16.0 GT/s PCIe"},
                                                                  {"current_link_width", "16"},
                                                                  {"max_link_width", "16"}}) {
    Write(gpu + file, std::string(text) + "\n");
  }
  for (const char* const node : {"renderD128", "card0"}) {
    fs::create_directories(File(std::string("root/sys/class/drm/") + node + "/device"));
    Write(std::string("root/dev/dri/") + node, "");
  }
  fs::create_directories(File("root/sys/class/drm/card0-DP-1"));
  Write("root/dev/udmabuf", "");
  Write("root/run/seatd.sock", "");
  Write("root/proc/sys/kernel/osrelease", "6.12.9-amd64\n");
}

void Patient::Write(const std::string& name, const std::string& text) const {
  fs::create_directories(fs::path(File(name)).parent_path());
  std::ofstream(File(name)) << text;
}

void Patient::Remove(const std::string& name) const { fs::remove_all(File(name)); }

void Patient::WriteLayer(const std::string& data, const std::string& name, const std::string& library) const {
  const bool own = name == "VK_LAYER_TANDEM_present";
  nlohmann::json layer{{"name", name}, {"library_path", library}, {"disable_environment", {{"NO_" + name, "1"}}}};
  if (own) layer["enable_environment"] = {{"TANDEM_ENABLE", "1"}};
  Write(data + "/vulkan/implicit_layer.d/" + (own ? "VkLayer_tandem" : name) + ".json", nlohmann::json{{"layer", layer}}.dump());
}

void Patient::UseDriver(const std::string& name, const std::string& manifest) {
  Write("drivers/" + name + ".json", manifest);
  Set("VK_ICD_FILENAMES", File("drivers/" + name + ".json"));
}

void Patient::ActAsNobody() {
  if (geteuid() != 0) return;
  fs::permissions(File(""), fs::perms::all);
  Through({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});
}

Diagnosis Patient::Diagnose() const {
  std::vector<std::string> words = before_;
  words.insert(words.end(), {File("bin/tandem"), "doctor", "--json", "--root", File("root")});
  if (before_.empty() || before_[0] != "setpriv")
    fs::permissions(File("bin/tandem"), fs::perms::owner_all, fs::perm_options::add);
  Diagnosis diagnosis{RunProcess(words, environment_, 60000), nlohmann::json::array()};
  const auto all = nlohmann::json::parse(diagnosis.process.out, nullptr, false);
  if (all.is_object()) diagnosis.findings = all["findings"];
  return diagnosis;
}

}  // namespace tandem::test

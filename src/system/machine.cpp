#include "system/machine.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <variant>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/printable.h"
#include "config/selector.h"
#include "drivers/vulkan/icd/manifest.h"

namespace tandem::system {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxAttributeBytes = 128;
constexpr const char* kPciDevices = "/sys/bus/pci/devices";

// The first line of a file of the kernel's.
std::string Attribute(const std::string& path) {
  std::ifstream file(path);
  std::string line(kMaxAttributeBytes, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  line.resize(std::min(line.find('\n'), line.size()));
  return Printable(line);
}

std::optional<std::uint32_t> HexAttribute(const std::string& path) {
  const std::string text = Attribute(path);
  if (!text.starts_with("0x")) return std::nullopt;
  std::uint32_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + 2, last, value, 16);
  return error == std::errc() && end == last ? std::optional(value) : std::nullopt;
}

bool IsPciAddress(const std::string& name) {
  const auto selector = config::ParseSelector(name);
  return selector.ok() && std::holds_alternative<config::PciSelector>(*selector);
}

std::string LinkName(const std::string& path) {
  std::error_code error;
  return fs::read_symlink(path, error).filename().string();
}

std::vector<std::string> EntriesOf(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::end(entry); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

// Size and time of last change of the file that a path leads to.
std::string Stamp(const char* what, const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return fmt::format("{} {} missing", what, Printable(path));
  return fmt::format("{} {} {} {}.{:09}", what, Printable(path), status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

// The folders in which dlopen() searches for bare names.
std::vector<std::string> LibraryFolders() {
  std::vector<std::string> folders;
  const std::unique_ptr<void, int (*)(void*)> program(dlopen(nullptr, RTLD_LAZY), &dlclose);
  Dl_serinfo size{};
  if (program == nullptr || dlinfo(program.get(), RTLD_DI_SERINFOSIZE, &size) != 0) return folders;
  std::vector<std::max_align_t> storage(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* const list = reinterpret_cast<Dl_serinfo*>(storage.data());
  if (dlinfo(program.get(), RTLD_DI_SERINFOSIZE, list) != 0 || dlinfo(program.get(), RTLD_DI_SERINFO, list) != 0) return folders;
  const Dl_serpath* const paths = list->dls_serpath;
  for (unsigned int i = 0; i < list->dls_cnt; ++i) folders.emplace_back(paths[i].dls_name);
  return folders;
}

// The index of libraries changes with each library that a package brings, also in folders that dlopen() knows from it alone.
void AddBareLibrary(const std::string& root, const std::string& name, std::vector<std::string>& key) {
  key.push_back(Stamp("index", root + "/etc/ld.so.cache"));
  for (const std::string& folder : LibraryFolders()) {
    const std::string path = folder + "/" + name;
    if (access(path.c_str(), F_OK) != 0) continue;
    key.push_back(Stamp("library", path));
    return;
  }
}

void AddDriver(const std::string& root, const std::string& path, Machine& machine) {
  machine.key.push_back(Stamp("manifest", path));
  const auto manifest = vulkan::ReadManifest(path);
  if (!manifest.ok()) return;
  if (manifest->library.find('/') == std::string::npos) {
    AddBareLibrary(root, manifest->library, machine.key);
  } else {
    machine.key.push_back(Stamp("library", manifest->library));
  }
  machine.drivers.push_back({path, manifest->library});
}

}  // namespace

std::vector<Machine::Display> FindDisplays(const std::string& root) {
  constexpr std::uint32_t kDisplayClass = 0x03;
  std::vector<Machine::Display> displays;
  for (const std::string& name : EntriesOf(root + kPciDevices)) {
    const std::string folder = root + kPciDevices + "/" + name;
    const auto device_class = HexAttribute(folder + "/class");
    if (!device_class || *device_class >> 16 != kDisplayClass || !IsPciAddress(name)) continue;
    displays.push_back({name, HexAttribute(folder + "/vendor").value_or(0), HexAttribute(folder + "/device").value_or(0),
                        Attribute(folder + "/power/runtime_status") == "suspended"});
  }
  return displays;
}

Machine ReadMachine(const std::string& root, std::span<const std::string> manifests) {
  Machine machine;
  machine.key.push_back(fmt::format("tandem {}", TANDEM_VERSION));
  machine.key.push_back(fmt::format("kernel {}", Attribute(root + "/proc/sys/kernel/osrelease")));
  for (const std::string& manifest : manifests) AddDriver(root, manifest, machine);
  machine.displays = FindDisplays(root);
  for (const Machine::Display& display : machine.displays) {
    // A GPU whose kernel driver comes later has no Vulkan device until then.
    machine.key.push_back(fmt::format("pci {} {:04x}:{:04x} {}", display.address, display.vendor_id, display.device_id,
                                      Printable(LinkName(root + kPciDevices + "/" + display.address + "/driver"))));
  }
  for (const std::string& name : EntriesOf(root + "/sys/class/drm")) {
    if (!name.starts_with("renderD")) continue;
    const bool permitted = access((root + "/dev/dri/" + name).c_str(), R_OK | W_OK) == 0;
    machine.key.push_back(fmt::format("node {} {}", Printable(name), permitted ? "permitted" : "closed"));
  }
  return machine;
}

}  // namespace tandem::system

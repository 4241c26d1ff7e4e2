#include "tests/tree/arrows.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace tandem::tree {
namespace {

struct Module {
  std::string_view path;
  std::vector<std::string_view> may_include;  // a module and its subfolders
};

// The longest path that fits a file is its module; includes of its own folder need no arrow.
const std::vector<Module>& Modules() {
  static const std::vector<Module> modules = {
      {"base", {}},
      {"color", {"base"}},
      {"codec", {"color", "base"}},
      {"link", {"codec", "color", "base"}},
      {"kernel/kernel.h", {"kernel/feature/feature.h", "wddm", "base"}},  // the interface for the kernel's host
      {"kernel/display_only.h", {"kernel/kernel.h", "wddm", "base"}},     // and for the host of a display-only driver
      {"kernel/driver_host.h", {"wddm", "base"}},                         // and for that of a driver with an NT runtime
      {"kernel/feature", {"kernel/kernel.h", "wddm", "base"}},
      {"kernel/device_slots.h", {}},
      {"kernel/service_faults.h", {}},
      {"kernel/ddi_counts.h", {}},
      {"kernel/tolerated.h", {}},
      {"kernel/driver_settings.h", {}},
      {"kernel/adapter",
       {"kernel/feature", "kernel/device_slots.h", "kernel/display_only.h", "kernel/kernel.h", "kernel/service_faults.h",
        "kernel/ddi_counts.h", "kernel/driver_settings.h", "kernel/tolerated.h", "wddm", "base"}},
      {"kernel/memory", {"kernel/adapter", "kernel/feature", "kernel/kernel.h", "wddm", "base"}},
      {"kernel/submit", {"kernel/memory", "kernel/adapter", "kernel/feature", "kernel/kernel.h", "wddm", "base"}},
      {"kernel/present",
       {"kernel/submit", "kernel/memory", "kernel/adapter", "kernel/feature", "kernel/display_only.h", "kernel/driver_settings.h",
        "kernel/kernel.h", "wddm", "base"}},
      {"kernel/thunk", {"kernel", "wddm", "base"}},
      {"kernel", {"kernel", "wddm", "base"}},
      {"drivers/common", {"wddm", "link", "codec", "color", "base"}},
      {"drivers/processor", {"drivers/common", "wddm", "link", "codec", "color", "base"}},
      {"drivers/soft", {"drivers/processor", "drivers/common", "wddm", "link", "codec", "color", "base", "outputs"}},
      {"drivers/vulkan", {"drivers/common", "wddm", "link", "codec", "color", "base", "outputs"}},
      {"drivers/vulkan/icd", {"drivers/vulkan/format.h", "drivers/vulkan/vulkan_device.h", "base"}},
      {"drivers/vulkan/gpu",
       {"drivers/common", "drivers/vulkan/icd", "drivers/vulkan/format.h", "drivers/vulkan/vulkan_device.h", "wddm", "link",
        "codec", "color", "base"}},
      {"drivers/vulkan/blit",
       {"drivers/common", "drivers/vulkan/gpu", "drivers/vulkan/format.h", "drivers/vulkan/vulkan_device.h", "wddm", "color",
        "base"}},
      {"drivers/vulkan/link",
       {"drivers/common", "drivers/vulkan/blit", "drivers/vulkan/gpu", "drivers/vulkan/format.h",
        "drivers/vulkan/vulkan_device.h", "wddm", "link", "codec", "color", "base"}},
      {"drivers/vulkan/wsi",
       {"drivers/vulkan/icd", "drivers/vulkan/format.h", "drivers/vulkan/vulkan_device.h", "outputs", "base"}},
      {"drivers/vulkan/display",
       {"drivers/common", "drivers/vulkan/wsi", "drivers/vulkan/gpu", "drivers/vulkan/format.h", "drivers/vulkan/vulkan_device.h",
        "wddm", "link", "codec", "color", "base", "outputs"}},
      {"drivers/vulkan/umd",
       {"drivers/common", "drivers/vulkan/gpu", "drivers/vulkan/format.h", "drivers/vulkan/vulkan_device.h", "wddm", "color",
        "base"}},
      {"drivers/vulkan/kmd", {"drivers/common", "drivers/vulkan", "wddm", "link", "codec", "color", "base", "outputs"}},
      {"drivers/vulkan/testing", {"drivers/common", "drivers/vulkan", "wddm", "link", "codec", "color", "base", "outputs"}},
      {"drivers/kms",
       {"drivers/kms/card", "drivers/processor", "drivers/common", "wddm", "link", "codec", "color", "base", "outputs"}},
      {"drivers/kms/card", {"drivers/common", "color", "base"}},
      {"drivers/host", {"wddm"}},
      {"outputs", {"color", "base"}},
      {"bus", {"kernel/device_slots.h", "kernel/display_only.h", "kernel/kernel.h", "outputs", "color", "wddm", "base"}},
      {"shim", {"swapchain", "kernel/thunk", "wddm", "color", "base"}},
      {"shim/class9", {"shim/whole_blt.h", "wddm", "base"}},
      {"conform",
       {"shim", "swapchain", "kernel/ddi_counts.h", "kernel/device_slots.h", "kernel/driver_settings.h", "kernel/display_only.h",
        "kernel/driver_host.h", "kernel/kernel.h", "kernel/message_interrupts.h", "kernel/service_faults.h", "kernel/thunk",
        "kernel/tolerated.h", "outputs", "color", "wddm", "base"}},
      {"swapchain", {"kernel/thunk", "wddm", "link", "color", "base"}},
      {"config", {"swapchain", "link", "wddm", "base"}},
      {"status", {"config", "swapchain", "link", "color", "base"}},
      {"system",
       {"conform", "bus", "shim", "status", "config", "swapchain", "drivers", "outputs", "kernel", "link", "codec", "color",
        "wddm", "base", "tandem"}},
      // The thunks and the swap chain use the contract's types, so their callers do as well.
      {"layer", {"system", "status", "config", "swapchain", "link", "color", "kernel/thunk", "wddm", "base", "tandem"}},
      {"d3dkmt", {"system", "kernel/kernel.h", "wddm", "base"}},
      {"desktop", {"system", "status", "config", "swapchain", "base"}},
      {"cli",
       {"system", "conform", "status", "config", "swapchain", "link", "color", "kernel/kernel.h", "kernel/ddi_counts.h",
        "kernel/driver_settings.h", "kernel/service_faults.h", "kernel/tolerated.h", "kernel/thunk", "wddm", "base", "tandem"}},
  };
  return modules;
}

struct External {
  std::string_view prefix;                // prefix of the included path
  std::vector<std::string_view> only_in;  // prefixes of paths under src/
};

// Libraries restricted to some modules: hardware and window systems, and two libraries with wide macros or globals.
const std::vector<External>& Externals() {
  static const std::vector<std::string_view> kHardware = {"drivers/", "outputs/", "system/", "layer/", "config/", "cli/"};
  static const std::vector<External> externals = {
      {"vulkan/", kHardware},         {"xcb/", kHardware},           {"X11/", kHardware},
      {"systemd/", {"desktop/bus/"}}, {"gio/", {"desktop/"}},        {"gtk/", {"desktop/window/"}},
      {"wayland-", kHardware},        {"spdlog/", {"base/log.cpp"}}, {"hwy/", {"color/simd/", "codec/simd/"}},
      {"xf86drm", {"drivers/kms/"}},
  };
  return externals;
}

bool IsWithin(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

const Module* ModuleOf(std::string_view path) {
  const Module* best = nullptr;
  for (const Module& module : Modules()) {
    if (IsWithin(path, module.path) && (best == nullptr || module.path.size() > best->path.size())) best = &module;
  }
  return best;
}

// The module that an include line enters: a path under src/, "wddm", "tandem" (the client API), or nothing for an external
// header.
std::optional<std::string> TargetOf(const Include& include, const std::vector<std::string>& wddm_headers) {
  if (std::ranges::find(wddm_headers, include.path) != wddm_headers.end()) return "wddm";
  if (include.path.starts_with("wddm/")) return "wddm";
  if (include.path.starts_with("tandem/")) return "tandem";
  if (ModuleOf(include.path) != nullptr) return include.path;
  return std::nullopt;
}

bool IsAllowed(const Module& module, std::string_view target) {
  const Module* const target_module = ModuleOf(target);
  if (target_module == &module) return true;
  return std::ranges::any_of(module.may_include, [&](std::string_view allowed) { return IsWithin(target, allowed); });
}

// A folder under src/ with a namespace of its own.
struct Owner {
  std::string_view folder;
  std::string_view name;
};

Owner OwnerOf(std::string_view path) {
  const std::size_t first = path.find('/');
  if (!path.starts_with("drivers/")) return {path.substr(0, first), path.substr(0, first)};
  const std::size_t second = path.find('/', first + 1);
  return {path.substr(0, second), path.substr(first + 1, second - first - 1)};
}

// The code without comments and literals.
std::string CodeOf(const std::string& text) {
  static const std::regex kNoCode(R"(//[^\n]*|"(?:[^"\\\n]|\\.)*")");
  return std::regex_replace(text, kNoCode, "");
}

bool Names(std::string_view code, std::string_view name) {
  const std::string use = std::string(name) + "::";
  for (std::size_t at = code.find(use); at != std::string_view::npos; at = code.find(use, at + 1)) {
    const std::string_view before = code.substr(0, at);
    if (before.ends_with("tandem::")) return true;
    const char last = before.empty() ? ' ' : before.back();
    if (std::isalnum(static_cast<unsigned char>(last)) == 0 && last != '_' && last != ':') return true;
  }
  return false;
}

bool IncludesAny(const std::vector<Include>& includes, std::string_view folder) {
  return std::ranges::any_of(includes, [&](const Include& include) { return IsWithin(include.path, folder); });
}

bool IsFake(std::string_view path) { return path.find("/testing/") != std::string_view::npos; }

// A test may use the fakes of its own module: kernel/memory/a_test.cpp may use kernel/testing/.
bool IsOwnFake(std::string_view path, std::string_view target) {
  const std::string_view top = path.substr(0, path.find('/'));
  return path.ends_with("_test.cpp") && IsWithin(target, top) && IsFake(target);
}

bool IsAllowedExternal(std::string_view path, std::string_view included) {
  for (const External& external : Externals()) {
    if (!included.starts_with(external.prefix)) continue;
    return std::ranges::any_of(external.only_in, [&](std::string_view place) { return path.starts_with(place); });
  }
  return true;
}

}  // namespace

std::vector<std::string> ForbiddenIncludes(const SourceFile& file, const std::vector<std::string>& wddm_headers) {
  constexpr std::string_view kSource = "src/";
  if (!file.path.starts_with(kSource)) return {};
  const std::string_view path = std::string_view(file.path).substr(kSource.size());
  const Module* const module = ModuleOf(path);
  if (module == nullptr) return {fmt::format("{} stands in no module.", file.path)};
  std::vector<std::string> sentences;
  for (const Include& include : IncludesOf(file.text)) {
    const auto target = TargetOf(include, wddm_headers);
    const bool serves_tests = path.ends_with("_test.cpp") || IsFake(path);
    const bool allowed = target ? (IsAllowed(*module, *target) && (serves_tests || !IsFake(*target))) || IsOwnFake(path, *target)
                                : IsAllowedExternal(path, include.path);
    if (allowed) continue;
    sentences.push_back(fmt::format("{}:{}: {} may not include {}.", file.path, include.line, module->path, include.path));
  }
  return sentences;
}

std::vector<std::string> ForbiddenNames(const SourceFile& file, std::string_view own_header) {
  constexpr std::string_view kSource = "src/";
  if (!file.path.starts_with(kSource)) return {};
  const std::string_view path = std::string_view(file.path).substr(kSource.size());
  const Module* const module = ModuleOf(path);
  if (module == nullptr) return {};
  const Owner self = OwnerOf(path);
  const std::string code = CodeOf(file.text);
  std::vector<Include> includes = IncludesOf(file.text);
  std::ranges::move(IncludesOf(std::string(own_header)), std::back_inserter(includes));
  std::set<std::string_view> seen{"base", self.folder};
  std::vector<std::string> sentences;
  for (const Module& other : Modules()) {
    const Owner owner = OwnerOf(other.path);
    if (!seen.insert(owner.folder).second || !Names(code, owner.name)) continue;
    const bool allowed = std::ranges::any_of(module->may_include, [&](std::string_view target) {
      return IsWithin(target, owner.folder) || IsWithin(owner.folder, target);
    });
    if (!allowed) {
      sentences.push_back(fmt::format("{}: {} may not name {}::.", file.path, module->path, owner.name));
    } else if (!IncludesAny(includes, owner.folder)) {
      sentences.push_back(fmt::format("{} names {}:: and includes no header of {}.", file.path, owner.name, owner.folder));
    }
  }
  return sentences;
}

}  // namespace tandem::tree

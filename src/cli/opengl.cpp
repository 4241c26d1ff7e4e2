#include "cli/opengl.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/env.h"
#include "cli/linked_libraries.h"
#include "cli/words.h"

namespace tandem::cli {
namespace {
namespace fs = std::filesystem;

// Mesa's drivers in one library, since Mesa 24.2; its zink_dri.so leads there.
constexpr std::string_view kDrivers = "libgallium-";
// The loader's interface to swap chains: zink_dri.so has its name since Mesa 22.1.
constexpr std::string_view kSwapChains = "DRI_Kopper";
constexpr const char* kEglVendor = "/usr/share/glvnd/egl_vendor.d/50_mesa.json";
constexpr char kTenBits[] = "allow_rgb10_configs";  // an option of Mesa
constexpr char kMesaMessages[] = "MESA_DEBUG";
constexpr const char* kAdvice = "install Mesa 22.1 or newer, in Debian the package libgl1-mesa-dri.";

bool IsOpenGl(std::string_view library) {
  constexpr std::array<std::string_view, 5> kNames{"libGL.so", "libGLX.so", "libOpenGL.so", "libEGL.so", "libGLES"};
  return std::ranges::any_of(kNames, [library](std::string_view name) { return library.starts_with(name); });
}

bool IsVulkan(std::string_view library) { return library.starts_with("libvulkan.so"); }

// The libraries by which a program asks for each; empty: none.
struct Linked {
  std::string opengl;
  std::string vulkan;
};

void Add(const std::string& library, const std::string& of, Linked& linked) {
  const std::string text = of.empty() ? library : library + " (of " + of + ")";
  if (IsOpenGl(library) && linked.opengl.empty()) linked.opengl = text;
  if (IsVulkan(library) && linked.vulkan.empty()) linked.vulkan = text;
}

std::optional<LinkedLibraries> ReadFrom(const std::vector<std::string>& folders, const std::string& library) {
  for (const std::string& folder : folders) {
    if (auto read = ReadLinkedLibraries(folder + "/" + library); read.ok()) return *std::move(read);
  }
  return std::nullopt;
}

// Libraries of the program, and of those that it links itself. Nothing where the program's file cannot be read.
std::optional<Linked> LinkedBy(const std::string& program, const std::vector<std::string>& loader_folders) {
  const auto own = ReadLinkedLibraries(FindProgram(program));
  if (!own.ok()) return std::nullopt;
  std::vector<std::string> folders = own->folders;
  folders.insert(folders.end(), loader_folders.begin(), loader_folders.end());
  Linked linked;
  for (const std::string& library : own->needed) Add(library, "", linked);
  for (const std::string& library : own->needed) {
    if (IsOpenGl(library) || IsVulkan(library)) continue;
    const auto read = ReadFrom(folders, library);
    if (!read) continue;
    for (const std::string& further : read->needed) Add(further, library, linked);
  }
  return linked;
}

bool HasText(const std::string& path, std::string_view text) {
  std::ifstream file(path, std::ios::binary);
  std::string block;  // begins with the end of the one before
  std::vector<char> bytes(1 << 20);
  while (file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) || file.gcount() > 0) {
    block.append(bytes.data(), static_cast<std::size_t>(file.gcount()));
    if (block.find(text) != std::string::npos) return true;
    block.erase(0, block.size() - std::min(block.size(), text.size()));
  }
  return false;
}

bool HasDrivers(const std::string& folder) {
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    if (at->path().filename().string().starts_with(kDrivers)) return true;
  }
  return false;
}

// The variable by which the user chose a driver of OpenGL already; nullptr: none.
const char* ChosenBefore(const config::Environment& variable) {
  for (const char* const name :
       {"MESA_LOADER_DRIVER_OVERRIDE", "GALLIUM_DRIVER", "LIBGL_ALWAYS_SOFTWARE", "__GLX_VENDOR_LIBRARY_NAME"}) {
    if (variable(name)) return name;
  }
  return nullptr;
}

OpenGlChoice ChooseBy(const Linked& linked, const OpenGlPlaces& places) {
  if (!linked.vulkan.empty()) return {.reason = "It links " + linked.vulkan + "."};
  if (linked.opengl.empty()) return {.reason = "It links neither OpenGL nor Vulkan; OpenGL that it loads later needs --gl."};
  const std::string links = "It links " + linked.opengl + " and not Vulkan.";
  if (const char* const name = ChosenBefore(places.variable)) return {.reason = links + " " + name + " is set and stays."};
  if (const auto without = MissingZink(places)) return {.missing = true, .reason = links + " " + *without};
  return {.zink = true, .reason = links};
}

}  // namespace

OpenGlPlaces OpenGlPlacesHere() { return {config::OwnEnvironment(), LoaderFolders()}; }

std::optional<std::string> MissingZink(const OpenGlPlaces& places) {
  if (std::ranges::any_of(places.folders, HasDrivers)) return std::nullopt;
  const auto named = places.variable("LIBGL_DRIVERS_PATH");
  std::vector<std::string> folders;
  if (named) folders.push_back(*named);
  for (const std::string& folder : places.folders) {
    if (!named) folders.push_back(folder + "/dri");
  }
  std::error_code error;
  for (const std::string& folder : folders) {
    const std::string file = folder + "/zink_dri.so";
    if (!fs::exists(file, error)) continue;
    if (HasText(file, kSwapChains)) return std::nullopt;
    return "Mesa's zink in " + file + " is too old: " + kAdvice;
  }
  return std::string("Mesa's zink is missing: ") + kAdvice;
}

Result<OpenGlChoice> ChooseOpenGl(config::OpenGl use, const std::string& program, const OpenGlPlaces& places) {
  if (use == config::OpenGl::kOff) return OpenGlChoice{.reason = "The setting 'gl' is off."};
  if (use == config::OpenGl::kOn) {
    if (const auto without = MissingZink(places)) return Fail(ErrorKind::kUnsupported, "--gl: {}", *without);
    return OpenGlChoice{.zink = true, .reason = "The setting 'gl' is on."};
  }
  const auto linked = LinkedBy(program, places.folders);
  if (!linked) return OpenGlChoice{.reason = "It is no ELF program of this machine; OpenGL of what it starts needs --gl."};
  return ChooseBy(*linked, places);
}

std::vector<std::string> ZinkEnvironment(bool renders_on_cpu) {
  std::vector<std::string> pairs{"MESA_LOADER_DRIVER_OVERRIDE=zink", "GALLIUM_DRIVER=zink", "__GLX_VENDOR_LIBRARY_NAME=mesa",
                                 // Since Mesa 23.3 zink refuses X servers without DRI3 otherwise (mesa commit cedb534a1763).
                                 "LIBGL_KOPPER_DRI2=1", std::string("LIBGL_ALWAYS_SOFTWARE=") + (renders_on_cpu ? "1" : "0")};
  std::error_code error;
  // EGL sorts formats of ten bits first on Wayland, and Mesa's has an order of colours that DXGI lacks.
  if (!EnvString(kTenBits)) pairs.push_back(std::string(kTenBits) + "=false");
  // Mesa prints each option of its own that the environment sets.
  if (!EnvString(kMesaMessages)) pairs.push_back(std::string(kMesaMessages) + "=silent");
  const bool chosen = EnvString("__EGL_VENDOR_LIBRARY_FILENAMES").has_value();
  if (!chosen && fs::exists(kEglVendor, error)) pairs.push_back(std::string("__EGL_VENDOR_LIBRARY_FILENAMES=") + kEglVendor);
  return pairs;
}

}  // namespace tandem::cli

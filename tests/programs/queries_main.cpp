// Queries surfaces, and shows one frame on each or on the first. Prints the first surface's composite alpha and formats, and
// the number of threads after all queries. Exits with 0 if the specification allows every answer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tests/programs/swapchain.h"
#include "tests/programs/vulkan_program.h"
#include "tests/programs/window.h"

namespace {

using namespace tandem::test;

constexpr std::uint32_t kWidth = 160;
constexpr std::uint32_t kHeight = 120;

VkSurfaceCapabilitiesKHR Ask(const VulkanProgram& program, VkSurfaceKHR surface) {
  VkSurfaceCapabilitiesKHR capabilities{};
  Check(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(program.physical_device, surface, &capabilities),
        "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
  return capabilities;
}

void PrintOffers(const VulkanProgram& program, VkSurfaceKHR surface) {
  std::printf("alpha %x\n", Ask(program, surface).supportedCompositeAlpha);
  std::uint32_t count = 0;
  Check(vkGetPhysicalDeviceSurfaceFormatsKHR(program.physical_device, surface, &count, nullptr), "the formats");
  std::vector<VkSurfaceFormatKHR> formats(count);
  Check(vkGetPhysicalDeviceSurfaceFormatsKHR(program.physical_device, surface, &count, formats.data()), "the formats");
  for (const VkSurfaceFormatKHR& format : formats) std::printf("format %d\n", format.format);
}

// The window has its new extent once the server has answered; every later query must return it.
void ResizeAndAsk(const VulkanProgram& program, Window& window, std::uint32_t times) {
  for (std::uint32_t i = 0; i < times; ++i) {
    const std::uint32_t width = kWidth + 1 + i % 64;
    ResizeWindow(window, width, kHeight);
    const VkExtent2D extent = Ask(program, window.surface).currentExtent;
    if (extent.width == width && extent.height == kHeight) continue;
    GiveUp("A window of " + std::to_string(width) + " x " + std::to_string(kHeight) + " is said to have " +
           std::to_string(extent.width) + " x " + std::to_string(extent.height) + ".");
  }
  ResizeWindow(window, kWidth, kHeight);
}

// Drivers whose surfaces are addresses give both instances the same answer, and programs count on it.
void AskByAnother(const std::vector<const char*>& extensions, const VulkanProgram& program, VkSurfaceKHR surface) {
  VulkanProgram other = CreateProgram(extensions, {}, nullptr);
  const VkExtent2D extent = Ask(program, surface).currentExtent;
  const VkExtent2D same = Ask(other, surface).currentExtent;
  if (extent.width != same.width || extent.height != same.height) GiveUp("Two instances know different extents of one surface.");
  VkBool32 supported = VK_FALSE;
  Check(vkGetPhysicalDeviceSurfaceSupportKHR(other.physical_device, other.queue_family, surface, &supported), "the support");
  if (supported != VK_TRUE) GiveUp("Another instance does not support the surface.");
  PrintOffers(other, surface);
  DestroyProgram(other);
}

// The instance extensions that the loader lists.
bool IsListed(const std::string& name) {
  std::uint32_t count = 0;
  Check(vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr), "the extensions");
  std::vector<VkExtensionProperties> listed(count);
  Check(vkEnumerateInstanceExtensionProperties(nullptr, &count, listed.data()), "the extensions");
  return std::ranges::any_of(listed, [&name](const VkExtensionProperties& one) { return name == one.extensionName; });
}

// VK_GOOGLE_surfaceless_query: the values that the specification gives for a null handle.
void AskWithoutSurface(const VulkanProgram& program) {
  const VkPhysicalDeviceSurfaceInfo2KHR none{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR, nullptr, VK_NULL_HANDLE};
  VkSurfaceCapabilities2KHR capabilities{VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, nullptr, {}};
  Check(vkGetPhysicalDeviceSurfaceCapabilities2KHR(program.physical_device, &none, &capabilities), "capabilities of no surface");
  const VkSurfaceCapabilitiesKHR& known = capabilities.surfaceCapabilities;
  if (known.minImageCount != UINT32_MAX || known.maxImageCount != UINT32_MAX || known.currentExtent.width != UINT32_MAX ||
      known.currentExtent.height != UINT32_MAX || known.currentTransform != VK_SURFACE_TRANSFORM_INHERIT_BIT_KHR) {
    GiveUp("Capabilities of no surface are those of one.");
  }
  std::uint32_t count = 1;
  VkPresentModeKHR mode = VK_PRESENT_MODE_IMMEDIATE_KHR;
  Check(vkGetPhysicalDeviceSurfacePresentModesKHR(program.physical_device, VK_NULL_HANDLE, &count, &mode), "modes of no surface");
  if (count != 1 || mode != VK_PRESENT_MODE_FIFO_KHR) GiveUp("FIFO is not the mode of no surface.");
  Check(vkGetPhysicalDeviceSurfaceFormatsKHR(program.physical_device, VK_NULL_HANDLE, &count, nullptr), "formats of no surface");
  std::vector<VkSurfaceFormat2KHR> formats(count, {VK_STRUCTURE_TYPE_SURFACE_FORMAT_2_KHR, nullptr, {}});
  Check(vkGetPhysicalDeviceSurfaceFormats2KHR(program.physical_device, &none, &count, formats.data()), "formats of no surface");
  for (const VkSurfaceFormat2KHR& format : formats) std::printf("format without surface %d\n", format.surfaceFormat.format);
}

void PrintThreads() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  std::printf("threads %td\n", std::distance(begin(threads), end(threads)));
}

void Record(VkCommandBuffer commands, VkImage image, std::uint32_t /*frame*/) {
  Transition(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, 0, 0);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t window_count = 1;
  std::optional<std::uint32_t> shown_count;
  std::uint32_t resizes = 0;
  bool xcb = false;
  bool wayland = false;
  bool other_instance = false;
  bool without_surface = false;
  CLI::App app{"Asks surfaces what they can do."};
  app.add_option("--windows", window_count);
  app.add_option("--shown", shown_count, "Windows that get a frame; all of them unless given");
  app.add_option("--resizes", resizes);
  app.add_flag("--xcb", xcb, "X11 windows in place of headless surfaces");
  app.add_flag("--wayland", wayland, "Wayland surfaces in place of headless ones");
  app.add_flag("--other-instance", other_instance, "Asks by an instance that did not make the surface, too");
  app.add_flag("--without-surface", without_surface, "Asks with a null handle, too");
  CLI11_PARSE(app, argc, argv);
  const SurfaceKind kind = xcb ? SurfaceKind::kXcb : wayland ? SurfaceKind::kWayland : SurfaceKind::kHeadless;
  std::vector<const char*> extensions = SurfaceExtensions(kind);
  extensions.push_back(VK_EXT_SWAPCHAIN_COLOR_SPACE_EXTENSION_NAME);  // lists formats of other colour spaces
  extensions.push_back(VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME);
  if (IsListed(VK_GOOGLE_SURFACELESS_QUERY_EXTENSION_NAME)) extensions.push_back(VK_GOOGLE_SURFACELESS_QUERY_EXTENSION_NAME);
  VulkanProgram program = CreateProgram(extensions, {}, nullptr);
  if (without_surface) AskWithoutSurface(program);
  std::vector<Window> windows;
  for (std::uint32_t i = 0; i < window_count; ++i) {
    windows.push_back(CreateWindow(program.instance, kind, kWidth, kHeight));
    const VkExtent2D extent = Ask(program, windows.back().surface).currentExtent;
    if (xcb && (extent.width != kWidth || extent.height != kHeight))
      GiveUp("A window is said to have another extent than it has.");
  }
  PrintOffers(program, windows.front().surface);
  if (other_instance) AskByAnother(extensions, program, windows.front().surface);
  PrintThreads();
  ResizeAndAsk(program, windows.front(), resizes);
  {
    SwapchainOptions options;
    options.width = kWidth;
    options.height = kHeight;
    std::vector<std::unique_ptr<Swapchain>> swapchains;
    for (const Window& window : std::span(windows).first(shown_count.value_or(window_count))) {
      swapchains.push_back(std::make_unique<Swapchain>(program, window.surface, options, VK_NULL_HANDLE));
    }
    for (const auto& swapchain : swapchains) Check(swapchain->Frame(0, Record), "a frame");
  }
  for (Window& window : windows) DestroyWindow(program.instance, window);
  DestroyProgram(program);
  return 0;
}

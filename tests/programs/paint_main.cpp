// Paints frames whose every byte follows from the frame's number (pattern.h). A reader can therefore identify a frame and check
// that it is whole.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>
#include <wayland-client.h>

#include <CLI/CLI.hpp>

#include "tests/programs/pattern.h"
#include "tests/programs/swapchain.h"
#include "tests/programs/vulkan_program.h"
#include "tests/programs/window.h"

namespace {

using namespace tandem::test;

struct Options {
  std::uint32_t frames = 30;
  std::vector<std::string> sizes{"640x480"};  // consecutive swap chains, each with `frames` frames
  std::string format = "bgra8";
  std::string mode = "immediate";
  std::uint32_t images = 3;
  std::uint32_t windows = 1;
  std::string stretch;  // the window's size; empty: each swap chain's
  bool xcb = false;
  bool wayland = false;
  bool fullscreen = false;
  bool leave = false;
  bool hold = false;
  bool alias = false;
};

Options ParseOptions(int argc, char** argv) {
  Options options;
  CLI::App app{"Paints numbered frames."};
  app.add_option("--frames", options.frames, "Frames of each swap chain");
  app.add_option("--size", options.sizes, "WIDTHxHEIGHT; several are swap chains one after the other")->delimiter(',');
  app.add_option("--format", options.format);
  app.add_option("--mode", options.mode);
  app.add_option("--images", options.images);
  app.add_option("--windows", options.windows, "Windows that are painted in turn");
  app.add_flag("--xcb", options.xcb, "An X11 window in place of a headless surface");
  app.add_option("--stretch", options.stretch, "WIDTHxHEIGHT of an X11 window that frames are stretched to");
  app.add_flag("--wayland", options.wayland, "A Wayland surface in place of a headless one");
  app.add_flag("--fullscreen", options.fullscreen,
               "With --wayland: a window that fills the screen, of opaque pixels with four bytes, which screenshots keep");
  app.add_flag("--leave", options.leave, "Closes the Wayland connection after the last frame, with every Vulkan object alive");
  app.add_flag("--hold", options.hold,
               "Says \"painting\" after the first frame, \"painted\" after the last, and waits to be killed");
  app.add_flag("--alias", options.alias, "Draws into images of its own that share the swap chain's memory");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return options;
}

VkExtent2D ParseSize(const std::string& size) {
  unsigned width = 0;
  unsigned height = 0;
  if (std::sscanf(size.c_str(), "%ux%u", &width, &height) != 2) GiveUp("'" + size + "' is not a size.");
  return {width, height};
}

SwapchainOptions ForSize(const Options& options, const std::string& size) {
  SwapchainOptions swapchain;
  const VkExtent2D extent = ParseSize(size);
  swapchain.width = extent.width;
  swapchain.height = extent.height;
  swapchain.stretch = !options.stretch.empty();
  swapchain.format = ParseFormat(options.format);
  if (swapchain.format == VK_FORMAT_R16G16B16A16_SFLOAT) swapchain.color_space = VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT;
  swapchain.present_mode = ParsePresentMode(options.mode);
  swapchain.images = options.images;
  swapchain.alias = options.alias;
  return swapchain;
}

// Ends the program unless the surface stretches frames of these sizes.
void RequireStretch(const VulkanProgram& program, const Options& options, VkSurfaceKHR surface) {
  VkSurfacePresentModeEXT mode{};
  mode.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT;
  mode.presentMode = ParsePresentMode(options.mode);
  VkPhysicalDeviceSurfaceInfo2KHR info{};
  info.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR;
  info.pNext = &mode;
  info.surface = surface;
  VkSurfacePresentScalingCapabilitiesEXT scaling{};
  scaling.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT;
  VkSurfaceCapabilities2KHR capabilities{};
  capabilities.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR;
  capabilities.pNext = &scaling;
  const auto query = reinterpret_cast<PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR>(
      vkGetInstanceProcAddr(program.instance, "vkGetPhysicalDeviceSurfaceCapabilities2KHR"));
  Check(query(program.physical_device, &info, &capabilities), "vkGetPhysicalDeviceSurfaceCapabilities2KHR");
  if ((scaling.supportedPresentScaling & VK_PRESENT_SCALING_STRETCH_BIT_EXT) == 0) GiveUp("The surface stretches no frames.");
  for (const std::string& size : options.sizes) {
    const VkExtent2D extent = ParseSize(size);
    if (extent.width > scaling.maxScaledImageExtent.width || extent.height > scaling.maxScaledImageExtent.height)
      GiveUp("The surface stretches no frames of " + size + ".");
  }
}

// Frames of one swap chain: the CPU writes each picture to a host buffer, and the device copies it to the image.
class TestApplication {
 public:
  TestApplication(const VulkanProgram& program, VkSurfaceKHR surface, const SwapchainOptions& options, VkSwapchainKHR old,
                  bool opaque)
      : program_(program), options_(options), opaque_(opaque), swapchain_(program, surface, options, old) {
    const VkDeviceSize size = VkDeviceSize{options.width} * options.height * BytesPerPixel(options.format);
    for (HostBuffer& buffer : buffers_) buffer = CreateHostBuffer(program, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  }
  ~TestApplication() {
    vkDeviceWaitIdle(program_.device);
    for (HostBuffer& buffer : buffers_) DestroyHostBuffer(program_, buffer);
  }
  TestApplication(const TestApplication&) = delete;
  TestApplication& operator=(const TestApplication&) = delete;

  VkResult Paint(std::uint32_t frame) {
    swapchain_.WaitForSlot(frame);
    HostBuffer& buffer = buffers_[frame % Swapchain::kSlots];
    FillPattern({buffer.data, buffer.size}, options_.width, options_.height, BytesPerPixel(options_.format), frame);
    if (opaque_) {
      for (std::size_t i = 3; i < buffer.size; i += 4) buffer.data[i] = std::byte{0xFF};
    }
    return swapchain_.Frame(frame,
                            [&](VkCommandBuffer commands, VkImage image, std::uint32_t) { Record(commands, image, buffer); });
  }

  [[nodiscard]] VkSwapchainKHR handle() const { return swapchain_.handle(); }

 private:
  void Record(VkCommandBuffer commands, VkImage image, const HostBuffer& buffer) const {
    Transition(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0, VK_ACCESS_TRANSFER_WRITE_BIT);
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {options_.width, options_.height, 1};
    vkCmdCopyBufferToImage(commands, buffer.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    Transition(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
               VK_ACCESS_TRANSFER_WRITE_BIT, 0);
  }

  const VulkanProgram& program_;
  SwapchainOptions options_;
  bool opaque_;
  Swapchain swapchain_;
  HostBuffer buffers_[Swapchain::kSlots];
};

void Say(const char* text) {
  std::puts(text);
  std::fflush(stdout);
}

int PaintAll(const Options& options, const VulkanProgram& program, std::vector<Window>& windows) {
  std::uint32_t frame = 0;
  std::vector<std::unique_ptr<TestApplication>> applications(windows.size());
  for (const std::string& size : options.sizes) {
    const SwapchainOptions swapchain = ForSize(options, size);
    for (std::size_t i = 0; i < windows.size(); ++i) {
      if (!swapchain.stretch) ResizeWindow(windows[i], swapchain.width, swapchain.height);
      auto old = std::move(applications[i]);
      applications[i] = std::make_unique<TestApplication>(program, windows[i].surface, swapchain,
                                                          old ? old->handle() : VK_NULL_HANDLE, options.fullscreen);
    }
    for (std::uint32_t i = 0; i < options.frames; ++i, ++frame) {
      for (auto& application : applications) {
        const VkResult result = application->Paint(frame);
        if (result < 0) {
          std::fprintf(stderr, "Frame %u answered %d.\n", frame, result);
          return kExitVulkanFailure;
        }
      }
      if (options.hold && frame == 0) Say("painting");
    }
  }
  if (options.hold) {
    Say("painted");
    pause();
  }
  if (options.leave) {
    for (Window& window : windows) wl_display_disconnect(window.display);
    std::exit(0);
  }
  applications.clear();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  const SurfaceKind kind = options.wayland ? (options.fullscreen ? SurfaceKind::kWaylandFullscreen : SurfaceKind::kWayland)
                           : options.xcb   ? SurfaceKind::kXcb
                                           : SurfaceKind::kHeadless;
  std::vector<const char*> extensions = SurfaceExtensions(kind);
  if (options.format == "rgba16f") extensions.push_back(VK_EXT_SWAPCHAIN_COLOR_SPACE_EXTENSION_NAME);
  std::vector<const char*> device_extensions;
  VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT maintenance{};
  maintenance.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT;
  maintenance.swapchainMaintenance1 = VK_TRUE;
  if (!options.stretch.empty()) {
    extensions.insert(extensions.end(),
                      {VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME, VK_EXT_SURFACE_MAINTENANCE_1_EXTENSION_NAME});
    device_extensions.push_back(VK_EXT_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME);
  }
  VulkanProgram program = CreateProgram(extensions, device_extensions, device_extensions.empty() ? nullptr : &maintenance);
  std::vector<Window> windows;
  const VkExtent2D first = ParseSize(options.stretch.empty() ? options.sizes.front() : options.stretch);
  for (std::uint32_t i = 0; i < options.windows; ++i)
    windows.push_back(CreateWindow(program.instance, kind, first.width, first.height));
  if (!options.stretch.empty()) RequireStretch(program, options, windows.front().surface);
  const int code = PaintAll(options, program, windows);
  for (Window& window : windows) DestroyWindow(program.instance, window);
  DestroyProgram(program);
  return code;
}

// The Vulkan adapter as the bus sees it: what a DEVICE_OBJECT's DeviceExtension points to, and the two entry points.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "outputs/output.h"

#include <d3d10umddi.h>
#include <dispmprt.h>

namespace tandem::vulkan {

// One mutex for each VkQueue that more than one party submits to. Queues are registered when the device is borrowed;
// For() of an unknown queue is a bug of ours. Thread-safe.
class QueueLocks {
 public:
  void Add(VkQueue queue);
  [[nodiscard]] std::mutex& For(VkQueue queue);

 private:
  std::mutex guard_;
  std::unordered_map<VkQueue, std::unique_ptr<std::mutex>> locks_;
};

// A VkDevice that somebody else made and keeps: the application's, handed over by the layer.
// The owner enabled VK_KHR_timeline_semaphore (or Vulkan 1.2's feature) and, where offered, VK_EXT_external_memory_host.
struct BorrowedDevice {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;  // of the next element of the chain, never the loader's
  // Its vkAllocateCommandBuffers makes command buffers that layers further down know (PFN_vkSetDeviceLoaderData is the owner's
  // work).
  PFN_vkGetDeviceProcAddr get_device_proc_addr = nullptr;
  VkQueue copy_queue = VK_NULL_HANDLE;  // transfer queue where there is one, else shared with the application
  std::uint32_t copy_queue_family = 0;
  // One that takes dispatches, where the copy queue does not; null: there is none to borrow.
  VkQueue compute_queue = VK_NULL_HANDLE;
  std::uint32_t compute_queue_family = 0;
  bool external_memory_host = false;
  // The family is another than the application's: images that are copied there are created VK_SHARING_MODE_CONCURRENT.
  std::vector<std::uint32_t> application_queue_families;
  std::shared_ptr<QueueLocks> locks;
};

// A Vulkan device that the driver opens by itself, straight from its ICD: the layers of the process do not come between.
struct OwnDevice {
  std::string icd_library;  // path of the driver's shared library
  std::array<std::uint8_t, VK_UUID_SIZE> device_uuid{};
  std::array<std::uint8_t, VK_UUID_SIZE> driver_uuid{};
};

// What a Vulkan display adapter shows on.
struct WsiTarget {
  enum class Kind { kXcb, kWayland, kHeadless };
  Kind kind = Kind::kHeadless;
  void* connection = nullptr;  // xcb_connection_t* or wl_display*, the application's; unused for headless
  std::uint64_t window = 0;    // xcb window id
  void* wayland_surface = nullptr;
  std::uint32_t width = 0;  // wanted extent where the window system lets the client choose (Wayland, headless)
  std::uint32_t height = 0;
};

// Sockets of a Vulkan display adapter; the same meaning as soft::Connector, with window-system targets in place of outputs.
class WsiConnector {
 public:
  virtual ~WsiConnector() = default;
  virtual Result<std::uint32_t> Plug(const WsiTarget& target) = 0;
  virtual void Unplug(std::uint32_t socket) = 0;
  [[nodiscard]] virtual outputs::OutputStatus Status(std::uint32_t socket) const = 0;
  // The status that the window system answers just now.
  [[nodiscard]] virtual outputs::OutputStatus AskStatus(std::uint32_t socket) const = 0;
  // Whether the window takes pixels of R10G10B10A2 as they are; false for an empty socket.
  [[nodiscard]] virtual bool TakesTenBits(std::uint32_t socket) const = 0;
  struct Counters {
    std::uint64_t shown = 0;
    // To bring pictures from where they were decoded or drawn to the window; a copy to a primary of whole frames writes the
    // window's image itself.
    std::uint64_t written_bytes = 0;
  };
  [[nodiscard]] virtual Counters CountersOf(std::uint32_t socket) const = 0;
};

[[nodiscard]] std::shared_ptr<WsiConnector> CreateWsiConnector(std::uint32_t sockets /* 1..kMaxVidPnSources */);

// Who stretches, rotates, converts and fills, or codes what crosses links. Plain copies are always the device's.
enum class BlitEngine : std::uint8_t {
  // The processor on a software device; on others of blits the shader, and of links what is measured to be cheaper while the
  // processor codes the first frames.
  kCheapest,
  kProcessor,
  kShader,  // where the device's queues take it
};

// Answers about one device and its driver, which hold as long as these stay the same. Thread-safe.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  // Words of plain text. Nothing: it was never kept.
  [[nodiscard]] virtual std::optional<std::string> Recall(const std::string& what) = 0;
  virtual void Keep(const std::string& what, const std::string& answer) = 0;
};

// How shaders make 4:2:0: one dispatch reads each pixel once; three, one for each plane, are what US 8,773,443 describes.
enum class YuvPasses : std::uint8_t { kFused, kThree };

// What the virtual bus tells the miniport about one device. Must stay valid until RemoveDevice returned.
struct DeviceDescription {
  std::optional<BorrowedDevice> borrowed;  // exactly one of borrowed and own
  std::optional<OwnDevice> own;
  std::shared_ptr<WsiConnector> connector;  // null: render-only
  BlitEngine blits = BlitEngine::kCheapest;
  BlitEngine links = BlitEngine::kCheapest;  // who codes what crosses links
  std::optional<YuvPasses> yuv_passes;       // nothing: those that are measured to be cheaper
  std::shared_ptr<DeviceMemory> memory;      // of what is measured for links; null: it is measured each time
  // Of the memory segment in which the kernel moves rows, whole pages; it is only taken when an allocation wants it.
  std::uint64_t local_memory_bytes = 64ULL << 20;
  // As much the segment of images and primaries counts; 0: what the device has.
  std::uint64_t image_memory_bytes = 0;
  // Emulates a link to system memory of this bandwidth, EmulatedLink's limits: what copies write there is complete when it would
  // have arrived. 0: none.
  std::uint64_t link_bytes_per_second = 0;
};

extern "C" NTSTATUS VulkanDriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path);
extern "C" HRESULT VulkanOpenAdapter10_2(D3D10DDIARG_OPENADAPTER* args);

}  // namespace tandem::vulkan

// The Vulkan adapter for the bus: the target of a DEVICE_OBJECT's DeviceExtension, and the two entry points.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/crossing_extensions.h"
#include "outputs/output.h"

#include <d3d10umddi.h>
#include <dispmprt.h>

namespace tandem::vulkan {

// One mutex for each VkQueue with several submitters. Queues are registered when the device is borrowed; For() with an unknown
// queue is a bug of ours. Thread-safe.
class QueueLocks {
 public:
  void Add(VkQueue queue);
  [[nodiscard]] std::mutex& For(VkQueue queue);

 private:
  std::mutex guard_;
  std::unordered_map<VkQueue, std::unique_ptr<std::mutex>> locks_;
};

// The application's VkDevice, which the layer passes on and the application keeps. Its owner enabled VK_KHR_timeline_semaphore
// (or Vulkan 1.2's feature) and, if offered, VK_EXT_external_memory_host and kCrossingExtensionNames.
struct BorrowedDevice {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;  // function of the next element in the chain, never the loader's
  // Its vkAllocateCommandBuffers makes command buffers that lower layers know; the owner calls PFN_vkSetDeviceLoaderData.
  PFN_vkGetDeviceProcAddr get_device_proc_addr = nullptr;
  VkQueue copy_queue = VK_NULL_HANDLE;  // a transfer queue if there is one, otherwise shared with the application
  std::uint32_t copy_queue_family = 0;
  // A queue for dispatches, if the copy queue takes none; null: none to borrow.
  VkQueue compute_queue = VK_NULL_HANDLE;
  std::uint32_t compute_queue_family = 0;
  bool external_memory_host = false;
  bool host_image_copy = false;  // VK_EXT_host_image_copy and its feature are enabled
  CrossingExtensions crossing;
  // Families of the application's queues. If the copies' family is another one, images that are copied there are created with
  // VK_SHARING_MODE_CONCURRENT.
  std::vector<std::uint32_t> application_queue_families;
  std::shared_ptr<QueueLocks> locks;
  // True once a call answered VK_ERROR_DEVICE_LOST, of ours or of the lender, who may also set it to take the device away. Null:
  // the lender neither asks nor tells.
  std::shared_ptr<std::atomic<bool>> lost;
};

// A Vulkan device that the driver opens directly from its ICD, without the layers of the process but with those named here.
struct OwnDevice {
  std::string icd_library;  // path of the driver's shared library
  std::array<std::uint8_t, VK_UUID_SIZE> device_uuid{};
  std::array<std::uint8_t, VK_UUID_SIZE> driver_uuid{};
  bool imports_pages = true;          // false: the processor makes the copies of shared pages, as for a device that imports none
  std::vector<std::string> layers{};  // Vulkan layers above the device by name, the first nearest to this driver
};

// The window of a Vulkan display adapter.
struct WsiTarget {
  enum class Kind { kXcb, kWayland, kHeadless };
  Kind kind = Kind::kHeadless;
  void* connection = nullptr;  // the application's xcb_connection_t* or wl_display*; unused for headless
  std::uint64_t window = 0;    // xcb window id
  void* wayland_surface = nullptr;
  std::uint32_t width = 0;  // requested extent if the window system lets the client choose (Wayland, headless)
  std::uint32_t height = 0;
};

// ConnectorsImpl of a Vulkan display adapter, like soft::Connectors with window-system targets instead of outputs.
class WsiConnectors {
 public:
  virtual ~WsiConnectors() = default;
  virtual Result<std::uint32_t> Plug(const WsiTarget& target) = 0;
  virtual void Unplug(std::uint32_t connector) = 0;
  [[nodiscard]] virtual outputs::OutputStatus Status(std::uint32_t connector) const = 0;
  // The current status from the window system.
  [[nodiscard]] virtual outputs::OutputStatus AskStatus(std::uint32_t connector) const = 0;
  // True if the window takes R10G10B10A2 pixels unchanged; false for an empty connector.
  [[nodiscard]] virtual bool TakesTenBits(std::uint32_t connector) const = 0;
  struct Counters {
    std::uint64_t shown = 0;
    // Bytes written to bring pictures from their decoded or drawn rows to the window. A copy to a primary of whole frames
    // writes the window's image directly.
    std::uint64_t written_bytes = 0;
  };
  [[nodiscard]] virtual Counters CountersOf(std::uint32_t connector) const = 0;
};

[[nodiscard]] std::shared_ptr<WsiConnectors> CreateWsiConnectors(std::uint32_t connectors /* 1..kMaxVidPnSources */);

// The engine for stretching, rotation, conversion, fills and links. Plain copies always use the device.
enum class BlitEngine : std::uint8_t {
  // Blits: the processor on a software device, otherwise the shader. Links: the processor on a software device, otherwise the
  // engine measured as cheaper; the processor handles the first frames until then.
  kCheapest,
  kProcessor,
  kShader,  // the shader, if the device's queues take it
};

// Answers about one device and its driver, valid while both stay the same. Thread-safe.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  // A plain text of words; nothing if it was never kept.
  [[nodiscard]] virtual std::optional<std::string> Recall(const std::string& what) = 0;
  virtual void Keep(const std::string& what, const std::string& answer) = 0;
};

// Passes of a shader that makes 4:2:0. One dispatch reads each pixel once; three, one for each plane, are the method of US
// 8,773,443.
enum class YuvPasses : std::uint8_t { kFused, kThree };

class DmaBufExporter;  // drivers/vulkan/gpu/dma_buf_export.h

// The virtual bus's description of one device for the miniport. Must stay valid until RemoveDevice returns.
struct DeviceDescription {
  std::optional<BorrowedDevice> borrowed;  // exactly one of borrowed and own
  std::optional<OwnDevice> own;
  std::shared_ptr<WsiConnectors> connectors;  // null: render-only
  std::shared_ptr<DmaBufExporter> exporter;   // works while the adapter is started; null: not wanted
  BlitEngine blits = BlitEngine::kCheapest;
  bool dithers = false;                      // copies that reduce colours of more than eight bits to eight (color/dither.h)
  BlitEngine links = BlitEngine::kCheapest;  // engine that encodes and decodes for links
  std::optional<YuvPasses> yuv_passes;       // nothing: the passes measured as cheaper
  std::shared_ptr<DeviceMemory> memory;      // stores the measurements of links; null: measured each time
  // Size of the memory segment in which the kernel moves rows, whole pages; allocated only when an allocation needs it.
  std::uint64_t local_memory_bytes = 64ULL << 20;
  // Size of the segment of images and primaries; 0: the device's own size.
  std::uint64_t image_memory_bytes = 0;
  // Emulates a link to system memory of this bandwidth, within EmulatedLink's limits; 0: none. Writes of copies complete when
  // they would have arrived.
  std::uint64_t link_bytes_per_second = 0;
};

extern "C" NTSTATUS VulkanDriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path);
extern "C" HRESULT VulkanOpenAdapter10_2(D3D10DDIARG_OPENADAPTER* args);

}  // namespace tandem::vulkan

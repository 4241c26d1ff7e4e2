// An application's VkDevice from the Vulkan loader, with the validation layer if that is installed.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "drivers/vulkan/icd/dispatch.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan::testing {

// Vulkan drivers for tests: lavapipe, and SwiftShader if TANDEM_TEST_SWIFTSHADER_ICD names its manifest.
enum class Icd { kLavapipe, kSwiftShader };
inline void PrintTo(Icd icd, std::ostream* out) { *out << (icd == Icd::kLavapipe ? "lavapipe" : "SwiftShader"); }
// Empty, with the reason in `why_not`, when the driver is not installed.
[[nodiscard]] std::string ManifestOf(Icd icd, std::string& why_not);

// Khronos' validation layer between the application and its driver.
enum class Validation { kIfInstalled, kOff };

// One queue, one thread. Without validation it enables host copies of images where the device has them: Debian's validation
// layer does not know these.
class Application {
 public:
  // Null, with the reason, when the driver, the loader or the device is missing.
  static std::unique_ptr<Application> Create(Icd icd, std::string& why_not, Validation validation = Validation::kIfInstalled);
  ~Application();

  [[nodiscard]] BorrowedDevice Borrow() const;
  [[nodiscard]] const Dispatch& vk() const { return vk_; }
  [[nodiscard]] VkDevice device() const { return device_; }
  [[nodiscard]] VkQueue queue() const { return queue_; }
  [[nodiscard]] bool validated() const { return messenger_ != VK_NULL_HANDLE; }
  [[nodiscard]] std::vector<std::string> messages() const;

  // "Renders": fills the image with `pixels` (rows without padding), from layout UNDEFINED to PRESENT_SRC_KHR, and signals
  // `signal`. Returns at once. A non-null `wait` delays the work until that semaphore is signalled.
  void Draw(VkImage image, std::uint32_t width, std::uint32_t height, std::uint32_t pixel_bytes,
            const std::vector<std::byte>& pixels, VkSemaphore wait, VkSemaphore signal);
  [[nodiscard]] VkSemaphore CreateSemaphore();
  // A timeline semaphore with value 0.
  [[nodiscard]] VkSemaphore CreateTimeline();
  void Signal(VkSemaphore timeline, std::uint64_t value);
  [[nodiscard]] VkFence CreateFence();
  [[nodiscard]] bool WaitFence(VkFence fence);
  void WaitIdle();

  void AddMessage(const char* text);

 private:
  struct Upload {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
  };
  Application() = default;
  bool CreateInstance(Validation validation, std::string& why_not);
  bool CreateDevice(Icd icd, std::string& why_not);
  [[nodiscard]] PFN_vkGetDeviceProcAddr DeviceLookup() const;

  PFN_vkGetInstanceProcAddr get_instance_proc_addr_ = nullptr;
  Dispatch vk_;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  bool external_memory_host_ = false;
  bool host_image_copy_ = false;
  CrossingExtensions crossing_;
  std::shared_ptr<QueueLocks> locks_ = std::make_shared<QueueLocks>();
  VkPhysicalDeviceMemoryProperties memory_{};
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<Upload> uploads_;
  std::vector<VkSemaphore> semaphores_;
  std::vector<VkFence> fences_;
  mutable std::mutex messages_mutex_;
  std::vector<std::string> messages_;
};

}  // namespace tandem::vulkan::testing

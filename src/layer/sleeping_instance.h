// An instance of a driver that is not open: the devices of its record, until a question goes beyond it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <vulkan/vk_icd.h>
#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "base/thread.h"
#include "layer/instance_create_info.h"
#include "system/driver_record.h"
#include "system/render_driver.h"

namespace tandem::layer {

// A driver that is opened when it is needed. Immutable.
struct SleepingDriver {
  std::string name;  // of its adapter or manifest, for messages
  system::DriverRecord record;
  std::function<Result<system::RenderDriver>()> open;
  // Called on the thread that opened the driver, with the command that needed it. `holds` is false if the driver says otherwise
  // than its record now.
  std::function<void(const char* command, bool holds)> woken;
  std::function<void(const Error& error)> failed;
};

class SleepingInstance;

// The object behind a VkPhysicalDevice. The loader looks for its magic in the first word.
struct SleepingDevice {
  VK_LOADER_DATA loader{};
  SleepingInstance* instance = nullptr;
  const system::KeptAnswers* kept = nullptr;
  std::size_t position = 0;

  [[nodiscard]] VkPhysicalDevice handle() { return reinterpret_cast<VkPhysicalDevice>(this); }
  [[nodiscard]] static SleepingDevice& Of(VkPhysicalDevice handle) { return *reinterpret_cast<SleepingDevice*>(handle); }
};

// The driver's own instance and devices.
struct OpenInstance {
  VkInstance handle = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr get = nullptr;
  std::vector<VkPhysicalDevice> devices;  // at the record's positions; null for one that is gone

  // Tries the name of the extension that became part of Vulkan, too. Null if the driver has neither.
  [[nodiscard]] PFN_vkVoidFunction Find(const char* name) const;
};

// The object behind a VkInstance. Thread-safe.
class SleepingInstance {
 public:
  // `driver` outlives the instance.
  SleepingInstance(const SleepingDriver& driver, const VkInstanceCreateInfo& create_info, const VkAllocationCallbacks* allocator);
  ~SleepingInstance();
  SleepingInstance(const SleepingInstance&) = delete;
  SleepingInstance& operator=(const SleepingInstance&) = delete;

  [[nodiscard]] VkInstance handle() { return reinterpret_cast<VkInstance>(this); }
  [[nodiscard]] static SleepingInstance& Of(VkInstance handle) { return *reinterpret_cast<SleepingInstance*>(handle); }

  [[nodiscard]] const SleepingDriver& driver() const { return driver_; }
  [[nodiscard]] std::vector<SleepingDevice>& devices() { return devices_; }
  // True if the program enabled the instance extension.
  [[nodiscard]] bool Enables(std::string_view extension) const;

  // Null while the driver sleeps.
  [[nodiscard]] const OpenInstance* open() const { return open_.load(std::memory_order_acquire); }
  // False if the program's create info cannot be copied. Then Wake() must get it inside vkCreateInstance.
  [[nodiscard]] bool may_sleep() const { return create_info_.complete(); }
  // Opens the driver with the program's create info unless it is open. Null when that fails; a later call tries again.
  // `create_info`: the program's own, while it is alive; null: its copy.
  const OpenInstance* Wake(const char* command, const VkInstanceCreateInfo* create_info = nullptr) noexcept;

 private:
  [[nodiscard]] Result<std::unique_ptr<OpenInstance>> Open(const VkInstanceCreateInfo& create_info) const;

  [[maybe_unused]] VK_LOADER_DATA loader_{};  // the loader's own
  const SleepingDriver& driver_;
  const InstanceCreateInfoCopy create_info_;
  std::vector<SleepingDevice> devices_;
  Mutex mutex_;
  std::unique_ptr<OpenInstance> owned_ TANDEM_GUARDED_BY(mutex_);
  std::atomic<const OpenInstance*> open_{nullptr};
};

}  // namespace tandem::layer

// A copy of what a program gave vkCreateInstance, for a driver that is opened later.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

class InstanceCreateInfoCopy {
 public:
  InstanceCreateInfoCopy(const VkInstanceCreateInfo& info, const VkAllocationCallbacks* allocator);
  InstanceCreateInfoCopy(const InstanceCreateInfoCopy&) = delete;
  InstanceCreateInfoCopy& operator=(const InstanceCreateInfoCopy&) = delete;

  // False if the chain has a structure that this build cannot copy. The loader's own structures do not count.
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] const VkInstanceCreateInfo& info() const { return info_; }
  [[nodiscard]] const VkAllocationCallbacks* allocator() const { return allocator_ ? &*allocator_ : nullptr; }

 private:
  // Both point into members, so the object stays where it is.
  void CopyChain(const void* chain);
  void CopyApplication(const VkApplicationInfo& application);

  struct Names {
    std::vector<std::string> texts;
    std::vector<const char*> pointers;
    void Copy(const char* const* names, std::uint32_t count);
  };

  VkInstanceCreateInfo info_{};
  bool complete_ = true;
  std::optional<VkAllocationCallbacks> allocator_;
  VkApplicationInfo application_{};
  std::string application_name_;
  std::string engine_name_;
  Names layers_;
  Names extensions_;
  std::optional<VkDebugUtilsMessengerCreateInfoEXT> messenger_;
  std::optional<VkDebugReportCallbackCreateInfoEXT> report_;
};

}  // namespace tandem::layer

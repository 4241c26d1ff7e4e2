// The memory of a handle from the callbacks that the program passes to the handle's creation.
#pragma once

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

// Memory whose address is the value of a new handle. Destruction returns it unless a handle keeps it. Threads: one.
class HandleMemory {
 public:
  // `callbacks` may be null: the handle then has a value of its own.
  explicit HandleMemory(const VkAllocationCallbacks* callbacks);
  ~HandleMemory();
  HandleMemory(const HandleMemory&) = delete;
  HandleMemory& operator=(const HandleMemory&) = delete;

  [[nodiscard]] bool refused() const { return callbacks_ != nullptr && address_ == nullptr; }
  [[nodiscard]] void* address() const { return address_; }  // null without callbacks
  void Keep() { callbacks_ = nullptr; }

  // Returns the memory that a handle kept; null does nothing. `callbacks` are compatible with those of its creation.
  static void Free(const VkAllocationCallbacks* callbacks, void* address);

 private:
  const VkAllocationCallbacks* callbacks_;
  void* address_ = nullptr;
};

}  // namespace tandem::layer

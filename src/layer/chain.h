// Edits pNext chains of foreign structures: always in copies, never in place.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

namespace tandem::layer {

// The first structure of type `type` in `chain`; null when there is none.
[[nodiscard]] const void* FindInChain(const void* chain, VkStructureType type);

template <class T>
[[nodiscard]] const T* Find(const void* chain, VkStructureType type) {
  return static_cast<const T*>(FindInChain(chain, type));
}

// Find() for output chains, which the application lets us write.
template <class T>
[[nodiscard]] T* FindOut(void* chain, VkStructureType type) {
  return static_cast<T*>(const_cast<void*>(FindInChain(chain, type)));
}

// A structure with its type and chain, all else zero.
template <class T>
[[nodiscard]] T Structure(VkStructureType type, void* next) {
  T structure{};
  structure.sType = type;
  structure.pNext = next;
  return structure;
}

// Bytes copied of a structure of unknown size, zero-filled where the program's memory ends earlier. Every structure that
// extends VkDeviceCreateInfo is far smaller, and the bytes after a smaller one are never read.
inline constexpr std::size_t kUnknownBytes = 1024;

// A copy of the chain of a VkDeviceCreateInfo or VkImageCreateInfo. Memory that the structures point to is not copied.
class ChainCopy {
 public:
  explicit ChainCopy(const void* chain);
  ChainCopy(const ChainCopy&) = delete;
  ChainCopy& operator=(const ChainCopy&) = delete;

  [[nodiscard]] const void* head() const { return head_; }

  // The copied structure of this type; null when there is none.
  template <class T>
  [[nodiscard]] T* Editable(VkStructureType type) {
    return static_cast<T*>(FindCopied(type));
  }

  // Removes the structure if the chain has it.
  void Remove(VkStructureType type);

  // Prepends `structure`, which the caller owns. Its pNext is overwritten.
  template <class T>
  void Prepend(T& structure) {
    structure.pNext = const_cast<void*>(head_);
    head_ = &structure;
  }

 private:
  void* FindCopied(VkStructureType type);

  std::vector<std::unique_ptr<std::byte[]>> copies_;
  const void* head_ = nullptr;
};

}  // namespace tandem::layer

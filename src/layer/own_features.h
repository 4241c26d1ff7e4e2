// Feature structures of the extensions that the layer implements itself.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

struct OwnFeature {
  VkStructureType type;
  std::uint32_t count;                    // VkBool32 members
  std::array<const char*, 2> extensions;  // each has the structure; the second may be null
};

[[nodiscard]] std::span<const OwnFeature> OwnFeatures();

// Sets all members of our structures in an output chain to VK_TRUE.
void AnswerOwnFeatures(void* chain);

}  // namespace tandem::layer

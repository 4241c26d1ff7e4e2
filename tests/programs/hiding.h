// Lies that hide what the real driver has: windows, or everything that came after an old version of Vulkan.
#pragma once

#include <optional>

#include <vulkan/vulkan_core.h>

// The function that stands for `real`, null for one that is hidden; nothing if the lie leaves it alone.
[[nodiscard]] std::optional<PFN_vkVoidFunction> ReplaceByHiding(const char* name, PFN_vkVoidFunction real);

// Vulkan's commands on the handles of a sleeping driver: each opens the driver and hands its own handles on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <vulkan/vulkan_core.h>

#include "layer/sleeping_instance.h"

namespace tandem::layer {

// A command's name as a template's argument.
template <std::size_t kBytes>
struct CommandName {
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is one
  constexpr CommandName(const char (&name)[kBytes]) { std::copy_n(name, kBytes, text); }
  char text[kBytes];
};

// The driver's own handle; null when the driver cannot be opened or lacks the device.
struct OpenHandle {
  static OpenHandle Of(VkInstance handle, const char* command) {
    const OpenInstance* const open = SleepingInstance::Of(handle).Wake(command);
    return {open, open == nullptr ? VK_NULL_HANDLE : open->handle, VK_NULL_HANDLE};
  }
  static OpenHandle Of(VkPhysicalDevice handle, const char* command) {
    const SleepingDevice& device = SleepingDevice::Of(handle);
    const OpenInstance* const open = device.instance->Wake(command);
    return {open, VK_NULL_HANDLE, open == nullptr ? VK_NULL_HANDLE : open->devices[device.position]};
  }
  template <class Handle>
  [[nodiscard]] Handle As() const {
    if constexpr (std::is_same_v<Handle, VkInstance>) return instance;
    if constexpr (std::is_same_v<Handle, VkPhysicalDevice>) return device;
  }

  const OpenInstance* open;
  VkInstance instance;
  VkPhysicalDevice device;
};

template <CommandName kName, class Function>
struct Forward;

// Forward<"vkName", PFN_vkName>::Call is the command. Where the driver cannot be opened it answers
// VK_ERROR_INITIALIZATION_FAILED, or nothing.
template <CommandName kName, class Return, class Handle, class... Arguments>
struct Forward<kName, Return(VKAPI_PTR*)(Handle, Arguments...)> {
  static VKAPI_ATTR Return VKAPI_CALL Call(Handle handle, Arguments... arguments) {
    using Function = Return(VKAPI_PTR*)(Handle, Arguments...);
    const OpenHandle below = OpenHandle::Of(handle, kName.text);
    const Handle own = below.As<Handle>();
    const auto function = own == VK_NULL_HANDLE ? nullptr : reinterpret_cast<Function>(below.open->Find(kName.text));
    if (function != nullptr) return function(own, arguments...);
    if constexpr (std::is_same_v<Return, VkResult>) {
      return VK_ERROR_INITIALIZATION_FAILED;
    } else if constexpr (!std::is_void_v<Return>) {
      return Return{};
    }
  }
};

struct SleepingCommand {
  const char* name;
  const char* extension;  // the instance extension that has it; empty if none does
  PFN_vkVoidFunction function;
  bool of_physical_device;
};

// Any command on instances or physical devices that this build knows; null for others.
[[nodiscard]] const SleepingCommand* FindSleepingCommand(const char* name);

// Resolves those that a record answers without the driver; null for any other name.
[[nodiscard]] PFN_vkVoidFunction SleepingQuery(const char* name);

}  // namespace tandem::layer

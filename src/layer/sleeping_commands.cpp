// Keeps the window systems' own structures in one file.
#include "layer/sleeping_commands.h"

#include <cstring>

#include <xcb/xcb.h>

// Types for vulkan_xlib.h, vulkan_xlib_xrandr.h and vulkan_wayland.h, without the macros of Xlib.h.
using Display = struct _XDisplay;
using Window = unsigned long;
using VisualID = unsigned long;
using RROutput = unsigned long;
#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>
#include <vulkan/vulkan_xlib_xrandr.h>

namespace tandem::layer {
namespace {

template <class Function>
inline constexpr bool kOfPhysicalDevice = false;
template <class Return, class... Arguments>
inline constexpr bool kOfPhysicalDevice<Return(VKAPI_PTR*)(VkPhysicalDevice, Arguments...)> = true;

template <CommandName kName, class Function>
SleepingCommand Row(const char* extension) {
  return {kName.text, extension, reinterpret_cast<PFN_vkVoidFunction>(&Forward<kName, Function>::Call),
          kOfPhysicalDevice<Function>};
}

}  // namespace

const SleepingCommand* FindSleepingCommand(const char* name) {
  static const SleepingCommand commands[] = {
#define TANDEM_COMMAND(name, extension) Row<"vk" #name, PFN_vk##name>(extension),
#include "system/instance_commands.inc"
#undef TANDEM_COMMAND
  };
  for (const SleepingCommand& command : commands) {
    if (std::strcmp(command.name, name) == 0) return &command;
  }
  return nullptr;
}

}  // namespace tandem::layer

#include "layer/instance_create_info.h"

#include <type_traits>

#include <vulkan/vk_layer.h>

namespace tandem::layer {

void InstanceCreateInfoCopy::Names::Copy(const char* const* names, std::uint32_t count) {
  texts.assign(names, names + count);
  for (const std::string& text : texts) pointers.push_back(text.c_str());
}

void InstanceCreateInfoCopy::CopyApplication(const VkApplicationInfo& application) {
  application_ = application;
  application_.pNext = nullptr;
  const auto copy = [](const char*& name, std::string& text) {
    if (name == nullptr) return;
    text = name;
    name = text.c_str();
  };
  copy(application_.pApplicationName, application_name_);
  copy(application_.pEngineName, engine_name_);
  info_.pApplicationInfo = &application_;
}

void InstanceCreateInfoCopy::CopyChain(const void* chain) {
  const void* head = nullptr;
  const auto prepend = [&](auto& copy, const void* original) {
    complete_ = complete_ && !copy;  // a second structure of one type is no valid chain
    copy = *static_cast<std::remove_reference_t<decltype(*copy)>*>(const_cast<void*>(original));
    copy->pNext = head;
    head = &*copy;
  };
  for (const auto* item = static_cast<const VkBaseInStructure*>(chain); complete_ && item != nullptr; item = item->pNext) {
    switch (item->sType) {
      case VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO: break;
      case VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT: prepend(messenger_, item); break;
      case VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT: prepend(report_, item); break;
      default: complete_ = false;
    }
  }
  info_.pNext = complete_ ? head : nullptr;
}

InstanceCreateInfoCopy::InstanceCreateInfoCopy(const VkInstanceCreateInfo& info, const VkAllocationCallbacks* allocator)
    : info_(info) {
  CopyChain(info.pNext);
  if (allocator != nullptr) allocator_ = *allocator;
  if (info.pApplicationInfo != nullptr) CopyApplication(*info.pApplicationInfo);
  layers_.Copy(info.ppEnabledLayerNames, info.enabledLayerCount);
  extensions_.Copy(info.ppEnabledExtensionNames, info.enabledExtensionCount);
  info_.ppEnabledLayerNames = layers_.pointers.data();
  info_.ppEnabledExtensionNames = extensions_.pointers.data();
}

}  // namespace tandem::layer
